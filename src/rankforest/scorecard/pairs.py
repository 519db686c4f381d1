"""Pairs of features: which of them tell more together than one by one, and a small table for each.

All is judged by rows that are held out. The residuals of a row come from bags that have not seen it. A table is boosted
on the sums of gradients and hessians of its cells: each round cuts both features once, and takes a shrunken Newton step
in each of the four parts. The number of rounds is that with the greatest gain on held-out rows. A pair that gains no
more than the best of as many pairs without an effect would is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import expit

from ..data.binning import Bins
from ..data.constraints import CodedConstraints
from .segments import best_segments

__all__ = ["PairShape", "coarse_steps", "learn_pairs"]

_STEPS = 24  # of each feature of a table, before they are merged
_L2 = 5.0  # added to the hessian of each part, in rows of weight 1
_RATE = 0.2
_ROUNDS, _PATIENCE = 100, 12
_MOST_FEATURES = 40  # pairs are looked for among so many features, those with the greatest spread
_MOST_CANDIDATES = 3  # so many candidates are tried for each pair that is asked for


@dataclass(frozen=True, eq=False)
class PairShape:
    """A table of margins for two features.

    Attributes
    ----------
    features : pair of int
    steps : pair of arrays
        Of each feature: the step of each code; code 0, "missing", has the last step.
    values : array of shape (n_bags, n_steps of the first, n_steps of the second)
    directions : pair of int
        Of each feature: 1 values never fall along its steps, -1 they never rise, 0 they may do both.
    """

    features: tuple[int, int]
    steps: tuple[np.ndarray, np.ndarray]
    values: np.ndarray
    directions: tuple[int, int] = (0, 0)

    def cells(self, codes: np.ndarray) -> np.ndarray:
        """The cell of each row of codes: that of the table read row by row."""
        one, other = (step[codes[:, j]] for j, step in zip(self.features, self.steps))
        return one * self.values.shape[2] + other

    def bag(self, b: int) -> PairShape:
        """The table of one bag."""
        return replace(self, values=self.values[b : b + 1])

    @property
    def span(self) -> float:
        """The greatest mean value minus the least one."""
        return float(np.ptp(self.values.mean(axis=0)))

    def margin(self, codes: np.ndarray) -> np.ndarray:
        """Mean value of the bags for each row of codes."""
        return self.values.mean(axis=0).ravel()[self.cells(codes)]

    def in_order(self) -> PairShape:
        """The table with its values sorted along the features that have a direction; it changes nothing that is."""
        values = self.values.copy()
        for axis, direction in enumerate(self.directions):
            inner = np.moveaxis(values, axis + 1, -1)[..., :-1]  # without missing values
            if direction:
                inner[...] = np.sort(inner)[..., ::direction]
        return replace(self, values=values)

    def merged(self, mass: np.ndarray, most: int) -> PairShape:
        """The mean of the bags with at most so many steps of each feature, besides that of missing values.

        Parameters
        ----------
        mass : array
            Weight of each cell.
        most : int
        """
        values, steps = self.values.mean(axis=0), list(self.steps)
        for axis in (0, 1):
            into = _merging(np.moveaxis(values, axis, 0)[:-1], np.moveaxis(mass, axis, 0)[:-1], most)
            into = np.append(into, into.max() + 1)  # missing values stay by themselves
            steps[axis] = into[steps[axis]]
            values, mass = _summed(values, mass, into, axis)
        # means with other weights in each row may break the order
        return replace(self, steps=(steps[0], steps[1]), values=values[None]).in_order()


def _merging(values: np.ndarray, mass: np.ndarray, most: int) -> np.ndarray:
    """The new step of each step."""
    segments = best_segments(values, mass, most)
    # cuts that change nothing are not made
    n = segments.n_best(1e-9 * max(float(segments.costs[0]), 1e-300))
    return np.searchsorted(segments.starts(n), np.arange(len(values)), side="right")


def _summed(values: np.ndarray, mass: np.ndarray, into: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean value and total weight of merged steps; without any weight, the plain mean."""
    onto = (into[:, None] == np.arange(into.max() + 1)).astype(np.float64)

    def joined(table: np.ndarray) -> np.ndarray:
        return onto.T @ table if axis == 0 else table @ onto

    total, plain = joined(mass), joined(values) / joined(np.ones_like(values))
    return np.divide(joined(mass * values), total, out=plain, where=total > 0), total


