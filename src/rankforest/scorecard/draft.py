"""A card under construction: steps of every feature, with values that are fitted to the margins of a finer model.

The finer model is the sum of the shapes. A draft minimises the weighted squared distance of its totals to those margins
over the training rows, where a row weighs p (1 - p), the curvature of the log loss. So what the steps of one feature
lose, the steps of correlated features can make up for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import isotonic_regression

from ..data.constraints import CodedConstraints
from .segments import Segments, best_segments

__all__ = ["Draft", "Drafting"]

_SAME = 1e-12  # neighbouring bins with values this close are one


@dataclass(frozen=True, eq=False)
class Draft:
    """Steps and their values.

    Attributes
    ----------
    steps : tuple of arrays
        Of each feature: the step of each code. Code 0, "missing", has the last step.
    values : tuple of arrays
        Of each feature: the value of each step.
    """

    steps: tuple[np.ndarray, ...]
    values: tuple[np.ndarray, ...]

    @property
    def used(self) -> list[int]:
        """The features whose values differ."""
        return [j for j, values in enumerate(self.values) if values.min() < values.max()]

    @property
    def span(self) -> float:
        """The greatest total minus the least one."""
        return float(sum(np.ptp(values) for values in self.values))

    def totals(self, codes: np.ndarray) -> np.ndarray:
        """Total of each row of codes."""
        total = np.zeros(len(codes))
        for j in self.used:
            total += self.values[j][self.steps[j]][codes[:, j]]
        return total


@dataclass(eq=False)
class Drafting:
    """Drafts of one model on some training rows.

    Attributes
    ----------
    shapes : sequence of arrays
        The value of each code of each feature.
    codes : array of shape (n_rows, n_features)
    weights : array
        Weight of each row times p (1 - p).
    categorical : array of bool
    constraints : CodedConstraints or None
        Directions of the values of features, and orders of categories.
    most_steps : int or None
        None cuts wherever the shape changes.
    """

    shapes: Sequence[np.ndarray]
    codes: np.ndarray
    weights: np.ndarray
    categorical: np.ndarray
    constraints: CodedConstraints | None
    most_steps: int | None
    masses: list[np.ndarray] = field(init=False)
    target: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        columns = range(len(self.shapes))
        self.masses = [
            np.bincount(self.codes[:, j], weights=self.weights, minlength=len(self.shapes[j])) for j in columns
        ]
        self.target = np.zeros(len(self.codes))
        for j, shape in enumerate(self.shapes):
            if shape.any():
                self.target += shape[self.codes[:, j]]
        self.target -= np.average(self.target, weights=self.weights)
        self._cuts = [self._cut(j) for j in columns]

    @property
    def variance(self) -> float:
        """Weighted sum of squares of the target: what a draft without steps loses."""
        return float(self.weights @ self.target**2)

    def _direction(self, j: int) -> int:
        directions = None if self.constraints is None else self.constraints.directions
        return 0 if directions is None else directions[j]

    def _cut(self, j: int) -> tuple[np.ndarray, Segments | None] | None:
        """The run of equal values of each code, and the best segments of the runs; None if there is nothing to cut."""
        shape, mass = self.shapes[j][1:], self.masses[j][1:]
        if len(shape) < 2 or np.ptp(shape) <= _SAME:
            return None
        if self._direction(j):
            # stumps keep the direction; this takes rounding errors away, so that the order of the steps is exact
            codes = self.constraints.orders[j] if self.constraints is not None else ()
            along = np.array(codes) - 1 if codes else np.arange(len(shape))
            shape = shape.copy()
            shape[along] = self._in_order(shape[along], mass[along], self._direction(j))
        order = np.argsort(shape, kind="stable") if self.categorical[j] else np.arange(len(shape))
        ordered, weight = shape[order], mass[order]
        run = np.cumsum(np.append(False, np.abs(np.diff(ordered)) > _SAME))
        total = np.bincount(run, weights=weight)
        # a run without rows has its own value, and no weight
        value = np.divide(
            np.bincount(run, weights=weight * ordered), total, out=ordered[np.flatnonzero(np.diff(run, prepend=-1))],
            where=total > 0,
        )  # fmt: skip
        place = np.empty(len(shape), dtype=np.int64)
        place[order] = run
        return place, None if self.most_steps is None else best_segments(value, total, self.most_steps)

    @staticmethod
    def _in_order(values: np.ndarray, weights: np.ndarray, direction: int) -> np.ndarray:
        """The nearest values that never fall (1) or never rise (-1)."""
        return isotonic_regression(values, weights=np.maximum(weights, 1e-300), increasing=direction > 0).x

    # ---- drafts

    def with_price(self, price: float, most: int | None = None, sweeps: int = 2) -> Draft:
        """Steps whose every cut lowers the squared error by at least `price`; features without a cut are left out.

        No feature has more than `most` steps, or than `most_steps`.
        """
        steps, values = [], []
        for shape, mass, cut in zip(self.shapes, self.masses, self._cuts):
            step = np.zeros(len(shape), dtype=np.int64)
            if cut is not None:
                run, segments = cut
                starts = None if segments is None else segments.starts(segments.n_best(price, most))
                step[1:] = run if starts is None else np.searchsorted(starts, run, side="right")
            step[0] = step.max() + 1
            value = _means(step, shape, mass)
            if step[0] == 1 and mass[0] * mass[1:].sum() * np.ptp(value) ** 2 <= price * mass.sum():
                value[:] = 0.0  # the missing values are not worth a step
            steps.append(step)
            values.append(value)
        return self._fitted(Draft(tuple(steps), tuple(values)), sweeps, unit=None)

    def rounded(self, draft: Draft, unit: float, sweeps: int = 2) -> Draft:
        """Whole values: points that are worth a margin of `unit` each.

        Every sweep sets each value to the whole number that is best given all others. Neighbouring steps with the same
        points become one. The least value of a feature is 0.
        """
        start = Draft(draft.steps, tuple(np.rint(values / unit) for values in draft.values))
        found = self._fitted(start, sweeps, unit)
        merged = [_merged(step, value) for step, value in zip(found.steps, found.values)]
        return Draft(tuple(step for step, _ in merged), tuple(value - value.min() for _, value in merged))

    def _fitted(self, draft: Draft, sweeps: int, unit: float | None) -> Draft:
        """Values nearest to the target, one feature after the other; in whole units if there is a `unit`."""
        values = [each.copy() for each in draft.values]
        unit_or_one = 1.0 if unit is None else unit
        used = draft.used
        total = draft.totals(self.codes) * unit_or_one
        for _ in range(sweeps):
            total -= np.average(total - self.target, weights=self.weights)
            for j in used:
                step = draft.steps[j]
                column = self.codes[:, j]
                away = np.bincount(column, weights=self.weights * (self.target - total), minlength=len(step))
                mass, old = np.bincount(step, weights=self.masses[j]), values[j]
                moved = np.bincount(step, weights=away)
                new = old * unit_or_one + np.divide(moved, mass, out=np.zeros_like(mass), where=mass > 0)
                if self._direction(j):
                    new[:-1] = self._in_order(new[:-1], mass[:-1], self._direction(j))
                if mass[-1] == 0.0 and mass.any():  # no value is missing here: a missing one gets the mean
                    new[-1] = np.average(new[:-1], weights=mass[:-1])
                if unit is not None:
                    new = np.rint(new / unit)
                total += ((new - old) * unit_or_one)[step][column]
                values[j] = new
        return Draft(draft.steps, tuple(values))


def _means(step: np.ndarray, shape: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """Weighted mean of a shape in each step; where a step has no weight, the overall mean."""
    total = np.bincount(step, weights=mass)
    overall = float(np.average(shape, weights=mass)) if mass.any() else 0.0
    return np.divide(np.bincount(step, weights=mass * shape), total, out=np.full(len(total), overall), where=total > 0)


def _merged(step: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Steps with neighbours of the same value joined; that of missing values stays by itself."""
    inner = value[:-1]
    number = np.cumsum(np.append(False, inner[1:] != inner[:-1]))
    merged = np.append(number, number[-1] + 1)
    return merged[step], np.append(inner[np.flatnonzero(np.diff(number, prepend=-1))], value[-1])
