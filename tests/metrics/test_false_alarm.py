"""The bound on false alarms: identities of the error, the threshold's guarantees, and the classifier on fresh rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from rankforest import FalseAlarmConstrained, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.metrics import (
    false_alarm_constrained_error,
    false_alarm_threshold,
    mass_constrained_error,
    power_at,
    roc_curve,
)


@st.composite
def lists(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(2, 14))
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    score = draw(st.one_of(st.lists(st.integers(0, 4), min_size=n, max_size=n), st.permutations(range(n))))
    return y, np.array(score, dtype=float), np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))


@settings(max_examples=100, deadline=None)
@given(lists(), st.integers(1, 20))
def test_identities_of_remark_2(data: tuple[np.ndarray, np.ndarray, np.ndarray], twentieths: int) -> None:
    """L = p + u - 2 p beta = 2 (1 - p) alpha + p - u, where u = p beta + (1 - p) alpha has the same top."""
    y, score, weight = data
    alpha, p = twentieths / 20, float((weight * y).sum() / weight.sum())
    beta = power_at(y, score, alpha, sample_weight=weight)
    u = p * beta + (1 - p) * alpha
    error = false_alarm_constrained_error(y, score, alpha, sample_weight=weight)
    assert error == pytest.approx(p + u - 2 * p * beta, abs=1e-12)
    assert error == pytest.approx(2 * (1 - p) * alpha + p - u, abs=1e-12)
    curve = roc_curve(y, score, sample_weight=weight)
    if np.all(np.abs(curve.alpha - alpha) > 1e-9):  # between two knots a mass has one place only
        assert error == pytest.approx(mass_constrained_error(y, score, u, sample_weight=weight), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(lists(), st.integers(1, 10))
def test_power_by_sharing_ties(data: tuple[np.ndarray, np.ndarray, np.ndarray], tenths: int) -> None:
    """Flag the negatives from the top until alpha of them is reached, a part of the last tied group."""
    y, score, _ = data
    left, caught = Fraction(tenths, 10) * int((y == 0).sum()), Fraction(0)
    for value in sorted(set(score.tolist()), reverse=True):
        negatives, positives = (int(((score == value) & (y == k)).sum()) for k in (0, 1))
        part = Fraction(1) if negatives <= left else left / negatives
        caught, left = caught + part * positives, left - part * negatives
        if part < 1:
            break
    assert power_at(y, score, tenths / 10) == pytest.approx(float(caught / int(y.sum())), abs=1e-12)


@pytest.mark.parametrize(("m", "alpha"), [(19, 0.05), (20, 0.05), (99, 0.03), (200, 0.1)])
def test_the_expected_share_of_false_alarms_is_at_most_alpha(m: int, alpha: float) -> None:
    """Uniform negatives: the share above the place j is j / (m + 1) in the mean, the largest that alpha allows."""
    rng = np.random.default_rng(m)
    negatives = rng.random((20_000, m))
    y = np.append(np.zeros(m), 1)
    threshold = np.array([false_alarm_threshold(y, np.append(row, 2.0), alpha).threshold for row in negatives[:200]])
    place = int(Fraction(alpha).limit_denominator() * (m + 1))
    ordered = np.sort(negatives, axis=1)[:, m - place]
    np.testing.assert_array_equal(threshold, ordered[:200])
    assert np.mean(1 - ordered) == pytest.approx(place / (m + 1), abs=4 * np.std(ordered) / np.sqrt(20_000))
    assert place / (m + 1) <= alpha + 1e-12 < (place + 1) / (m + 1)


@pytest.mark.parametrize(("m", "alpha", "confidence"), [(59, 0.05, 0.95), (200, 0.1, 0.9), (500, 0.02, 0.99)])
def test_with_confidence_the_share_is_rarely_above_alpha(m: int, alpha: float, confidence: float) -> None:
    y, score = np.append(np.zeros(m), 1), np.append(np.arange(m), m)
    place = m - int(false_alarm_threshold(y, score, alpha, confidence=confidence).threshold)
    # P(share above place j > alpha) = P(fewer than j of m below alpha), exactly
    assert binom(m, alpha).cdf(place - 1) <= 1 - confidence < binom(m, alpha).cdf(place)
    above = 1 - np.sort(np.random.default_rng(0).random((4000, m)), axis=1)[:, m - place]
    assert np.mean(above > alpha) < 1 - confidence + 4 * np.sqrt(confidence * (1 - confidence) / 4000)


def test_ties_keep_the_expected_share() -> None:
    """Four strata: over 4000 samples of 40 negatives, the mean chance of a fresh one is j / (m + 1)."""
    rng, law = np.random.default_rng(1), np.array([0.2, 0.2, 0.3, 0.3])
    y, found = np.append(np.zeros(40), 1), []
    for _ in range(4000):
        line = false_alarm_threshold(y, np.append(rng.choice(4, 40, p=law), 3).astype(float), 0.15)
        found.append(law @ line.chances(np.arange(4.0)))
    assert np.mean(found) == pytest.approx(6 / 41, abs=4 * np.std(found) / np.sqrt(4000))


def test_too_few_negatives_get_a_sentence() -> None:
    y, score = np.append(np.zeros(18), 1), np.arange(19.0)
    with pytest.raises(
        ValueError, match=r"^18 negatives are too few for a false alarm rate of 0\.05; hold out at least 19, or"
    ):
        false_alarm_threshold(y, score, 0.05)
    with pytest.raises(ValueError, match=r"^18 negatives are too few .*hold out at least 59, or raise alpha\.$"):
        false_alarm_threshold(y, score, 0.05, confidence=0.95)
    assert false_alarm_threshold(np.append(np.zeros(19), 1), np.arange(20.0), 0.05) == (18, 0)
    assert false_alarm_threshold(np.append(np.zeros(59), 1), np.arange(60.0), 0.05, confidence=0.95) == (58, 0)
    for alpha in (0, 1, 1.5, "x", [0.1, 0.2]):
        with pytest.raises(ValueError, match=r"^alpha must "):
            false_alarm_threshold(y, score, alpha)


# ---------------------------------------------------------------- the classifier


@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), RankingForest(60, random_state=0), TreeRank(max_depth=4, random_state=0)],
    ids=lambda e: type(e).__name__,
)
def test_fresh_false_alarms(estimator: Any) -> None:
    """The mean over samples of the share of fresh negatives that are flagged is alpha, also by the strata of a tree."""
    fresh = simulate.rf20(4000, random_state=99)
    shares, powers = [], []
    for seed in range(8):
        sample = simulate.rf20(600, random_state=seed)
        model = FalseAlarmConstrained(estimator, alpha=0.1, random_state=seed).fit(sample.X, sample.y)
        flagged = model.flag(fresh.X)
        shares.append(flagged[fresh.y == -1].mean())
        powers.append(flagged[fresh.y == 1].mean())
    assert np.mean(shares) == pytest.approx(0.1, abs=0.025)
    assert np.mean(powers) > 1.25 * np.mean(shares)


def test_confidence_keeps_the_bound_in_most_samples() -> None:
    fresh = simulate.rf20(4000, random_state=99)
    negatives = fresh.X[fresh.y == -1]
    above = 0
    for seed in range(40):
        sample = simulate.rf20(500, random_state=seed)
        model = FalseAlarmConstrained(LogisticRegression(), alpha=0.1, confidence=0.9, random_state=seed)
        above += model.fit(sample.X, sample.y).flag(negatives).mean() > 0.1
    assert above <= 9  # 4 expected; 9 is the 99% quantile


def test_what_it_says_of_itself() -> None:
    sample = simulate.rf20(600, random_state=0)
    y = np.where(sample.y == 1, "bad", "good")  # the positive label sorts first
    model = FalseAlarmConstrained(LogisticRegression(), alpha=0.2, pos_label="bad", random_state=0).fit(sample.X, y)
    assert model.held_out_ == "rows held out"
    assert model.alpha_ <= 0.2
    assert 0.2 < model.power_ < 1
    flagged = model.flag(sample.X)
    np.testing.assert_array_equal(model.predict(sample.X) == "bad", flagged)
    np.testing.assert_array_equal(model.decision_function(sample.X) < 0, flagged)  # towards classes_[1], "good"
    assert model.score(sample.X, y) > 0.6
    swapped = FalseAlarmConstrained(LogisticRegression(), alpha=0.2, random_state=0).fit(sample.X, sample.y)
    np.testing.assert_array_equal(swapped.decision_function(sample.X) > 0, swapped.flag(sample.X))
    np.testing.assert_array_equal(swapped.predict(sample.X) == 1, swapped.decision_function(sample.X) > 0)
    forest = FalseAlarmConstrained(RankingForest(30, random_state=0), alpha=0.2).fit(sample.X, sample.y)
    assert forest.held_out_ == "out-of-bag"
    weighted = FalseAlarmConstrained(LogisticRegression(), alpha=0.2, random_state=0)
    weights = np.where(sample.y == 1, 5.0, 1.0)
    assert weighted.fit(sample.X, sample.y, sample_weight=weights).alpha_ <= 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, r"^alpha is 0; give the share of the negatives that may be flagged, in \(0, 1\)\.$"),
        ({"held_out": 1.0}, r"^held_out is 1\.0; give the share of the rows to hold out, in \(0, 1\)\.$"),
        ({"confidence": 95}, r"^confidence must lie between 0 and 1, got 95; use 0\.95 for 95%\.$"),
        ({"alpha": 0.001}, r"negatives are too few for a false alarm rate of 0\.001; hold out at least 999, or"),
    ],
)
def test_bad_settings_get_a_sentence(options: dict[str, Any], message: str) -> None:
    sample = simulate.rf20(60, random_state=0)
    with pytest.raises(ValueError, match=message):
        FalseAlarmConstrained(LogisticRegression(), **options).fit(sample.X, sample.y)
