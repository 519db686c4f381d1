"""Rank statistics against sums over rows, against scikit-learn, and against what is known of them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, rankdata
from sklearn.metrics import dcg_score, ndcg_score

from rankforest.metrics import dcg, linear_rank_statistic, ndcg, roc_auc, tail_strength, w_ranking

List = tuple[np.ndarray, np.ndarray, np.ndarray]
quick = settings(max_examples=80, deadline=None)


@st.composite
def lists(draw: st.DrawFn, max_rows: int = 14) -> List:
    """Labels; scores with many ties, or none; whole weights."""
    n = draw(st.integers(2, max_rows))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    score = draw(st.one_of(st.lists(st.integers(0, 4), min_size=n, max_size=n), st.permutations(range(n))))
    weight = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return y, np.array(score), np.array(weight)


def by_rows(y: np.ndarray, score: np.ndarray, weight: np.ndarray, phi: Any) -> float:
    """Sum over the positives among the repeated rows; phi sees the mid-rank and the number of rows."""
    rows = np.repeat(np.arange(len(y)), weight)
    rank = rankdata(score[rows])
    return sum(phi(r, len(rows)) for r, label in zip(rank, y[rows]) if label == 1)


GENERATORS: dict[str, Any] = {
    "wilcoxon": lambda r, n: r / (n + 1),
    "push@1": lambda r, n: r / (n + 1),
    "push@4": lambda r, n: (r / (n + 1)) ** 4,
    "push@0.5": lambda r, n: (r / (n + 1)) ** 0.5,
    # v > 1 - u in whole numbers
    "local@0.3": lambda r, n: r / (n + 1) * (10 * r > 7 * (n + 1)),
    "local@0.9": lambda r, n: r / (n + 1) * (10 * r > n + 1),
    "dcg": lambda r, n: 1 / np.log(1 + (n + 1 - r)),
    "reciprocal": lambda r, n: 1 / (n + 1 - r),
}


@pytest.mark.parametrize("name", GENERATORS)
@settings(max_examples=30, deadline=None)
@given(data=lists())
def test_named_generators(name: str, data: List) -> None:
    y, score, weight = data
    found = linear_rank_statistic(y, score, name, sample_weight=weight)
    assert found == pytest.approx(by_rows(*data, GENERATORS[name]), rel=1e-10, abs=1e-12)
    unweighted = linear_rank_statistic(y, score, name)
    assert unweighted == pytest.approx(by_rows(y, score, np.ones_like(weight), GENERATORS[name]), rel=1e-10, abs=1e-12)


@quick
@given(lists())
def test_functions_of_the_reader(data: List) -> None:
    y, score, weight = data
    found = linear_rank_statistic(y, score, np.expm1, sample_weight=weight)
    assert found == pytest.approx(by_rows(*data, lambda r, n: np.expm1(r / (n + 1))))
    mid = linear_rank_statistic(y, score, np.expm1, ranks="mid", mean=True, sample_weight=weight)
    n_positive = (weight * y).sum()
    assert mid == pytest.approx(by_rows(*data, lambda r, n: np.expm1((r - 0.5) / n)) / n_positive)


@quick
@given(lists())
def test_wilcoxon_is_the_auc(data: List) -> None:
    """T = (n+ n- AUC + n+ (n+ + 1) / 2) / (n + 1)."""
    y, score, _ = data
    n, n_positive = len(y), int(y.sum())
    auc = roc_auc(y, score)
    found = linear_rank_statistic(y, score)
    assert found == pytest.approx((n_positive * (n - n_positive) * auc + n_positive * (n_positive + 1) / 2) / (n + 1))
    u_statistic = mannwhitneyu(score[y == 1], score[y == 0]).statistic
    assert found * (n + 1) - n_positive * (n_positive + 1) / 2 == pytest.approx(u_statistic)


# ---------------------------------------------------------------- W-ranking with rank / (n + 1)


@quick
@given(lists(), st.integers(1, 20))
def test_w_ranking_is_a_linear_rank_statistic(data: List, twentieths: int) -> None:
    y, score, weight = data
    u = twentieths / 20
    found = w_ranking(y, score, u, ranks="n+1", sample_weight=weight)
    assert isinstance(found, float)
    expected = by_rows(*data, lambda r, n: r / (n + 1) * (20 * r > (20 - twentieths) * (n + 1)))
    assert found == pytest.approx(expected / (weight * y).sum(), abs=1e-12)
    named = linear_rank_statistic(y, score, f"local@{u}", mean=True, sample_weight=weight)
    assert found == pytest.approx(named, abs=1e-12)
    grid = w_ranking(y, score, [[u, 1.0]], ranks="n+1", sample_weight=weight)
    assert grid.shape == (1, 2)
    assert grid[0, 0] == found


@pytest.mark.parametrize("n", [10, 100, 1000])
def test_the_two_versions_of_w_ranking_differ_by_less_than_half_a_row(n: int) -> None:
    """Without ties and at u = k / n the tops are the same rows, and |rank / (n+1) - (rank - 1/2) / n| < 1 / (2 n)."""
    rng = np.random.default_rng(n)
    y, score, u = rng.permutation(np.arange(n) % 3 == 0), rng.permutation(n), np.arange(1, n + 1) / n
    difference = w_ranking(y, score, u) - w_ranking(y, score, u, ranks="n+1")
    assert np.abs(difference).max() < 1 / (2 * n)
    assert np.abs(difference).max() > 0


def test_the_bound_of_the_top_is_exact() -> None:
    """Of 9 rows the last has v = 1/10, which is not above 1 - 0.9; in floating point 1 - 0.9 is less than 0.1."""
    y, score = [1, *[0] * 8], range(9)
    assert 1 - 0.9 < 0.1
    assert w_ranking(y, score, 0.9, ranks="n+1") == 0
    assert linear_rank_statistic(y, score, "local@0.9") == 0
    assert w_ranking(y, score, 0.91, ranks="n+1") == pytest.approx(0.1)


# ---------------------------------------------------------------- DCG


@quick
@given(lists(), st.one_of(st.none(), st.integers(1, 16)))
def test_dcg_equals_that_of_scikit_learn(data: List, k: int | None) -> None:
    y, score, _ = data
    assert dcg(y, score, k=k) == pytest.approx(dcg_score([y], [score], k=k))
    assert ndcg(y, score, k=k) == pytest.approx(ndcg_score([y], [score], k=k))


def test_dcg_is_a_linear_rank_statistic_where_nothing_is_tied() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 40), rng.permutation(40)
    assert dcg(y, score) == pytest.approx(np.log(2) * linear_rank_statistic(y, score, "dcg"))
    assert ndcg(np.sort(y), np.arange(40)) == 1.0
    assert dcg(np.where(y == 1, "a", "b"), score, pos_label="a") == dcg(y, score)


# ---------------------------------------------------------------- tail strength


def tail_strength_by_order(labels: tuple[int, ...]) -> float:
    """Taylor and Tibshirani's formula for a list without ties, best first."""
    n_negative = labels.count(0)
    p_values = [labels[:i].count(0) / n_negative for i, label in enumerate(labels) if label == 1]
    m = len(p_values)
    return sum(1 - p * (m + 1) / k for k, p in enumerate(sorted(p_values), 1)) / m


