"""Small samples and forests for the tests, built from the parts that the estimators are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankforest import LeafRank
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.table import read_table
from rankforest.forest.groves import Grove, grow_grove, grow_ranking_trees
from rankforest.forest.sampling import Draw
from rankforest.growing.treerank import Growth


def sample_of(
    X: Any, y: np.ndarray, weights: np.ndarray | None = None, *, categorical: Any = None, max_bins: int = 255
) -> Sample:
    """A table with its bins, and labels 0 and 1."""
    table = read_table(X, categorical=categorical)
    return Sample(table, bin_table(table, find_bins(table, max_bins=max_bins)), np.asarray(y, dtype=np.uint8), weights)


def values_of(sample: Sample) -> np.ndarray:
    """The features as they came, categories as codes."""
    return np.vstack(list(sample.table.blocks()))


def mixed_sample(
    seed: int, n: int = 80, *, weighted: bool = False, missing: float = 0.1, share: float = 0.4, max_bins: int = 255
) -> Sample:
    """Two numbers with a signal, a category, a number without one."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.uint8)
    y[:2] = 0, 1
    X = rng.normal(size=(n, 4))
    X[:, :2] += 0.8 * y[:, None]
    X[:, 2] = rng.integers(0, 4, n) * (1 - y) + rng.integers(1, 6, n) * y
    X[rng.random(X.shape) < missing] = np.nan
    weights = rng.integers(1, 5, n) / 2.0 if weighted else None
    return sample_of(X, y, weights, categorical=[2], max_bins=max_bins)


RULE = LeafRank(max_depth=3, max_features=2, min_mass_leaf=0.0, cuts="random")


def grove_of(
    sample: Sample, n_trees: int = 7, *, draw: Draw | None = None, rule: Any = RULE, number: int = 0, **growth: Any
) -> tuple[Grove, Draw]:
    """Trees of one rule on bootstrap samples."""
    drawing = Draw(sample.n_rows, True, None, 5) if draw is None else draw
    grown = Grove(Growth(rule, **({"max_depth": 4} | growth)), number)
    return grow_grove(grown, n_trees, sample, drawing, grow_ranking_trees, n_threads=1), drawing
