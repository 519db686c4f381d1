"""Signed rank statistics: the definition, Wilcoxon's, the mass-constrained error, the variance of Proposition 15."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from rankforest.metrics import mass_constrained_error, signed_rank_process, signed_rank_statistic


@st.composite
def lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 12))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    score = draw(st.one_of(st.lists(st.integers(0, 4), min_size=n, max_size=n), st.permutations(range(n))))
    return y, np.array(score), np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))


@settings(max_examples=80, deadline=None)
@given(lists(), st.sampled_from([np.square, np.sqrt, lambda v: v > 0.4]))
def test_definition_13(data: tuple[np.ndarray, np.ndarray, np.ndarray], phi: Any) -> None:
    y, score, weight = data
    rows = np.repeat(np.arange(len(y)), weight)
    expected = sum(
        float(phi(np.array([r / (len(rows) + 1)]))[0]) * (1 if label == 1 else -1)
        for r, label in zip(rankdata(score[rows]), y[rows])
    )
    assert signed_rank_statistic(y, score, phi, sample_weight=weight) == pytest.approx(expected, abs=1e-12)
    mean = signed_rank_statistic(y, score, phi, sample_weight=weight, mean=True)
    assert mean == pytest.approx(expected / len(rows), abs=1e-12)


def test_wilcoxons_signed_ranks() -> None:
    z = np.random.default_rng(0).normal(size=30) + 0.3
    sums = [wilcoxon(z, alternative="greater").statistic, wilcoxon(-z, alternative="greater").statistic]
    assert signed_rank_statistic(z > 0, np.abs(z)) * 31 == pytest.approx(sums[0] - sums[1])


@settings(max_examples=80, deadline=None)
@given(lists(), st.integers(0, 11))
def test_the_mass_constrained_error_is_a_signed_rank_statistic(
    data: tuple[np.ndarray, np.ndarray, np.ndarray], k: int
) -> None:
    """L-hat(s, u) = n- / n + K-hat(s, 1 - u), with ties shared; without ties K-hat is Definition 13 (Prop. 14)."""
    y, score, _ = data
    n = len(y)
    below = k % n
    found = signed_rank_process(y, score, below / n).value
    assert found + np.mean(y == 0) == pytest.approx(mass_constrained_error(y, score, 1 - below / n), abs=1e-12)
    if len(set(score.tolist())) == n:
        by_definition = signed_rank_statistic(y, score, lambda v: v * (n + 1) < below + 0.5, mean=True)
        assert found == pytest.approx(by_definition, abs=1e-12)


def test_the_variance_formula_is_that_of_its_terms() -> None:
    """A law of six points in fractions: Var((Y - K') I) = v - K^2 + v (1 - v) K'^2 - 2 (1 - v) K' K, for any K'."""
    mass = [Fraction(k, 21) for k in range(1, 7)]
    positive = [Fraction(k, 7) for k in (1, 2, 2, 4, 5, 6)]  # P(Y = 1 | point), points in the order of the score
    for cut, slope in itertools.product(range(7), (Fraction(-1, 2), Fraction(1, 5), Fraction(3, 4))):
        v = sum(mass[:cut], Fraction(0))
        k = sum((m * (2 * p - 1) for m, p in zip(mass[:cut], positive)), Fraction(0))
        first = second = Fraction(0)
        for point, (m, p) in enumerate(zip(mass, positive)):
            for y, chance in ((1, p), (-1, 1 - p)):
                term = (y - slope) * (point < cut)
                first += m * chance * term
                second += m * chance * term**2
        assert second - first**2 == v - k**2 + v * (1 - v) * slope**2 - 2 * (1 - v) * slope * k


def draws(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A uniform score that is the chance of a positive: K(v) = v^2 - v, K'(v) = 2 v - 1."""
    score = rng.random(n)
    return np.where(rng.random(n) < score, 1, -1), score


def sigma2(v: float) -> float:
    k, slope = v**2 - v, 2 * v - 1
    return v - k**2 + v * (1 - v) * slope**2 - 2 * (1 - v) * slope * k


def test_the_variance_of_proposition_15() -> None:
    """Over 2000 samples of 400 rows; without the derivative, as if the quantile were known, it would be v - K^2."""
    rng, v = np.random.default_rng(0), np.array([0.3, 0.7, 0.9])
    found = [signed_rank_process(*draws(rng, 400), v) for _ in range(2000)]
    values, variances = np.array([f.value for f in found]), np.array([f.variance for f in found])
    np.testing.assert_allclose(400 * values.var(axis=0), sigma2(v), rtol=0.1)
    np.testing.assert_allclose(400 * variances.mean(axis=0), sigma2(v), rtol=0.05)
    assert v[0] - (v[0] ** 2 - v[0]) ** 2 > 1.4 * sigma2(v[0])
    held = np.abs(values - (v**2 - v)) < 1.96 * np.sqrt(variances)
    assert np.all((held.mean(axis=0) > 0.93) & (held.mean(axis=0) < 0.97))


def test_the_expansion_of_proposition_15_and_the_order_of_its_rest() -> None:
    """The rest K-hat - K - Z falls as n^(-3/4), not as the 1 / n of the paper."""
    rng, v = np.random.default_rng(1), 0.7
    k, slope = v**2 - v, 2 * v - 1
    spread = []
    for n in (64, 1024, 16384):
        rest = []
        for _ in range(200):
            y, score = draws(rng, n)
            z = np.mean((y - slope) * (score <= v)) - k + v * slope
            rest.append(signed_rank_process(y, score, v).value - k - z)
        spread.append(np.std(rest))
    orders = -np.log(np.array(spread[1:]) / spread[:-1]) / np.log(16)
    np.testing.assert_allclose(orders, 0.75, atol=0.08)


def test_shapes_and_ends() -> None:
    y, score = draws(np.random.default_rng(2), 200)
    found = signed_rank_process(y, score, [[0.0, 0.5], [0.25, 0.999]])
    assert found.value.shape == found.slope.shape == found.standard_error.shape == (2, 2)
    assert found.value[0, 0] == pytest.approx(0, abs=1e-12)
    assert found.variance[0, 0] == pytest.approx(0, abs=1e-12)
    one = signed_rank_process(y, score, 0.5)
    assert isinstance(one.value, float)
    assert one.standard_error == pytest.approx(found.standard_error[0, 1])
    # The window of the whole list has the mean of Y, which ties leave as it is.
    whole = signed_rank_process(y, np.zeros(200), 0.5, bandwidth=0.2)
    assert whole.slope == pytest.approx(y.mean())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: signed_rank_process([0, 1], [0, 1], 1.0), r"^v must lie in \[0, 1\), got 1.0; it is 1 - u, the share"),
        (lambda: signed_rank_process([0, 1], [0, 1], "a"), r"^v must be a number or an array of numbers, got 'a'; "),
        (lambda: signed_rank_process([0, 1], [0, 1], 0.5, bandwidth=0), r"^bandwidth must lie in \(0, 1\], got 0; "),
        (lambda: signed_rank_statistic([0, 1], [0, 1], "median"), r"^phi must be a function or one of 'wilcoxon'"),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