@settings(max_examples=40, deadline=None)
@given(lists(max_rows=6))
def test_tail_strength_is_the_mean_over_random_tie_breaks(data: List) -> None:
    y, score, _ = data
    orders = [
        order
        for order in itertools.permutations(range(len(y)))
        if all(score[i] >= score[j] for i, j in itertools.pairwise(order))
    ]
    expected = np.mean([tail_strength_by_order(tuple(y[list(order)])) for order in orders])
    assert tail_strength(y, score) == pytest.approx(expected, abs=1e-12)


@quick
@given(lists())
def test_tail_strength_counts_weights_as_rows(data: List) -> None:
    y, score, weight = data
    rows = np.repeat(np.arange(len(y)), weight)
    found = tail_strength(y, score, sample_weight=weight)
    assert found == pytest.approx(tail_strength(y[rows], score[rows]), abs=1e-12)
    assert found <= 1


def test_tail_strength_of_chance_is_zero() -> None:
    labels = (1, 1, 1, 0, 0, 0, 0)
    orders = set(itertools.permutations(labels))
    assert np.mean([tail_strength(order, -np.arange(7)) for order in orders]) == pytest.approx(0, abs=1e-12)
    assert tail_strength(labels, np.zeros(7)) == pytest.approx(0, abs=1e-12)


def test_tail_strength_is_read_off_a_long_roc_curve() -> None:
    """It tends to the mean over the positives of 1 - alpha / beta; for the curve alpha = beta^3 that is 2/3."""
    n = 20_000
    beta = (np.arange(n) + 0.5) / n
    score = np.append(-(beta**3), -beta)  # a positive at beta is where the negatives have alpha = beta^3
    assert tail_strength(np.repeat([1, 0], n), score) == pytest.approx(2 / 3, abs=1e-3)


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize("phi", ["", "push", "push@", "push@-1", "push@x", "local@0", "local@2", "dcg@3", "median", 3])
def test_an_unknown_generator_gets_a_sentence(phi: Any) -> None:
    with pytest.raises(ValueError, match=r"^phi must be a function or one of 'wilcoxon', .*'local@0\.1', got .*\.$"):
        linear_rank_statistic([0, 1], [0, 1], phi)


@pytest.mark.parametrize("phi", [lambda v: 1.0, lambda v: v[:1], lambda v: np.full(len(v), np.nan)])
def test_a_function_of_the_wrong_form_gets_a_sentence(phi: Any) -> None:
    with pytest.raises(ValueError, match=r"^phi must map 2 ranks in \(0, 1\) to as many finite numbers, got shape"):
        linear_rank_statistic([0, 1], [0, 1], phi)


def test_other_arguments_are_checked() -> None:
    for call in (
        lambda: linear_rank_statistic([0, 1], [0, 1], ranks="n"),
        lambda: w_ranking([0, 1], [0, 1], 0.5, ranks="n"),
    ):
        with pytest.raises(ValueError, match=r"^ranks must be 'n\+1' or 'mid', got 'n'; they are rank"):
            call()
    for k in (0, -1, 1.5, "3", True):
        with pytest.raises(ValueError, match=r"^k must be an integer of at least 1, got "):
            dcg([0, 1], [0, 1], k=k)  # type: ignore[arg-type]
