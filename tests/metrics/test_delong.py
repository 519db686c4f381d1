"""AUC intervals and tests against the definition by pairs, published figures, and simulated truth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kstest, mannwhitneyu, norm

from rankforest.metrics import auc_interval, auc_test, auc_test_unpaired, delong_covariance, roc_auc


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels with two rows of each class at least, tied scores of three models, weights with zeros."""
    n = draw(st.integers(4, 14))
    y = np.array([0, 1, 0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 4, max_size=n - 4))])
    scores = np.array(draw(st.lists(st.integers(0, 5), min_size=3 * n, max_size=3 * n)), dtype=float).reshape(n, 3)
    weight = np.array([1.0, 2.0, 0.5, 1.5, *draw(st.lists(st.integers(0, 3), min_size=n - 4, max_size=n - 4))])
    return y, scores, weight


def by_pairs(y: np.ndarray, scores: np.ndarray, weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """AUCs and their covariance from the table of all pairs: variances of its (weighted) row and column means."""
    weight = np.ones(len(y)) if weight is None else weight
    pos, neg = np.flatnonzero((y == 1) & (weight > 0)), np.flatnonzero((y == 0) & (weight > 0))
    won = np.array(
        [[[0.5 * ((s[i] > s[j]) + 1.0 * (s[i] >= s[j])) for j in neg] for i in pos] for s in scores.T]
    )  # model, positive, negative
    a, b = weight[pos] / weight[pos].sum(), weight[neg] / weight[neg].sum()
    auc = np.einsum("kij,i,j->k", won, a, b)
    covariance = np.zeros((len(auc), len(auc)))
    for share, means in ((a, won @ b), (b, np.einsum("kij,i->kj", won, a))):
        for i, v in enumerate(share):
            d = means[:, i] - auc
            covariance += v**2 * np.outer(d, d) * len(share) / (len(share) - 1)
    return auc, covariance


@settings(max_examples=150, deadline=None)
@given(tables(), st.booleans())
def test_the_definition_by_pairs(case: tuple[np.ndarray, np.ndarray, np.ndarray], weighted: bool) -> None:
    y, scores, weight = case
    w = weight if weighted else None
    auc, covariance = by_pairs(y, scores, w)
    found = delong_covariance(y, scores, sample_weight=w)
    np.testing.assert_allclose(found.auc, auc, atol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-12)
    np.testing.assert_allclose(found.auc, [roc_auc(y, s, sample_weight=w) for s in scores.T], atol=1e-12)
    test = auc_test(y, scores[:, 0], scores[:, 1], sample_weight=w)
    assert test.auc == pytest.approx(auc[:2], abs=1e-12)
    assert test.difference.estimate == pytest.approx(auc[0] - auc[1], abs=1e-12)
    variance = max(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1], 0.0)
    assert test.difference.standard_error**2 == pytest.approx(variance, abs=1e-12)
    for k in range(3):
        interval = auc_interval(y, scores[:, k], sample_weight=w)
        assert interval.standard_error**2 == pytest.approx(covariance[k, k], abs=1e-12)
        assert 0.0 <= interval.low <= interval.estimate <= interval.high <= 1.0


