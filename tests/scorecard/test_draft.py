"""Drafts of a card: their values are the best ones, whole numbers too, and they keep directions."""

import numpy as np
import pytest

from rankforest.data.constraints import CodedConstraints
from rankforest.scorecard.draft import Draft, Drafting


def drafting(seed, *, constraints=None, most_steps=4, n=300):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, m + 1, n) for m in (9, 12, 5)])
    codes[:, 1] = np.where(rng.random(n) < 0.5, codes[:, 0], codes[:, 1])  # correlated
    shapes = [rng.normal(size=m + 1) for m in (9, 12, 5)]
    categorical = np.array([False, False, True])
    return Drafting(shapes, codes, rng.uniform(0.05, 0.25, n), categorical, constraints, most_steps)


def loss(made, draft, unit=1.0, shift=None):
    """Weighted squared distance to the target after a shift of all totals, the best one unless it is given."""
    away = unit * draft.totals(made.codes) - made.target
    away -= np.average(away, weights=made.weights) if shift is None else shift
    return float(made.weights @ away**2)


@pytest.mark.parametrize("seed", range(8))
def test_sweeps_lead_to_the_best_values(seed):
    """The least-squares solution over indicators of the steps."""
    made = drafting(seed)
    draft = made.with_price(1e-6, sweeps=200)
    columns = [np.eye(len(v))[s[made.codes[:, j]]] for j, (s, v) in enumerate(zip(draft.steps, draft.values))]
    X = np.column_stack(columns) * np.sqrt(made.weights)[:, None]
    beta = np.linalg.lstsq(X, made.target * np.sqrt(made.weights), rcond=None)[0]
    best = float(np.sum((X @ beta - made.target * np.sqrt(made.weights)) ** 2))
    assert loss(made, draft) == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert all(len(values) <= 5 for values in draft.values)  # 4 and that of missing values


@pytest.mark.parametrize("seed", range(8))
def test_no_single_point_can_be_better(seed):
    made = drafting(seed)
    draft = made.with_price(0.02)
    unit = draft.span / 25
    rounded = made.rounded(draft, unit, sweeps=50)
    assert all((values == np.rint(values)).all() and values.min() == 0 for values in rounded.values)
    assert 15 <= rounded.span <= 35
    shift = np.average(unit * rounded.totals(made.codes) - made.target, weights=made.weights)
    reached = loss(made, rounded, unit)
    for j in rounded.used:
        for k in range(len(rounded.values[j])):
            for step in (-1.0, 1.0):
                other = [values.copy() for values in rounded.values]
                other[j][k] += step
                assert loss(made, Draft(rounded.steps, tuple(other)), unit, shift) >= reached - 1e-9


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("direction", [1, -1])
def test_directions_hold(seed, direction):
    made = drafting(seed, constraints=CodedConstraints((direction, 0, 0)), n=60)
    draft = made.with_price(1e-6)
    rounded = made.rounded(draft, draft.span / 30)
    for found in (draft, rounded):
        points = found.values[0][found.steps[0]][1:]
        assert (direction * np.diff(points) >= 0).all()
        # steps of numbers are runs of bins
        assert (np.diff(found.steps[0][1:]) >= 0).all()


def test_prices_leave_features_out():
    made = drafting(1)
    sizes = [sum(len(d.values[j]) for j in d.used) for d in (made.with_price(p) for p in (1e-9, 0.05, 1.0, 1e9))]
    assert sizes == sorted(sizes, reverse=True)
    assert (sizes[0] > 9, sizes[-1]) == (True, 0)
    assert made.rounded(made.with_price(1e9), 0.1).span == 0.0


def test_missing_values_alone_make_a_feature():
    """A feature that is constant unless it is missing."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (100, 1))
    made = Drafting([np.array([2.0, 0.0])], codes, np.ones(100), np.array([False]), None, 6)
    draft = made.with_price(1.0)
    assert draft.steps[0].tolist() == [1, 0]
    assert np.diff(draft.values[0]) == pytest.approx(2.0)
    assert made.with_price(1e6).used == []
