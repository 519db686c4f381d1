"""What a committee asks of a report: training and test, groups, drift, the order of the rates, no rows of customers."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rankforest import LeafRank, RankBoost, RankingForest, RankScore, TreeRank
from rankforest.metrics import auc_interval, by_group, local_auc, population_stability_index, roc_auc, roc_curve
from rankforest.report import report_facts, report_html
from rankforest.report.page import script_json


@pytest.fixture(scope="module")
def models(credit: Any) -> dict[str, Any]:
    frame, y = credit[0][:500], credit[1][:500]
    found = {
        "tree": TreeRank(max_depth=3, pos_label="default", random_state=0, monotonic_cst={"duration": 1}),
        "forest": RankingForest(8, splitter=LeafRank(max_features="sqrt"), pos_label="default", random_state=0),
        "boost": RankBoost(10, n_folds=None, pos_label="default", random_state=0),
        "card": RankScore(pos_label="default", random_state=0),
    }
    return {name: model.fit(frame, y) for name, model in found.items()}


@pytest.fixture(scope="module")
def rows(credit: Any) -> tuple[Any, Any]:
    return credit[0][500:], credit[1][500:]


def check_side(side: dict[str, Any], y: np.ndarray, score: np.ndarray) -> None:
    given = {"pos_label": "default"}
    auc = roc_auc(y, score, **given)
    curve = roc_curve(y, score, **given)
    rate = (y == "default").mean()
    assert side["n_rows"] == len(y)
    assert side["rate"] == pytest.approx(rate)
    assert side["auc"]["estimate"] == pytest.approx(auc)
    assert side["gini"]["estimate"] == pytest.approx(2 * auc - 1)
    assert side["ks"] == pytest.approx(np.max(curve.beta - curve.alpha))
    local = local_auc(y, score, 0.1, **given)
    assert side["local"] == pytest.approx(local)
    perfect = local_auc(y, (y == "default") * 1.0, 0.1, **given)
    assert side["relative"] == pytest.approx(local / perfect)


@pytest.mark.parametrize("name", ["tree", "forest", "boost", "card"])
def test_training_and_test_are_side_by_side(name: str, models: dict[str, Any], rows: Any, credit: Any) -> None:
    model, (X, y) = models[name], rows
    train = credit[0][:500], credit[1][:500]
    facts = report_facts(model, X, y, train=train)
    trained, tested = facts["sides"]["columns"]
    score = model.score_samples(X)
    check_side(tested, y, score)
    found = auc_interval(y, score, pos_label="default")
    assert (tested["auc"]["low"], tested["auc"]["high"]) == pytest.approx((found.low, found.high))
    assert tested["gini"]["low"] == pytest.approx(2 * found.low - 1)
    if name in ("forest", "card"):
        held_out = model.held_out_scores()
        known = ~np.isnan(held_out.scores)
        check_side(trained, train[1][known], held_out.scores[known])
        assert trained["how"] == ("out of bag" if name == "forest" else "held out")
    else:
        check_side(trained, train[1], model.score_samples(train[0]))
        assert trained["how"].endswith("too good")
        assert trained["auc"]["low"] is None
    # without the training file: what the model knows by itself
    own = report_facts(model, X, y)["sides"]["columns"]
    assert len(own) == (1 if name == "boost" else 2)
    if name != "boost":
        assert own[0]["auc"]["estimate"] == pytest.approx(trained["auc"]["estimate"])
    assert report_facts(model, *train)["sides"]["only_training"] == (name != "boost")


def test_a_model_of_a_file_has_the_auc_of_its_fit(models: dict[str, Any], rows: Any) -> None:
    import pickle

    model = pickle.loads(pickle.dumps(models["forest"]))
    trained, _ = report_facts(model, *rows)["sides"]["columns"]
    assert trained["auc"] == {"estimate": pytest.approx(model.oob_auc_), "low": None, "high": None}
    assert trained["ks"] is None
    assert trained["n_rows"] == 500
    assert "–" in report_html(model, *rows)


def test_groups_have_their_figures(models: dict[str, Any], rows: Any) -> None:
    model, (X, y) = models["forest"], rows
    region = np.where(np.arange(len(y)) % 3 == 0, "north", "south")
    facts = report_facts(model, X, y, by={"region": region, "age": X["age"]})
    first, second = facts["groups"]
    assert (first["name"], second["name"]) == ("region", "age")
    assert [line["group"] for line in first["groups"]] == ["north", "south"]
    assert len(second["groups"]) == 4
    score = model.score_samples(X)
    expected = by_group(y, score, region, pos_label="default")
    north = first["groups"][0]
    assert north["rows"] == (region == "north").sum()
    for k, measure in enumerate(("rate", "auc")):
        figure = expected[measure, "north"]
        shown = [north["figures"][k][name] for name in ("value", "low", "high")]
        assert shown == pytest.approx([figure.value.estimate, figure.value.low, figure.value.high])
    assert first["overall"][2]["value"] == pytest.approx(0.1, abs=0.002)  # flagged: a tenth of the list
    page = report_html(model, X, y, by=X["purpose"])
    assert "Groups of purpose" in page
    with pytest.raises(ValueError, match=r"by has the shape \(3,\) for 'group', and there are 400 rows"):
        report_facts(model, X, y, by=["a", "b", "c"])
    with pytest.raises(ValueError, match="by holds one group only for 'region'"):
        report_facts(model, X, y, by={"region": ["a"] * len(y)})


def test_drift_is_told(models: dict[str, Any], rows: Any, credit: Any) -> None:
    model, (X, y) = models["tree"], rows
    older = X.assign(age=X["age"] + 30)
    drift = report_facts(model, older, y)["drift"]
    assert drift["lines"][0]["name"] == "The strata"
    assert drift["lines"][1]["name"] == "age"
    assert drift["lines"][1]["reading"] == "shifted"
    assert drift["n_shifted"] == 1
    counts = [np.bincount(model.apply(some), minlength=model.tree_.n_leaves) for some in (credit[0][:500], older)]
    assert drift["lines"][0]["index"] == pytest.approx(population_stability_index(*counts))
    assert report_facts(model, credit[0][:500], credit[1][:500])["drift"] is None


@pytest.mark.parametrize("name", ["tree", "forest", "boost", "card"])
def test_no_row_is_in_the_file_unless_asked_for(name: str, models: dict[str, Any], rows: Any) -> None:
    X, y = rows
    marked = X.assign(income=X["income"] * 0 + np.arange(len(X)) * 7.0 + 1_234_567.25)  # values that nothing else has
    facts = report_facts(models[name], marked, y)
    assert json.loads(script_json(facts)) == facts
    assert facts.get("trace") is None
    assert facts.get("cells") is None
    reasons = facts["reasons"]
    assert reasons["rows"] is reasons["slopes"] is reasons["swarm"] is None
    assert "no rows of the data" in report_html(models[name], marked, y)
    stored = re.findall(r"1\d{6}\.\d+", script_json(facts | {"dependence": None}))
    assert stored == []
    more = report_facts(models[name], marked, y, max_rows=20)
    told = set(more["reasons"]["rows"]["row"])
    assert len(told) == 20
    assert name != "tree" or set(more["trace"]["row"]) == told  # the same ones everywhere
    assert name != "card" or more["n_shown"] == 20
    assert len(more["reasons"]["swarm"]["features"][0]["values"]) == 20
    assert "no rows of the data" not in report_html(models[name], marked, y, max_rows=20)


def test_the_head_says_what_it_is_about(models: dict[str, Any], rows: Any) -> None:
    page = report_html(models["tree"], *rows, title="Loans", target="status", data="test.csv")
    for words in ("<h1>Loans</h1>", "<dd>status</dd>", "<dd>test.csv</dd>", "max_depth=3", "<dd>TreeRank</dd>"):
        assert words in page
    assert "The score never falls as duration rises." in page
    assert "most likely default at the left" in page
    assert re.search(r"<dt>Date</dt><dd>20\d\d-\d\d-\d\d</dd>", page)
    named = TreeRank(max_depth=1).fit(rows[0], (rows[1] == "default").astype(int))
    page = report_html(named, rows[0], (rows[1] == "default").astype(int), target="bad")
    assert "of them with bad = 1" in page
    said = re.sub(r"<[^>]*>", " ", page.partition("<body")[2].partition("<script")[0]).lower()
    assert not re.search(r"\bbetter\b(?! the list)|\bworse\b|\bpositives?\b", said)


def test_a_rate_that_breaks_the_order_is_flagged(credit: Any, models: dict[str, Any], open_page: Any) -> None:
    X, y = credit[0][500:], credit[1][500:]
    model = models["tree"]
    strata = model.apply(X)
    broken = np.where(strata == strata.max(), "default", np.where(strata == strata.max() - 1, "paid", y))
    page = open_page(report_html(model, X, broken))
    rates = [(broken[strata == k] == "default").mean() for k in range(strata.max() + 1)]
    breaks = sum(b > a for a, b in pairwise(rates))
    assert page.locator("#strata .breaks").count() == breaks
    assert page.locator("#strata .breaks.beyond").count() >= 1
    assert "beyond chance" in page.locator("#strata-order").inner_text()
    assert page.locator("#strata tbody tr").last.locator(".breaks.beyond").count() == 1
    page.get_by_role("button", name="Collapse all").click()
    assert "the order holds" in page.locator("#strata-order").inner_text()
    assert page.locator("#scores svg").is_visible()
    assert page.locator("#swarm path.range").count() >= 3