@settings(max_examples=100, deadline=None)
@given(tables())
def test_no_spread_just_when_all_pairs_agree(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    y, scores, _ = case
    score = np.minimum(scores[:, 0], 1) + y * (scores[:, 1] > 2)
    won = np.sign(score[y == 1][:, None] - score[y == 0])
    assert (auc_interval(y, score).method == "pairs") == (won.min() == won.max())


def test_mann_whitney() -> None:
    """The AUC is SciPy's statistic; without ties and under exchangeability the errors agree too."""
    rng = np.random.default_rng(0)
    y, s = np.repeat([0, 1], [700, 300]), np.round(rng.normal(size=1000), 1)
    u = mannwhitneyu(s[y == 1], s[y == 0]).statistic
    found = auc_interval(y, s)
    assert found.estimate == pytest.approx(u / 210_000)
    assert found.standard_error == pytest.approx(np.sqrt(1001 / (12 * 210_000)), rel=0.05)


def test_published_figures() -> None:
    """Hanley and McNeil's (1982) ratings of CT images; the figures are those of Stata's manual ([R] roctab)."""
    normal, abnormal = [33, 6, 6, 11, 2], [3, 2, 2, 11, 33]
    rating = np.concatenate([np.repeat(np.arange(1, 6), normal), np.repeat(np.arange(1, 6), abnormal)])
    y = np.repeat([0, 1], [58, 51])
    found = auc_interval(y, rating, method="normal")
    assert round(found.estimate, 4) == 0.8932
    assert round(found.standard_error, 4) == 0.0307
    assert [round(found.low, 5), round(found.high, 5)] == [0.83295, 0.95339]
    leaning = auc_interval(y, rating, method="logit")
    half = norm.ppf(0.975) * found.standard_error / (found.estimate * (1 - found.estimate))
    odds = found.estimate / (1 - found.estimate)
    ends = [odds * np.exp(sign * half) for sign in (-1, 1)]
    assert [leaning.low, leaning.high] == pytest.approx([end / (1 + end) for end in ends])


def test_the_interval_covers() -> None:
    """95% intervals hold the true AUC of a binormal score in 95% of the samples; near 1 the logit helps."""
    rng = np.random.default_rng(1)
    for shift, m, n, least in ((1.0, 60, 120, 0.93), (2.5, 25, 100, 0.905)):
        truth, y = norm.cdf(shift / np.sqrt(2)), np.repeat([1, 0], [m, n])
        scores = [rng.normal(size=m + n) + shift * y for _ in range(600)]
        logit, normal = (
            np.mean([truth in auc_interval(y, s, method=how) for s in scores]) for how in ("logit", "normal")
        )
        assert least < logit < 0.98
    assert normal < logit - 0.04


@pytest.mark.parametrize("paired", [True, False])
def test_p_values_are_uniform_when_the_aucs_are_equal(paired: bool) -> None:
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [60, 90])
    p_values = []
    for _ in range(600):
        signal, noise = y + rng.normal(size=150), rng.normal(size=(2, 150))
        if paired:
            found = auc_test(y, signal + noise[0], signal + noise[1])
        else:
            found = auc_test_unpaired(y, signal, y, y + noise[1])
        p_values.append(found.p_value)
    assert kstest(p_values, "uniform").pvalue > 0.01
    assert 0.03 < np.mean(np.array(p_values) < 0.05) < 0.08


def test_pairing_gains_power_and_a_difference_is_seen() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 400)
    good = y + rng.normal(size=400)
    worse = good + 0.4 * rng.normal(size=400)
    paired, unpaired = auc_test(y, good, worse), auc_test_unpaired(y, good, y, worse)
    assert paired.difference.estimate == pytest.approx(unpaired.difference.estimate)
    assert paired.p_value < 0.05 < unpaired.p_value
    assert 0.0 not in paired.difference
    assert 0.0 in unpaired.difference
    errors = [auc_interval(y, s).standard_error for s in (good, worse)]
    assert unpaired.difference.standard_error == pytest.approx(np.hypot(*errors))
    assert auc_test(y, worse, good).z == pytest.approx(-paired.z)


def test_perfect_reversed_and_constant_lists_are_not_certain() -> None:
    y, score = [0] * 30 + [1] * 20, np.arange(50)
    least = 0.025 ** (1 / 20)
    for s, ends in ((score, (least, 1.0)), (-score, (0.0, 1 - least)), (0 * score, (least / 2, 1 - least / 2))):
        found = auc_interval(y, s)
        assert found.method == "pairs"
        assert found.standard_error == 0.0
        assert (found.low, found.high) == pytest.approx(ends)
        assert found.estimate == roc_auc(y, s)
    # weights leave fewer independent pairs, and do not disturb the exact 1
    weighted = auc_interval(y, score, sample_weight=np.linspace(0.1, 1.3, 50))
    assert weighted.estimate == 1.0
    assert weighted.low < least


