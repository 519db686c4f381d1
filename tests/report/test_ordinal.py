"""The report of ordered labels: its figures are those of the library, and a browser shows it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from rankforest import OrdinalRankingForest, OrdinalRankingTree, PRank
from rankforest.metrics import concordance_index, mean_absolute_rank_error, roc_auc
from rankforest.report import report_facts, report_html
from rankforest.report.page import script_json

_GRADES = ["poor", "fair", "good", "best"]


@pytest.fixture(scope="module")
def graded(credit: Any) -> tuple[Any, np.ndarray]:
    frame = credit[0]
    margin = (
        frame["duration"] / 20 + frame["purpose"].isin(["car"]) + np.random.default_rng(1).normal(0, 0.6, len(frame))
    )
    return frame, np.array(_GRADES)[np.digitize(margin, [1.2, 2.2, 3.2])]


@pytest.fixture(scope="module")
def models(graded: Any) -> dict[str, Any]:
    X, y = graded[0][:500], graded[1][:500]
    return {
        "tree": OrdinalRankingTree(order=_GRADES, max_leaf_nodes=8, random_state=0).fit(X, y),
        "forest": OrdinalRankingForest(6, order=_GRADES, random_state=0).fit(X, y),
        "prank": PRank(order=_GRADES).fit(X[["age", "duration"]], y),
    }


@pytest.mark.parametrize("name", ["tree", "forest", "prank"])
def test_figures_are_those_of_the_library(name: str, graded: Any, models: dict[str, Any]) -> None:
    model, X, y = models[name], graded[0][500:], graded[1][500:]
    X = X[["age", "duration"]] if name == "prank" else X
    facts = report_facts(model, X, y, target="grade")
    assert json.loads(script_json(facts)) == facts
    assert facts["kind"] == "ordinal"
    assert facts["labels"] == _GRADES
    score, predicted = model.score_samples(X), model.predict(X)
    metrics = {each["name"]: each for each in facts["sides"][-1]["metrics"]}
    assert metrics["C-index"]["estimate"] == pytest.approx(concordance_index(y, score, order=_GRADES))
    assert metrics["C-index"]["low"] < metrics["C-index"]["estimate"] < metrics["C-index"]["high"]
    error = mean_absolute_rank_error(y, predicted, order=_GRADES)
    assert metrics["Mean absolute error, in steps"]["estimate"] == pytest.approx(error)
    assert facts["sides"][-1]["hit"] == pytest.approx((y == predicted).mean())
    mass = np.array(facts["confusion"]["mass"])
    for i, label in enumerate(_GRADES):
        for j, other in enumerate(_GRADES):
            assert mass[i, j] == ((y == label) & (predicted == other)).sum()
    assert facts["distribution"]["observed"] == pytest.approx([(y == label).mean() for label in _GRADES], abs=1e-5)
    assert facts["thresholds"][1]["auc"] == pytest.approx(roc_auc(np.isin(y, _GRADES[2:]), score))
    np.testing.assert_allclose(facts["scores"][0]["at"][2], np.median(score[y == "poor"]), rtol=1e-4, atol=1e-4)
    assert (facts["importance"] is None) == (name == "prank")
    assert facts["reasons"]["rows"] is facts["reasons"]["swarm"] is None
    assert (facts["tree"] is None) == (name != "tree")
    assert report_facts(model, X, y, max_rows=9)["reasons"]["rows"]["label"].__len__() == 9


def test_the_tree_has_the_labels_of_these_rows(graded: Any, models: dict[str, Any]) -> None:
    model, X, y = models["tree"], graded[0][500:], graded[1][500:]
    found = report_facts(model, X, y)["tree"]
    leaves = model.apply(X)
    first = len(found["children"])
    codes = np.array([_GRADES.index(label) for label in y])
    for leaf in range(model.tree_.n_leaves):
        assert found["rows"][first + leaf] == (leaves == leaf).sum()
        assert found["mean"][first + leaf] == pytest.approx(codes[leaves == leaf].mean(), abs=1e-5)
    assert found["rules"] == model.rules()
    assert found["rows"][0] == len(y)
    assert found["mean"][0] == pytest.approx(codes.mean(), abs=1e-5)


def test_training_rows_are_told_and_stand_beside(graded: Any, models: dict[str, Any]) -> None:
    model, train = models["forest"], (graded[0][:500], graded[1][:500])
    assert "They are probably the training rows" in report_html(model, *train)
    facts = report_facts(model, graded[0][500:], graded[1][500:], train=train)
    assert [side["name"] for side in facts["sides"]] == ["Training rows", "Rows of this report"]
    assert facts["sides"][0]["metrics"][0]["low"] is None
    assert facts["source"] == "given"


def test_bad_input_gets_a_sentence(graded: Any, models: dict[str, Any]) -> None:
    X, y = graded[0][500:], graded[1][500:]
    with pytest.raises(ValueError, match="by is for two labels, and OrdinalRankingTree ranks ordered ones"):
        report_facts(models["tree"], X, y, by=X["purpose"])
    with pytest.raises(ValueError, match="one class only, the label 'good'"):
        report_facts(models["tree"], X[y == "good"], y[y == "good"])
    with pytest.raises(ValueError, match="All rows of the report have the label 'good'"):
        report_facts(models["tree"], X, y, sample_weight=(y == "good") * 1.0)
    with pytest.raises(ValueError, match="awful"):
        report_facts(models["tree"], X, np.where(y == "poor", "awful", y))


def test_a_browser_shows_it(graded: Any, models: dict[str, Any], open_page: Any) -> None:
    X, y = graded[0][500:], graded[1][500:]
    page = open_page(report_html(models["tree"], X, y, max_rows=30), viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("#leaves tbody tr").count() == models["tree"].tree_.n_leaves
    assert page.locator("#confusion td").count() == 16
    assert page.locator("#reason-row option").count() == 30
    assert "best" in page.locator("#reason-row").inner_text() + page.locator("#reason-against").inner_text()
    for each in ("#labels", "#scores", "#importance", "#swarm", "#waterfall"):
        assert page.locator(f"{each} svg").first.is_visible()
    page.emulate_media(media="print")
    assert page.pdf().startswith(b"%PDF")
