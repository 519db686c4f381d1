"""The page of a tree in a real browser: its results equal those of Python after every click."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

from rankforest import TreeRank
from rankforest.metrics import auc_interval, control_point, hit_ratio, local_auc, roc_auc
from rankforest.report import report_html


@pytest.fixture(scope="module")
def fitted(credit: Any) -> tuple[TreeRank, Any, np.ndarray]:
    frame, y = credit
    model = TreeRank(max_depth=4, pos_label="default", random_state=0).fit(frame[:600], y[:600])
    return model, frame[600:], y[600:]


def value(page: Any, identity: str) -> float:
    return float(page.locator(f"#{identity}").get_attribute("data-value"))


def click(page: Any, node: int) -> None:
    page.locator(f'[data-node="{node}"]').click()


def check_figures(page: Any, model: TreeRank, X: Any, y: np.ndarray, u: float, weights: Any = None) -> None:
    """Everything that is shown, against the metrics of the pruned model."""
    score, given = model.score_samples(X), {"pos_label": "default", "sample_weight": weights}
    assert value(page, "auc") == pytest.approx(roc_auc(y, score, **given), abs=1e-12)
    assert value(page, "local-auc") == pytest.approx(local_auc(y, score, u, **given), abs=1e-12)
    assert value(page, "capture") == pytest.approx(control_point(y, score, u, **given).beta, abs=1e-12)
    assert value(page, "hits") == pytest.approx(hit_ratio(y, score, u, **given), abs=1e-12)
    assert value(page, "training-auc") == pytest.approx(model.tree_.auc, abs=1e-12)
    assert value(page, "strata-count") == model.tree_.n_leaves
    shown = page.locator("#strata tbody tr")
    assert shown.count() == model.tree_.n_leaves
    weights = np.ones(len(y)) if weights is None else weights
    strata = model.apply(X)
    positives = np.bincount(strata, weights * (y == "default"), model.tree_.n_leaves)
    found = shown.evaluate_all("rows => rows.map(row => Number(row.children[2].dataset.value))")
    np.testing.assert_allclose(found, positives, rtol=0, atol=1e-9)


def test_figures_follow_every_click(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    page = open_page(report_html(model, X, y))
    check_figures(page, model, X, y, 0.1)
    left, right = model.tree_.cell_left, model.tree_.cell_right
    closed: list[int] = []
    for node in (int(left[right[0]]), int(left[0]), 0):
        click(page, node)
        closed.append(node)
        assert page.locator(f'[data-node="{node}"]').get_attribute("aria-expanded") == "false"
        check_figures(page, model.subtree(closed), X, y, 0.1)
    assert page.locator("#step-value").inner_text() == "1 stratum"
    for node in reversed(closed[1:]):  # nodes inside stay as they were
        click(page, node)
        closed.remove(node)
        check_figures(page, model.subtree(closed), X, y, 0.1)
    page.get_by_role("button", name="Fitted model").click()
    check_figures(page, model, X, y, 0.1)


def test_the_interval_is_that_of_python_with_and_without_weights(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    weights = np.random.default_rng(1).exponential(size=len(y)) * (np.arange(len(y)) % 7 > 0)
    for given in (None, weights):
        page = open_page(report_html(model, X, y, sample_weight=given))
        click(page, int(model.tree_.cell_right[0]))
        pruned = model.subtree([int(model.tree_.cell_right[0])])
        found = auc_interval(y, pruned.score_samples(X), sample_weight=given, pos_label="default")
        shown = page.locator("#auc").evaluate("place => [Number(place.dataset.low), Number(place.dataset.high)]")
        assert shown == pytest.approx([found.low, found.high], abs=1e-10)
        check_figures(page, pruned, X, y, 0.1, given)


def test_the_slider_of_u_moves_the_control_line(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    page = open_page(report_html(model, X, y))
    before = page.locator("#roc .control-line").get_attribute("x2")
    for u in (0.005, 0.235, 0.5, 1.0):
        page.locator("#u").fill(str(u))
        check_figures(page, model, X, y, u)
    assert page.locator("#roc .control-line").get_attribute("x2") != before
    page.locator("#u").press("ArrowLeft")
    check_figures(page, model, X, y, 0.995)
    assert "local AUC at 99.5%" in page.locator("#live").inner_text()


def test_the_slider_of_the_path_walks_the_pruning_path(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    path = model.pruning_path()
    page = open_page(report_html(model, X, y))
    assert page.locator("#step").get_attribute("max") == str(len(path) - 1)
    for step in (len(path) - 1, len(path) // 2, 1, 0):
        page.locator("#step").fill(str(step))
        pruned = model.subtree(np.flatnonzero(path.collapse_at <= path.lambdas[step]))
        assert pruned.tree_.n_leaves == path.n_leaves[step]
        check_figures(page, pruned, X, y, 0.1)


def test_a_pruned_model_starts_as_it_is_and_shows_what_was_grown(credit: Any, open_page: Any) -> None:
    frame, y = credit
    model = TreeRank(max_depth=5, pruning="structural", pos_label="default", random_state=0).fit(frame[:600], y[:600])
    assert 1 < model.tree_.n_leaves < model.grown_tree_.n_leaves
    page = open_page(report_html(model, frame[600:], y[600:]))
    check_figures(page, model, frame[600:], y[600:], 0.1)
    page.get_by_role("button", name="Expand all").click()
    assert value(page, "strata-count") == model.grown_tree_.n_leaves
    page.get_by_role("button", name="Fitted model").click()
    check_figures(page, model, frame[600:], y[600:], 0.1)


def test_hover_and_focus_tell_the_rule(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    page = open_page(report_html(model, X, y))
    tip = page.locator("#tip")
    assert tip.is_hidden()
    leaf = int(model.tree_.leaves[0])
    page.locator(f'[data-node="{leaf}"]').hover()
    for words in model.strata().rule[0].split("; or "):
        assert words in tip.inner_text()
    assert "Stratum 1 of" in tip.inner_text()
    page.keyboard.press("Escape")
    assert tip.is_hidden()


def test_the_tree_is_walked_by_keys(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    tree = model.tree_
    page = open_page(report_html(model, X, y))
    page.locator('[data-node="0"]').focus()
    here = "Number(document.activeElement.dataset.node)"
    for key, expected in (
        ("ArrowDown", tree.cell_left[0]),
        ("ArrowRight", tree.cell_right[0]),
        ("ArrowRight", tree.cell_right[0]),
        ("ArrowLeft", tree.cell_left[0]),
        ("ArrowUp", 0),
        ("End", tree.leaves[-1]),
        ("Home", tree.leaves[0]),
        ("ArrowUp", tree.cell_parent[tree.leaves[0]]),
    ):
        page.keyboard.press(key)
        assert page.evaluate(here) == expected
    node = page.evaluate(here)
    for key in ("Enter", " "):
        page.keyboard.press(key)
        assert page.evaluate(here) == node  # the focus stays where it is
        expanded = page.locator(f'[data-node="{node}"]').get_attribute("aria-expanded")
        check_figures(page, model if expanded == "true" else model.subtree([node]), X, y, 0.1)
    assert page.locator('[role="treeitem"][tabindex="0"]').count() == 1


@pytest.mark.parametrize("unit", [None, 2.0**-10], ids=["rows", "light rows"])
def test_the_table_sorts_and_downloads(credit: Any, open_page: Any, unit: float | None) -> None:
    frame, y = credit
    weights = None if unit is None else unit * np.random.default_rng(0).integers(1, 4, len(y))
    model = TreeRank(max_depth=3, pos_label="default", random_state=0).fit(frame, y, weights)
    page = open_page(report_html(model, frame, y, sample_weight=weights))
    assert "training rows" in page.locator(".warn").inner_text()  # these are the training rows
    node = int(model.tree_.cell_left[0])
    click(page, node)
    head = page.locator("#strata th[data-key='rows']")
    for order in ("ascending", "descending"):
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == order
        rows = page.locator("#strata tbody tr").evaluate_all("all => all.map(r => Number(r.children[1].dataset.value))")
        assert rows == sorted(rows, reverse=order == "descending")
    assert page.locator("#strata th[aria-sort='none']").count() == 8
    with page.expect_download() as caught:
        page.get_by_role("button", name="Download CSV").click()
    assert caught.value.suggested_filename == "strata.csv"
    found = list(csv.DictReader(io.StringIO(caught.value.path().read_text(encoding="utf-8"))))
    expected = model.subtree([node]).strata().to_dict(rules=True)
    assert [row["rule"] for row in found] == list(expected.pop("rule"))
    for name, values in expected.items():
        np.testing.assert_allclose([float(row[name]) for row in found], values, rtol=1e-12)


def test_a_row_is_traced(fitted: Any, open_page: Any) -> None:
    model, X, y = fitted
    page = open_page(report_html(model, X, y, max_rows=2000))
    strata = model.apply(X)
    for row in (0, 17, len(y) - 1):
        page.locator("#trace-row").fill(str(row + 1))
        told = page.locator("#trace-result").inner_text()
        assert told.startswith(f"Row {row + 1} is in stratum {strata[row] + 1} of {model.tree_.n_leaves},")
        assert told.endswith(f"label is {y[row]}.")
        steps = model.path_of(X.iloc[row]).steps
        sides = page.locator("#trace-way .side").all_inner_texts()
        assert [side.endswith("likelier") for side in sides] == [step.better for step in steps]
        assert page.locator(".node.way").count() == len(steps) + 1
    click(page, int(model.tree_.cell_left[0]))  # the trace follows the tree
    pruned = model.subtree([int(model.tree_.cell_left[0])])
    assert (
        f"in stratum {pruned.apply(X)[-1] + 1} of {pruned.tree_.n_leaves},"
        in page.locator("#trace-result").inner_text()
    )
    page.locator("#trace-row").fill("100000")
    assert "not among the 300 rows" in page.locator("#trace-result").inner_text()
    page.get_by_role("button", name="Any row").click()
    assert page.locator("#trace-result").inner_text().startswith("Row ")
    assert "duration = " in page.locator("#trace-way").inner_text()
