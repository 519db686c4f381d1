"""Scorecards made by hand, rows for them, and their totals from the definition."""

from __future__ import annotations

import math

import numpy as np

from rankforest.data.schema import Feature, Schema
from rankforest.scorecard.card import Axis, PairSteps, Scorecard, Steps

SCHEMA = Schema(
    (
        Feature("age", "numeric"),
        Feature("job", "categorical", ("clerk", "nurse", "pilot", "other")),
        Feature("unused", "numeric"),
        Feature("debt", "numeric"),
    ),
    named=True,
)
GROUPS = np.array([1, 0, 0, 2], dtype=np.int32)


def steps_of(feature: int, points: list[float], missing: float, seed: int, **cuts: np.ndarray) -> Steps:
    """Steps with some standard errors and masses."""
    rng = np.random.default_rng(seed)
    n = len(points) + 1
    mass = rng.integers(1, 90, (n, 2)).astype(float)
    spread = rng.integers(0, 9, n) / 4
    return Steps(feature=feature, points=np.array(points), missing=missing, spread=spread, mass=mass, **cuts)


def pair_of(one: Axis, other: Axis, seed: int) -> PairSteps:
    rng = np.random.default_rng(seed)
    shape = (one.n_steps + 1, other.n_steps + 1)
    points, mass = rng.integers(-5, 6, shape).astype(float), rng.integers(0, 40, (*shape, 2)).astype(float)
    return PairSteps(axes=(one, other), points=points, spread=rng.random(shape), mass=mass)


def small_card(*, pairs: bool = False) -> Scorecard:
    """Two numeric features and a categorical one; a fourth feature has no points."""
    age = steps_of(0, [0.0, 12.0, 31.0], 5.0, 1, edges=np.array([25.0, 40.5]))
    job = steps_of(1, [9.0, 0.0, 22.0], 3.0, 2, groups=GROUPS)
    debt = steps_of(3, [40.0, 17.0, 4.0, 0.0], 11.0, 3, edges=np.array([0.0, 1000.0, 2500.0]))
    pair = pair_of(Axis(feature=0, edges=np.array([30.0])), Axis(feature=1, groups=GROUPS), 4)
    return Scorecard(schema=SCHEMA, steps=(age, job, debt), pairs=(pair,) if pairs else (), offset=10.0)


def coded_rows(n: int, seed: int = 0) -> np.ndarray:
    """Rows as a model sees them: values on, below and above edges, missing ones, infinite ones."""
    rng = np.random.default_rng(seed)
    age = rng.choice([18.0, 25.0, np.nextafter(25.0, 99), 30.0, 40.5, 41.0, 99.0, np.inf, -np.inf, np.nan], n)
    debt = rng.choice([-1.0, 0.0, 1e-300, 1000.0, 1500.0, 2500.0, 9e9, np.nan], n)
    job = rng.choice([0.0, 1.0, 2.0, 3.0, np.nan], n)
    return np.column_stack([age, job, rng.normal(size=n), debt])


# ---- from the definition


def naive_code(axis: Axis, value: float) -> int:
    """The step that holds a value, looked for one after the other."""
    if math.isnan(value):
        return axis.n_steps
    if axis.groups is not None:
        return int(axis.groups[int(value)])
    bounds = [-math.inf, *axis.edges, math.inf]  # type: ignore[misc]
    for k in range(len(bounds) - 1):
        if bounds[k] < value <= bounds[k + 1]:
            return k
    return 0  # minus infinity


def naive_points(card: Scorecard, row: np.ndarray) -> list[float]:
    """The points of each term of one row."""
    found = []
    for steps in card.steps:
        k = naive_code(steps, row[steps.feature])
        found.append(float(steps.missing if k == steps.n_steps else steps.points[k]))
    for pair in card.pairs:
        one, other = (naive_code(axis, row[axis.feature]) for axis in pair.axes)
        found.append(float(pair.points[one, other]))
    return found
