"""ROC bands: the bounds by their definition, and the true curve inside as often as promised."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from rankforest.data import simulate
from rankforest.metrics import roc_auc, roc_bands, roc_curve
from rankforest.metrics.roc_bands import _POINTS, positives_above


def naive_band(y: np.ndarray, score: np.ndarray, alpha: float, level: float) -> tuple[float, float]:
    """The two binomial bounds at one alpha, by counting rows and by bisection in beta; no ties."""
    negative, positive = np.sort(score[y == 0])[::-1], score[y == 1]
    n, m = len(negative), len(positive)
    counts = [i for i in range(n + 1) if binom.cdf(i, n, alpha) >= level and binom.sf(i - 1, n, alpha) > level]
    first, last = min(counts), max(counts)
    fewest = 0 if first == 0 else int(np.sum(positive > negative[first - 1]))
    most = m if last == n else int(np.sum(positive > negative[last]))

    def root(holds: Any) -> float:
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return high

    low = 0.0 if fewest == 0 else root(lambda beta: binom.sf(fewest - 1, m, beta) >= level)
    high = 1.0 if most == m else root(lambda beta: binom.cdf(most, m, beta) <= level)
    return low, high


def test_the_bounds_are_those_of_the_definition() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [40, 25])
    score = rng.normal(size=65) + y
    bands = roc_bands(y, score, n_simulations=100)
    for k in range(1, _POINTS + 1, 15):
        expected = naive_band(y, score, bands.alpha[k], bands.level)
        assert (bands.low[k], bands.high[k]) == pytest.approx(expected, abs=1e-9)


def test_positives_above() -> None:
    """Without ties it counts; in a tie it is the mean over all orders of its rows."""
    negative, positive = np.array([5.0, 3.0, 1.0]), np.array([6.0, 4.0, 2.0, 0.0])
    mass = [np.array([0, 0, 1, 1, 2, 2, 3, 3.0]), np.array([0, 1, 1, 2, 2, 3, 3, 4.0])]
    assert positives_above(*mass, np.arange(1, 4)).tolist() == [np.sum(positive > s) for s in negative]
    assert positives_above(*mass, np.array([0, 4])).tolist() == [0, 4]
    rng = np.random.default_rng(1)
    drawn = np.array(
        [np.cumsum(order)[order == 0] for order in (rng.permutation([0, 0, 0, 1, 1]) for _ in range(4000))]
    )
    spread = positives_above(np.array([0.0, 3.0]), np.array([0.0, 2.0]), np.arange(1, 4))
    np.testing.assert_allclose(spread, drawn.mean(axis=0), atol=0.05)
    np.testing.assert_allclose(spread, [0.5, 1.0, 1.5])


def test_the_shape_of_a_band() -> None:
    sample = simulate.rf20(500, random_state=0)
    bands = roc_bands(sample.y, sample.eta)
    assert bands.alpha[[0, -1]].tolist() == [0.0, 1.0]
    assert (bands.low[0], bands.high[-1]) == (0.0, 1.0)
    assert (np.diff(bands.low) >= 0).all()
    assert (np.diff(bands.high) >= 0).all()
    assert (bands.low >= 0).all()
    assert (bands.high <= 1).all()
    curve = roc_curve(sample.y, sample.eta)
    assert bands.contains(curve.interpolate)
    np.testing.assert_array_equal(bands.curve.beta, curve.beta)
    low, high = bands.auc
    assert 0.6 < low < roc_auc(sample.y, sample.eta) < high < 0.9
    # wider with more confidence, narrower with more rows, the same with the same seed
    assert np.all(roc_bands(sample.y, sample.eta, confidence=0.99).low <= bands.low)
    large = simulate.rf20(5000, random_state=0)
    assert np.mean(roc_bands(large.y, large.eta).low) > np.mean(bands.low)
    np.testing.assert_array_equal(roc_bands(sample.y, sample.eta).high, bands.high)
    np.testing.assert_array_equal(roc_bands(sample.y, np.exp(sample.eta)).high, bands.high)


def linear_curve(alpha: np.ndarray) -> np.ndarray:
    """The sum of the coordinates on RF20: N(0, 1.23) against N(0.9, 1)."""
    return ndtr(ndtri(alpha) * np.sqrt(1.23) + 0.9)


def coverage(score_of: Any, true_curve: Any, n: int, runs: int) -> float:
    held = 0
    for seed in range(runs):
        sample = simulate.rf20(n, random_state=seed)
        held += roc_bands(sample.y, score_of(sample), n_simulations=200, random_state=seed).contains(true_curve)
    return held / runs


def test_the_true_curve_is_inside() -> None:
    """A quick look: 95% bands of 30 samples of 400 rows. benchmarks/bands.py has 500 of 1000 and of 2000."""
    star = simulate.rf20(1).roc_star
    assert 0.86 <= coverage(lambda sample: sample.eta, star, 400, 30) <= 1.0
    assert 0.86 <= coverage(lambda sample: sample.X.sum(axis=1), linear_curve, 400, 30) <= 1.0


def test_the_coverage_can_fail() -> None:
    """Bands of half the confidence miss the curve about half the time, and those of a wrong curve nearly always."""
    held = 0
    for seed in range(30):
        sample = simulate.rf20(400, random_state=seed)
        bands = roc_bands(sample.y, sample.X.sum(axis=1), confidence=0.5, n_simulations=200, random_state=seed)
        held += bands.contains(linear_curve)
    assert 0.26 < held / 30 < 0.70
    assert coverage(lambda sample: sample.X[:, 0], linear_curve, 400, 10) < 0.2


def test_ties_make_no_wider_band() -> None:
    sample = simulate.rf20(1000, random_state=1)
    score = sample.X.sum(axis=1)
    fine, coarse = roc_bands(sample.y, score), roc_bands(sample.y, np.round(score))
    assert len(np.unique(np.round(score))) > 15
    assert np.mean(coarse.high - coarse.low) <= np.mean(fine.high - fine.low) * 1.02
    constant = roc_bands(sample.y, np.zeros(1000))
    assert constant.contains(lambda alpha: alpha)


def test_perfect_separation_and_one_row_of_a_class() -> None:
    perfect = roc_bands([0] * 30 + [1] * 20, range(50))
    assert perfect.level == pytest.approx(0.025)
    assert perfect.low[_POINTS // 2] == pytest.approx(0.025 ** (1 / 20))
    assert perfect.high.tolist() == [1.0] * len(perfect.high)
    assert perfect.low[1] == 0.0
    single = roc_bands([0, 0, 0, 1], [1, 2, 3, 4])
    assert single.low[-2] == pytest.approx(0.025)
    assert single.high[0] == 1.0
    assert roc_bands(["a", "b"], [2, 1], pos_label="a").low[-2] == pytest.approx(0.025)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 2}, r"^confidence must lie between 0 and 1, got 2"),
        (
            {"n_simulations": 5},
            r"^n_simulations must be an integer of at least 20 at this confidence, got 5; use 1000\.$",
        ),
        ({"n_simulations": 99.5}, r"^n_simulations must be an integer"),
        ({"pos_label": "x"}, r"^pos_label='x' is not a label of y_true"),
    ],
)
def test_bad_input_gets_a_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        roc_bands([0, 1, 0, 1], [1, 2, 3, 4], **options)
