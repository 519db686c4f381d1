"""What a forest says of its training rows when every tree keeps silent on the rows that it has seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..metrics.roc import roc_auc
from ..tree.ranking_tree import RankingTree
from .aggregation import MATRIX_CELLS, SUMMED, forest_of, tree_score_block, values_of
from .growing import Grove
from .sampling import Draw
from .training import TrainingRows

__all__ = ["PairAuc", "flags_of", "out_of_bag_scores", "pair_auc", "scores_as_of_fresh_rows"]

EXACT_PAIRS = 1_000_000  # of a positive and a negative; beyond that they are drawn


def out_of_bag_scores(
    groves: Sequence[Grove],
    draw: Draw,
    training: TrainingRows,
    aggregation: str,
    n_threads: int,
    X: np.ndarray | None = None,
    power: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Score of each training row by the trees that have not seen it, NaN where all have, and the number of such trees.

    Parameters
    ----------
    X : array or None
        Other values in place of those of the training rows, for instance with one feature shuffled.
    power : int
        Of the scores of single trees; 2 gives mean squares.
    """
    n = training.n_rows
    trees = [tree for grove in groves for tree in grove.trees]
    bits = np.concatenate([grove.out_of_bag(draw, training.labels, n_threads) for grove in groves])
    blocks = training.blocks() if X is None else [(0, X)]
    scores, counts = np.full(n, np.nan), np.zeros(n, dtype=np.int64)
    values = [values_of(tree, aggregation) ** power for tree in trees]
    in_core = [tree for tree in trees if isinstance(tree, RankingTree)]
    for start, block in blocks:
        rows = slice(start, start + len(block))
        if aggregation in SUMMED and len(in_core) == len(trees):
            forest = forest_of(in_core, aggregation)
            sums, counts[rows] = _core.out_of_bag_sums(forest, values, block, bits, start, n_threads)
            scores[rows] = sums / np.where(counts[rows] > 0, counts[rows], np.nan)
            continue
        at_once = max(1, MATRIX_CELLS // len(trees))
        for first in range(0, len(block), at_once):
            part = np.arange(start + first, min(start + first + at_once, start + len(block)))
            matrix = tree_score_block(trees, np.ascontiguousarray(block[part - start]), aggregation, n_threads)
            matrix **= power
            matrix[~flags_of(bits, part)] = np.nan
            counts[part] = np.sum(~np.isnan(matrix), axis=1)
            seen = counts[part] > 0
            middle = np.nanmedian if aggregation == "median_rank" else np.nanmean
            scores[part[seen]] = middle(matrix[seen], axis=1)
    return scores, counts


def scores_as_of_fresh_rows(
    groves: Sequence[Grove], draw: Draw, training: TrainingRows, aggregation: str, n_threads: int
) -> np.ndarray:
    """Out-of-bag scores, drawn together until they spread as the scores of fresh rows do.

    A fresh row is scored by all trees, a training row by the third or so that has not seen it: the mean over fewer
    trees has the larger error, and the quantiles of out-of-bag scores lie too far out. The variance of the trees'
    scores of a row tells by how much.
    """
    means, counts = out_of_bag_scores(groves, draw, training, aggregation, n_threads)
    squares, _ = out_of_bag_scores(groves, draw, training, aggregation, n_threads, power=2)
    several = counts > 1
    spread = float(np.nanvar(means))
    if not several.any() or spread == 0.0:
        return means
    count = counts[several]
    of_trees = np.maximum(squares[several] - means[several] ** 2, 0.0) * count / (count - 1.0)
    n_trees = sum(len(grove.trees) for grove in groves)
    excess = float(np.mean(of_trees / count)) - float(np.mean(of_trees)) / n_trees
    centre = float(np.nanmean(means))
    return centre + math.sqrt(max(1.0 - excess / spread, 0.0)) * (means - centre)


def flags_of(bits: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Whether each row (first axis) is out of bag for each tree (second)."""
    return ((bits[:, rows >> 3] >> (rows & 7).astype(np.uint8)) & 1).T.astype(bool)


@dataclass(frozen=True)
class PairAuc:
    """Out-of-bag AUC by pairs.

    Attributes
    ----------
    auc : float
    standard_error : float
        Of the draw of pairs; 0 where all pairs were taken.
    n_pairs : int
        Pairs that some tree had not seen at all.
    exact : bool
    """

    auc: float
    standard_error: float
    n_pairs: int
    exact: bool

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
    """Share of pairs (positive, negative) that the trees which have seen neither row put in order; ties count one half.

    All pairs while there are at most `max_pairs` of them and their scores fit in memory; beyond that so many are drawn.
    """
    positives, negatives = np.flatnonzero(training.labels == 1), np.flatnonzero(training.labels == 0)
    exact = len(positives) * len(negatives) <= max_pairs
    if exact:
        first, second = (side.ravel() for side in np.meshgrid(positives, negatives, indexing="ij"))
    else:
        rng = np.random.default_rng(seed)
        # scores of single trees are held for the rows of the pairs: few rows in many pairs need less room
        most_rows = max(2000, MATRIX_CELLS // sum(len(grove.trees) for grove in groves))
        positives, negatives = (
            side if len(side) <= most_rows // 2 else np.sort(rng.choice(side, most_rows // 2, replace=False))
            for side in (positives, negatives)
        )
        first, second = rng.choice(positives, max_pairs), rng.choice(negatives, max_pairs)
    rows = np.unique(np.concatenate([positives, negatives]))
    trees = [tree for grove in groves for tree in grove.trees]
    bits = np.concatenate([grove.out_of_bag(draw, training.labels, n_threads) for grove in groves])
    scores = np.ascontiguousarray(tree_score_block(trees, training.values(rows), _pairwise(aggregation), n_threads))
    flags = np.ascontiguousarray(flags_of(bits, rows).astype(np.uint8))
    won = _core.out_of_bag_pairs(scores, flags, np.searchsorted(rows, first), np.searchsorted(rows, second), n_threads)
    known = ~np.isnan(won)
    weights = np.ones(len(won)) if training.weights is None else training.weights[first] * training.weights[second]
    weights, won = weights[known], won[known]
    if len(won) == 0:
        return PairAuc(math.nan, math.nan, 0, exact)
    auc = float(np.average(won, weights=weights))
    error = 0.0 if exact else math.sqrt(float(np.sum((weights * (won - auc)) ** 2))) / float(weights.sum())
    return PairAuc(auc, error, len(won), exact)


def _pairwise(aggregation: str) -> str:
    """Pairs are ordered by the mean over trees: of ranks, where the aggregation is a median of ranks."""
    return aggregation if aggregation in SUMMED else "mean_rank"


def auc_of(scores: np.ndarray, training: TrainingRows) -> float:
    """AUC of out-of-bag scores; rows that every tree has seen are left out. NaN where these are all of one class."""
    known = ~np.isnan(scores)
    if len(np.unique(training.labels[known])) < 2:
        return math.nan
    weights = None if training.weights is None else training.weights[known]
    return float(roc_auc(training.labels[known], scores[known], sample_weight=weights))
