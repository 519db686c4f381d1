"""How far to prune: by cross-validation, by a penalty on the number of leaves, or on a separate sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..data.binning import BinnedTable
from ..data.table import Table
from ..splitting.parameters import at_least
from ..tree.pruning import BestSubtrees, PruningPath, auc_along, best_subtrees, lambdas_on, pruning_path
from ..tree.ranking_tree import RankingTree

__all__ = ["CrossValidated", "Structural", "cross_validate", "on_sample", "stratified_folds", "structural"]

Grow = Callable[[BinnedTable, np.ndarray, np.ndarray | None], RankingTree]


@dataclass(frozen=True)
class CrossValidated:
    """AUC on held-out rows of every subtree of the path.

    Attributes
    ----------
    path : PruningPath
    complexity : array
        The lambda that stands for each subtree in the folds: the geometric middle of the range where it is best.
    auc, standard_error : arrays
        Mean over the folds of the AUC on rows that the fold's tree has not seen, and its standard error.
    best, one_standard_error : int
        The subtree with the largest mean, and the smallest one within a standard error of it.
    """

    path: PruningPath
    complexity: np.ndarray
    auc: np.ndarray
    standard_error: np.ndarray

    @property
    def best(self) -> int:
        return len(self.auc) - 1 - int(np.argmax(self.auc[::-1]))  # of equally good ones the smallest

    @property
    def one_standard_error(self) -> int:
        least = self.auc[self.best] - self.standard_error[self.best]
        return int(np.flatnonzero(self.auc >= least)[-1])

    def prune(self, *, one_standard_error: bool = False) -> RankingTree:
        """The chosen subtree."""
        return self.path.prune(self.path.lambdas[self.one_standard_error if one_standard_error else self.best])


def stratified_folds(labels: np.ndarray, n_folds: int, seed: int) -> np.ndarray:
    """Fold of each row: every fold gets an equal share of both classes, shuffled by the seed."""
    rng = np.random.default_rng(seed)
    fold = np.empty(len(labels), dtype=np.int64)
    for k in (0, 1):
        rows = np.flatnonzero(labels == k)
        if len(rows) < n_folds:
            raise ValueError(
                f"{n_folds} folds need at least {n_folds} rows of each class, and one class has {len(rows)}; "
                "set n_folds lower, or pruning to None."
            )
        fold[rng.permutation(rows)] = np.arange(len(rows)) % n_folds
    return fold


def cross_validate(
    tree: RankingTree,
    grow: Grow,
    table: Table,
    binned: BinnedTable,
    labels: np.ndarray,
    weights: np.ndarray | None,
    *,
    n_folds: int,
    seed: int,
) -> CrossValidated:
    """Grow a tree without each fold in turn, prune it along its own path, and rank the rows of the fold."""
    folds = stratified_folds(labels, at_least("n_folds", n_folds, 2), seed)
    path = pruning_path(tree)
    lambdas = path.lambdas
    complexity = np.append(np.sqrt(lambdas[:-1] * lambdas[1:]), np.inf)
    auc = np.empty((n_folds, len(complexity)))
    for fold in range(n_folds):
        seen = folds != fold
        held_out = np.flatnonzero(~seen)
        fold_tree = grow(
            BinnedTable(binned.codes[seen], binned.bins), labels[seen], None if weights is None else weights[seen]
        )
        strata = np.concatenate([fold_tree.apply(block) for block in table.take(held_out).blocks()])
        gains = lambdas_on(fold_tree, strata, labels[held_out], None if weights is None else weights[held_out])
        auc[fold] = auc_along(pruning_path(fold_tree), gains, complexity)
    return CrossValidated(path, complexity, auc.mean(axis=0), auc.std(axis=0, ddof=1) / math.sqrt(n_folds))


def on_sample(path: PruningPath, strata: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """AUC of every subtree of the path on a separate sample, given the strata of its rows in the whole tree."""
    return auc_along(path, lambdas_on(path.tree, strata, labels, weights), path.lambdas)


@dataclass(frozen=True)
class Structural:
    """Structural AUC maximisation: AUC - constant * penalty over the best subtrees of every size.

    Attributes
    ----------
    subtrees : BestSubtrees
    penalty : array
        Of a subtree with 1, 2, ... leaves.
    constant : float
    """

    subtrees: BestSubtrees
    penalty: np.ndarray
    constant: float

    @property
    def n_leaves(self) -> int:
        """Leaves of the subtree that maximises the penalised AUC; of equally good ones the smallest."""
        return 1 + int(np.argmax(self.subtrees.auc - self.constant * self.penalty))

    def prune(self) -> RankingTree:
        """The chosen subtree."""
        return self.subtrees.prune(self.n_leaves)


def structural(tree: RankingTree, *, n_rows: int, cuts: int, constant: float | str) -> Structural:
    """Penalty O1 of the paper, for cells cut by trees of at most `cuts` cuts.

    pen(K) = sqrt(32 (log(16 ((n + 1) q)^(2 K kappa)) + K) / n) / (p (1 - p)). Its constant is far too large in
    practice; "auto" calibrates it by the slope heuristic: where the training AUC of large trees grows in proportion to
    the penalty, that growth is noise, and twice the slope is charged.
    """
    subtrees = best_subtrees(tree)
    leaves = np.arange(1, len(subtrees.auc) + 1)
    share = tree.cell_mass[0, 1] / tree.cell_mass[0].sum()
    exponent = 2.0 * leaves * cuts * math.log((n_rows + 1) * tree.schema.n_features)
    penalty = np.sqrt(32.0 * (math.log(16.0) + exponent + leaves) / n_rows) / (share * (1.0 - share))
    if constant == "auto":
        large = slice(len(leaves) // 2, None)
        constant = 0.0
        if len(leaves) >= 4:
            constant = 2.0 * float(np.polyfit(penalty[large], subtrees.auc[large], 1)[0])
    return Structural(subtrees, penalty, float(constant))
