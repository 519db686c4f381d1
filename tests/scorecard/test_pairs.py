"""Pairs: those with an effect are found, noise is not, and their tables are what brute force finds."""

import numpy as np
import pytest

from rankforest import Constraints, RankScore
from rankforest.scorecard.pairs import _L2, PairShape, _four_parts


def exclusive_or(n=1500, seed=0):
    """Two features that tell nothing one by one, one that does, and noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    margin = 2.0 * np.sign(X[:, 1] * X[:, 3]) + X[:, 0]
    return X, (margin + rng.logistic(size=n) > 0).astype(int)


@pytest.fixture(scope="module")
def model():
    return RankScore(pairs=3, n_estimators=100, random_state=0).fit(*exclusive_or())


def test_a_pair_is_found(model):
    (pair,) = model.card_.pairs
    assert pair.features == (1, 3)
    assert all(axis.n_steps <= 6 for axis in pair.axes)
    assert (pair.points == np.rint(pair.points)).all()
    assert pair.mass.sum() == 1500
    fresh, y = exclusive_or(4000, seed=1)
    without = RankScore(n_estimators=100, random_state=0).fit(*exclusive_or())
    assert model.score(fresh, y) > without.score(fresh, y) + 0.1
    assert model.held_out_auc_ == pytest.approx(model.score(fresh, y), abs=0.03)
    low, high = model.card_.range
    assert (low, 85 <= high <= 115) == (0.0, True)


def test_the_table_counts_its_rows(model):
    X, y = exclusive_or()
    (pair,) = model.card_.pairs
    cells = pair.codes(X)
    for k in (0, 1):
        np.testing.assert_array_equal(np.bincount(cells[y == k], minlength=pair.points.size), pair.mass[..., k].ravel())


def test_noise_has_no_pairs():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] + rng.logistic(size=300) > 0).astype(int)
    assert RankScore(pairs=10, n_estimators=50, random_state=0).fit(X, y).card_.pairs == ()


def test_the_scale_of_weights_does_not_matter(model):
    X, y = exclusive_or()
    small = RankScore(pairs=3, n_estimators=100, random_state=0).fit(X, y, sample_weight=np.full(len(y), 2.0**-20))
    assert [pair.features for pair in small.card_.pairs] == [(1, 3)]
    np.testing.assert_array_equal(small.card_.pairs[0].points, model.card_.pairs[0].points)


def test_a_table_keeps_the_directions_of_its_features():
    """The product of two features rises with the second where the first is above 0: that much may be learned."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 4))
    y = ((X[:, 0] > 0) * X[:, 1] + 0.3 * rng.logistic(size=1500) > 0).astype(int)
    rules = {"monotonic_cst": [0, 1, 0, 0]}
    model = RankScore(pairs=2, n_estimators=80, random_state=0, **rules).fit(X, y)
    found = [pair for pair in model.card_.pairs if 1 in pair.features]
    assert found
    for pair in found:
        table = np.moveaxis(pair.points, pair.features.index(1), 0)[:-1]
        assert (np.diff(table, axis=0) >= 0).all()


def test_pairs_that_may_not_interact_are_not_tried():
    X, y = exclusive_or()
    assert RankScore(pairs=3, n_estimators=50, random_state=0).fit(X, y).card_.pairs
    alone = Constraints(interaction_cst="no_interactions")
    assert not RankScore(pairs=3, n_estimators=50, monotonic_cst=alone, random_state=0).fit(X, y).card_.pairs


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("seed", range(10))
def test_the_best_two_cuts_of_a_table_with_a_direction(seed, direction):
    """Against all pairs of cuts; two steps that break the direction become one."""
    rng = np.random.default_rng(seed)
    gradient, hessian = rng.normal(size=(2, 4, 5)), rng.uniform(0, 9, (2, 4, 5))
    found = _four_parts(gradient, hessian, (direction, 0))
    for g, h, steps in zip(gradient, hessian, found):
        best, expected = -np.inf, None
        for a in range(3):
            for b in range(4):
                gain, table = 0.0, np.zeros((4, 5))
                for columns in (slice(0, b + 1), slice(b + 1, None)):
                    parts = [(g[rows, columns].sum(), h[rows, columns].sum()) for rows in _halves(a)]
                    low, high = (part[0] / (part[1] + _L2) for part in parts)
                    if (high - low) * direction < 0:
                        low = high = sum(part[0] for part in parts) / (sum(part[1] for part in parts) + _L2)
                    for rows, value, part in zip(_halves(a), (low, high), parts):
                        table[rows, columns] = value
                        gain += value * (2 * part[0] - (part[1] + _L2) * value)
                if gain > best:
                    best, expected = gain, table
        np.testing.assert_allclose(steps, expected, rtol=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_two_directions_hold_together(seed):
    rng = np.random.default_rng(seed)
    found = _four_parts(rng.normal(size=(20, 6, 5)), rng.uniform(0, 9, (20, 6, 5)), (1, -1))
    assert (np.diff(found, axis=1) >= 0).all()
    assert (np.diff(found, axis=2) <= 0).all()
    assert np.ptp(found, axis=(1, 2)).max() > 0


def _halves(a):
    return slice(0, a + 1), slice(a + 1, None)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_two_cuts(seed):
    """Against all pairs of cuts."""
    rng = np.random.default_rng(seed)
    gradient, hessian = rng.normal(size=(2, 4, 5)), rng.uniform(0, 9, (2, 4, 5))
    found = _four_parts(gradient, hessian, (0, 0))
    for g, h, steps in zip(gradient, hessian, found):
        best, expected = -1.0, None
        for a in range(3):
            for b in range(4):
                gain, table = 0.0, np.zeros((4, 5))
                for rows in (slice(0, a + 1), slice(a + 1, None)):
                    for columns in (slice(0, b + 1), slice(b + 1, None)):
                        part = g[rows, columns].sum(), h[rows, columns].sum() + _L2
                        gain += part[0] ** 2 / part[1]
                        table[rows, columns] = part[0] / part[1]
                if gain > best:
                    best, expected = gain, table
        np.testing.assert_allclose(steps, expected, rtol=1e-9)


def test_merged_tables_keep_missing_values_apart_and_means():
    rng = np.random.default_rng(0)
    steps = (np.array([4, 0, 1, 2, 3]), np.array([3, 0, 1, 2]))  # one code per step
    values, mass = rng.normal(size=(1, 5, 4)), rng.uniform(1, 5, (5, 4))
    fine = PairShape((0, 1), steps, values)
    merged = fine.merged(mass, 2)
    assert merged.values.shape == (1, 3, 3)
    assert (merged.steps[0][0], merged.steps[1][0]) == (2, 2)
    for a in range(3):
        for b in range(3):
            inside = np.ix_(*(np.unique(old[new == k]) for old, new, k in zip(steps, merged.steps, (a, b))))
            expected = np.average(values[0][inside], weights=mass[inside])
            assert merged.values[0, a, b] == pytest.approx(expected)
    same = fine.merged(mass, 9)
    np.testing.assert_allclose(same.values, values)
