"""Pruning of a tree of ordered labels, by the cross-validated mean absolute error."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed

from ..data.ordered_sample import OrderedSample
from ..data.parts import Parts, need
from ..tree.ordinal_pruning import OrdinalPath, depth_path, ordinal_pruning_path
from ..tree.ordinal_tree import OrdinalTree
from ..tree.pruning_options import Pruning

__all__ = ["ORDINAL_METHODS", "OrdinalCrossValidated", "cross_validate_ordinal"]

ORDINAL_METHODS = ("cv", "cv-1se", "depth")
_FOLDS = 5


@dataclass(frozen=True)
class OrdinalCrossValidated:
    """Mean absolute error on held-out rows of every subtree of the path.

    Attributes
    ----------
    path : OrdinalPath
    error, standard_error : arrays
        Mean over the folds of the held-out error, and its standard error.
    n_folds : int
    best : int
        The subtree with the least mean error; the smallest one of several.
    one_standard_error : int
        The smallest subtree within a standard error of it.
    """

    path: OrdinalPath
    error: np.ndarray
    standard_error: np.ndarray
    n_folds: int

    @property
    def best(self) -> int:
        return len(self.error) - 1 - int(np.argmin(self.error[::-1]))

    @property
    def one_standard_error(self) -> int:
        most = self.error[self.best] + self.standard_error[self.best]
        return int(np.flatnonzero(self.error <= most)[-1])

    def prune(self, *, one_standard_error: bool = False) -> OrdinalTree:
        """The chosen subtree."""
        return self.path.prune(self.path.complexities[self.one_standard_error if one_standard_error else self.best])

    def to_parts(self) -> dict[str, Any]:
        """All but the grown tree, as plain data."""
        return {
            "n_folds": int(self.n_folds),
            "collapse_at": self.path.collapse_at,
            "complexities": self.path.complexities,
            "error": self.error,
            "standard_error": self.standard_error,
        }

    @classmethod
    def from_parts(cls, parts: Parts, grown: OrdinalTree) -> OrdinalCrossValidated:
        """The same again, checked against the grown tree."""
        n_folds = parts.whole("n_folds", 2, 1 << 32)
        collapse_at = parts.array("collapse_at", np.float64, grown.n_nodes)
        complexities = parts.array("complexities", np.float64, None)
        n = len(complexities)
        error, standard_error = (parts.array(name, np.float64, n) for name in ("error", "standard_error"))
        for array in (collapse_at, complexities, error, standard_error):
            need(not np.isnan(array).any(), "the pruning table contains NaN")
        need(n >= 1 and (np.diff(complexities) > 0).all(), "the pruning table is not sorted")
        return cls(OrdinalPath(grown, collapse_at, complexities), error, standard_error, n_folds)


def cross_validate_ordinal(
    tree: OrdinalTree,
    grow: Callable[[OrderedSample], OrdinalTree],
    sample: OrderedSample,
    pruning: Pruning,
    *,
    seed: int,
    n_threads: int = 1,
) -> OrdinalCrossValidated:
    """Grow a tree without each fold in turn, prune it along its own path, and predict the rows of the fold."""
    n_folds, by_depth = pruning.folds(_FOLDS), pruning.method == "depth"
    folds = sample.hold_out.ordered_folds(sample.labels, n_folds, seed)
    make_path = depth_path if by_depth else ordinal_pruning_path
    path = make_path(tree)
    at = path.complexities
    # a subtree is best in a range of complexities; in the folds its geometric mean represents the subtree
    middles = at if by_depth else np.append(np.sqrt(at[:-1] * at[1:]), np.inf)
    k = len(sample.levels)

    def error_of(fold: int) -> np.ndarray:
        fold_tree = sample.take(folds.seen(fold)).grown(grow)
        held_out = folds.held_out(fold)
        cells = sample.answers(fold_tree.apply, held_out).astype(np.intp) * k + sample.labels[held_out]
        weights = None if sample.weights is None else sample.weights[held_out]
        mass = np.bincount(cells, weights=weights, minlength=fold_tree.n_leaves * k)
        return make_path(fold_tree).error_on(mass.reshape(-1, k).astype(np.float64), middles)

    # threads: the core releases the GIL
    jobs = (delayed(error_of)(fold) for fold in range(n_folds))
    error = np.array(Parallel(n_jobs=n_threads, prefer="threads")(jobs))
    return OrdinalCrossValidated(path, error.mean(axis=0), error.std(axis=0, ddof=1) / math.sqrt(n_folds), n_folds)
