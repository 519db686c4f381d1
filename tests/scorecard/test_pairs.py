"""Pairs: those with an effect are found, noise is not, and their tables are what brute force finds."""

import numpy as np
import pytest

from rankforest import RankScore
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


def test_a_feature_with_a_direction_is_in_no_pair():
    model = RankScore(pairs=3, n_estimators=50, monotonic_cst=[0, 1, 0, 0, 0], random_state=0).fit(*exclusive_or())
    assert all(1 not in pair.features for pair in model.card_.pairs)


@pytest.mark.parametrize("seed", range(10))
def test_the_best_two_cuts(seed):
    """Against all pairs of cuts."""
    rng = np.random.default_rng(seed)
    gradient, hessian = rng.normal(size=(2, 4, 5)), rng.uniform(0, 9, (2, 4, 5))
    found = _four_parts(gradient, hessian)
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
