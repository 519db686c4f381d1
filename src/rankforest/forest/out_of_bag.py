"""Out-of-bag scores: each training row is scored by the trees that were not trained on it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import _core
from ..data.columns import row_blocks
from ..data.rows import ENOUGH_ROWS, spaced_rows
from ..data.training_rows import TrainingRows
from ..metrics._counted_pairs import MANY_ROWS, auc_by_counting
from ..metrics.roc import roc_auc
from ..metrics.within import auc_within
from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from .aggregation import MATRIX_CELLS, SUMMED, forest_of, tree_score_block, values_of
from .groves import Grove, few_trees_and_bits, trees_and_bits
from .sampling import Draw
from .subpartition import Consensus
from .votes import Votes, flags_of

__all__ = [
    "PairAuc",
    "auc_of",
    "out_of_bag_scores",
    "out_of_bag_votes",
    "pair_auc",
    "rows_with_scores",
    "scores_as_of_fresh_rows",
    "with_scores",
]

EXACT_PAIRS = 1_000_000  # pairs of a positive and a negative; if there are more, a sample of them is drawn

_HALVINGS = 4  # ways to halve the trees, to estimate the variance of a median

# How the out-of-bag trees of a pair order it; by default by the mean of their scores. With "kemeny" the majority
# decides: it is the median ranking of two rows, and of any set of rows whose majorities have no cycle.
_PAIR_ORDER = {"median_rank": _core.PairOrder.median, "kemeny": _core.PairOrder.majority}


def out_of_bag_scores(
    groves: Sequence[Grove],
    draw: Draw,
    training: TrainingRows,
    aggregation: str,
    n_threads: int,
    X: np.ndarray | None = None,
    *,
    power: int = 1,
    which: np.ndarray | slice = slice(None),
    consensus: Consensus | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Out-of-bag score of each training row (NaN if all trees were trained on it), and the number of its trees.

    Parameters
    ----------
    X : array or None
        Values that replace those of the training rows, for instance with one feature shuffled.
    power : int
        Power of the scores of single trees; 2 gives mean squares.
    which : array of int, or slice
        Positions of the trees to use.
    consensus : Consensus or None
        Needed for "kemeny" and "kemeny_ties". A fresh row in an unknown cell gets the score of the cell with the
        nearest mean rank. A training row is treated in the same way, with its out-of-bag mean rank.
    """
    if consensus is not None:
        means, counts = out_of_bag_scores(groves, draw, training, "mean_rank", n_threads, X, which=which)
        return consensus.place_unseen(means), counts
    in_core = all(isinstance(tree, RankingTree) for grove in groves for tree in grove.trees)
    if aggregation in SUMMED and in_core and X is None and which == slice(None):
        votes = _votes_of_all(groves, draw, training, aggregation, n_threads, power)
        return votes.into_means(), votes.counts
    every, bits = trees_and_bits(groves, draw, training.labels, n_threads)
    trees, bits = [every[number] for number in np.arange(len(every))[which]], bits[which]
    if aggregation in SUMMED and in_core:
        votes = out_of_bag_votes(trees, bits, training, aggregation, n_threads, X, power=power)
        return votes.means, votes.counts
    scores, counts = training.out_of_bag(_Middle(tuple(trees), aggregation, power, n_threads), bits, X)
    return scores, counts


def _votes_of_all(
    groves: Sequence[Grove], draw: Draw, training: TrainingRows, aggregation: str, n_threads: int, power: int
) -> Votes:
    """Sums over all trees; the bits of few trees at a time are in memory."""
    groups = few_trees_and_bits(groves, draw, training.labels, n_threads)
    trees, bits = next(groups)
    votes = out_of_bag_votes(trees, bits, training, aggregation, n_threads, power=power)
    for trees, bits in groups:
        asked = _Sums(tuple(trees), aggregation, power, n_threads)
        training.add_out_of_bag(asked, bits, (votes.sums, votes.counts))
    return votes


