"""The page of a scorecard in a real browser: its results equal those of Python after every change of points."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hand_card import HandCard, hand_model, labelled_rows
from rankforest.metrics import auc_interval, roc_auc, roc_curve
from rankforest.report import report_facts, report_html
from rankforest.report.notebook import notebook_view
from rankforest.report.page import script_json
from rankforest.scorecard.curve import TotalCurve


def value(page: Any, identity: str) -> float:
    return float(page.locator(f"#{identity}").get_attribute("data-value"))


def check(page: Any, model: HandCard, X: Any, y: np.ndarray, weights: Any = None) -> None:
    """Everything that is shown, against the metrics of the model with these points."""
    total = model.score_samples(X)
    curve = roc_curve(y, total, sample_weight=weights)
    assert value(page, "auc") == pytest.approx(roc_auc(y, total, sample_weight=weights), abs=1e-12)
    assert value(page, "gini") == pytest.approx(2 * roc_auc(y, total, sample_weight=weights) - 1, abs=1e-12)
    assert value(page, "ks") == pytest.approx(np.max(curve.beta - curve.alpha), abs=1e-12)
    bands = page.evaluate("rankforest.model.bands()")
    wanted = TotalCurve.of(total, y, weights)
    for name in ("low", "high", "rows"):
        np.testing.assert_allclose([band[name] for band in bands], getattr(wanted, name))
    np.testing.assert_allclose([band["positives"] for band in bands], wanted.mass[:, 1])


def change(page: Any, name: str, points: float) -> None:
    page.get_by_label(name, exact=True).fill(str(points))
    page.wait_for_timeout(60)  # the page answers in the next picture


@pytest.mark.parametrize("weighted", [False, True])
def test_figures_follow_every_change(weighted: bool, open_page: Any) -> None:
    model, _, _ = hand_model(300, pairs=True)
    X, y = labelled_rows(250, seed=4)
    weights = np.random.default_rng(0).integers(1, 4, 250) / 2 if weighted else None
    page = open_page(report_html(model, X, y, sample_weight=weights, max_rows=1000))
    check(page, model, X, y, weights)
    found = auc_interval(y, model.score_samples(X), sample_weight=weights)
    np.testing.assert_allclose(page.evaluate("rankforest.model.interval()"), [found.low, found.high], atol=1e-6)
    change(page, "Points of debt, above 0 to 1000", 33)
    changed = model.set_points("debt", "above 0 to 1000", 33)
    check(page, changed, X, y, weights)
    change(page, "Points of age x job, above 30; clerk", -7)
    changed = changed.set_points(("age", "job"), "above 30; clerk", -7)
    check(page, changed, X, y, weights)
    assert page.locator("#panels .changed").count() == 2
    # the lines of Python make the same model
    space: dict[str, Any] = {"model": model}
    exec(page.locator("#calls").inner_text(), space)
    np.testing.assert_array_equal(space["model"].score_samples(X), changed.score_samples(X))
    change(page, "Points of age, up to 25", "")  # no number yet: nothing moves
    check(page, changed, X, y, weights)
    page.click("#reset")
    check(page, model, X, y, weights)
    assert page.locator("#calls").is_hidden()


def test_facts_are_plain_and_contain_no_values() -> None:
    model, _, _ = hand_model(200)
    X, y = labelled_rows(100, seed=2)
    facts = report_facts(model, X, y, max_rows=1000)
    assert json.loads(script_json(facts)) == facts
    assert facts["source"] == "given"
    assert sum(facts["cells"]["negatives"]) + sum(facts["cells"]["positives"]) == 100
    assert len(facts["cells"]["codes"]) == len(model.card_.terms)
    assert facts["totals"]["total"] == sorted(set(model.score_samples(X).tolist()))


def test_a_page_without_rows_cannot_be_changed(open_page: Any) -> None:
    model, _, _ = hand_model(200)
    X, y = labelled_rows(100, seed=2)
    assert report_facts(model, X, y)["cells"] is None
    page = open_page(report_html(model, X, y))
    check(page, model, X, y)
    assert page.locator("#panels input:enabled").count() == 0
    assert page.locator("#panels input").count() > 5


def test_training_rows_and_changes_by_hand_are_told() -> None:
    model, X, y = hand_model(200)
    assert "They are probably the training rows" in report_html(model, X, y)
    other, labels = labelled_rows(150, seed=3)
    page = report_html(model.forbid("age"), other, labels)
    assert "They are probably the training rows" not in page
    assert "<li>age: no points; AUC 0." in page


def test_a_notebook_shows_the_card() -> None:
    import pickle

    model, _, _ = hand_model(200)
    shown = notebook_view(model)
    assert shown is not None
    assert "above 1000 to 2500" in shown
    stored = notebook_view(pickle.loads(pickle.dumps(model)))  # without training rows: the card alone
    assert stored is not None
    assert "ROC curve" not in stored.split("<script")[0]
    many, _, _ = hand_model(2500)
    assert len(notebook_view(many) or "") < len(shown) * 2


def test_the_page_contains_as_many_rows_as_asked_for(open_page: Any) -> None:
    model, _, _ = hand_model(200)
    X, y = labelled_rows(151, seed=2)
    page = open_page(report_html(model, X, y, max_rows=51))
    order = np.argsort(-model.score_samples(X), kind="stable")[::3]  # evenly spaced in the list
    check(page, model, X.iloc[order], y[order])
    assert "51 of them, evenly spread" in page.content()
    # two AUCs: each says of which rows it is
    heads = page.locator(".figures.sticky dt").all_inner_texts()
    assert heads == [f"{name} of the 51 rows in the page" for name in ("AUC", "Gini", "KS")]
    side = report_facts(model, X, y, max_rows=51)["sides"]["columns"][-1]
    assert (side["name"], side["n_rows"]) == ("Rows of this report", 151)
    assert side["auc"]["estimate"] == pytest.approx(roc_auc(y, model.score_samples(X)), abs=1e-12)
    assert "The curve and the totals are those of the 51 rows in the page." in page.content()
    page = open_page(report_html(model, X, y, max_rows=151))  # all rows, one AUC
    assert page.locator(".figures.sticky dt").all_inner_texts() == ["AUC", "Gini", "KS"]
    assert "rows in the page" not in page.content()
