"""Soft labels: for every row the rate that a forest grown without it expects.

A tree grown on the labels follows their noise. Grown on the rates that a forest expects of the same rows it follows
what the forest has learned, and ranks better (distillation). The rates must not know the label of their row, nor, when
rows are held out to judge the tree, the labels of those.

One small forest is enough for all folds. Each of its trees is grown without two of them. What is expected of a row
comes from the trees that were grown without its fold; if another fold is held out, from those that were grown without
both. If folds go forward in time, the rates of the rows before a fold come from forests of those rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..data.folds import Folds
from ..data.sample import Sample
from ..splitting.leafrank import LeafRank
from .treerank import Growth, grow_trees

__all__ = ["LEAST_RATE", "SoftLabels", "expected_rates", "own_labels", "soft_labels"]

LEAST_RATE = 0.001  # of a rate, so that both labels of a row have a weight
_PARTS = 5  # of rows before a fold
_MOST_TREES = 10  # per pair of folds
_ROWS_OF_TREES = 400_000  # a large table has fewer trees: each of them has more rows, and their mean is less noisy
_TREES = Growth(
    LeafRank(max_depth=8, min_samples_leaf=3, min_mass_leaf=0.0, max_features="sqrt"), max_depth=1
)  # the finest cells of a tree with one split are the leaves of a classification tree


@dataclass(frozen=True)
class SoftLabels:
    """Expected rates of the rows of a sample.

    Attributes
    ----------
    sample : Sample
    folds : Folds
    rate : array
        Expected rate of each row.
    without : array of shape (n_folds, n)
        The same if a fold is held out; rows that its tree does not learn from have none.
    """

    sample: Sample
    folds: Folds
    rate: np.ndarray
    without: np.ndarray

    def expected(self, fold: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the rows, never 0 or 1, and the numbers of these rows; the rows of a fold can be held out."""
        kept = self.folds.seen(fold) if fold is not None else np.arange(self.sample.n_rows)
        return np.clip(self.rate if fold is None else self.without[fold], LEAST_RATE, 1.0 - LEAST_RATE)[kept], kept

    def labelled(self, fold: int | None = None) -> tuple[Sample, np.ndarray]:
        """The rows with soft labels, and their numbers; the rows of a fold can be held out.

        Every row is there twice: as a positive with the weight of its rate, and as a negative with the rest.
        """
        rate, kept = self.expected(fold)
        weights = 1.0 if self.sample.weights is None else self.sample.weights[kept]
        twice = self.sample.take(np.concatenate([kept, kept]))
        labels = np.repeat(np.array([1, 0], dtype=np.uint8), len(kept))
        return replace(twice, labels=labels, weights=np.concatenate([rate * weights, (1.0 - rate) * weights])), kept


def soft_labels(sample: Sample, folds: Folds, *, seed: int, n_threads: int = 1) -> SoftLabels:
    """What a small forest expects of each row.

    Parameters
    ----------
    sample : Sample
        In this process.
    folds : Folds
        Three or more, or forward in time.
    """
    if not folds.forward:
        return _of_pairs(sample, folds, seed, n_threads)
    without = np.zeros((folds.n_folds, sample.n_rows))
    for fold in range(folds.n_folds):
        seen = folds.seen(fold)
        without[fold, seen] = expected_rates(sample.take(seen), seed, n_threads)
    return SoftLabels(sample, folds, expected_rates(sample, seed, n_threads), without)


def expected_rates(sample: Sample, seed: int, n_threads: int) -> np.ndarray:
    """Expected rate of each row; its label, if there are too few groups for three folds."""
    parts = sample.hold_out.parts(sample.labels, _PARTS, seed)
    if parts is None or parts.n_folds < 3:
        return sample.labels.astype(np.float64)
    return _of_pairs(sample, parts, seed, n_threads).rate


def _of_pairs(sample: Sample, parts: Folds, seed: int, n_threads: int) -> SoftLabels:
    folds, n_folds = parts.of, parts.n_folds
    values = sample.binned.values(slice(None))
    n_trees = max(2, min(_MOST_TREES, _ROWS_OF_TREES // max(1, sample.n_rows)))
    rate, seen, without = np.zeros(sample.n_rows), np.zeros(sample.n_rows), np.zeros((n_folds, sample.n_rows))
    seeds = np.random.default_rng(seed).integers(2**31, size=n_folds * n_folds)
    for one, other in combinations(range(n_folds), 2):
        out = np.flatnonzero((folds == one) | (folds == other))
        inside = sample.take((folds != one) & (folds != other))
        trees = grow_trees(inside, _TREES, seed=int(seeds[one * n_folds + other]), n_trees=n_trees, n_threads=n_threads)
        found = np.zeros(len(out))
        for tree in trees:
            found += tree.smoothed_rate(tree.terminal_mass)[tree.terminals(values[out], n_threads)]
        found /= n_trees
        rate[out] += found
        seen[out] += 1
        is_one = folds[out] == one
        without[other, out[is_one]] = found[is_one]
        without[one, out[~is_one]] = found[~is_one]
    return SoftLabels(sample, parts, rate / seen, without)


def own_labels(sample: Sample, folds: Folds) -> SoftLabels:
    """The labels themselves in the place of expected rates."""
    rate = sample.labels.astype(np.float64)
    return SoftLabels(sample, folds, rate, np.tile(rate, (folds.n_folds, 1)))
