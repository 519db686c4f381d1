"""How the size of a tree was chosen, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..growing.right_size import CrossValidated
from ..growing.structural import Structural
from ..tree.master_tree import MasterTree
from ..tree.pruning import BestSubtrees, PruningPath
from .checks import check_finite
from .errors import require
from .shelf import Shelf

__all__ = ["put_pruning", "take_pruning"]


def put_pruning(shelf: Shelf, found: CrossValidated | Structural | None) -> dict[str, Any] | None:
    """What is known of the subtrees; their tree is the grown one."""
    if found is None:
        return None
    if isinstance(found, CrossValidated):
        shelf.put("collapse_at", found.path.collapse_at)
        for name in ("complexity", "auc", "standard_error"):
            shelf.put(name, getattr(found, name))
        return {"kind": "cross-validated", "n_folds": int(found.n_folds), "top": float(found.top)}
    shelf.put("auc", found.subtrees.auc)
    shelf.put("left_leaves", np.concatenate(found.subtrees._left_leaves).astype(np.int64))
    shelf.put("penalty", found.penalty)
    return {"kind": "structural", "constant": float(found.constant)}


def take_pruning(shelf: Shelf, value: Any, grown: MasterTree) -> CrossValidated | Structural | None:
    """The same, checked against the grown tree."""
    if value is None:
        return None
    require(isinstance(value, dict), "its pruning cannot be read")
    if value.get("kind") == "cross-validated":
        return _cross_validated(shelf, value, grown)
    require(value.keys() == {"kind", "constant"} and value["kind"] == "structural", "its pruning is of an unknown kind")
    return _structural(shelf, value, grown)


def _cross_validated(shelf: Shelf, value: dict[str, Any], grown: MasterTree) -> CrossValidated:
    n_folds: Any = value.get("n_folds")
    top: Any = value.get("top")
    require(type(n_folds) is int and 2 <= n_folds <= 1 << 32, "its pruning has an invalid number of folds")
    require(type(top) is float and 0.0 < top <= 1.0, "its pruning has an invalid top")
    collapse_at = shelf.take("collapse_at", np.float64, len(grown.cell_parent))
    check_finite(collapse_at, "collapse_at", least=0.0)
    path = PruningPath(grown, collapse_at)
    n = len(path.lambdas)
    complexity, auc, error = (shelf.take(name, np.float64, n) for name in ("complexity", "auc", "standard_error"))
    require(not np.isnan([complexity, auc, error]).any(), "the pruning table contains NaN")
    return CrossValidated(path, complexity, auc, error, n_folds, top)


def _structural(shelf: Shelf, value: dict[str, Any], grown: MasterTree) -> Structural:
    require(type(value["constant"]) is float, "its pruning has no constant")
    below = leaves_below(grown)
    n = int(below[0])
    auc, penalty = shelf.take("auc", np.float64, n), shelf.take("penalty", np.float64, n)
    check_finite(auc, "auc of the subtrees")
    check_finite(penalty, "penalty of the subtrees")
    joined = shelf.take("left_leaves", np.int64, int(below.sum()))
    left_leaves = tuple(np.split(joined, np.cumsum(below)[:-1]))
    split = grown.cell_left >= 0
    for cell in np.flatnonzero(split).tolist():
        to_left, leaves = left_leaves[cell][1:], np.arange(2, below[cell] + 1)  # of 2, 3, ... leaves in all
        most_left, most_right = below[grown.cell_left[cell]], below[grown.cell_right[cell]]
        fine = (to_left >= 1) & (to_left <= most_left) & (to_left < leaves) & (leaves - to_left <= most_right)
        require(fine.all(), "a subtree of its pruning has more leaves than its cell")
    return Structural(BestSubtrees(grown, auc, left_leaves), penalty, value["constant"])


def leaves_below(tree: MasterTree) -> np.ndarray:
    """Leaves in the branch of each cell."""
    below = np.where(tree.cell_left < 0, 1, 0).astype(np.int64)
    for cell in range(len(below) - 1, 0, -1):  # children come after parents
        below[tree.cell_parent[cell]] += below[cell]
    return below
