"""The facts of a report: they equal the values of the library, and state on which rows they were computed."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

from rankforest import BestInstances, Dyadic, LeafRank, RankBoost, RankConsensus, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.metrics import auc_interval, roc_auc, roc_bands, roc_curve
from rankforest.metrics.calibration import calibration_error
from rankforest.report import report_facts
from rankforest.report.forest_facts import forest_facts
from rankforest.report.page import script_json


@pytest.fixture(scope="module")
def samples() -> tuple[Any, Any]:
    return simulate.rf20(400, random_state=0), simulate.rf20(300, random_state=1)


def small_forest(**options: Any) -> RankingForest:
    return RankingForest(15, splitter=LeafRank(max_features="sqrt"), random_state=0, **options)


def small_booster(n_folds: int | None) -> RankBoost:
    return RankBoost(
        5,
        loss="log_loss",
        max_leaf_nodes=4,
        max_features=0.5,
        cuts="best",
        min_samples_leaf=5,
        l2=1.0,
        n_folds=None if n_folds is None else (n_folds, 1),
        random_state=0,
    )


def test_facts_are_plain(samples: Any) -> None:
    train, test = samples
    for model in (TreeRank(max_depth=3), TreeRank(Dyadic(), max_depth=3), small_forest()):
        facts = report_facts(model.fit(train.X, train.y), test.X, test.y)
        assert json.loads(script_json(facts)) == facts


def test_out_of_bag_figures_say_whose_they_are(samples: Any) -> None:
    """A stored forest that is aggregated anew keeps the figures of the aggregation that it was fitted with."""
    train, _ = samples
    model = pickle.loads(pickle.dumps(small_forest(aggregation="negative_rank").fit(train.X, train.y)))
    said = dict(forest_facts(model.set_aggregation("mean_rank"), None)["summary"])
    assert said["Aggregation"] == "mean rank"
    assert said["Out-of-bag AUC"] == f"{model.oob_auc_:.4f} (negative rank)"


def test_counts_of_nodes_are_those_of_the_rows(samples: Any) -> None:
    train, test = samples
    model = TreeRank(max_depth=4).fit(train.X, train.y)
    weights = np.random.default_rng(0).exponential(size=300)
    weights[::5] = 0
    facts = report_facts(model, test.X, test.y, sample_weight=weights)
    leaves, strata = model.tree_.leaves, model.apply(test.X)
    positives = np.bincount(strata, weights * (test.y == 1), len(leaves))
    np.testing.assert_allclose(np.array(facts["data"]["positives"])[leaves], positives)
    assert facts["data"]["positives"][0] == pytest.approx(positives.sum())
    assert facts["n_rows"] == 240
    assert facts["data"]["rows"][0] == 240
    assert facts["source"] == "given"
    assert report_facts(model, train.X, train.y)["source"] == "training"


def test_traced_rows_are_spread_and_can_be_left_out(samples: Any) -> None:
    train, test = samples
    model = TreeRank(max_depth=3).fit(train.X, train.y)
    trace = report_facts(model, test.X, test.y, max_rows=50)["trace"]
    assert len(trace["row"]) == 50
    assert trace["row"] == sorted(set(trace["row"]))
    order = np.argsort(-model.score_samples(test.X), kind="stable")
    assert {int(order[0]) + 1, int(order[-1]) + 1} <= set(trace["row"])  # evenly spaced in the list
    chosen = np.array(trace["row"]) - 1
    assert trace["of"] == 300
    np.testing.assert_array_equal(model.tree_.leaves[model.apply(test.X[chosen])], trace["node"])
    for column in trace["columns"]:
        np.testing.assert_allclose(column["values"], test.X[chosen, column["feature"]], rtol=1e-5)
    assert report_facts(model, test.X, test.y)["trace"] is None


def test_a_large_grown_tree_is_cut_back_around_the_fitted_one(samples: Any) -> None:
    big = simulate.rf20(3000, random_state=2)
    model = TreeRank(LeafRank(max_depth=1), max_depth=None, max_leaf_nodes=400).fit(big.X, big.y)
    grown = model.grown_tree_
    keep = model.subtree([int(grown.cell_right[0])])  # not on the pruning path
    facts = report_facts(keep, big.X, big.y, max_rows=0)
    left = np.array(facts["nodes"]["left"])
    assert (left < 0).sum() < 400
    shown = leaves_when_collapsed(facts, set(facts["fitted"]))
    masses = [(facts["nodes"]["negatives"][n], facts["nodes"]["positives"][n]) for n in shown]
    np.testing.assert_array_equal(masses, keep.tree_.leaf_mass)


def leaves_when_collapsed(facts: dict[str, Any], collapsed: set[int]) -> list[int]:
    found, open_nodes = [], [0]
    while open_nodes:
        node = open_nodes.pop()
        if facts["nodes"]["left"][node] < 0 or node in collapsed:
            found.append(node)
        else:
            open_nodes += [facts["nodes"]["right"][node], facts["nodes"]["left"][node]]
    return found


def test_rows_that_a_forest_has_not_seen_are_scored_by_the_model(samples: Any) -> None:
    train, test = samples
    model = small_forest().fit(train.X, train.y)
    facts, score = report_facts(model, test.X, test.y), model.score_samples(test.X)
    assert facts["source"] == "given"
    found = auc_interval(test.y, score)
    assert facts["evaluation"]["auc"] == {"estimate": found.estimate, "low": found.low, "high": found.high}
    given, oob = facts["roc"]
    assert given["auc"] == pytest.approx(roc_auc(test.y, score))
    assert given["band"] is None
    assert oob["auc"] == pytest.approx(model.oob_auc_)
    seen = ~np.isnan(model.oob_scores_)
    band = roc_bands(train.y[seen], model.oob_scores_[seen])
    np.testing.assert_allclose(oob["band"]["low"], band.low, rtol=1e-4)
    np.testing.assert_allclose(given["beta"], roc_curve(test.y, score).beta, rtol=1e-5)
    proba = model.predict_proba(test.X)[:, 1]
    assert facts["evaluation"]["calibration"]["error"] == calibration_error(proba, (test.y == 1).astype(int), None)
    trees = [roc_auc(test.y, tree.leaf_score[tree.apply(test.X)]) for tree in model.trees_]
    np.testing.assert_allclose(facts["single"]["auc"], trees)
    assert facts["single"]["together"] == pytest.approx(roc_auc(test.y, score))


def test_the_calibration_of_a_tree_has_one_group_for_each_of_its_strata(samples: Any) -> None:
    train, test = samples
    model = TreeRank(max_leaf_nodes=5, random_state=0).fit(train.X, train.y)
    weights = np.arange(len(test.y)) % 3.0
    for weight in (None, weights):
        found = report_facts(model, test.X, test.y, sample_weight=weight)["evaluation"]["calibration"]
        proba, counted = model.predict_proba(test.X)[:, 1], np.ones(len(test.y)) if weight is None else weight
        assert found["by_value"]
        assert found["predicted"] == sorted(set(proba.tolist()))
        rates = [np.average(test.y[proba == one] == 1, weights=counted[proba == one]) for one in found["predicted"]]
        np.testing.assert_allclose(found["observed"], rates)
        mass = [counted[proba == one].sum() for one in found["predicted"]]
        distance = np.abs(np.subtract(found["observed"], found["predicted"]))
        assert found["error"] == pytest.approx(np.average(distance, weights=mass))
        assert found["error"] == calibration_error(proba, (test.y == 1).astype(int), weight)  # that of `evaluate`


def test_training_rows_with_other_weights_are_still_out_of_bag(samples: Any) -> None:
    train, _ = samples
    model = small_forest().fit(train.X, train.y)
    weights = np.random.default_rng(0).integers(0, 3, size=400).astype(float)
    facts = report_facts(model, train.X, train.y, sample_weight=weights)
    assert facts["source"] == "held_out"
    known = ~np.isnan(model.oob_scores_)
    expected = roc_auc(train.y[known], model.oob_scores_[known], sample_weight=weights[known])
    assert facts["evaluation"]["auc"]["estimate"] == pytest.approx(expected)


@pytest.mark.parametrize("stored", [False, True])
def test_training_rows_are_judged_out_of_bag(samples: Any, stored: bool) -> None:
    train, _ = samples
    weights = np.random.default_rng(0).integers(0, 3, size=400).astype(float)
    for given in (None, weights):
        model = small_forest().fit(train.X, train.y, sample_weight=given)
        model = pickle.loads(pickle.dumps(model)) if stored else model
        facts = report_facts(model, train.X, train.y, sample_weight=given)
        assert facts["source"] == "held_out"
        assert facts["evaluation"]["auc"]["estimate"] == pytest.approx(model.oob_auc_, abs=1e-12)
        assert (facts["roc"][0]["band"] is None) == (given is not None)
        # a tree is judged by the rows that it has not seen
        labels = (train.y == 1).astype(np.uint8)
        kept = np.ones(400, dtype=bool) if given is None else given > 0
        scores = np.array([tree.leaf_score[tree.apply(train.X[kept])] for tree in model.trees_])
        times = model._draw.times(labels[kept], 3)
        expected = roc_auc(
            labels[kept][times == 0],
            scores[3][times == 0],
            sample_weight=None if given is None else given[kept][times == 0],
        )
        assert facts["single"]["auc"][3] == pytest.approx(expected)


def test_other_rows_with_the_same_labels_are_not_taken_for_training_rows(samples: Any) -> None:
    train, _ = samples
    order = np.argsort(train.y, kind="stable")  # sorted labels are the same in many samples
    X, y = train.X[order], train.y[order]
    other = np.concatenate([np.random.default_rng(0).permutation(X[y == label]) for label in (-1, 1)])
    for model in (small_forest(), small_booster(2)):
        model.fit(X, y)
        for one in (model, pickle.loads(pickle.dumps(model))):
            assert report_facts(one, X, y)["source"] == "held_out"
            assert report_facts(one, other, y)["source"] == "given"


@pytest.mark.parametrize(
    ("model", "held_out"),
    [
        (small_booster(2), True),
        (small_booster(None), False),
        (RankConsensus(small_forest(), small_booster(2), random_state=0), True),
        (RankConsensus(small_forest(), small_booster(None), random_state=0), False),
    ],
)
def test_boosting_and_consensus(model: Any, held_out: bool, samples: Any) -> None:
    train, test = samples
    model.fit(train.X, train.y)
    facts = report_facts(model, train.X, train.y)
    assert facts["source"] == ("held_out" if held_out else "given")
    if held_out:
        assert facts["evaluation"]["auc"]["estimate"] == pytest.approx(model.held_out_auc_, abs=1e-12)
    facts = report_facts(model, test.X, test.y)
    assert facts["evaluation"]["auc"]["estimate"] == pytest.approx(roc_auc(test.y, model.score_samples(test.X)))
    assert facts["roc"][-1]["band"] is not None
    assert facts["dependence"][0]["name"] == facts["importance"]["names"][0]


def test_bad_input_gets_a_sentence(samples: Any) -> None:
    train, test = samples
    model = TreeRank(max_depth=2).fit(train.X, train.y)
    with pytest.raises(ValueError, match=r"^y has the labels \[0, 1\], and the model was fitted on \[-1, 1\]; make"):
        report_facts(model, test.X, (test.y > 0).astype(int))
    with pytest.raises(ValueError, match="max_rows is -1"):
        report_facts(model, test.X, test.y, max_rows=-1)
    with pytest.raises(ValueError, match=r"^There is no report of a BestInstances; give a fitted "):
        report_facts(BestInstances(), test.X, test.y)
    with pytest.raises(ValueError, match="not fitted yet"):
        report_facts(TreeRank(), test.X, test.y)
    with pytest.raises(ValueError, match="one class"):
        report_facts(model, test.X[test.y == 1], test.y[test.y == 1])
