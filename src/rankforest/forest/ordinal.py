"""Forests of ordered labels: growing, aggregation, out-of-bag predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..data.columns import row_blocks
from ..data.ordered_sample import OrderedSample
from ..data.training_rows import TrainingRows
from ..growing.ordinal import OrdinalGrowth, grow_ordinal_trees
from ..tree.ordinal_tree import OrdinalTree
from ..tree.walk import forest_with
from .aggregation import MATRIX_CELLS
from .groves import Grove, Progress, trees_and_bits
from .sampling import Draw
from .votes import Votes, flags_of

__all__ = [
    "ORDINAL_AGGREGATIONS",
    "grow_ordinal_on_draws",
    "mean_labels",
    "median_of_trees",
    "out_of_bag_medians",
    "out_of_bag_shares",
    "out_of_bag_votes",
    "ranked_probability_score",
    "shares_block",
]

ORDINAL_AGGREGATIONS = ("mean", "median")


def grow_ordinal_on_draws(
    growth: OrdinalGrowth,
    sample: OrderedSample,
    draw: Draw,
    *,
    first_tree: int,
    n_trees: int,
    n_threads: int,
    progress: Progress | None = None,
) -> list[OrdinalTree]:
    """Trees of one growth, each on rows drawn for it."""
    return grow_ordinal_trees(
        sample, growth,
        seed=draw.seed, n_trees=n_trees, first_tree=first_tree, draw=(draw.size, draw.replace), n_threads=n_threads,
        progress=progress, times=draw.given, groups=draw.groups,
    )  # fmt: skip


# ---- aggregation


def shares_block(trees: Sequence[OrdinalTree], X: np.ndarray, n_threads: int) -> np.ndarray:
    """Mean over the trees of the shares of the labels in a row's leaf."""
    dags, tables = [tree.dag for tree in trees], [tree.leaf_share for tree in trees]
    return _core.sum_tables(dags, tables, X, None, 0, n_threads)[0] / len(trees)


def _forest(trees: Sequence[OrdinalTree]) -> _core.Forest:
    return forest_with(trees[0], [tree.dag for tree in trees])


def mean_labels(trees: Sequence[OrdinalTree], X: np.ndarray, n_threads: int) -> np.ndarray:
    """Mean label of every row (first axis) in its leaf of every tree (second)."""
    return _core.tree_scores(_forest(trees), [tree.leaf_mean for tree in trees], X, n_threads)


def _median_levels(trees: Sequence[OrdinalTree], X: np.ndarray, n_threads: int) -> np.ndarray:
    values = [tree.leaf_median.astype(np.float64) for tree in trees]
    return _core.tree_scores(_forest(trees), values, X, n_threads)


def median_of_trees(trees: Sequence[OrdinalTree], X: np.ndarray, n_threads: int) -> tuple[np.ndarray, np.ndarray]:
    """Median over the trees of the mean labels, and of the median labels (as levels; the lower of two medians)."""
    means, levels = np.empty(len(X)), np.empty(len(X), dtype=np.intp)
    at_once = max(1, MATRIX_CELLS // len(trees))
    for start in range(0, len(X), at_once):
        part = slice(start, start + at_once)
        block = np.ascontiguousarray(X[part])
        means[part] = np.median(mean_labels(trees, block, n_threads), axis=1)
        middle = (len(trees) - 1) // 2
        levels[part] = np.partition(_median_levels(trees, block, n_threads), middle, axis=1)[:, middle]
    return means, levels


# ---- out of bag


def out_of_bag_shares(
    groves: Sequence[Grove], draw: Draw, training: TrainingRows, n_threads: int, X: np.ndarray | None = None
) -> np.ndarray:
    """Out-of-bag shares of the labels of each training row; NaN if all trees were trained on the row.

    Parameters
    ----------
    X : array or None
        Values that replace those of the training rows, for instance with one feature shuffled.
    """
    trees, bits = trees_and_bits(groves, draw, training.labels, n_threads)
    return out_of_bag_votes(trees, bits, training, n_threads, X).means


def out_of_bag_votes(
    trees: Sequence[OrdinalTree], bits: np.ndarray, training: TrainingRows, n_threads: int, X: np.ndarray | None = None
) -> Votes:
    """Sums of the shares of the labels over the trees that were not trained on a row, given their out-of-bag bits."""
    sums, counts = training.out_of_bag(_Shares(tuple(trees), n_threads), bits, X)
    return Votes(sums, counts)


@dataclass(frozen=True)
class _Shares:
    """Sum of the shares of the labels over the out-of-bag trees of each row, and their number."""

    trees: tuple[OrdinalTree, ...]
    n_threads: int

    def __call__(self, block: np.ndarray, bits: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
        dags, tables = [tree.dag for tree in self.trees], [tree.leaf_share for tree in self.trees]
        return _core.sum_tables(dags, tables, block, bits, start, self.n_threads)


def out_of_bag_medians(
    groves: Sequence[Grove], draw: Draw, training: TrainingRows, n_threads: int, X: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Out-of-bag `median_of_trees`: means (NaN if all trees were trained on the row) and levels (then -1)."""
    trees, bits = trees_and_bits(groves, draw, training.labels, n_threads)
    means, levels = training.out_of_bag(_Medians(tuple(trees), n_threads), bits, X)
    return means, levels


@dataclass(frozen=True)
class _Medians:
    """`median_of_trees` of the out-of-bag trees of each row."""

    trees: tuple[OrdinalTree, ...]
    n_threads: int

    def __call__(self, block: np.ndarray, bits: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
        trees, n_threads = self.trees, self.n_threads
        means, levels = np.full(len(block), np.nan), np.full(len(block), -1, dtype=np.intp)
        for first, last in row_blocks(len(block), max(1, MATRIX_CELLS // len(trees))):
            part = np.ascontiguousarray(block[first:last])
            unseen = flags_of(bits, np.arange(start + first, start + last))
            known = unseen.any(axis=1)
            mean, level = mean_labels(trees, part, n_threads), _median_levels(trees, part, n_threads)
            mean[~unseen] = np.nan
            means[first:last][known] = np.nanmedian(mean[known], axis=1)
            level[~unseen] = np.inf
            level.sort(axis=1)
            middle = (unseen.sum(axis=1) - 1) // 2
            levels[first:last][known] = level[known, middle[known]]
        return means, levels


def ranked_probability_score(
    shares: np.ndarray, labels: np.ndarray, levels: np.ndarray, weights: np.ndarray | None = None
) -> float:
    """Mean of sum_m (L_{m+1} - L_m) (P(label <= L_m) - [label <= L_m])^2; rows with NaN are left out.

    The expected score is minimal for the true probabilities. So, unlike the absolute error of the median label, it
    distinguishes good shares from better ones.

    Examples
    --------
    >>> ranked_probability_score(np.array([[0.5, 0.5, 0.0]]), np.array([0]), np.array([1.0, 2.0, 4.0]))
    0.25
    """
    known = ~np.isnan(shares[:, 0])
    below = np.cumsum(shares[known], axis=1)[:, :-1]
    truly = labels[known, None] <= np.arange(len(levels) - 1)
    scores = ((below - truly) ** 2) @ np.diff(levels)
    return float(np.average(scores, weights=None if weights is None else weights[known])) if len(scores) else np.nan
