"""Probabilities from out-of-bag scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from rankforest.data.rows import ENOUGH_ROWS, spaced_rows
from rankforest.fitting.calibration import calibrate, cross_fitted_error
from rankforest.metrics.calibration import calibration_error


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 40), st.integers(1, 30), st.integers(0, 2**32 - 1), st.booleans())
def test_monotone_within_bounds_and_blind_to_the_order_of_rows(
    n: int, n_scores: int, seed: int, weighted: bool
) -> None:
    rng = np.random.default_rng(seed)
    score, labels = rng.integers(0, n_scores, n) / n_scores, rng.integers(0, 2, n)
    weights = rng.integers(1, 5, n) / 2.0 if weighted else None
    found = calibrate(score, labels, weights)
    assert (np.diff(found.score) >= 0).all()
    grid = found(np.linspace(-0.5, 1.5, 200))
    assert (np.diff(grid) >= 0).all()
    assert 0.0 <= grid.min() <= grid.max() <= 1.0
    if 0 < labels.mean() < 1:
        assert 0.0 < grid.min() <= grid.max() < 1.0  # nothing is certain
    order = rng.permutation(n)
    again = calibrate(score[order], labels[order], None if weights is None else weights[order])
    np.testing.assert_allclose(again(score), found(score), rtol=1e-9)
    if weights is not None:
        np.testing.assert_allclose(calibrate(score, labels, weights * 2.0**-23)(score), found(score))


def test_pools_are_those_of_isotonic_regression() -> None:
    """Up to the two pseudo-observations, which thousands of rows outweigh."""
    rng = np.random.default_rng(0)
    score = rng.integers(0, 200, 20_000) / 200
    labels = (rng.random(20_000) < score**2).astype(int)
    expected = IsotonicRegression().fit(score, labels).predict(score)
    np.testing.assert_allclose(calibrate(score, labels, None)(score), expected, atol=0.02)


def test_rows_of_one_score_have_the_overall_rate() -> None:
    found = calibrate(np.full(6, 0.3), np.array([0, 0, 0, 0, 1, 1]), None)
    np.testing.assert_allclose(found(np.array([0.0, 0.3, 1.0])), 1 / 3)


def test_the_error_is_the_mean_gap_of_ten_groups() -> None:
    probability = np.repeat(np.arange(10) / 10, 5)
    labels = np.tile([0, 0, 0, 1, 1], 10)
    assert calibration_error(probability, labels, None) == pytest.approx(np.mean(np.abs(np.arange(10) / 10 - 0.4)))
    weights = np.repeat(np.arange(1.0, 11.0), 5)
    expected = np.average(np.abs(np.arange(10) / 10 - 0.4), weights=np.arange(1.0, 11.0))
    assert calibration_error(probability, labels, weights) == pytest.approx(expected)
    assert calibration_error(np.array([0.5, 1.0]), np.array([0, 1]), None) == 0.25


def test_the_cross_fitted_error_is_honest() -> None:
    """Calibrated noise looks right on its own rows but not on the other half. A true probability is right on both."""
    rng = np.random.default_rng(0)
    score = rng.random(4000)
    labels = (rng.random(4000) < 0.2 + 0.6 * score).astype(int)
    assert cross_fitted_error(score, labels, None, 0) < 0.03
    assert cross_fitted_error(score, labels, np.full(4000, 7.0), 0) == pytest.approx(
        cross_fitted_error(score, labels, None, 0)
    )
    few = slice(0, 60)
    own = calibration_error(calibrate(score[few], labels[few], None)(score[few]), labels[few], None)
    assert cross_fitted_error(score[few], labels[few], None, 0) > own
    assert np.isnan(cross_fitted_error(np.array([0.1, 0.2]), np.array([0, 1]), None, 0))


def test_two_million_rows_are_enough_for_a_curve() -> None:
    rng = np.random.default_rng(0)
    n = ENOUGH_ROWS + 1000
    score = rng.random(n)
    labels = (rng.random(n) < score).astype(np.uint8)
    rows = spaced_rows(n)
    few, all_rows = calibrate(score[rows], labels[rows], None), calibrate(score, labels, None)
    np.testing.assert_array_equal(few.score, all_rows.score)
    assert len(rows) == ENOUGH_ROWS
    assert len(np.unique(rows)) == ENOUGH_ROWS
    assert rows[-1] >= n - 2
    assert np.abs(all_rows(np.linspace(0, 1, 50)) - np.linspace(0, 1, 50)).max() < 0.02
