"""Local AUC of every subtree of a pruning path, from the masses of the strata."""

from __future__ import annotations

import numpy as np

from ..metrics._inputs import CumulativeMass
from ..metrics._top import top_of_mass
from .master_tree import MasterTree
from .pruning import PruningPath

__all__ = ["local_auc_along"]


def local_auc_along(path: PruningPath, mass: np.ndarray, complexities: np.ndarray, u: float) -> np.ndarray:
    """Local AUC of the best share u, for the subtree of each complexity.

    Parameters
    ----------
    mass : array of shape (n_leaves, 2)
        Mass of negatives and positives of some sample in each stratum of the whole tree, best first.
    """
    knots = np.vstack([np.zeros(2), np.cumsum(mass, axis=0)])
    collapse_at = path.collapse_at[separators(path.tree)]
    found = np.empty(len(complexities))
    for i, complexity in enumerate(complexities):
        ends = np.concatenate([[True], collapse_at > complexity, [True]])
        negative, positive = knots[ends].T
        curve = CumulativeMass(positive, negative, np.empty(0))
        found[i] = top_of_mass(curve, np.asarray(u)).local_auc[0]
    return found


def separators(tree: MasterTree) -> np.ndarray:
    """The split that separates each stratum from the next one."""
    splits = np.flatnonzero(tree.cell_left >= 0)
    n_leaves = (tree.cell_left < 0).astype(np.int64)
    for child in range(len(n_leaves) - 1, 0, -1):  # children come after parents
        n_leaves[tree.cell_parent[child]] += n_leaves[child]
    first = np.zeros(len(n_leaves), dtype=np.int64)
    for cell in splits:
        left, right = tree.cell_left[cell], tree.cell_right[cell]
        first[left], first[right] = first[cell], first[cell] + n_leaves[left]
    parted = np.empty(len(splits), dtype=np.int64)
    parted[first[tree.cell_right[splits]] - 1] = splits
    return parted