@dataclass(frozen=True)
class _Middle:
    """Median or mean over the out-of-bag trees of each row, from the scores of single trees; and their number."""

    trees: tuple[MasterTree, ...]
    aggregation: str
    power: int
    n_threads: int

    def __call__(self, block: np.ndarray, bits: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
        scores, counts = np.full(len(block), np.nan), np.zeros(len(block), dtype=np.int64)
        middle = np.nanmedian if self.aggregation == "median_rank" else np.nanmean
        for first, last in row_blocks(len(block), max(1, MATRIX_CELLS // len(self.trees))):
            part = np.ascontiguousarray(block[first:last])
            matrix = tree_score_block(self.trees, part, self.aggregation, self.n_threads)
            matrix **= self.power
            matrix[~flags_of(bits, np.arange(start + first, start + last))] = np.nan
            counts[first:last] = np.sum(~np.isnan(matrix), axis=1)
            seen = counts[first:last] > 0
            scores[first:last][seen] = middle(matrix[seen], axis=1)
        return scores, counts


@dataclass(frozen=True)
class _Sums:
    """Sum of the scores of the out-of-bag trees of each row, and their number."""

    trees: tuple[RankingTree, ...]
    aggregation: str
    power: int
    n_threads: int

    @cached_property
    def _values(self) -> list[np.ndarray]:
        return [values_of(tree, self.aggregation) ** self.power for tree in self.trees]

    def __call__(self, block: np.ndarray, bits: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
        forest = forest_of(self.trees, self.aggregation)
        return _core.out_of_bag_sums(forest, self._values, block, bits, start, self.n_threads)


def out_of_bag_votes(
    trees: Sequence[RankingTree],
    bits: np.ndarray,
    training: TrainingRows,
    aggregation: str,
    n_threads: int,
    X: np.ndarray | None = None,
    *,
    power: int = 1,
) -> Votes:
    """Sums of the scores of the trees that were not trained on a row, given the out-of-bag bits of the trees."""
    sums, counts = training.out_of_bag(_Sums(tuple(trees), aggregation, power, n_threads), bits, X)
    return Votes(sums, counts)


def scores_as_of_fresh_rows(
    groves: Sequence[Grove],
    draw: Draw,
    training: TrainingRows,
    aggregation: str,
    n_threads: int,
    *,
    consensus: Consensus | None = None,
) -> np.ndarray:
    """Out-of-bag scores, shrunk towards their mean so that they have the spread of the scores of fresh rows.

    A fresh row is scored by all trees, a training row only by its out-of-bag trees, about a third. A mean over fewer
    trees has a larger variance, so the quantiles of out-of-bag scores are too extreme. The variance between the trees'
    scores of a row gives the excess, which is removed.
    """
    if consensus is not None:
        return consensus.place_unseen(scores_as_of_fresh_rows(groves, draw, training, "mean_rank", n_threads))
    scores, counts = out_of_bag_scores(groves, draw, training, aggregation, n_threads)
    spread = float(np.nanvar(scores))
    of_trees = (_variance_by_halves if aggregation == "median_rank" else _variance_of_trees)(
        groves, draw, training, aggregation, n_threads
    )
    known = ~np.isnan(of_trees)
    if not known.any() or spread == 0.0:
        return scores
    n_trees = sum(len(grove.trees) for grove in groves)
    excess = float(np.mean(of_trees[known] / counts[known])) - float(np.mean(of_trees[known])) / n_trees
    centre = float(np.nanmean(scores))
    return centre + math.sqrt(max(1.0 - excess / spread, 0.0)) * (scores - centre)


def _variance_of_trees(
    groves: Sequence[Grove], draw: Draw, training: TrainingRows, aggregation: str, n_threads: int
) -> np.ndarray:
    """Variance between the trees' scores of each row; divided by their number, that of the mean. NaN for one tree."""
    means, counts = out_of_bag_scores(groves, draw, training, aggregation, n_threads)
    squares, _ = out_of_bag_scores(groves, draw, training, aggregation, n_threads, power=2)
    count = np.where(counts > 1, counts, np.nan)
    return np.maximum(squares - means**2, 0.0) * count / (count - 1.0)


def _variance_by_halves(
    groves: Sequence[Grove], draw: Draw, training: TrainingRows, aggregation: str, n_threads: int
) -> np.ndarray:
    """The corresponding variance for a median, from the difference between the medians of two halves of the trees.

    The variance of a median falls with the number of trees as that of a mean does, but with a factor that depends on
    the distribution of the scores. The trees are halved in several ways; each half contains all kinds evenly.
    """
    numbers = np.arange(sum(len(grove.trees) for grove in groves))
    found = []
    for halving in range(_HALVINGS):
        first = (numbers >> halving) % 2 == 0
        (one, of_one), (other, of_other) = (
            out_of_bag_scores(groves, draw, training, aggregation, n_threads, which=numbers[half])
            for half in (first, ~first)
        )
        with np.errstate(divide="ignore"):
            found.append((one - other) ** 2 / (1.0 / of_one + 1.0 / of_other))
    known = ~np.isnan(found)
    return np.where(known.any(axis=0), np.nansum(found, axis=0) / np.maximum(known.sum(axis=0), 1), np.nan)


@dataclass(frozen=True)
class PairAuc:
    """Out-of-bag AUC by pairs.

    Attributes
    ----------
    auc : float
    standard_error : float
        Standard error due to the sampling of pairs; 0 if all pairs are used.
    n_pairs : int
        Number of pairs with at least one tree that was trained on neither row.
    exact : bool
        Whether all pairs are used.
    aggregation : str
        How the pairs were ordered: the aggregation of the forest, or "mean_rank" in place of "kemeny_ties".
    """

    auc: float
    standard_error: float
    n_pairs: int
    exact: bool
    aggregation: str

    def __float__(self) -> float:
        return self.auc


def pair_auc(
    groves: Sequence[Grove],
    draw: Draw,
    training: TrainingRows,
    aggregation: str,
    *,
    max_pairs: int = EXACT_PAIRS,
    seed: int = 0,
    n_threads: int = 1,
) -> PairAuc:
    """AUC by pairs of a positive and a negative, each ordered by the trees trained on neither row; ties count one half.

    All pairs are used if there are at most `max_pairs`; otherwise `max_pairs` of them are drawn. Each aggregation
    orders the two rows as it would with these trees alone. The exception is "kemeny_ties": it would tie two rows alone
    far more often than two rows among many, so mean ranks are used instead.
    """
    how = "mean_rank" if aggregation == "kemeny_ties" else aggregation
    positives, negatives = np.flatnonzero(training.labels == 1), np.flatnonzero(training.labels == 0)
    exact = len(positives) * len(negatives) <= max_pairs
    if exact:
        first, second = (side.ravel() for side in np.meshgrid(positives, negatives, indexing="ij"))
    else:
        rng = np.random.default_rng(seed)
        # the scores of single trees are kept for all rows of the pairs, so the pairs are drawn from few rows to save
        # memory
        most_rows = max(2000, MATRIX_CELLS // sum(len(grove.trees) for grove in groves))
        positives, negatives = (
            side if len(side) <= most_rows // 2 else np.sort(rng.choice(side, most_rows // 2, replace=False))
            for side in (positives, negatives)
        )
        first, second = rng.choice(positives, max_pairs), rng.choice(negatives, max_pairs)
    rows = np.unique(np.concatenate([positives, negatives]))
    trees, bits = trees_and_bits(groves, draw, training.labels, n_threads)
    scores = np.ascontiguousarray(tree_score_block(trees, training.values(rows), how, n_threads))
    flags = np.ascontiguousarray(flags_of(bits, rows).astype(np.uint8))
    ours, theirs = (np.searchsorted(rows, side) for side in (first, second))
    order = _PAIR_ORDER.get(how, _core.PairOrder.mean)
    won = _core.out_of_bag_pairs(scores, flags, ours, theirs, order, n_threads)
    known = ~np.isnan(won)
    weights = np.ones(len(won)) if training.weights is None else training.weights[first] * training.weights[second]
    weights, won = weights[known], won[known]
    if len(won) == 0:
        return PairAuc(math.nan, math.nan, 0, exact, how)
    auc = float(np.average(won, weights=weights))
    error = 0.0 if exact else math.sqrt(float(np.sum((weights * (won - auc)) ** 2))) / float(weights.sum())
    return PairAuc(auc, error, len(won), exact, how)


def auc_of(scores: np.ndarray, training: TrainingRows, blocks: np.ndarray | None = None) -> float:
    """AUC of out-of-bag scores, without the rows that have none; with blocks, the mean of the blocks.

    NaN if the other rows are all of one class.
    """
    if blocks is not None:
        return auc_within(training.labels, scores, training.weights, blocks)
    if training.weights is None and len(scores) > MANY_ROWS:  # what `roc_auc` does, without the memory of its checks
        return auc_by_counting(training.labels, scores)
    known, labels, weights = with_scores(scores, training)
    return float(roc_auc(labels, known, sample_weight=weights)) if len(np.unique(labels)) == 2 else math.nan


def with_scores(scores: np.ndarray, training: TrainingRows) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Scores, labels and weights of the rows that have a score."""
    known = ~np.isnan(scores)
    if known.all():
        return scores, training.labels, training.weights
    weights = None if training.weights is None else training.weights[known]
    return scores[known], training.labels[known], weights


def rows_with_scores(scores: np.ndarray, most: int = ENOUGH_ROWS) -> np.ndarray | slice:
    """Positions of the rows that have a score; of very many, evenly spaced ones, found without a list of all.

    Examples
    --------
    >>> rows_with_scores(np.array([0.1, np.nan, 0.3, 0.4, np.nan, 0.6]), most=2)
    array([0, 3])
    """
    missing = np.flatnonzero(np.isnan(scores))
    if not len(missing):
        return spaced_rows(len(scores), most)
    numbers = spaced_rows(len(scores) - len(missing), most)
    if isinstance(numbers, slice):
        return np.flatnonzero(~np.isnan(scores))
    return numbers + np.searchsorted(missing - np.arange(len(missing)), numbers, side="right")
