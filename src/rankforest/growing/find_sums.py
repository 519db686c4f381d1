"""Sums of two features that cut cells better than a single feature does.

A tree is grown best-first by soft labels. In each cell the features with the largest gains are paired, in some
directions: the features add up or are subtracted, with weights that are whole and round, at most four times off the
ratio of their spreads. A sum is kept if it cuts the cell clearly better than the best feature alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..data.schema import Schema
from ..data.sums import LARGEST_PART, WeightedSum

__all__ = ["SumSearch", "cut_gain", "directions"]

_ROUND = np.array([digit * 10.0**power for power in range(-9, 10) for digit in (1, 2, 5)])
_WIDEST = 4.0  # the ratio of the weighted spreads of two features
_MOST_ROWS = 10_000  # that sums are searched on


@dataclass(frozen=True)
class SumSearch:
    """How sums are searched.

    Attributes
    ----------
    most_cells : int
        Cells of the tree that is grown.
    most_features : int
        Features of a cell that are paired, those with the largest gains.
    least_rows : int
        Fewest rows of a cell.
    margin : float
        A sum must gain more than a single feature by this share.
    """

    most_cells: int = 12
    most_features: int = 8
    least_rows: int = 20
    margin: float = 0.1

    def find(
        self, X: np.ndarray, rate: np.ndarray, weights: np.ndarray | None, schema: Schema, *, seed: int
    ) -> tuple[WeightedSum, ...]:
        """The sums that cut cells of these rows, the most useful ones first.

        Parameters
        ----------
        X : array
            Coded as in the schema.
        rate : array
            Expected rate of positives of each row, above 0 and below 1.
        weights : array or None
        schema : Schema
        seed : int
            Of the rows that are drawn of a large table.
        """
        if len(X) > _MOST_ROWS:
            drawn = np.sort(np.random.default_rng(seed).permutation(len(X))[:_MOST_ROWS])
            X, rate, weights = X[drawn], rate[drawn], None if weights is None else weights[drawn]
        mass = np.ones(len(X)) if weights is None else weights
        rows = _Rows(X, mass * (1.0 - rate), mass * rate, schema.is_categorical)
        found: list[WeightedSum] = []
        open_cells = [self._cut(rows, np.arange(len(X)))]
        for _ in range(self.most_cells - 1):
            known = [cut for cut in open_cells if cut is not None]
            if not known:
                break
            best = max(known, key=lambda cut: cut.gain)
            known.remove(best)
            if best.by is not None and best.by not in found:
                found.append(best.by)
            open_cells = [*known, *(self._cut(rows, best.rows[side]) for side in (best.left, ~best.left))]
        return tuple(found)

    def _cut(self, rows: _Rows, inside: np.ndarray) -> _Cut | None:
        """The cut of a cell, by one feature or by a sum; None if it is not split."""
        if len(inside) < 2 * self.least_rows:
            return None
        cell = rows.take(inside)
        shares = cell.shares
        singles = [cut_gain(cell.ordered(j), *shares, self.least_rows) for j in range(rows.X.shape[1])]
        gains = np.array([gain for gain, _ in singles])
        best = int(np.argmax(gains))
        numbers = np.flatnonzero(~rows.is_category)
        numbers = numbers[np.argsort(-gains[numbers], kind="stable")][: self.most_features]
        (gain, cut), by = singles[best], None
        values = cell.ordered(best)
        for candidate in directions(cell.X, sorted(numbers.tolist())):
            total = candidate.of(cell.X)
            of_sum, at = cut_gain(total, *shares, self.least_rows)
            if of_sum > max(gain, (1.0 + self.margin) * gains[best]):
                gain, cut, by, values = of_sum, at, candidate, total
        if gain <= 0.0:
            return None
        share = (cell.negatives.sum() / rows.negatives.sum()) * (cell.positives.sum() / rows.positives.sum())
        return _Cut(gain * share, inside, by, values <= cut)


@dataclass(frozen=True)
class _Rows:
    """Values of rows, and their mass of both classes."""

    X: np.ndarray
    negatives: np.ndarray
    positives: np.ndarray
    is_category: np.ndarray

    def take(self, inside: np.ndarray) -> _Rows:
        return _Rows(self.X[inside], self.negatives[inside], self.positives[inside], self.is_category)

    @property
    def shares(self) -> tuple[np.ndarray, np.ndarray]:
        return self.negatives / self.negatives.sum(), self.positives / self.positives.sum()

    def ordered(self, j: int) -> np.ndarray:
        """The values of a feature, those of a category replaced by its rate."""
        values = self.X[:, j]
        if not self.is_category[j]:
            return values
        known = np.flatnonzero(~np.isnan(values))
        codes = values[known].astype(np.intp)
        positives, total = (np.bincount(codes, w[known]) for w in (self.positives, self.positives + self.negatives))
        found = np.full(len(values), np.nan)
        found[known] = (positives / np.where(total > 0, total, 1.0))[codes]
        return found


@dataclass(frozen=True, eq=False)
class _Cut:
    """A cell cut in two."""

    gain: float  # as a share of the whole sample
    rows: np.ndarray
    by: WeightedSum | None
    left: np.ndarray


def cut_gain(values: np.ndarray, alpha: np.ndarray, beta: np.ndarray, least_rows: int) -> tuple[float, float]:
    """Largest gain of a cut of some values, and where it is: the gain of LeafRank's cost-sensitive Gini impurity.

    Both classes have the mass 1. Missing values go right. The gain is 0 if no cut leaves enough rows on both sides.

    Parameters
    ----------
    values : array
    alpha, beta : arrays
        Share of each row in the negatives, and in the positives.
    least_rows : int
        Fewest rows of a side.

    Examples
    --------
    >>> half = np.array([0.5, 0.5, 0.0, 0.0])
    >>> cut_gain(np.array([1.0, 2.0, 3.0, 4.0]), half, half[::-1], 1)
    (0.5, 2.5)
    """
    order = np.argsort(values, kind="stable")  # missing values last
    values = values[order]
    at = np.flatnonzero(values[1:] > values[:-1])
    at = at[(at + 1 >= least_rows) & (len(values) - 1 - at >= least_rows)]
    if len(at) == 0:
        return 0.0, np.nan
    a, b = np.cumsum(alpha[order])[at], np.cumsum(beta[order])[at]
    gain = 0.5 - _impurity(a, b) - _impurity(1.0 - a, 1.0 - b)
    best = int(np.argmax(gain))
    return float(gain[best]), float((values[at[best]] + values[at[best] + 1]) / 2.0)


def _impurity(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    total = a + b
    return np.where(total > 0.0, a * b / np.where(total > 0.0, total, 1.0), 0.0)


def directions(X: np.ndarray, features: list[int]) -> list[WeightedSum]:
    """The sums of pairs of features that are tried: both signs, and round weights of which one is 1.

    Parameters
    ----------
    X : array
        Rows of a cell.
    features : list of int

    Examples
    --------
    >>> X = np.column_stack([np.arange(9.0), 10.0 * np.arange(9.0)])
    >>> [each.name(["a", "b"]) for each in directions(X, [0, 1])]
    ['20 x a + b', '20 x a - b', '10 x a + b', '10 x a - b', '5 x a + b', '5 x a - b']
    """
    spread = {j: _spread(X[:, j]) for j in features}
    found = []
    for one, other in combinations(features, 2):
        if not (spread[one] > 0.0 and spread[other] > 0.0):
            continue
        ratio = spread[one] / spread[other]
        for weight in _ROUND[np.abs(np.log(_ROUND / ratio)) <= np.log(_WIDEST)].tolist():
            first, second = (1, round(weight)) if weight >= 1.0 else (round(1.0 / weight), 1)
            found += [WeightedSum(((one, first), (other, sign * second))) for sign in (1, -1)]
    return found


def _spread(values: np.ndarray) -> float:
    """The distance of the 10% and 90% quantiles; the standard deviation if there is none."""
    known = values[np.abs(values) <= LARGEST_PART]
    if len(known) == 0:
        return 0.0
    low, high = np.quantile(known, [0.1, 0.9])
    return float(high - low) or float(known.std())
