"""Dyadic cubes: cut the box of a cell into 2^resolution intervals per feature (2011 paper, section 4)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.base import BaseEstimator

from .. import _core
from ..data.schema import Schema
from .cell import Cell, SplittingRule
from .parameters import at_least

__all__ = ["Cubes", "Dyadic"]

_MISSING = 0  # interval of a missing value, and of a category that the table has not seen


@dataclass(frozen=True)
class Cubes:
    """The occupied cubes of a cell, those that go left among them.

    Attributes
    ----------
    features : array of int
    low, spread : arrays
        Least value of each feature in the cell, and how far the others reach; categories are intervals of their own.
        Both are halved, and so are the values, since a difference of two numbers can be beyond the largest one.
    n_intervals : array of int
    means : array or None
        What missing numbers become; None: "missing" is an interval of its own.
    left : array of void
        The cubes that go left, sorted; a cube is the row of its interval numbers. Cubes that go right and cubes that
        were not occupied need not be stored: both go right.
    n_occupied : int
    """

    features: np.ndarray
    low: np.ndarray
    spread: np.ndarray
    n_intervals: np.ndarray
    means: np.ndarray | None
    left: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.void))
    n_occupied: int = 0

    def locate(self, X: np.ndarray) -> np.ndarray:
        """Cube of each row, given its values of `features`, as one opaque value that can be sorted and compared."""
        if self.means is not None:
            X = np.where(np.isnan(X), self.means, X)
        observed = ~np.isnan(X)
        inside = np.clip(np.where(observed, X / 2, self.low), self.low, self.low + self.spread)
        share = (inside - self.low) / self.spread
        place = np.where(observed, np.minimum(np.floor(share * self.n_intervals), self.n_intervals - 1) + 1, _MISSING)
        # big-endian, so that the order of the bytes is that of the numbers
        rows = np.ascontiguousarray(place.astype(">u4"))
        return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        cubes = self.locate(X[:, self.features])
        at = np.minimum(np.searchsorted(self.left, cubes), len(self.left) - 1)
        return self.left[at] == cubes

    def words(self, better: bool) -> str:
        return f"{'in' if better else 'not in'} the {len(self.left)} best of {self.n_occupied} occupied cubes"


class Dyadic(SplittingRule, BaseEstimator):
    """Splitting rule: the occupied cubes of side 2^-resolution of the cell's box, sorted by beta/alpha and merged.

    Only occupied cubes are stored; at scoring time all others go right, and values outside the box belong to the
    cubes at its border. A category is an interval of its own, and so is "missing". The number of cubes is exponential
    in the number of features: with more than a few, every row sits alone in its cube, the training rows are separated
    perfectly and nothing is learned. Draw features (`max_features` of TreeRank), or use LeafRank.

    Parameters
    ----------
    resolution : int, default=2
        Every numeric feature is cut into 2^resolution intervals.

    Examples
    --------
    >>> from rankforest import Dyadic, TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.uniform_mixture(1000, random_state=0)
    >>> TreeRank(Dyadic(1), max_depth=3).fit(sample.X, sample.y).tree_
    RuleTree(8 strata, depth 3, 7 splits, training AUC 0.770)
    """

    def __init__(self, resolution: int = 2) -> None:
        self.resolution = resolution

    def check(self, schema: Schema) -> None:
        if at_least("Dyadic's resolution", self.resolution, 1) > 30:
            raise ValueError(f"Dyadic's resolution is {self.resolution}; the most is 30, a billion intervals.")

    def learn(self, cell: Cell) -> Cubes | None:
        X = cell.X[:, cell.features]
        means = cell.means if cell.missing == "cell_mean" else None
        categories = [cell.sample.table.schema.features[j].categories for j in cell.features]
        is_category = np.array([c is not None for c in categories])
        n_intervals = np.array([2**self.resolution if c is None else len(c) for c in categories])
        low, high = np.fmin.reduce(X, axis=0) / 2, np.fmax.reduce(X, axis=0) / 2  # NaN where nothing is observed
        low = np.where(is_category, -0.25, np.nan_to_num(low))  # a code is the middle of its interval
        spread = np.where(is_category, n_intervals / 2, np.nan_to_num(high) - low)
        n_intervals = np.where(spread > 0, n_intervals, 1)  # all values equal, or none: a box without an inside
        spread = np.where(spread > 0, spread, 1.0)
        grid = Cubes(cell.features, low, spread, n_intervals, None if means is None else means[cell.features])
        cubes, place = np.unique(grid.locate(X), return_inverse=True)
        counts = np.bincount(place, minlength=len(cubes)).astype(np.float64)
        masses = np.column_stack(
            [np.bincount(place, weights=cell.masses * (cell.labels == k), minlength=len(cubes)) for k in (0, 1)]
        )
        order, n_left, _ = _core.merge_leaves(masses.ravel().tolist(), counts.tolist(), float(cell.min_samples_leaf))
        if n_left == 0:
            return None
        return replace(grid, left=np.sort(cubes[order[:n_left]]), n_occupied=len(cubes))
