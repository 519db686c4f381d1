"""Metrics for ordered labels equal their definitions over all pairs and tuples, and the metrics of two classes."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, mean_absolute_error
from sklearn.model_selection import GridSearchCV

import naive_ordinal
from rankforest import PRank
from rankforest.metrics import (
    concordance_index,
    concordance_scorer,
    mean_absolute_rank_error,
    quadratic_kappa,
    rank_error_scorer,
    ranking_error,
    roc_auc,
    threshold_auc,
    volume_under_surface,
)

WORDS = ["low", "mid", "high"]


@st.composite
def rows(draw, max_levels=4, max_rows=16):
    """Codes (every level occurs), scores with many ties, whole weights."""
    k = draw(st.integers(2, max_levels))
    codes = draw(st.lists(st.integers(0, k - 1), max_size=max_rows - k)) + list(range(k))
    n = len(codes)
    scores = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    return k, np.array(codes), np.array(scores), np.array(weights)


@settings(max_examples=60, deadline=None)
@given(rows())
def test_pairs_and_tuples(drawn):
    k, codes, scores, weights = drawn
    ones = np.ones(len(codes), dtype=int)
    for w, given_weights in ((ones, None), (weights, weights)):
        expected = naive_ordinal.concordance(codes.tolist(), scores.tolist(), w.tolist())
        assert concordance_index(codes, scores, sample_weight=given_weights) == pytest.approx(float(expected))
        assert ranking_error(codes, scores, sample_weight=given_weights) == pytest.approx(float(1 - expected))
        expected = naive_ordinal.volume(codes.tolist(), scores.tolist(), w.tolist(), k)
        assert volume_under_surface(codes, scores, sample_weight=given_weights) == pytest.approx(float(expected))
        found = threshold_auc(codes, scores, sample_weight=given_weights)
        for level, auc in zip(range(1, k), found.auc, strict=True):
            expected = naive_ordinal.concordance((codes >= level).tolist(), scores.tolist(), w.tolist())
            assert auc == pytest.approx(float(expected))
        assert_array_equal(found.above, np.arange(1, k))
        assert found.mean == pytest.approx(found.auc.mean())


@settings(max_examples=40, deadline=None)
@given(rows(max_levels=2))
def test_two_labels_are_the_auc(drawn):
    _, codes, scores, weights = drawn
    auc = roc_auc(codes, scores, sample_weight=weights)
    assert concordance_index(codes, scores, sample_weight=weights) == pytest.approx(auc)
    assert volume_under_surface(codes, scores, sample_weight=weights) == pytest.approx(auc)
    assert threshold_auc(codes, scores, sample_weight=weights).auc == pytest.approx([auc])


@settings(max_examples=30, deadline=None)
@given(rows())
def test_weights_are_rows(drawn):
    _, codes, scores, weights = drawn
    for metric in (concordance_index, volume_under_surface, lambda y, s, **w: threshold_auc(y, s, **w).mean):
        weighted = metric(codes, scores, sample_weight=weights)
        assert weighted == pytest.approx(metric(np.repeat(codes, weights), np.repeat(scores, weights)))
        # a row of weight 0 is no row, also where it is the only one of its label
        more = {"sample_weight": np.append(weights, 0)}
        assert metric(np.append(codes, 9), np.append(scores, 3), **more) == pytest.approx(weighted)
    repeated = [np.repeat(column, weights) for column in (codes, scores)]
    for metric in (mean_absolute_rank_error, quadratic_kappa):
        assert metric(codes, scores, sample_weight=weights) == pytest.approx(metric(*repeated))


def test_volume_of_many_labels():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), 2)
    s = rng.integers(0, 5, len(y))
    expected = naive_ordinal.volume(y.tolist(), s.tolist(), [1] * len(y), 6)
    assert volume_under_surface(y, s) == pytest.approx(float(expected))
    assert volume_under_surface(y, y) == 1.0
    assert volume_under_surface(y, -y) == 0.0
    assert volume_under_surface(y, np.zeros(len(y))) == pytest.approx(1 / math.factorial(6))


def test_large_lists():
    rng = np.random.default_rng(1)
    y, s = rng.integers(0, 4, 200_000), rng.integers(0, 1000, 200_000)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    masses, areas = [], []
    for a, b in pairs:
        kept = (y == a) | (y == b)
        masses.append((y == a).sum() * (y == b).sum())
        areas.append(roc_auc(y[kept] == a, s[kept]))
    assert concordance_index(y, s) == pytest.approx(np.average(areas, weights=masses))
    assert volume_under_surface(y, s) == pytest.approx(1 / 24, rel=0.05)


@settings(max_examples=60, deadline=None)
@given(rows(max_levels=5), st.data())
def test_predicted_labels(drawn, data):
    k, codes, _, weights = drawn
    predicted = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=len(codes), max_size=len(codes))))
    labels = np.arange(k)
    expected = cohen_kappa_score(codes, predicted, weights="quadratic", labels=labels, sample_weight=weights)
    assert quadratic_kappa(codes, predicted, sample_weight=weights) == pytest.approx(expected, abs=1e-12)
    expected = mean_absolute_error(codes, predicted, sample_weight=weights)
    assert mean_absolute_rank_error(codes, predicted, sample_weight=weights) == pytest.approx(expected)


def test_numbers_keep_their_distance_and_words_are_a_step_apart():
    assert mean_absolute_rank_error([1, 10], [10, 10]) == 4.5
    assert mean_absolute_rank_error([1, 10], [10, 10], order=[1, 5, 10]) == 1.0
    y = pd.Series(["low", "mid", "high"], dtype=pd.CategoricalDtype(WORDS, ordered=True))
    predicted = np.array(["high", "mid", "mid"], dtype=object)
    assert mean_absolute_rank_error(y, predicted) == 1.0
    assert mean_absolute_rank_error(predicted, y) == 1.0
    # a label that does not occur is a step all the same
    assert mean_absolute_rank_error(["low", "low"], ["high", "low"], order=WORDS) == 1.0
    assert quadratic_kappa(y, predicted) == pytest.approx(cohen_kappa_score([0, 1, 2], [2, 1, 1], weights="quadratic"))


def test_orders():
    codes, scores = np.array([0, 2, 1, 1, 0]), np.array([0.1, 0.3, 0.3, 0.2, 0.2])
    words = np.array(WORDS)[codes]
    ordered = pd.Categorical(words, WORDS, ordered=True)
    for metric in (concordance_index, ranking_error, volume_under_surface, lambda *a, **b: threshold_auc(*a, **b).mean):
        expected = metric(codes, scores)
        assert metric(words, scores, order=WORDS) == expected
        assert metric(ordered, scores) == expected
        assert metric(pd.Series(ordered), scores) == expected
    assert threshold_auc(words, scores, order=WORDS).above.tolist() == ["mid", "high"]
    assert concordance_index(np.arange(500) / 7, np.arange(500)) == 1.0  # any number of labels
    assert quadratic_kappa(codes, codes) == 1.0


def test_scorers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    words = np.array(WORDS)[y]
    model = PRank(random_state=0, order=WORDS).fit(X, words)
    places = {word: i for i, word in enumerate(WORDS)}
    predicted = np.array([places[word] for word in model.predict(X)])
    assert rank_error_scorer(model, X, words) == -np.abs(predicted - y).mean()
    assert concordance_scorer(model, X, words) == concordance_index(y, model.score_samples(X))
    weights = rng.integers(0, 3, len(y))
    expected = -np.average(np.abs(predicted - y), weights=weights)
    assert rank_error_scorer(model, X, words, sample_weight=weights) == pytest.approx(expected)
    search = GridSearchCV(
        PRank(random_state=0),
        {"n_epochs": [1, 10]},
        scoring={"error": rank_error_scorer, "concordance": concordance_scorer},
        refit="error",
        cv=3,
    ).fit(X, y)
    assert search.cv_results_["mean_test_concordance"].max() > 0.97
    assert -0.3 < search.best_score_ <= 0
    # a score per class is no ranking: the predicted labels are
    logistic = LogisticRegression().fit(X, y)
    assert concordance_scorer(logistic, X, y) == concordance_index(y, logistic.predict(X))


def refused(match, metric, *args, **kwargs):
    with pytest.raises(ValueError, match=match) as caught:
        metric(*args, **kwargs)
    assert not re.search(r"\w\. [A-Z]", str(caught.value))  # one sentence


@pytest.mark.parametrize("metric", [mean_absolute_rank_error, quadratic_kappa])
def test_bad_predictions(metric):
    refused("y_pred has 1 rows and y_true has 2; pass one prediction per label", metric, [1, 2], [1])
    refused("y_true must be finite, got nan in row 1; drop the rows", metric, [1, np.nan], [1, 2])
    refused("y_pred must be finite, got inf in row 0", metric, [1, 2], [np.inf, 2])
    refused("y_true must hold real numbers.*as order=", metric, ["a", "b"], ["a", "b"])
    refused("y_pred holds 'c' in row 1, which is not in order", metric, ["a", "b"], ["a", "c"], order=["a", "b"])
    refused("y_true is empty", metric, [], [])
    refused("sample_weight is 0 in every row", metric, [1, 2], [1, 2], sample_weight=[0, 0])
    refused("order is 'ab', not a list", metric, ["a", "b"], ["a", "b"], order="ab")


def test_kappa_of_one_label():
    refused("the same single label in all rows", quadratic_kappa, [1, 1], [1, 1])
    assert quadratic_kappa([1, 1], [2, 2]) == 0.0


@pytest.mark.parametrize("metric", [concordance_index, ranking_error, volume_under_surface, threshold_auc])
def test_bad_scores(metric):
    refused("y_score has 1 rows and y_true has 2", metric, [1, 2], [1])
    refused("y_score must be finite, got nan in row 0", metric, [1, 2], [np.nan, 1])
    refused("sample_weight must be non-negative", metric, [1, 2], [1, 2], sample_weight=[1, -1])
    refused("sample_weight has 1 rows", metric, [1, 2], [1, 2], sample_weight=[1])
    refused("holds one (label|class) only", metric, [1, 1], [1, 2])
    refused("holds one (label|class) only", metric, [1, 2], [1, 2], sample_weight=[0, 1])
    refused("y_true holds 'c' in row 1, which is not in order", metric, ["a", "c"], [1, 2], order=["a", "b"])


def test_random_scores_are_half_in_order():
    rng = np.random.default_rng(5)
    y, s = rng.integers(0, 3, 20_000), rng.random(20_000)
    assert_allclose([concordance_index(y, s), *threshold_auc(y, s).auc], 0.5, atol=0.02)
