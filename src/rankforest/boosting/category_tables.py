"""Tables of categories: an effect for each value of a categorical feature, or for each pair of values of two features.

A tree splits categories into two groups at a time, so it needs very many leaves to learn an effect of every pair of
values. A table learns them at once. It is fitted before the first tree, by penalised Newton steps on the log loss: each
effect is shrunk towards 0, as much as is best for rows that it was not fitted on. Only tables with many cells are
tried, and only those are kept that lower the loss of such rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

import numpy as np

from .. import _core

__all__ = ["CategoryTable", "Features", "Residuals", "RowResiduals", "Scale", "candidate_tables", "fit_tables"]

LEAST_CELLS = 64  # trees learn smaller tables well
_MOST_TABLES = 12
_LEAST_GAIN = 10.0  # decrease of the log loss of all rows by a table
_PENALTIES = np.array([1.0, 3.0, 10.0, 30.0, 100.0])
_LONGEST_STEP = 1.0  # a longer Newton step may overshoot
_STEPS = 2  # Newton steps of a new table
_SWEEPS = 2  # further steps of all tables together
_LEVELS = 16  # effects are multiples of the largest one divided by this number, so that trees with few leaves hold them
_LOG_LOSS = 2

Features = tuple[int, ...]


@dataclass(frozen=True)
class CategoryTable:
    """Effects on the margin.

    Attributes
    ----------
    features : tuple of one or two int
        The feature with more codes first.
    effects : array with an axis per feature
        By code; code 0 is "missing".
    gain : float
        Decrease of the log loss of rows that the table was not fitted on.
    """

    features: Features
    effects: np.ndarray
    gain: float


class Residuals(Protocol):
    """What the tables so far have not explained."""

    def sums(self, features: Features) -> np.ndarray:
        """Sums of gradients and hessians of the log loss, for both halves of the rows and each cell: (2, 2, cells)."""
        ...

    def add(self, features: Features, effects: np.ndarray) -> None:
        """Add the effects of the cells to the margins."""
        ...


@dataclass(frozen=True)
class Scale:
    """What the residuals of all rows have in common.

    Attributes
    ----------
    start : float
        Margin before the first table.
    weight : float
        Factor of the weights: their mean becomes 1.
    unit : float
        Derivatives are rounded to multiples of 1 / unit, a power of two. Their sums are exact, whatever their order.
    """

    start: float
    weight: float
    unit: float

    @classmethod
    def of(cls, labels: np.ndarray, weights: np.ndarray | None) -> Scale:
        """For rows of both classes."""
        given = np.ones(len(labels)) if weights is None else weights
        masses = np.bincount(labels, weights=given, minlength=2)
        factor = len(labels) / float(masses.sum())
        heaviest = len(labels) * factor * float(given.max())
        return cls(math.log(masses[1] / masses[0]), factor, 2.0 ** (50 - math.ceil(math.log2(heaviest))))


class RowResiduals:
    """Residuals of rows in one place.

    Parameters
    ----------
    codes : array of shape (n, q)
    labels : array of 0 and 1
    weights : array or None
    numbers : array of int
        Numbers of the rows in the whole table.
    scale : Scale
    n_codes : sequence of int
        Number of codes of each feature, with "missing".
    """

    def __init__(
        self,
        codes: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray | None,
        numbers: np.ndarray,
        scale: Scale,
        n_codes: Sequence[int],
    ) -> None:
        self._codes, self._labels, self._n_codes, self._scale = codes, labels, n_codes, scale
        self._weights = scale.weight if weights is None else scale.weight * weights
        self._margin = np.full(len(labels), scale.start)
        # the halves depend on the number of the row alone
        self._half = (numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(63)).astype(np.intp)
        self._derivatives: tuple[np.ndarray, np.ndarray] | None = None

    def _cells(self, features: Features) -> np.ndarray:
        cells = self._codes[:, features[0]].astype(np.intp)
        for feature in features[1:]:
            cells = cells * self._n_codes[feature] + self._codes[:, feature]
        return cells

    def sums(self, features: Features) -> np.ndarray:
        unit = self._scale.unit
        if self._derivatives is None:
            gradient, hessian, _ = _core.loss_gradients(_LOG_LOSS, self._margin, self._labels, None)
            self._derivatives = np.rint(gradient * self._weights * unit), np.rint(hessian * self._weights * unit)
        n_cells = math.prod(self._n_codes[feature] for feature in features)
        place = self._cells(features) + n_cells * self._half
        found = [np.bincount(place, weights=each, minlength=2 * n_cells) / unit for each in self._derivatives]
        return np.stack([each.reshape(2, n_cells) for each in found], axis=1)

    def add(self, features: Features, effects: np.ndarray) -> None:
        self._margin += effects[self._cells(features)]
        self._derivatives = None


def candidate_tables(n_codes: Sequence[int], n_rows: int) -> list[Features]:
    """The tables to try: of one or two categorical features, with many cells, but not more than rows.

    Parameters
    ----------
    n_codes : sequence of int
        Number of codes of each feature, with "missing"; 0 if it is numeric.
    n_rows : int

    Examples
    --------
    >>> candidate_tables([0, 101, 11, 3], 1000)
    [(1,), (1, 3)]
    >>> candidate_tables([0, 101, 11, 3], 2000)
    [(1,), (1, 2), (1, 3)]
    """
    some = [feature for feature, n in enumerate(n_codes) if n > 2]
    tables: list[Features] = [(feature,) for feature in some]
    tables += [(a, b) if n_codes[a] >= n_codes[b] else (b, a) for a, b in combinations(some, 2)]
    return [table for table in tables if LEAST_CELLS < math.prod(n_codes[feature] for feature in table) <= n_rows]


def fit_tables(residuals: Residuals, candidates: Sequence[Features], n_codes: Sequence[int]) -> list[CategoryTable]:
    """The tables that lower the loss of rows that they are not fitted on, those of one feature first.

    Parameters
    ----------
    residuals : Residuals
        Before the first table; afterwards they include the tables.
    candidates : sequence of tuples
    n_codes : sequence of int
    """
    chosen: list[_Fitted] = []
    for n_features in (1, 2):
        waiting = [_judged(residuals, table) for table in candidates if len(table) == n_features]
        while waiting and len(chosen) < _MOST_TABLES:
            waiting = sorted((each for each in waiting if each.gain >= _LEAST_GAIN), key=lambda each: -each.gain)
            if not waiting:
                break
            # a table gains less after others were added: the best one is judged again before it is taken
            best = _judged(residuals, waiting.pop(0).features)
            if waiting and best.gain < waiting[0].gain:
                waiting.append(best)
                continue
            if best.gain >= _LEAST_GAIN:
                chosen.append(best)
                for _ in range(_STEPS):
                    _step(residuals, best)
    for _ in range(_SWEEPS):
        for fitted in chosen:
            _step(residuals, fitted)
    return [_rounded(fitted, n_codes) for fitted in chosen]


@dataclass
class _Fitted:
    features: Features
    gain: float
    penalty: float
    effects: np.ndarray


def _judged(residuals: Residuals, features: Features) -> _Fitted:
    """The gain of a table by its best penalty: fitted on each half of the rows, judged on the other."""
    sums = residuals.sums(features)
    gains = np.zeros(len(_PENALTIES))
    for k, penalty in enumerate(_PENALTIES):
        for (gradient, hessian), (other_gradient, other_hessian) in ((sums[0], sums[1]), (sums[1], sums[0])):
            effects = _newton(gradient, hessian, penalty, 0.0)
            gains[k] -= other_gradient @ effects + 0.5 * (other_hessian @ effects**2)
    best = int(np.argmax(gains))
    return _Fitted(features, float(gains[best]), float(_PENALTIES[best]), np.zeros(sums.shape[2]))


def _newton(gradient: np.ndarray, hessian: np.ndarray, penalty: float, effects: np.ndarray | float) -> np.ndarray:
    """The penalised Newton step from the given effects."""
    return np.clip(-(gradient + penalty * effects) / (hessian + penalty), -_LONGEST_STEP, _LONGEST_STEP)


def _step(residuals: Residuals, fitted: _Fitted) -> None:
    gradient, hessian = residuals.sums(fitted.features).sum(axis=0)
    step = _newton(gradient, hessian, fitted.penalty, fitted.effects)
    fitted.effects = fitted.effects + step
    residuals.add(fitted.features, step)


def _rounded(fitted: _Fitted, n_codes: Sequence[int]) -> CategoryTable:
    unit = np.abs(fitted.effects).max() / _LEVELS
    effects = np.rint(fitted.effects / unit) * unit if unit > 0.0 else fitted.effects
    return CategoryTable(fitted.features, effects.reshape([n_codes[f] for f in fitted.features]), fitted.gain)
