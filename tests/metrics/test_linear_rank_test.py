"""The test of a linear rank statistic: mean, variance and p-value against all choices of the positives; its level."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata

from rankforest.metrics import linear_rank_statistic, linear_rank_test

PHI = ["wilcoxon", "push@4", "local@0.3", "dcg", "reciprocal", np.sin]


@st.composite
def lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 6))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    score = draw(st.one_of(st.lists(st.integers(0, 3), min_size=n, max_size=n), st.permutations(range(n))))
    return y, np.array(score, dtype=float)


@settings(max_examples=50, deadline=None)
@given(lists(), st.sampled_from(PHI))
def test_all_choices_one_by_one(data: tuple[np.ndarray, np.ndarray], phi: Any) -> None:
    """Every labelling of the rows by the same number of positives is as likely; ties share the mean of their values."""
    y, score = data
    n, m = len(y), int(y.sum())
    orders = [p for p in itertools.permutations(range(n)) if all(np.diff(score[list(p)]) >= 0)]
    ranks = np.argsort(orders, axis=1) + 1  # rank of every row in every order that breaks the ties
    alone = np.array(
        [linear_rank_statistic(np.arange(n) == k - 1, np.arange(n), phi) for k in range(1, n + 1)]
    )  # what one row of rank k adds
    values = alone[ranks - 1].mean(axis=0)
    of_choices = np.array([values[list(choice)].sum() for choice in itertools.combinations(range(n), m)])
    found = linear_rank_test(y, score, phi)
    assert found.statistic == pytest.approx(values[y == 1].sum(), abs=1e-12)
    assert found.mean == pytest.approx(of_choices.mean(), abs=1e-12)
    assert found.variance == pytest.approx(of_choices.var(), abs=1e-12)
    assert found.p_value == pytest.approx(np.mean(of_choices >= values[y == 1].sum() - 1e-10))
    assert found.method == "exact"


def test_moments_in_fractions() -> None:
    """E T = m a-bar and Var T = m (n - m) / (n (n - 1)) sum (a - a-bar)^2, with no rounding."""
    a = [Fraction(k * k, 49) for k in (1, 1, 2, 3, 5, 6)]
    for m in range(1, 6):
        sums = [sum(choice, Fraction(0)) for choice in itertools.combinations(a, m)]
        mean = sum(sums, Fraction(0)) / len(sums)
        variance = sum(((s - mean) ** 2 for s in sums), Fraction(0)) / len(sums)
        centre = sum(a, Fraction(0)) / 6
        assert mean == m * centre
        assert variance == Fraction(m * (6 - m), 30) * sum(((x - centre) ** 2 for x in a), Fraction(0))


@pytest.mark.parametrize("tied", [False, True])
def test_wilcoxon_is_mann_whitney(tied: bool) -> None:
    rng = np.random.default_rng(0)
    y, score = np.repeat([0, 1], [60, 40]), rng.normal(size=100)
    score = np.round(score + 0.3 * y, 1) if tied else score + 0.3 * y
    found = linear_rank_test(y, score, method="normal")
    expected = mannwhitneyu(
        score[y == 1], score[y == 0], alternative="greater", method="asymptotic", use_continuity=False
    )
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.statistic * 101 == pytest.approx(rankdata(score)[y == 1].sum())
    few = np.r_[50:56, 60:65]
    exact = linear_rank_test(y[few], np.arange(11.0)[::-1])
    scipys = mannwhitneyu(np.arange(5.0), np.arange(5.0, 11.0), alternative="greater", method="exact")
    assert exact.p_value == pytest.approx(scipys.pvalue)


def test_drawn_choices_agree_with_all_choices() -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [10, 5])
    for phi in PHI:
        score = rng.normal(size=15) + 0.7 * y
        for labels in (y, 1 - y):
            exact = linear_rank_test(labels, score, phi, method="exact")
            drawn = linear_rank_test(labels, score, phi, method="permutations", n_permutations=1000)
            assert drawn.p_value == pytest.approx(exact.p_value, abs=4 * np.sqrt(0.25 / 1000))


def test_the_level_holds_where_the_normal_law_does_not() -> None:
    """25 positives among 275 rows, the best twentieth of the list."""
    rng = np.random.default_rng(2)
    y, p = np.repeat([0, 1], [250, 25]), {"permutations": [], "normal": []}
    for _ in range(300):
        score = rng.normal(size=275)
        p["permutations"].append(linear_rank_test(y, score, "local@0.05", n_permutations=99).p_value)
        p["normal"].append(linear_rank_test(y, score, "local@0.05", method="normal").p_value)
    assert linear_rank_test(y, score, "local@0.05", n_permutations=9).method == "permutations"
    assert np.mean(np.array(p["permutations"]) <= 0.05) < 0.085
    assert np.mean(np.array(p["normal"]) <= 0.05) > 0.08


def test_the_normal_law_is_taken_where_it_is_good() -> None:
    y, score = np.repeat([0, 1], 3000), np.random.default_rng(3).normal(size=6000)
    assert linear_rank_test(y, score).method == "normal"
    assert linear_rank_test(y, score, "push@4").method == "normal"
    assert linear_rank_test(y, score, "reciprocal", n_permutations=9).method == "permutations"


def test_it_sees_the_top_where_wilcoxon_does_not() -> None:
    """A tenth of the positives is far above all, the others a little below: AUC 1/2."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], 300)
    score = rng.normal(size=600)
    score[300:330] += 6.0
    score[330:] -= 0.15
    assert linear_rank_test(y, score).p_value > 0.05
    assert linear_rank_test(y, score, "local@0.1").p_value < 0.01


def test_scores_without_an_order() -> None:
    found = linear_rank_test([0, 1, 0, 1], [2, 2, 2, 2], "push@4")
    assert (found.p_value, found.variance, found.z) == (1.0, 0.0, 0.0)
    assert found.statistic == pytest.approx(found.mean)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear_rank_test([0, 1], [0, 1], "top"), r"^phi must be a function or one of 'wilcoxon', "),
        (lambda: linear_rank_test([0, 1], [0, 1], 3), r"^phi must be a function or one of 'wilcoxon', .*, got 3\.$"),
        (
            lambda: linear_rank_test([0, 1], [0, 1], method="t"),
            r"^method must be one of 'auto', 'exact', .* got 't'\.$",
        ),
        (lambda: linear_rank_test([0, 1], [0, 1], n_permutations=0), r"^n_permutations must be an integer of at lea"),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
