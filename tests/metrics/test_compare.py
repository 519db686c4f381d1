"""The table of several models: its parts are those of the single functions."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from rankforest import TreeRank
from rankforest.metrics import auc_interval, auc_test, average_precision, bootstrap_interval, bootstrap_test, compare
from rankforest.metrics.comparison import holm


@pytest.fixture(scope="module")
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    return rng.normal(size=(200, 3)) + y[:, None] * [1.5, 0.5, 0.0], y


def test_the_figures_are_those_of_the_single_functions(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    models = {"first": X[:, 0], "second": X[:, 1], "third": X[:, 2]}
    weight = np.random.default_rng(1).random(200)
    found = compare(models, None, y, u=0.1, n_replicates=60, sample_weight=weight, random_state=3)
    assert found.baseline == "first"
    frame = found.to_frame()
    metrics = ["AUC", "Gini", "KS", "relative local AUC, top 10%", "hit ratio, top 10%", "average precision"]
    assert list(frame.index) == [(metric, model) for metric in metrics for model in models]
    for name, score in models.items():
        exact = auc_interval(y, score, sample_weight=weight)
        row = frame.loc[("AUC", name)]
        assert (row.estimate, row.low, row.high) == pytest.approx((exact.estimate, exact.low, exact.high))
        doubled = frame.loc[("Gini", name)]
        assert 2 * row.low - 1 == pytest.approx(doubled.low)
        if name != "first":
            ends = ["difference", "difference_low", "difference_high"]
            assert doubled[ends].tolist() == pytest.approx((2 * row[ends]).tolist())
            assert doubled.p_value == row.p_value
        drawn_metrics = ("relative_local_auc", 0.1), ("ks_statistic", None), ("average_precision", None)
        for (metric, u), title in zip(drawn_metrics, (metrics[3], "KS", metrics[5])):
            drawn = bootstrap_interval(y, score, metric, u, n_replicates=60, sample_weight=weight, random_state=3)
            row = frame.loc[(title, name)]
            assert (row.estimate, row.low, row.high) == pytest.approx((drawn.estimate, drawn.low, drawn.high))
    tests = [auc_test(y, models[name], X[:, 0], sample_weight=weight) for name in ("second", "third")]
    rows = frame.loc[[("AUC", "second"), ("AUC", "third")]]
    assert rows.p_value.tolist() == pytest.approx([test.p_value for test in tests])
    assert rows.adjusted_p_value.tolist() == pytest.approx(holm([test.p_value for test in tests]))
    assert rows.difference.tolist() == pytest.approx([test.difference.estimate for test in tests])
    assert np.isnan(frame.loc[("AUC", "first"), "p_value"])
    drawn_test = bootstrap_test(
        y, X[:, 2], X[:, 0], "hit_ratio", 0.1, n_replicates=60, sample_weight=weight, random_state=3
    )
    assert frame.loc[(metrics[4], "third"), "p_value"] == pytest.approx(drawn_test.p_value)


def test_estimators_speak_for_one_label(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    words = np.where(y == 1, "yes", "no")
    logistic, tree = LogisticRegression().fit(X, words), DecisionTreeClassifier(max_depth=2).fit(X, words)
    ranker = TreeRank(max_depth=2, pos_label="yes").fit(X, words)
    models = {"logistic": logistic, "tree": tree, "ranker": ranker, "plain": logistic.decision_function(X)}
    found = compare(models, X, words, metrics=["roc_auc"], baseline="plain")
    rows = {row.model: row for row in found.rows}
    assert rows["logistic"].value == rows["plain"].value
    assert rows["logistic"].p_value == 1.0
    exact = auc_interval(y, tree.predict_proba(X)[:, 1])
    assert rows["tree"].value == exact
    assert rows["ranker"].value.estimate > 0.7
    # asked about the other label, every estimator is turned around
    turned = compare(
        {name: models[name] for name in ("logistic", "tree", "ranker")}, X, words, metrics="roc_auc", pos_label="no"
    )
    for row in turned.rows:
        assert row.value.estimate == pytest.approx(rows[row.model].value.estimate)


def test_a_list_names_its_models(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    model = LogisticRegression().fit(X, y)
    found = compare([model, model, X[:, 0]], X, y, metrics=[average_precision], n_replicates=20)
    assert [row.model for row in found.rows] == ["LogisticRegression", "LogisticRegression 2", "scores 3"]
    assert {row.metric for row in found.rows} == {"average precision"}
    assert found.rows[1].p_value == 1.0


def test_user_metrics_and_a_single_model(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data

    def mean_gap(y: Any, score: Any, sample_weight: Any) -> float:
        return float(
            np.average(score[y == 1], weights=sample_weight[y == 1])
            - np.average(score[y == 0], weights=sample_weight[y == 0])
        )

    found = compare({"one": X[:, 0]}, None, y, metrics=[mean_gap, "recall_at"], u=[0.2], n_replicates=30)
    assert [row.metric for row in found.rows] == ["mean_gap", "recall, top 20%"]
    assert found.rows[0].value.estimate == pytest.approx(X[y == 1, 0].mean() - X[y == 0, 0].mean())
    assert found.rows[0].difference is None


def test_it_reads_well(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    found = compare({"a < b": X[:, 0], "other": X[:, 1]}, None, y, u=0.1, n_replicates=20, baseline="other")
    text = str(found).splitlines()
    assert text[0] == f"2 models on 200 rows, {y.sum()} positive; intervals of confidence 95%"
    table = text[2:-3]
    assert len({line.index("[") for line in table if "[" in line}) == 1  # the columns are aligned
    assert sum(line.startswith("AUC") for line in table) == 1
    assert "the best" not in text[-2]
    html = found._repr_html_()
    assert "<td>a &lt; b</td>" in html
    assert html.count("<tr>") == 1 + len(found.rows)
    assert json.loads(json.dumps(found.to_dict()))["difference"][1] is None


def test_without_pandas(monkeypatch: pytest.MonkeyPatch, data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    found = compare([X[:, 0]], None, y, metrics=["roc_auc"])
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^Comparison.to_frame needs pandas"):
        found.to_frame()


def test_holm() -> None:
    """By definition: the i-th smallest is multiplied by the number of those left, and none is below its forerunner."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        p = rng.random(6) ** 3
        left, expected, floor = list(np.argsort(p)), {}, 0.0
        for rank, k in enumerate(left):
            floor = max(floor, p[k] * (6 - rank))
            expected[int(k)] = min(floor, 1.0)
        assert holm(p.tolist()) == pytest.approx([expected[k] for k in range(6)])
    assert holm([]) == []


