"""Measures of the tables, compared with values by hand, brute force and scikit-learn."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, dcg_score, roc_auc_score

from rankforest.reproduce.measures import (
    LIST_FIGURES,
    delta_env,
    double_ranks,
    envelope,
    instab,
    list_figures,
    mean_precision,
)


@pytest.fixture
def lists():
    """Labels of 60 rows, and five scores with many ties."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(60) % 2)
    return y, [np.round(y + rng.normal(size=60), 0) for _ in range(5)]


def naive_curve(y, score, alpha):
    """Height of the ROC curve at one alpha that is no knot: walk down the list, block by block."""
    at, height = 0.0, 0.0
    for value in sorted(set(score), reverse=True):
        step = sum(y[i] == 0 for i in range(len(y)) if score[i] == value) / sum(y == 0)
        rise = sum(y[i] == 1 for i in range(len(y)) if score[i] == value) / sum(y == 1)
        if at < alpha < at + step:
            return height + rise * (alpha - at) / step
        at, height = at + step, height + rise
    raise AssertionError(alpha)


def naive_distance(first, second):
    pairs = list(combinations(range(len(first)), 2))
    total = 0.0
    for i, j in pairs:
        a, b = np.sign(first[i] - first[j]), np.sign(second[i] - second[j])
        total += 1.0 if a * b < 0 else 0.5 if (a == 0) != (b == 0) else 0.0
    return total / len(pairs)


def test_figures_of_a_list(lists):
    y, scores = lists
    found = list_figures(y, scores[0])
    assert found["auc"] == pytest.approx(roc_auc_score(y, scores[0]))
    assert found["average_precision"] == pytest.approx(average_precision_score(y, scores[0]))
    assert found["dcg"] == pytest.approx(dcg_score([y], [scores[0]]))
    position = 61 - rankdata(scores[0])
    assert found["dcg_sum"] == pytest.approx(sum(1 / np.log(1 + position[y == 1])))
    assert found["ave_sum"] == pytest.approx(sum(1 / position[y == 1]))
    assert tuple(found) == LIST_FIGURES
    # positives among the first 6 and 12, where ties share their places
    for name, places in (("hr10", 6), ("hr20", 12)):
        hits, left = 0.0, places
        for value in sorted(set(scores[0]), reverse=True):
            block = y[scores[0] == value]
            taken = min(left, len(block))
            hits, left = hits + taken * block.mean(), left - taken
        assert found[name] == pytest.approx(hits / places)


def test_mean_precision(lists):
    """Every length of the list, one by one; rows of equal scores share their places."""
    y, scores = lists
    order = sorted(set(scores[0]), reverse=True)
    shares = [share for value in order for share in [y[scores[0] == value].mean()] * int(np.sum(scores[0] == value))]
    expected = np.mean([sum(shares[:k]) / k for k in range(1, 61)])
    assert mean_precision(y, scores[0]) == pytest.approx(expected)
    assert list_figures(y, scores[0])["mean_precision"] == mean_precision(y, scores[0])


def test_mean_precision_is_a_rank_statistic():
    """A positive at position x counts in every list that reaches it: the sum over k >= x of 1 / k."""
    rng = np.random.default_rng(1)
    y, score = rng.permutation(np.arange(50) % 3 == 0), rng.permutation(50)
    tails = np.cumsum(1 / np.arange(50, 0, -1))[::-1]
    assert mean_precision(y, score) == pytest.approx(tails[49 - score[y]].sum() / 50)
    assert mean_precision(y, score) != pytest.approx(average_precision_score(y, score), abs=0.01)


def test_ranks_say_all(lists):
    y, scores = lists
    ranks = double_ranks(scores[0])
    assert ranks.dtype == np.uint16
    assert list_figures(y, ranks) == list_figures(y, scores[0])
    assert instab([double_ranks(score) for score in scores]) == instab(scores)
    assert envelope(y, [ranks]).low.tolist() == envelope(y, [scores[0]]).low.tolist()
    assert double_ranks(np.arange(32767))[-1] == 2 * 32767
    with pytest.raises(ValueError, match="score has 32768 rows; ranks are kept for up to 32767"):
        double_ranks(np.arange(32768))


def test_envelope(lists):
    y, scores = lists
    found = envelope(y, scores)
    for k in (0, 7, 29):
        heights = [naive_curve(y, score, found.alpha[k]) for score in scores]
        assert found.low[k] == pytest.approx(min(heights))
        assert found.high[k] == pytest.approx(max(heights))
    fine = (np.arange(3000) + 0.5) / 3000
    curves = np.array([[naive_curve(y, score, alpha) for alpha in fine[::10]] for score in scores])
    assert found.area == pytest.approx(np.mean(curves.max(axis=0) - curves.min(axis=0)), abs=2e-3)


def test_envelope_by_hand():
    # Two negatives. One list is perfect; the other has a negative first: its curve is 0 up to 1/2, then 1.
    y = [1, 1, 0, 0]
    perfect, late = [4, 3, 2, 1], [3, 2, 4, 1]
    found = envelope(y, [perfect, late])
    assert found.alpha.tolist() == [0.25, 0.75]
    assert found.low.tolist() == [0.0, 1.0]
    assert found.high.tolist() == [1.0, 1.0]
    assert found.area == 0.5
    # A list that ties all rows has the diagonal, 1/4 and 3/4 there.
    tied = envelope(y, [perfect, [0, 0, 0, 0]])
    assert tied.area == 0.5
    assert delta_env(tied, found) == 0.0
    assert delta_env(envelope(y, [perfect, perfect]), found) == -1.0
    assert np.isnan(delta_env(found, envelope(y, [perfect])))


def test_instab(lists):
    _, scores = lists
    expected = np.mean([naive_distance(a, b) for a, b in combinations(scores, 2)])
    assert instab(scores) == pytest.approx(expected)
    assert instab([[1, 2, 3], [3, 2, 1]]) == 1.0
    assert instab([[1, 2, 3], [0, 0, 0]]) == 0.5