def coarse_steps(bins: Bins, counts: np.ndarray, j: int, most: int, order: Sequence[int] = ()) -> np.ndarray:
    """The step of each code of a feature: about equally many rows in each; the frequent categories one by one.

    Categories with an order (their codes, from the worst to the best) have steps along it. Labels play no part, so that
    held-out rows stay held out.
    """
    along = np.array(order, dtype=np.int64) if len(order) else np.arange(1, len(counts))
    rows = counts[along]
    step = np.empty(len(counts), dtype=np.int64)
    if bins.categorical[j] and not len(order):
        place = np.empty(len(rows), dtype=np.int64)
        place[np.argsort(-rows, kind="stable")] = np.arange(len(rows))
        step[1:] = np.minimum(place, most - 1)
    else:
        middle = np.cumsum(rows) - rows / 2
        wanted = np.floor(middle * most / max(rows.sum(), 1)).astype(np.int64)
        step[along] = np.unique(np.minimum(wanted, most - 1), return_inverse=True)[1]
    step[0] = step[1:].max() + 1
    return step


def learn_pairs(
    codes: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    margin: np.ndarray,
    held_out: np.ndarray,
    bins: Bins,
    *,
    n_pairs: int,
    spreads: np.ndarray,
    constraints: CodedConstraints | None = None,
) -> tuple[PairShape, ...]:
    """At most `n_pairs` tables that lower the log loss on held-out rows, the best one first.

    Parameters
    ----------
    codes : array of shape (n_rows, n_features)
    labels, weights : arrays; weights may be None
    margin : array
        Held-out margin of each row before any pair.
    held_out : array of shape (n_bags, n_rows)
    bins : Bins
    n_pairs : int
    spreads : array
        Spread of the shape of each feature; features of spread 0 may be in a pair too.
    constraints : CodedConstraints or None
        Directions that the tables keep, and pairs that may be.
    """
    rules = constraints or CodedConstraints()
    chosen = np.sort(np.argsort(-spreads, kind="stable")[:_MOST_FEATURES]).tolist()
    orders, directions = rules.orders or ((),) * len(spreads), rules.directions or (0,) * len(spreads)
    counts = {j: np.bincount(codes[:, j], minlength=bins.n_bins[j] + 1) for j in chosen}
    steps = {j: coarse_steps(bins, counts[j], j, _STEPS, orders[j]) for j in chosen}
    rows = _Rows(
        codes, labels, np.ones(len(labels)) if weights is None else weights / weights.mean(), margin.copy(), held_out
    )
    candidates = [
        PairShape((j, k), (steps[j], steps[k]), np.zeros((0, 0, 0)), (directions[j], directions[k]))
        for j, k in combinations(chosen, 2)
        if rules.may_meet((j, k))
    ]
    sized = [replace(c, values=np.zeros((1, c.steps[0].max() + 1, c.steps[1].max() + 1))) for c in candidates]
    # The best of k pairs without any effect gains about log(k) by chance. Rows are held out several times.
    least = np.log(max(len(sized), 2)) * len(held_out) * float(held_out.mean())
    found: list[PairShape] = []
    for pair in _most_promising(sized, rows, _MOST_CANDIDATES * n_pairs):
        learned = _boosted_table(*rows.sums(pair), least, pair.directions)
        if learned is not None:
            found.append(replace(pair, values=learned).in_order())
            rows.add(found[-1])
        if len(found) == n_pairs:
            break
    return tuple(found)


@dataclass(eq=False)
class _Rows:
    """Rows with their held-out margins."""

    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    margin: np.ndarray
    held_out: np.ndarray

    def __post_init__(self) -> None:
        self.out = [np.flatnonzero(out) for out in self.held_out]
        self.times = np.maximum(self.held_out.sum(axis=0), 1)
        self._derive()

    def _derive(self) -> None:
        chance = expit(self.margin)
        self.gradient = self.weights * (self.labels - chance)
        self.hessian = self.weights * chance * (1.0 - chance)

    def sums(self, pair: PairShape) -> tuple[np.ndarray, np.ndarray]:
        """Gradients and hessians of the cells of the rows that each bag holds out: (2, n_bags, ...), and of all."""
        shape = pair.values.shape[1:]
        cells, size = pair.cells(self.codes), int(np.prod(shape))
        out = np.array(
            [
                [np.bincount(cells[rows], weights=each[rows], minlength=size) for rows in self.out]
                for each in (self.gradient, self.hessian)
            ]
        )
        whole = np.array([np.bincount(cells, weights=each, minlength=size) for each in (self.gradient, self.hessian)])
        return out.reshape(2, len(self.out), *shape), whole.reshape(2, 1, *shape)

    def add(self, pair: PairShape) -> None:
        """Add the tables of a pair to the margins: those of the bags that have not seen a row."""
        cells = pair.cells(self.codes)
        for rows, table in zip(self.out, pair.values):
            self.margin[rows] += table.ravel()[cells[rows]] / self.times[rows]
        self._derive()


