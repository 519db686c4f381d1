"""The score interval: what it is by its definition, where it meets DeLong's, and few rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm, t

from rankforest.metrics import auc_interval, auc_test, auc_test_unpaired
from rankforest.metrics.score_interval import degrees_of_freedom


def sample(seed: int, m: int, n: int, shift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat([1, 0], [m, n])
    return y, np.random.default_rng(seed).normal(size=m + n) + shift * y


def hanley_mcneil(auc: float, m: float, n: float) -> float:
    """Hanley and McNeil's variance; Newcombe puts the mean size in place of both."""
    q1, q2, size = auc / (2 - auc), 2 * auc**2 / (1 + auc), (m + n) / 2
    return (auc * (1 - auc) + (size - 1) * (q1 - auc**2) + (size - 1) * (q2 - auc**2)) / (m * n)


@pytest.mark.parametrize(("m", "n"), [(5, 5), (4, 40), (30, 12), (300, 900)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_the_ends_solve_their_equation(m: int, n: int, confidence: float) -> None:
    """|AUC - t| = q sqrt(r H(t)), H by Hanley and McNeil's formula and the roots by another solver."""
    y, s = sample(m, m, n)
    found = auc_interval(y, s, confidence=confidence)
    auc = found.estimate
    df = (1 / m + 1 / n) ** 2 / ((1 / m) ** 2 / (m - 1) + (1 / n) ** 2 / (n - 1))
    seen = df * 4 * auc * (1 - auc)
    ratio = (seen * found.standard_error**2 / hanley_mcneil(auc, m, n) + 4) / (seen + 4)
    q = t(df).isf((1 - confidence) / 2)

    def gap(value: float) -> float:
        return (value - auc) ** 2 - q**2 * ratio * hanley_mcneil(value, m, n)

    assert (found.low, found.high) == pytest.approx((brentq(gap, 0, auc), brentq(gap, auc, 1)), abs=1e-10)


def test_there_is_one_end_on_either_side() -> None:
    """(t - AUC)^2 / H(t) grows away from the AUC, so that the values that are not contradicted form an interval."""
    grid = np.linspace(0, 1, 402)[1:-1]
    for m, n in ((2, 2), (2, 1000), (50, 50), (1e6, 10)):
        form = np.array([hanley_mcneil(value, m, n) for value in grid])
        for auc in (0.001, 0.1, 0.3, 0.5, 0.77, 0.999):
            distance = (grid - auc) ** 2 / form
            assert np.all(np.diff(distance[grid <= auc]) <= 0)
            assert np.all(np.diff(distance[grid >= auc]) >= 0)


def test_with_many_rows_it_is_delongs() -> None:
    """The distance of the ends falls as 1 / n, that is faster than the interval shrinks."""
    for shift, rows in ((0.3, 20_000), (1.0, 20_000), (2.0, 20_000)):
        y, s = sample(0, rows, rows, shift)
        score, logit = (auc_interval(y, s, method=method) for method in ("score", "logit"))
        length = logit.high - logit.low
        assert abs(score.low - logit.low) < 0.01 * length
        assert abs(score.high - logit.high) < 0.01 * length


def test_one_wrong_pair_is_no_certainty() -> None:
    """20 + 20 rows with one pair of 400 in the wrong order: hardly more is known than from a perfect list."""
    y, score = np.repeat([0, 1], 20), np.arange(40.0)
    perfect = auc_interval(y, score)
    score[[19, 20]] = score[[20, 19]]
    nearly = auc_interval(y, score)
    assert perfect.method == "pairs"
    assert perfect.low < 0.84 < perfect.high == 1.0
    assert nearly.method == "score"
    assert nearly.low < 0.91
    assert auc_interval(y, score, method="logit").low > 0.96


def test_equal_weights_are_none_and_uneven_weights_are_fewer_rows() -> None:
    y, s = sample(1, 15, 25)
    plain, scaled = auc_interval(y, s), auc_interval(y, s, sample_weight=np.full(40, 3e-200))
    assert (scaled.low, scaled.high) == pytest.approx((plain.low, plain.high))
    half = np.where(np.arange(40) % 5 == 0, 20.0, 1.0)
    weighted = auc_interval(y, s, sample_weight=half)
    assert weighted.high - weighted.low > 1.2 * (plain.high - plain.low)


def test_it_turns_with_the_labels() -> None:
    y, s = sample(2, 6, 30)
    one, other = auc_interval(y, s), auc_interval(1 - y, s)
    assert (one.low, one.high) == pytest.approx((1 - other.high, 1 - other.low), abs=1e-12)


def test_degrees_of_freedom_of_welch() -> None:
    assert degrees_of_freedom((10, 10)) == pytest.approx(18)
    assert degrees_of_freedom((10, 1e12)) == pytest.approx(9)


def test_the_level_of_the_paired_test_with_few_positives() -> None:
    """Two equally good scores, 10 positives and 100 negatives: the normal law rejects 6.7% at level 5%, too often."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [10, 100])
    found = []
    for _ in range(1500):
        signal, noise = rng.normal(size=110) + 0.5 * y, rng.normal(size=(2, 110))
        found.append(auc_test(y, signal + noise[0], signal + noise[1]))
    assert np.mean([test.p_value < 0.05 for test in found]) < 0.058
    by_normal_law = 2 * norm.sf(np.abs([test.z for test in found]))
    assert np.mean(by_normal_law < 0.05) > 0.058


def test_unpaired_degrees_are_those_of_the_sample_that_is_less_sure() -> None:
    small, large = sample(3, 6, 6, -0.5), sample(4, 5000, 5000)
    test = auc_test_unpaired(*small, *large)
    p_value = 2 * t(10).sf(abs(test.z))
    assert test.p_value == pytest.approx(p_value, rel=0.02)
    assert test.p_value != pytest.approx(2 * norm.sf(abs(test.z)), rel=0.02)
