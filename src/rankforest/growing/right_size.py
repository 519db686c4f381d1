"""Pruning by cross-validation, or on a separate sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t

from ..data.folds import Folds
from ..data.parameters import at_least
from ..data.parts import Parts, check_finite, need
from ..data.sample import Sample
from ..tree.local_pruning import local_auc_along
from ..tree.master_tree import MasterTree
from ..tree.pruning import PruningPath, auc_along, lambdas_on, pruning_path, strata_mass
from .treerank import GrowTree

__all__ = ["CrossValidated", "Grow", "cross_validate", "on_sample"]

Grow = Callable[[Sample], MasterTree]


@dataclass(frozen=True)
class CrossValidated:
    """AUC, or local AUC, on held-out rows of every subtree of the path.

    Attributes
    ----------
    path : PruningPath
    complexity : array
        The lambda that represents each subtree in the folds: the geometric mean of the range where it is best.
    auc, standard_error : arrays
        Mean over the folds of the held-out AUC, and its standard error; of the local AUC if `top` is less than 1.
    n_folds : int
    top : float
        Best share of the list that matters.
    best : int
        The subtree with the largest mean.
    one_standard_error : int
        The smallest subtree within a standard error of it; the root if not even the best subtree is significantly
        better than no ranking.
    """

    path: PruningPath
    complexity: np.ndarray
    auc: np.ndarray
    standard_error: np.ndarray
    n_folds: int
    top: float = 1.0

    @property
    def best(self) -> int:
        return len(self.auc) - 1 - int(np.argmax(self.auc[::-1]))  # the smallest of equally good ones

    @property
    def ranks(self) -> bool:
        """Whether the best subtree ranks better than the root: the corrected resampled t-test at level .05.

        The folds' trees have most of their training rows in common, so the standard error of their mean is too small.
        Nadeau and Bengio's correction adds the ratio of held-out to training rows to the 1 / n_folds of independent
        folds.
        """
        if self.best == len(self.auc) - 1:
            return False
        correction = math.sqrt(1.0 + self.n_folds / (self.n_folds - 1.0))
        limit = t.ppf(0.95, self.n_folds - 1) * correction * self.standard_error[self.best]
        return bool(self.auc[self.best] - self.top * (1.0 - self.top / 2.0) > limit)  # minus the local AUC of the root

    @property
    def one_standard_error(self) -> int:
        if not self.ranks:
            return len(self.auc) - 1
        least = self.auc[self.best] - self.standard_error[self.best]
        return int(np.flatnonzero(self.auc >= least)[-1])

    def prune(self, *, one_standard_error: bool = False) -> MasterTree:
        """The chosen subtree."""
        return self.path.prune(self.path.lambdas[self.one_standard_error if one_standard_error else self.best])

    def to_parts(self) -> dict[str, Any]:
        """All but the grown tree, as plain data."""
        return {
            "kind": "cross-validated",
            "n_folds": int(self.n_folds),
            "top": float(self.top),
            "collapse_at": self.path.collapse_at,
            "complexity": self.complexity,
            "auc": self.auc,
            "standard_error": self.standard_error,
        }

    @classmethod
    def from_parts(cls, parts: Parts, grown: MasterTree) -> CrossValidated:
        """The same again, checked against the grown tree."""
        parts.choice("kind", ("cross-validated",))
        n_folds, top = parts.whole("n_folds", 2, 1 << 32), parts.number("top")
        need(0.0 < top <= 1.0, "its pruning has an invalid top")
        collapse_at = parts.array("collapse_at", np.float64, len(grown.cell_parent))
        check_finite(collapse_at, "collapse_at", least=0.0)
        path = PruningPath(grown, collapse_at)
        n = len(path.lambdas)
        complexity, auc, error = (parts.array(name, np.float64, n) for name in ("complexity", "auc", "standard_error"))
        need(not np.isnan([complexity, auc, error]).any(), "the pruning table contains NaN")
        return cls(path, complexity, auc, error, n_folds, top)


def cross_validate(
    tree: MasterTree, grow: Grow, sample: Sample, *, n_folds: int, seed: int, top: float = 1.0
) -> CrossValidated:
    """Grow a tree without each fold in turn, prune it along its own path, and rank the rows of the fold."""
    folds = sample.hold_out.folds(sample.labels, at_least("n_folds", n_folds, 2), seed)
    path = pruning_path(tree)
    lambdas = path.lambdas
    complexity = np.append(np.sqrt(lambdas[:-1] * lambdas[1:]), np.inf)
    auc = np.empty((n_folds, len(complexity)))
    for fold, fold_tree in enumerate(_without_each(folds, grow, sample)):
        held_out = folds.held_out(fold)
        strata = sample.answers(fold_tree.apply, held_out)
        labels, weights = sample.labels[held_out], None if sample.weights is None else sample.weights[held_out]
        auc[fold] = _along(pruning_path(fold_tree), strata, labels, weights, complexity, top)
    error = auc.std(axis=0, ddof=1) / math.sqrt(n_folds)
    return CrossValidated(path, complexity, auc.mean(axis=0), error, n_folds, top)


def _without_each(folds: Folds, grow: Grow, sample: Sample) -> Iterable[MasterTree]:
    """The trees grown without each fold."""
    parts = [folds.seen(fold) for fold in range(folds.n_folds)]
    if isinstance(grow, GrowTree):
        return grow.on_parts(sample, parts)
    return (sample.take(rows).grown(grow) for rows in parts)


def on_sample(
    path: PruningPath, strata: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, top: float = 1.0
) -> np.ndarray:
    """AUC, or local AUC, of every subtree of the path on a separate sample, given the strata of its rows."""
    return _along(path, strata, labels, weights, path.lambdas, top)


def _along(
    path: PruningPath,
    strata: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    complexities: np.ndarray,
    top: float,
) -> np.ndarray:
    if top < 1.0:
        return local_auc_along(path, strata_mass(path.tree, strata, labels, weights), complexities, top)
    return auc_along(path, lambdas_on(path.tree, strata, labels, weights), complexities)