@pytest.mark.parametrize(
    ("models", "options", "message"),
    [
        ({}, {}, r"^models is empty; pass at least one"),
        ({"a": [1, 2, 3, 4]}, {"baseline": "b"}, r"^baseline 'b' is not among the models; use one of 'a'\.$"),
        ({"a": [1, 2, 3]}, {}, r"^Model 'a': y_score has 3 rows and y_true has 4"),
        ({"a": DummyClassifier()}, {}, r"^X is None, but model 'a' is an estimator; pass the rows to score\.$"),
        ({"a": [1, 2, 3, 4]}, {"metrics": []}, r"^metrics is empty"),
        ({"a": [1, 2, 3, 4]}, {"metrics": ["lift"]}, r"^metric must be a function or one of .*, got 'lift'\.$"),
        ({"a": [1, 2, 3, 4]}, {"u": 0}, r"^u must lie in \(0, 1\]"),
        ({"a": [1, 2, 3, 4]}, {"confidence": 0}, r"^confidence must lie between 0 and 1, got 0"),
    ],
)
def test_bad_input_gets_a_sentence(models: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(models, None, [0, 1, 0, 1], **options)


def test_an_estimator_without_scores_gets_a_sentence(data: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = data
    with pytest.raises(ValueError, match=r"^estimator .* has neither decision_function nor predict_proba"):
        compare({"silent": type("Silent", (), {"fit": None})()}, X, y)
