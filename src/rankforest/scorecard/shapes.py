"""Shapes: boosted stumps summed into one function per feature, a value for each bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..boosting.trees import BoostedTrees
from ..data.binning import Bins

__all__ = ["Shapes", "mean_shapes", "shapes_of"]


@dataclass(frozen=True, eq=False)
class Shapes:
    """Additive models of several bags: the margin of a row is a start plus one value per feature.

    Attributes
    ----------
    bins : Bins
    start : float
        Mean start of the bags.
    values : tuple of arrays, each of shape (n_bags, n_codes)
        Of each feature; code 0 is "missing".
    """

    bins: Bins
    start: float
    values: tuple[np.ndarray, ...]

    @property
    def n_bags(self) -> int:
        return len(self.values[0])

    def bag(self, b: int) -> Shapes:
        """The model of one bag."""
        return Shapes(self.bins, self.start, tuple(each[b : b + 1] for each in self.values))

    def mean(self) -> Shapes:
        """The mean of the bags, as one model."""
        return Shapes(self.bins, self.start, tuple(each.mean(axis=0, keepdims=True) for each in self.values))

    def margin(self, codes: np.ndarray) -> np.ndarray:
        """Mean margin of the bags for each row of codes."""
        total = np.full(len(codes), self.start)
        for j, values in enumerate(self.values):
            if values.any():
                total += values.mean(axis=0)[codes[:, j]]
        return total


def shapes_of(trees: BoostedTrees, bins: Bins) -> Shapes:
    """The shapes of boosters whose trees have one split each, exact up to rounding.

    Parameters
    ----------
    trees : BoostedTrees
    bins : Bins
        Of the table that the trees were grown on.
    """
    values = tuple(np.zeros((trees.n_boosters, n + 1)) for n in bins.n_bins.tolist())
    tree = np.repeat(np.arange(trees.n_trees), np.diff(trees.node_bounds))
    if (np.diff(trees.node_bounds) > 1).any():
        raise ValueError("The trees have more than one split; shapes are sums of stumps.")
    leaf, bag = trees.leaf_bounds[tree], tree % trees.n_boosters
    # a child below 0 is the leaf ~child
    left, right = (trees.value[leaf + ~child] for child in (trees.left, trees.right))
    missing = np.where(trees.missing_left.astype(bool), left, right)
    first_word = trees.set_bounds[tree] + trees.set_offset
    for j, shape in enumerate(values):
        stumps = np.flatnonzero(trees.feature == j)
        if len(stumps) == 0:
            continue
        goes_left = (
            _categories_left(trees.sets, first_word[stumps], shape.shape[1])
            if bins.categorical[j]
            else _bins_left(bins.cuts[j], trees.threshold[stumps], shape.shape[1])
        )
        added = np.where(goes_left, left[stumps, None], right[stumps, None])
        added[:, 0] = missing[stumps]
        np.add.at(shape, bag[stumps], added)
    # a tree that found no split moves all rows alike
    lone = np.flatnonzero(np.diff(trees.node_bounds) == 0)
    start = trees.start + float(trees.value[trees.leaf_bounds[lone]].sum()) / trees.n_boosters
    return Shapes(bins, start, values)


def _bins_left(cuts: np.ndarray, threshold: np.ndarray, n_codes: int) -> np.ndarray:
    """Whether the values of each code are up to each threshold."""
    last = np.searchsorted(cuts, threshold, side="right")
    last[np.isinf(threshold)] = n_codes - 1
    return np.arange(n_codes) <= last[:, None]


def _categories_left(sets: np.ndarray, first_word: np.ndarray, n_codes: int) -> np.ndarray:
    """Whether each code is in each set of codes, which are bits of words."""
    words = sets[first_word[:, None] + np.arange((n_codes + 63) // 64)]
    bits = (words[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return bits.reshape(len(words), -1)[:, :n_codes].astype(bool)


def mean_shapes(kinds: Sequence[Shapes]) -> Shapes:
    """The mean of several kinds of boosters, bag by bag.

    Parameters
    ----------
    kinds : sequence of Shapes
        With the same bins and bags.
    """
    values = tuple(np.mean(each, axis=0) for each in zip(*(kind.values for kind in kinds)))
    return Shapes(kinds[0].bins, float(np.mean([kind.start for kind in kinds])), values)