def test_the_bound_of_a_perfect_list_covers() -> None:
    """A share q of the positives below all negatives: the least favourable law with AUC 1 - q."""
    rng = np.random.default_rng(4)
    q, m, n = 0.03, 40, 40
    y, misses, perfect = np.repeat([1, 0], [m, n]), 0, 0
    for _ in range(400):
        score = np.concatenate([np.where(rng.random(m) < q, -1.0, 2.0) + 0.1 * rng.random(m), rng.random(n)])
        found = auc_interval(y, score)
        perfect += found.method == "pairs"
        misses += found.method == "pairs" and 1 - q not in found
    assert perfect > 50
    assert misses == 0


def test_one_row_of_a_class_says_nothing() -> None:
    found = auc_interval([1, 0, 0, 0], [2, 1, 3, 0])
    assert (found.estimate, found.low, found.high, found.standard_error) == (pytest.approx(2 / 3), 0.0, 1.0, np.inf)
    assert found.method == "none"
    test = auc_test([1, 0, 0, 0], [2, 1, 3, 0], [3, 2, 1, 0])
    assert (test.p_value, test.difference.low, test.difference.high) == (1.0, -1.0, 1.0)
    assert np.isnan(delong_covariance([1, 0, 0], [[1.0], [2.0], [0.0]]).covariance).all()
    # a row of weight 0 is absent
    assert auc_interval([1, 1, 0, 0, 0], [2, 5, 1, 3, 0], sample_weight=[1, 0, 1, 1, 1]).method == "none"


def test_equal_orders_and_opposite_orders() -> None:
    y, score = [0, 1, 0, 1, 1, 0], np.array([1, 2, 3, 4, 5, 6])
    same = auc_test(y, score, np.exp(score))
    assert (same.difference.estimate, same.z, same.p_value) == (0.0, 0.0, 1.0)
    perfect = np.repeat([0, 1], 12)
    opposite = auc_test(perfect, np.arange(24), -np.arange(24))
    assert opposite.difference.estimate == 1.0
    assert opposite.difference.method == "Hoeffding"
    assert opposite.p_value == pytest.approx(2 * np.exp(-6))
    assert -1.0 <= opposite.difference.low < 1.0 == opposite.difference.high
    # no spread although the pairs differ: d = [[0, 1], [1, 0]]
    crossed = auc_test([1, 1, 0, 0], [2, 4, 3, 1], [1, 3, 4, 2])
    assert crossed.difference.estimate == 0.5
    assert crossed.p_value == 1.0


def test_labels_and_scale() -> None:
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 2, 50), rng.normal(size=50)
    words = np.where(y == 1, "good", "bad")
    one, other = auc_interval(y, s), auc_interval(words, -s, pos_label="bad")
    assert (one.estimate, one.low) == pytest.approx((other.estimate, other.low))
    weighted = auc_interval(y, s, sample_weight=np.full(50, 7.0))
    assert weighted.standard_error == pytest.approx(one.standard_error)
    assert auc_interval(y, s, confidence=0.5).low > one.low
    assert str(one).endswith("(95%, score)")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: auc_interval([0, 1], [0, 1], confidence=95), r"^confidence must lie between 0 and 1, got 95; .*\.$"),
        (lambda: auc_interval([0, 1], [0, 1], confidence="high"), r"^confidence must lie between 0 and 1, got 'high'"),
        (
            lambda: auc_interval([0, 1], [0, 1], method="wald"),
            r"^method must be 'score', 'logit' or 'normal', got 'wald'; 'score' holds",
        ),
        (lambda: auc_interval([1, 1], [0, 1]), "one class only"),
        (lambda: auc_test([0, 1], [0, 1], [0, 1, 2]), r"^y_score has 3 rows and y_true has 2"),
        (lambda: delong_covariance([0, 1], [0, 1]), r"^scores must be a table with one column per model, got shape"),
        (
            lambda: delong_covariance([0, 1], [[0, 1], [1, np.nan]]),
            r"^scores must be finite, got nan in row 1 of column 1; .*\.$",
        ),
    ],
)
def test_bad_input_gets_a_sentence(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
