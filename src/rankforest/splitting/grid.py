"""A dyadic grid: cubes of side 2^-resolution of a box, that of the training table or of a cell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.sample import Sample
from ..data.schema import Schema

__all__ = ["Grid", "as_cubes"]

_MISSING = 0  # interval of a missing value, and of a category that did not occur in training


@dataclass(frozen=True)
class Grid:
    """Intervals of some features.

    Attributes
    ----------
    resolution : int
    low, spread : arrays
        Least value and range of each feature; categories have their own intervals. Both are halved, and so are the
        values, because the difference of two floats can overflow.
    n_intervals : array of int
        2^resolution, the number of categories, or 1 if all values are equal.
    means : array or None
        Replacements of missing numbers; None if "missing" has its own interval.
    """

    resolution: int
    low: np.ndarray
    spread: np.ndarray
    n_intervals: np.ndarray
    means: np.ndarray | None

    @classmethod
    def of(cls, sample: Sample, resolution: int, missing: str) -> Grid:
        """The grid of the whole training table. Folds and bootstrap samples of one table have the same intervals."""
        means = sample.means if missing == "cell_mean" else None
        return cls.between(*sample.box, sample.table.schema, resolution, means)

    @classmethod
    def between(cls, low: np.ndarray, high: np.ndarray, schema: Schema, resolution: int, means: Any) -> Grid:
        """The grid of a box, given the least and the greatest value of each feature; NaN if it has no values."""
        categories = [feature.categories for feature in schema.features]
        is_category = np.array([c is not None for c in categories])
        n_intervals = np.array([2**resolution if c is None else len(c) for c in categories])
        low, high = np.nan_to_num(low) / 2, np.nan_to_num(high) / 2
        low = np.where(is_category, -0.25, low)  # a code is the middle of its interval
        spread = np.where(is_category, n_intervals / 2, high - low)
        n_intervals = np.where(spread > 0, n_intervals, 1)
        spread = np.where(spread > 0, spread, 1.0)
        return cls(resolution, low, spread, n_intervals, means)

    def of_features(self, features: np.ndarray) -> Grid:
        """The grid of some of its features."""
        means = None if self.means is None else self.means[features]
        return replace(
            self,
            low=self.low[features],
            spread=self.spread[features],
            n_intervals=self.n_intervals[features],
            means=means,
        )

    def places(self, X: np.ndarray) -> np.ndarray:
        """Number of the interval of each value, from 1 on; 0 for missing."""
        if self.means is not None:
            X = np.where(np.isnan(X), self.means, X)
        observed = ~np.isnan(X)
        inside = np.clip(np.where(observed, X / 2, self.low), self.low, self.low + self.spread)
        share = (inside - self.low) / self.spread
        place = np.minimum(np.floor(share * self.n_intervals), self.n_intervals - 1) + 1
        return np.where(observed, place, _MISSING).astype(np.uint32)

    def log_cubes(self, has_missing: np.ndarray) -> float:
        """Log of the number of its cubes; "missing" counts if there are missing values and they are not replaced."""
        own = has_missing & np.isnan(np.nan if self.means is None else self.means)
        return float(np.log(self.n_intervals + own).sum())


def as_cubes(places: np.ndarray) -> np.ndarray:
    """Rows of interval numbers, each as one opaque value that can be sorted and compared."""
    rows = np.ascontiguousarray(places.astype(">u4"))  # big-endian: the order of the bytes is that of the numbers
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
