"""Metrics of the top against their definitions pair by pair, and the identities between them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import naive_top as naive
from rankforest.metrics import (
    control_point,
    gains_table,
    hit_ratio,
    local_auc,
    local_ranking_error,
    local_risk,
    mass_constrained_error,
    partial_auc,
    recall_at,
    roc_auc,
    roc_curve,
    w_ranking,
)

List = tuple[list[int], list[int], list[int]]
TWINS = {
    local_auc: naive.local_auc,
    partial_auc: naive.partial_auc,
    local_ranking_error: naive.local_ranking_error,
    mass_constrained_error: naive.mass_constrained_error,
    local_risk: naive.local_risk,
    w_ranking: naive.w_ranking,
}
BY_SHARE = [*TWINS, recall_at, hit_ratio]
shares = st.fractions(0, 1, max_denominator=30).filter(bool)


@st.composite
def lists(draw: st.DrawFn) -> List:
    """Labels; scores with many ties, or none; whole weights, or all 1."""
    n = draw(st.integers(2, 12))
    y = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))]
    tied = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    score = draw(st.one_of(tied, st.permutations(range(n))))
    weights = st.lists(st.integers(1, 3), min_size=n, max_size=n)
    return y, list(score), draw(st.one_of(weights, st.just([1] * n)))


# ---------------------------------------------------------------- definitions


@settings(max_examples=70, deadline=None)
@given(lists(), shares)
def test_definitions(case: List, u: Fraction) -> None:
    y, score, weight = case
    pieces = naive.cut(y, score, weight, u)
    given_weight = None if set(weight) == {1} else weight
    for metric, twin in TWINS.items():
        found = metric(y, score, float(u), sample_weight=given_weight)
        assert isinstance(found, float)
        assert found == pytest.approx(float(twin(pieces)), abs=1e-12), metric.__name__
    alpha, beta = naive.control_point(pieces)
    assert control_point(y, score, float(u), sample_weight=given_weight) == pytest.approx(
        (float(alpha), float(beta)), abs=1e-12
    )
    assert recall_at(y, score, float(u), sample_weight=given_weight) == pytest.approx(float(beta), abs=1e-12)
    hits = naive.mass_of(pieces, 1, top=True) / naive.mass_of(pieces, top=True)
    assert hit_ratio(y, score, float(u), sample_weight=given_weight) == pytest.approx(float(hits), abs=1e-12)


@settings(max_examples=80, deadline=None)
@given(lists(), shares)
def test_identities_hold_exactly(case: List, u: Fraction) -> None:
    """The identities of docs/methods/top.md, in fractions, so that no rounding hides anything."""
    pieces = naive.cut(*case, u)
    p, (alpha, beta) = naive.rate(pieces), naive.control_point(pieces)
    local, part = naive.local_auc(pieces), naive.partial_auc(pieces)
    error, wrong = naive.mass_constrained_error(pieces), naive.local_ranking_error(pieces)
    assert u == p * beta + (1 - p) * alpha
    assert error == p + u - 2 * p * beta
    assert local == beta - wrong / (2 * p * (1 - p))
    assert local == part + beta * (1 - alpha)
    assert naive.w_ranking(pieces) == p / 2 * beta * (2 - beta) + (1 - p) * local
    assert 2 * p * (1 - p) * local == (1 - p) * (p + u) - naive.local_risk(pieces)


@settings(max_examples=80, deadline=None)
@given(lists(), st.floats(0.01, 1.0))
def test_identities_of_the_functions(case: List, u: float) -> None:
    """The same for what the functions return, at shares that cut rows in two."""
    y, score, weight = case
    p = np.average(y, weights=weight)
    alpha, beta = control_point(y, score, u, sample_weight=weight)
    local, part, wrong, error, risk, w = (
        metric(y, score, u, sample_weight=weight)
        for metric in (local_auc, partial_auc, local_ranking_error, mass_constrained_error, local_risk, w_ranking)
    )
    same = pytest.approx
    assert p * beta + (1 - p) * alpha == same(u)
    assert error == same(p + u - 2 * p * beta, abs=1e-12)
    assert local == same(beta - wrong / (2 * p * (1 - p)), abs=1e-12)
    assert local == same(part + beta * (1 - alpha), abs=1e-12)
    assert w == same(p / 2 * beta * (2 - beta) + (1 - p) * local, abs=1e-12)
    assert risk == same(wrong + (1 - p) * error, abs=1e-12)
    assert 2 * p * (1 - p) * local == same((1 - p) * (p + u) - risk, abs=1e-12)
    assert hit_ratio(y, score, u, sample_weight=weight) == same(p * beta / u)


@settings(max_examples=60, deadline=None)
@given(lists())
def test_the_whole_list(case: List) -> None:
    y, score, weight = case
    p = np.average(y, weights=weight)
    auc = roc_auc(y, score, sample_weight=weight)
    for metric in (local_auc, partial_auc):
        assert metric(y, score, 1.0, sample_weight=weight) == pytest.approx(auc, abs=1e-12)
    assert control_point(y, score, 1.0, sample_weight=weight) == (1.0, 1.0)
    assert local_ranking_error(y, score, 1.0, sample_weight=weight) == pytest.approx(
        2 * p * (1 - p) * (1 - auc), abs=1e-12
    )
    # W(s) = (1 - p) AUC + p / 2
    assert w_ranking(y, score, 1.0, sample_weight=weight) == pytest.approx((1 - p) * auc + p / 2)


@settings(max_examples=60, deadline=None)
@given(lists(), shares)
def test_weights_are_repeated_rows_and_have_no_scale(case: List, u: Fraction) -> None:
    y, score, weight = case
    rows = np.repeat(np.arange(len(y)), weight)
    for metric in BY_SHARE:
        weighted = metric(y, score, float(u), sample_weight=weight)
        repeated = metric(np.array(y)[rows], np.array(score)[rows], float(u))
        scaled = metric(y, score, float(u), sample_weight=np.array(weight) * 1e-9)
        assert weighted == pytest.approx(repeated, abs=1e-12)
        assert weighted == pytest.approx(scaled, abs=1e-12)


def test_perfect_and_constant_lists() -> None:
    y = np.repeat([1, 0], [20, 80])
    u = np.linspace(0.01, 1, 100)
    np.testing.assert_allclose(local_auc(y, -np.arange(100), u), np.minimum(u / 0.2, 1), atol=1e-12)
    np.testing.assert_allclose(local_auc(y, np.zeros(100), u), u - u**2 / 2, atol=1e-12)
    np.testing.assert_allclose(local_ranking_error(y, -np.arange(100), u), 0, atol=1e-15)
    assert (local_auc(y, -np.arange(100), u) <= 1).all()


# ---------------------------------------------------------------- partial AUC by false positive rate


@settings(max_examples=80, deadline=None)
@given(lists(), st.sampled_from([0.05, 0.1, 0.25, 1 / 3, 0.5, 0.8, 1.0]))
def test_partial_auc_equals_that_of_scikit_learn(case: List, max_fpr: float) -> None:
    y, score, weight = case
    found = partial_auc(y, score, max_fpr=max_fpr, standardized=True, sample_weight=weight)
    expected = roc_auc_score(y, score, max_fpr=max_fpr, sample_weight=weight)
    assert isinstance(found, float)
    assert found == pytest.approx(expected, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(lists(), shares)
def test_partial_auc_by_share_ends_at_alpha(case: List, u: Fraction) -> None:
    y, score, weight = case
    alpha = control_point(y, score, float(u), sample_weight=weight).alpha
    part = partial_auc(y, score, float(u), sample_weight=weight)
    if alpha == 0:
        assert part == 0
    else:
        by_rate = partial_auc(y, score, max_fpr=min(alpha, 1.0), sample_weight=weight)
        assert part == pytest.approx(by_rate, abs=1e-12)


def test_partial_auc_of_many_rates_at_once() -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 200), rng.integers(0, 30, 200)
    rates = np.array([[0.1, 0.2], [0.5, 1.0]])
    found = partial_auc(y, score, max_fpr=rates, standardized=True)
    expected = [[roc_auc_score(y, score, max_fpr=rate) for rate in row] for row in rates]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, r"^partial_auc ends at u or at max_fpr, got neither; pass exactly one of them\.$"),
        ({"u": 0.1, "max_fpr": 0.1}, r"^partial_auc ends at u or at max_fpr, got both; pass exactly one of them\.$"),
        ({"u": 0.1, "standardized": True}, r"^standardized=True needs max_fpr; .* use local_auc\.$"),
        ({"max_fpr": 0.0}, r"^max_fpr must lie in \(0, 1\], got 0\.0; it is a share of the negatives\.$"),
        ({"max_fpr": [0.5, 1.5]}, r"^max_fpr must lie in \(0, 1\], got 1\.5; it is a share of the negatives\.$"),
    ],
)
def test_an_area_without_an_end_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        partial_auc([0, 1], [0, 1], **options)


# ---------------------------------------------------------------- shapes and arguments


@pytest.mark.parametrize("metric", BY_SHARE)
def test_shapes(metric: Any) -> None:
    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 50), rng.integers(0, 9, 50)
    u = np.array([[0.25, 0.5], [0.75, 1.0]])
    found = metric(y, score, u)
    assert found.shape == (2, 2)
    assert found.ravel().tolist() == [metric(y, score, float(one)) for one in u.ravel()]
    assert metric(y, score, []).shape == (0,)
    assert metric(y, score, u.tolist()).tolist() == found.tolist()


@pytest.mark.parametrize("metric", BY_SHARE)
def test_labels(metric: Any) -> None:
    y, score = np.array([0, 1, 0, 1, 1]), [1, 2, 3, 4, 0]
    named = np.where(y == 1, "bad", "good")
    assert metric(named, score, 0.4, pos_label="bad") == metric(y, score, 0.4)
    assert metric(named, score, 0.4) == metric(1 - y, score, 0.4)


def test_the_control_point_unpacks() -> None:
    alpha, beta = control_point([0, 1, 0, 1], [1, 2, 3, 4], [[0.5], [1.0]])
    assert alpha.tolist() == [[0.5], [1.0]]
    assert beta.tolist() == [[0.5], [1.0]]


@settings(max_examples=60, deadline=None)
@given(lists(), st.floats(0.01, 1.0))
def test_the_control_point_lies_on_the_curve(case: List, u: float) -> None:
    y, score, weight = case
    curve = roc_curve(y, score, sample_weight=weight)
    p = np.average(y, weights=weight)
    share = p * curve.beta + (1 - p) * curve.alpha
    alpha, beta = control_point(y, score, u, sample_weight=weight)
    assert alpha == pytest.approx(np.interp(u, share, curve.alpha), abs=1e-12)
    assert beta == pytest.approx(np.interp(u, share, curve.beta), abs=1e-12)


def test_the_gains_table_holds_the_same_points() -> None:
    rng = np.random.default_rng(2)
    y, score = rng.integers(0, 2, 101), rng.integers(0, 20, 101)
    table = gains_table(y, score, n_groups=7)
    u = np.arange(1, 8) / 7
    np.testing.assert_array_equal(table.cumulative_capture, recall_at(y, score, u))
    np.testing.assert_allclose(np.cumsum(table.positives) / np.cumsum(table.mass), hit_ratio(y, score, u))


@pytest.mark.parametrize("metric", [*BY_SHARE, control_point])
@pytest.mark.parametrize("u", [0.0, -0.1, 1.1, float("nan"), [0.5, 2.0]])
def test_shares_of_no_list_are_refused(metric: Any, u: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^u must lie in \(0, 1\], got .*; it is the best share of the list, such as 0.1\.$"
    ):
        metric([0, 1], [0, 1], u)


@pytest.mark.parametrize("u", ["many", None, [0.1, "x"], [[0.1], [0.2, 0.3]]])
def test_shares_that_are_no_numbers_are_refused(u: Any) -> None:
    with pytest.raises(ValueError, match=r"^u must (be a number or an array of numbers|lie in \(0, 1\]), got "):
        local_auc([0, 1], [0, 1], u)
