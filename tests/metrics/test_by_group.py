"""Figures by group: by brute force, beside scikit-learn and fairlearn, and tests that keep their level."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import roc_auc_score

from rankforest.metrics import auc_interval, auc_test_unpaired, by_group
from rankforest.metrics.group_names import group_names
from rankforest.metrics.proportions import compare_proportions, proportion

rng = np.random.default_rng(0)
N = 400
GROUP = rng.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2])
Y = rng.random(N) < np.where(GROUP == "b", 0.5, 0.25)
SCORE = np.round(1.2 * Y + rng.normal(size=N) - 0.8 * (GROUP == "c"), 1)  # with ties
FLAGGED = SCORE > 1.0
TABLE = by_group(Y, SCORE, GROUP, flagged=FLAGGED)


def pairs(positives: np.ndarray, negatives: np.ndarray) -> float:
    """The AUC by its definition."""
    return float(np.mean([(p > n) + 0.5 * (p == n) for p in positives for n in negatives]))


@pytest.mark.parametrize("group", ["a", "b", "c"])
def test_areas_by_brute_force(group: str) -> None:
    own = group == GROUP
    positive, negative = SCORE[own & Y], SCORE[own & ~Y]
    others_positive, others_negative = SCORE[~own & Y], SCORE[~own & ~Y]
    expected = {
        "auc": pairs(positive, negative),
        "bnsp_auc": pairs(positive, others_negative),
        "bpsn_auc": pairs(others_positive, negative),
    }
    for measure, value in expected.items():
        assert TABLE[measure, group].value.estimate == pytest.approx(value, abs=1e-12)
    assert TABLE["auc", group].value == auc_interval(Y[own], SCORE[own])
    assert TABLE["auc", group].value.estimate == pytest.approx(roc_auc_score(Y[own], SCORE[own]))
    assert TABLE["auc", group].difference.estimate == pytest.approx(
        expected["auc"] - pairs(others_positive, others_negative)
    )
    crossed = TABLE["bnsp_auc", group].difference
    assert crossed.estimate == pytest.approx(expected["bnsp_auc"] - expected["bpsn_auc"])
    assert crossed.estimate == -TABLE["bpsn_auc", group].difference.estimate
    for k, a in enumerate(TABLE.groups):
        for m, b in enumerate(TABLE.groups):
            found = TABLE.cross_auc[k, m]
            assert found == pytest.approx(pairs(SCORE[(a == GROUP) & Y], SCORE[(b == GROUP) & ~Y]), abs=1e-12)


def test_shares_as_fairlearn_has_them() -> None:
    fairlearn = pytest.importorskip("fairlearn.metrics")
    from sklearn.metrics import precision_score

    frame = fairlearn.MetricFrame(
        metrics={
            "flagged": fairlearn.selection_rate,
            "recall": fairlearn.true_positive_rate,
            "false_alarms": fairlearn.false_positive_rate,
            "precision": precision_score,
            "rate": lambda y, _: np.mean(y),
        },
        y_true=Y,
        y_pred=FLAGGED,
        sensitive_features=GROUP,
    )
    for measure in frame.by_group:
        for group in "abc":
            assert TABLE[measure, group].value.estimate == pytest.approx(frame.by_group.loc[group, measure])
        assert TABLE.overall[measure].estimate == pytest.approx(frame.overall[measure])


def test_newcombe_and_the_score_test() -> None:
    """The test is Pearson's chi-squared test of the fourfold table; the interval is that of Newcombe's paper."""
    one, other = np.arange(70) < 56, np.arange(80) < 48  # example (a) of Newcombe (1998), method 10
    difference, p = compare_proportions(*(proportion(x, None, 0.95) for x in (one, other)))
    assert (difference.low, difference.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    table = [[x.sum(), (~x).sum()] for x in (one, other)]
    assert p == pytest.approx(chi2_contingency(table, correction=False).pvalue)


def test_p_values_are_corrected_for_the_groups() -> None:
    raw = []
    for group in "abc":
        own = group == GROUP
        raw.append(auc_test_unpaired(Y[own], SCORE[own], Y[~own], SCORE[~own]).p_value)
    order = np.argsort(raw)
    expected = np.minimum(np.maximum.accumulate(np.array(raw)[order] * [3, 2, 1]), 1.0)
    assert [TABLE["auc", "abc"[k]].p_value for k in order] == pytest.approx(list(expected))


def test_equal_groups_rarely_differ_and_a_shifted_one_does() -> None:
    """At level .05 for all groups together; group c of the second table ranks too low as a whole."""
    alarms = {"auc": 0, "bnsp_auc": 0, "recall": 0, "flagged": 0}
    for seed in range(200):
        draws = np.random.default_rng(seed)
        y = draws.random(300) < 0.4
        score = y + draws.normal(size=300)
        table = by_group(y, score, draws.integers(0, 3, 300), flagged=score > 1)
        for measure in alarms:
            alarms[measure] += min(table[measure, name].p_value for name in table.groups) < 0.05
    assert max(alarms.values()) <= 200 * 0.05 + 2.5 * np.sqrt(200 * 0.05 * 0.95)
    assert TABLE["bnsp_auc", "c"].p_value < 0.001
    assert TABLE["bnsp_auc", "c"].difference.high < 0
    assert TABLE["auc", "c"].value.low > 0.8  # within the group the list is good


def test_weights_are_shares_of_weight() -> None:
    weight = rng.integers(0, 4, N).astype(float)
    found = by_group(Y, SCORE, GROUP, flagged=FLAGGED, sample_weight=weight)
    for group in "abc":
        own = group == GROUP
        assert found["auc", group].value.estimate == pytest.approx(
            roc_auc_score(Y[own], SCORE[own], sample_weight=weight[own])
        )
        assert found["flagged", group].value.estimate == pytest.approx(np.average(FLAGGED[own], weights=weight[own]))
        assert found["flagged", group].value.low < TABLE["flagged", group].value.estimate


def test_groups_of_one_class_and_missing_groups() -> None:
    group = np.array([None, "x", "y"] * 20, dtype=object)
    y = np.array([0, 1, 0, 1, 1, 0] * 10)
    table = by_group(y, np.arange(60), group, flagged=np.arange(60) > 40)
    assert table.groups == ("x", "y", "(missing)")
    assert np.isnan(table["auc", "x"].value.estimate)
    assert np.isnan(table["auc", "x"].p_value)
    assert np.isfinite(table["bnsp_auc", "x"].value.estimate)
    assert np.isnan(table["recall", "y"].value.estimate)
    assert np.isfinite(table["auc", "(missing)"].value.estimate)
    assert "nan" not in str(table)


def test_names_of_groups() -> None:
    assert group_names(pd.Series(["u", "v", None]).astype("category"))[1] == ["u", "v", "(missing)"]
    assert group_names(np.array([True, False]))[1] == ["False", "True"]
    codes, names = group_names([3.0, 1.0, np.nan, 1.0])
    assert (codes.tolist(), names) == ([1, 0, 2, 0], ["1", "3", "(missing)"])
    codes, names = group_names(np.append(np.arange(100), np.nan))
    assert len(names) == 5
    assert np.bincount(codes).tolist() == [25, 25, 25, 25, 1]
    assert group_names(np.append(np.zeros(90), np.arange(1, 14)))[1] == ["0 or less", "above 0"]


def test_printed() -> None:
    lines = str(TABLE).splitlines()
    assert [line.split()[0] for line in lines] == ["group", "a", "b", "c", "all", "*"]
    star = TABLE["bnsp_auc", "c"].value
    assert f"{star.estimate:.3f}* [{star.low:.3f}, {star.high:.3f}]" in lines[3]
    frame = TABLE.to_frame()
    assert frame.loc[("recall", "b"), "value"] == TABLE["recall", "b"].value.estimate
    assert len(frame) == 8 * 3
    assert TABLE.measures == ("rate", "auc", "bnsp_auc", "bpsn_auc", "flagged", "precision", "recall", "false_alarms")
    assert by_group(Y, SCORE, GROUP).measures == TABLE.measures[:4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": ["a"] * N}, r"groups holds one group only \('a'\); pass a column with at least two values"),
        ({"groups": ["a", "b"]}, "groups has 2 rows and y_true has 400"),
        ({"groups": [f"id {k}" for k in range(N)]}, "groups has 400 distinct values, such as 'id 0'"),
        ({"groups": np.zeros((N, 2))}, r"groups must have one value per row, got shape \(400, 2\)"),
        ({"flagged": [1, 0]}, "flagged must hold True or False for each of the 400 rows, got int64"),
        ({"confidence": 1}, "confidence must lie between 0 and 1"),
    ],
)
def test_wrong_arguments(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        by_group(Y, SCORE, **{"groups": GROUP, **change})