def _most_promising(pairs: Sequence[PairShape], rows: _Rows, most: int) -> list[PairShape]:
    """The pairs with the greatest held-out gain of a step in the four parts of two cuts."""
    gains = []
    for pair in pairs:
        out, whole = rows.sums(pair)
        gradient, hessian = whole - out
        gains.append(_gain(_four_parts(gradient, hessian, pair.directions), out))
    order = np.argsort(-np.array(gains), kind="stable")[:most]
    return [pairs[i] for i in order if gains[i] > 0.0]


def _gain(values: np.ndarray, sums: np.ndarray) -> float:
    """Decrease of the log loss by tables of values, to second order."""
    return float(np.sum(values * sums[0] - 0.5 * values**2 * sums[1]))


def _boosted_table(out: np.ndarray, whole: np.ndarray, least: float, directions: tuple[int, int]) -> np.ndarray | None:
    """The tables of all bags, each boosted on the rows inside of it; None if they gain too little on those outside.

    Parameters
    ----------
    out : array of shape (2, n_bags, n_steps, n_steps)
        Gradients and hessians of the rows that a bag does not see.
    whole : array of shape (2, 1, n_steps, n_steps)
        Those of all rows.
    least : float
        The gain on held-out rows must be greater.
    directions : pair of int
        Of the two features.
    """
    gradient, hessian = whole - out
    values = np.zeros_like(gradient)
    best, best_gain, best_round = values, 0.0, 0
    for r in range(1, _ROUNDS + 1):
        values = values + _RATE * _four_parts(gradient - hessian * values, hessian, directions)
        gain = _gain(values, out)
        if gain > best_gain:
            best, best_gain, best_round = values, gain, r
        if r - best_round >= _PATIENCE:
            break
    return best if best_gain > least else None


def _four_parts(gradient: np.ndarray, hessian: np.ndarray, directions: tuple[int, int]) -> np.ndarray:
    """For each bag the table of Newton steps in the four parts of the best two cuts, in the order of the directions."""
    parts = [_quadrants(each) for each in (gradient, hessian)]
    values = [g / (h + _L2) for g, h in zip(*parts)]
    if any(directions):
        values = _pooled(values, parts, directions)
        gains = sum(v * (2.0 * g - (h + _L2) * v) for v, g, h in zip(values, *parts))
    else:
        gains = sum(g * g / (h + _L2) for g, h in zip(*parts))
    assert isinstance(gains, np.ndarray)
    n_bags, n, m = gradient.shape
    best = gains.reshape(n_bags, -1).argmax(axis=1)
    row, column = np.divmod(best, m - 1)
    low = np.arange(n)[None, :, None] <= row[:, None, None]
    left = np.arange(m)[None, None, :] <= column[:, None, None]
    bag = np.arange(n_bags)
    steps = [each[bag, row, column][:, None, None] for each in values]
    return np.where(low, np.where(left, steps[0], steps[1]), np.where(left, steps[2], steps[3]))


def _pooled(
    values: list[np.ndarray], parts: Sequence[Sequence[np.ndarray]], directions: tuple[int, int]
) -> list[np.ndarray]:
    """Steps in the four parts, pooled where they break a direction; of all four parts if that is not enough."""
    gradient, hessian = parts
    sides = {0: ((0, 2), (1, 3)), 1: ((0, 1), (2, 3))}  # (lower, upper) parts of each feature

    def broken(axis: int) -> list[np.ndarray]:
        return [(values[low] - values[high]) * directions[axis] > 0 for low, high in sides[axis]]

    values = list(values)
    for axis in (0, 1):
        for wrong, (low, high) in zip(broken(axis), sides[axis]):
            step = (gradient[low] + gradient[high]) / (hessian[low] + hessian[high] + _L2)
            values[low], values[high] = (np.where(wrong, step, values[part]) for part in (low, high))
    still = np.logical_or.reduce([*broken(0), *broken(1)])
    one = sum(gradient) / (sum(hessian) + _L2)
    return [np.where(still, one, each) for each in values]


def _quadrants(table: np.ndarray) -> tuple[np.ndarray, ...]:
    """Sums of the four parts (low left, low right, high left, high right) for all pairs of cuts."""
    sums = table.cumsum(axis=1).cumsum(axis=2)
    low_left = sums[:, :-1, :-1]
    low, left, all_ = sums[:, :-1, -1:], sums[:, -1:, :-1], sums[:, -1:, -1:]
    return low_left, low - low_left, left - low_left, all_ - low - left + low_left
