"""Contributions in the report of an ensemble: they add up, and the page shows those of Python."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest

from rankforest import LeafRank, RankBoost, RankConsensus, RankingForest
from rankforest.report import report_facts, report_html
from rankforest.report.page import script_json


@pytest.fixture(scope="module")
def rows(credit: Any) -> tuple[Any, Any]:
    return credit[0][500:], credit[1][500:]


@pytest.fixture(scope="module")
def models(credit: Any) -> dict[str, Any]:
    frame, y = credit[0][:500], credit[1][:500]
    forest = RankingForest(12, splitter=LeafRank(max_features="sqrt"), pos_label="default", random_state=0)
    boost = RankBoost(20, n_folds=None, pos_label="default", random_state=0)
    both = RankConsensus(
        RankingForest(6, splitter=LeafRank()), RankBoost(5, n_folds=2), pos_label="default", random_state=0
    )
    return {name: model.fit(frame, y) for name, model in (("forest", forest), ("boost", boost), ("consensus", both))}


def pair(facts: dict[str, Any], i: int, j: int) -> np.ndarray:
    """Stored contributions of two rows, i before j."""
    stored, n = facts["rows"]["pairs"], len(facts["rows"]["columns"])
    values = np.frombuffer(base64.b64decode(stored["values"]), "<i2").reshape(-1, n)
    return stored["step"] * values[j * (j - 1) // 2 + i]


@pytest.mark.parametrize("name", ["forest", "boost", "consensus"])
def test_stored_rows_add_up(name: str, rows: Any, models: dict[str, Any]) -> None:
    X, y = rows
    model = models[name]
    facts = report_facts(model, X, y, max_rows=500)["reasons"]
    assert json.loads(script_json(facts)) == facts
    found, numbers = facts["rows"], np.array(facts["rows"]["row"])
    added = np.array(found["contributions"]).sum(axis=1)
    np.testing.assert_allclose(facts["base"] + added, found["score"], atol=2e-4)
    explained = model.explain(X.iloc[numbers - 1], background=X)
    assert facts["scale"] == explained.scale
    np.testing.assert_allclose(found["score"], explained.scores, atol=1e-12)
    order = np.argsort(-model.score_samples(X), kind="stable")
    assert (numbers[0], numbers[-1]) == (order[0] + 1, order[-1] + 1)
    assert found["place"] == sorted(found["place"])
    assert found["label"] == (y[numbers - 1] == "default").astype(int).tolist()
    columns = [model.schema_.names.index(column["name"]) for column in found["columns"]]
    for i, j in ((0, 1), (2, 7), (3, len(numbers) - 1)):
        expected = model.why(X.iloc[[numbers[i] - 1]], X.iloc[[numbers[j] - 1]])
        np.testing.assert_allclose(pair(facts, i, j), expected.values[columns], atol=0.51 * found["pairs"]["step"])


def test_without_rows_there_are_quantiles_only(rows: Any, models: dict[str, Any]) -> None:
    X, y = rows
    model = models["forest"]
    facts = report_facts(model, X, y)["reasons"]
    assert facts["rows"] is facts["slopes"] is facts["swarm"] is None
    assert facts["n_rows"] == 200
    scores = model.score_samples(X)
    order = np.argsort(-scores, kind="stable")
    chosen = order[np.linspace(0, len(order) - 1, 200).round().astype(int)]
    values = model.explain(X.iloc[chosen], X.iloc[np.sort(spaced(scores))]).values
    for each in facts["ranges"]["features"]:
        added = values[:, model.schema_.names.index(each["name"])]
        if each["name"] == "purpose":
            assert [group["level"] for group in each["groups"]] == ["-"]
            wanted = np.quantile(added, [0.1, 0.5, 0.9])
            np.testing.assert_allclose([each["groups"][0][k] for k in ("low", "middle", "high")], wanted, rtol=2e-3)
        else:
            kinds = ["-", "0", "1", "2"] if each["name"] == "income" else ["0", "1", "2"]  # a tenth is missing
            assert [group["level"] for group in each["groups"]] == kinds
    duration = next(each for each in facts["ranges"]["features"] if each["name"] == "duration")
    low, _, high = duration["groups"]
    assert low["high"] < high["low"]  # long loans are likelier to default


def test_the_swarm_has_every_contribution(rows: Any, models: dict[str, Any]) -> None:
    X, y = rows
    facts = report_facts(models["forest"], X, y, max_rows=500)["reasons"]
    for each in facts["swarm"]["features"]:
        assert each["values"] == sorted(each["values"])
        assert len(each["level"]) == 200
        assert set(each) == {"name", "values", "level"}
        assert (set(each["level"]) == {"-"}) if each["name"] == "purpose" else (set("0123456") <= set(each["level"]))
    income = next(each for each in facts["swarm"]["features"] if each["name"] == "income")
    assert 5 < income["level"].count("-") < 40  # a tenth is missing


def test_few_rows_are_as_many_as_allowed(rows: Any, models: dict[str, Any]) -> None:
    facts = report_facts(models["boost"], *rows, max_rows=7)["reasons"]
    assert len(facts["rows"]["row"]) == len(facts["rows"]["contributions"]) == 7
    assert {len(each["values"]) for each in facts["slopes"]} == {7}
    assert {len(each["values"]) for each in facts["swarm"]["features"]} == {7}


def test_the_colour_is_that_of_the_strongest_interaction(models: dict[str, Any], rows: Any) -> None:
    X, y = rows
    model = models["boost"]
    strength = np.abs(model.explain(X[:100], X[:40], interactions=True).interaction_values).mean(axis=0)
    np.fill_diagonal(strength, 0)
    names = model.schema_.names
    agree = [
        each["other"]["name"] == names[np.argmax(strength[names.index(each["name"])])]
        for each in report_facts(model, X, y, max_rows=500)["reasons"]["slopes"]
    ]
    assert np.mean(agree) >= 0.5  # of other rows, so that close ones may differ


def test_the_page_shows_one_row_and_two(models: dict[str, Any], rows: Any, open_page: Any) -> None:
    X, y = rows
    model = models["forest"]
    page = open_page(report_html(model, X, y, max_rows=500))
    numbers = report_facts(model, X, y, max_rows=500)["reasons"]["rows"]["row"]

    def bars() -> list[float]:
        return page.locator("#waterfall rect").evaluate_all("all => all.map(r => Number(r.dataset.value))")

    scores = model.score_samples(X)
    assert (
        page.locator("#swarm path.swarm").evaluate_all("all => all.reduce((n, p) => n + Number(p.dataset.dots), 0)")
        == 800
    )
    page.locator("#reason-row").select_option("4")
    explained = model.explain(X.iloc[[numbers[4] - 1]], X.iloc[np.sort(spaced(scores))])
    np.testing.assert_allclose(np.sort(bars()), np.sort(explained.values[0]), atol=1e-4)
    said = page.locator("#reason-result").inner_text()
    assert said.startswith(f"Row {numbers[4]}: score {scores[numbers[4] - 1]:.4f}, ")
    page.locator("#reason-against").select_option("20")
    one, other = (X.iloc[[numbers[k] - 1]] for k in (4, 20))
    expected = model.why(one, other)
    assert sum(bars()) == pytest.approx(expected.difference, abs=1e-9)
    np.testing.assert_allclose(np.sort(bars()), np.sort(expected.values[expected.values != 0]), atol=1e-3)
    assert f"is above row {numbers[20]} (score {expected.scores[1]:.4f}" in page.locator("#reason-result").inner_text()
    page.locator("#reason-row").select_option("20")
    page.locator("#reason-against").select_option("4")
    assert sum(bars()) == pytest.approx(-expected.difference, abs=1e-9)
    for i in range(page.locator("#slope-feature option").count()):
        page.locator("#slope-feature").select_option(str(i))
        drawn = page.locator("#slope path.swarm").evaluate_all(
            "all => all.reduce((n, p) => n + Number(p.dataset.dots), 0)"
        )
        assert drawn == 200


def spaced(scores: np.ndarray) -> np.ndarray:
    """100 rows, one from the middle of each hundredth of the list."""
    return np.array([part[len(part) // 2] for part in np.array_split(np.argsort(scores, kind="stable"), 100)])
