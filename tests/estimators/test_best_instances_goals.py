"""BestInstances with a precision or a budget: the guarantee over runs, single rows, batches, files, and refusals."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import BestInstances, LeafRank, RankBoost, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.metrics import BudgetSelection, ConformalSelection, conformal_selection
from rankforest.program import ExportError
from rankforest.storage import load_model, save_model

FOREST = RankingForest(10, splitter=LeafRank(max_depth=4, max_features="sqrt"), max_depth=4, random_state=0)
SAMPLE, FRESH = (simulate.rf10_sparse(n, random_state=seed) for n, seed in ((600, 0), (500, 1)))


def false_share(flagged: np.ndarray, y: np.ndarray) -> float:
    return float((flagged & (y < 0)).sum() / max(flagged.sum(), 1))


@pytest.mark.parametrize(
    ("estimator", "runs"),
    [
        (LogisticRegression(solver="liblinear"), 200),
        (FOREST, 40),
        (RankBoost(15, n_folds=(2, 1), random_state=0), 15),
        (TreeRank(max_depth=3), 40),
    ],
    ids=["logistic", "forest", "boost", "tree"],
)
def test_few_of_the_selected_rows_are_false_discoveries(estimator: Any, runs: int) -> None:
    found, flagged, alone = [], 0, []
    for seed in range(runs):
        sample, fresh = (simulate.rf10_sparse(400, random_state=first + seed) for first in (0, 1000))
        model = BestInstances(estimator, precision=0.8, random_state=seed).fit(sample.X, sample.y)
        selection = model.select(fresh.X)
        found.append(false_share(selection.flagged, fresh.y))
        flagged += selection.n_flagged
        alone.append(false_share(model.flag(fresh.X), fresh.y) if model.threshold_ < np.inf else 0.0)
    assert np.mean(found) <= 0.2 + 2.5 * np.std(found, ddof=1) / np.sqrt(runs)
    assert flagged > 30 * runs
    assert np.mean(alone) < 0.2  # the threshold for single rows has a confidence, and is higher


def test_the_selection_is_that_of_the_rows_held_out() -> None:
    """`select` is `conformal_selection` on the rows that the model did not see, and a frozen model sees none."""
    model = BestInstances(LogisticRegression(), precision=0.85, random_state=3).fit(SAMPLE.X, SAMPLE.y)
    assert (model.held_out_, model.n_held_out_) == ("rows held out", 180)
    drawn = np.random.default_rng(model._seed()).permutation(600)
    apart, rows = drawn[:180], drawn[180:]
    inside = LogisticRegression().fit(SAMPLE.X[np.sort(rows)], SAMPLE.y[np.sort(rows)])
    scores = [inside.decision_function(X) for X in (SAMPLE.X[apart], FRESH.X)]
    expected = conformal_selection(SAMPLE.y[apart], *scores, 0.85)
    found = model.select(FRESH.X)
    assert isinstance(found, ConformalSelection)
    np.testing.assert_array_equal(found.p_value, expected.p_value)
    np.testing.assert_array_equal(found.flagged, expected.flagged)
    frozen = BestInstances(FrozenEstimator(inside), precision=0.85, held_out=1.0)
    frozen.fit(SAMPLE.X[apart], SAMPLE.y[apart])
    np.testing.assert_array_equal(frozen.select(FRESH.X).p_value, expected.p_value)
    assert frozen.estimator_ is inside


def test_rows_of_weight_0_are_no_held_out_rows() -> None:
    weight = np.ones(600)
    weight[::3] = 0.0
    model = BestInstances(LogisticRegression(), precision=0.8, random_state=0).fit(SAMPLE.X, SAMPLE.y, weight)
    assert 100 < model.n_held_out_ < 140


def test_single_rows_do_not_depend_on_their_company() -> None:
    model = BestInstances(LogisticRegression(), precision=0.8, random_state=0).fit(SAMPLE.X, SAMPLE.y)
    flagged = model.flag(FRESH.X)
    np.testing.assert_array_equal(flagged, [model.flag(row[None])[0] for row in FRESH.X])
    np.testing.assert_array_equal(flagged, model.decision_function(FRESH.X) > 0)
    assert model.share_ == pytest.approx(flagged.mean(), abs=0.08)
    assert model.precision_ > 0.8


def test_without_a_threshold_nothing_is_flagged_and_it_is_said() -> None:
    noise = BestInstances(FOREST, precision=0.9, random_state=0).fit(
        SAMPLE.X, np.random.default_rng(0).permutation(SAMPLE.y)
    )
    with pytest.warns(UserWarning, match=r"No threshold has a precision of 0\.9 with a confidence of 0\.95 on the 180"):
        assert not noise.flag(FRESH.X).any()
    assert np.isnan(noise.precision_)
    assert "None of 500 rows is flagged" in str(noise.select(FRESH.X))
    with pytest.raises(ExportError, match="No row can be flagged at this precision"):
        noise.program()


@pytest.mark.parametrize("estimator", [LogisticRegression(), TreeRank(max_depth=2)])
def test_a_budget_is_a_number_of_rows(estimator: Any) -> None:
    """Exactly so many, the best ones, also where the edge goes through a stratum of a tree."""
    model = BestInstances(estimator, budget=37, random_state=0).fit(SAMPLE.X, SAMPLE.y)
    found = model.select(FRESH.X)
    assert isinstance(found, BudgetSelection)
    assert found.n_flagged == 37
    scores = model.score_samples(FRESH.X)
    assert scores[found.flagged].min() >= scores[~found.flagged].max()
    assert found.threshold == scores[found.flagged].min()
    np.testing.assert_array_equal(model.flag(FRESH.X), found.flagged)
    np.testing.assert_array_equal(model.predict(FRESH.X) == 1, found.flagged)
    distance = model.decision_function(FRESH.X)
    assert (distance[found.flagged] >= 0).all()
    assert (distance[~found.flagged] <= 0).all()
    assert (distance == 0).any() == isinstance(estimator, TreeRank)
    assert found.precision is not None
    assert found.precision.low < (FRESH.y[found.flagged] > 0).mean() < found.precision.high + 0.05
    assert model.select(FRESH.X[:20]).flagged.all()
    with pytest.raises(ExportError, match="A budget is a number of rows of a batch"):
        model.program()


@pytest.mark.parametrize("goal", [{"precision": 0.8}, {"budget": 25}], ids=str)
def test_a_stored_model_selects_the_same_rows(goal: dict[str, Any], tmp_path: Path) -> None:
    model = BestInstances(FOREST, **goal, random_state=0).fit(SAMPLE.X, SAMPLE.y)
    save_model(model, tmp_path / "model.rankforest")
    again = load_model(tmp_path / "model.rankforest")
    assert again.get_params()["precision"] == goal.get("precision")
    assert again.n_held_out_ == 180
    first, second = (str(each.select(FRESH.X)) for each in (model, again))
    assert first == second
    np.testing.assert_array_equal(model.select(FRESH.X).flagged, again.select(FRESH.X).flagged)
    np.testing.assert_array_equal(model.flag(FRESH.X), again.flag(FRESH.X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"precision": 0.8, "budget": 5}, r"^precision=0\.8 and budget=5 are different goals; give one of them\.$"),
        ({"precision": 1}, r"^precision is 1; give the least share of positives among the flagged rows, in \(0, 1\)"),
        ({"budget": 0}, "^budget is 0; give a whole number of at least 1"),
        ({"budget": 2.5}, r"^budget is 2\.5; give a whole number of at least 1"),
        ({"precision": 0.8, "held_out": 0}, r"^held_out is 0; give the share of the rows to hold out, in \(0, 1\]"),
        ({"precision": 0.8, "held_out": 1}, "^held_out is 1, which leaves no row to fit the LogisticRegression"),
        ({"precision": 0.8, "confidence": 95}, "^confidence must lie between 0 and 1"),
        ({"precision": 0.99}, "^With 15 held-out rows no row can be flagged at a precision of 0.99; at least 99 are"),
        ({"precision": 0.8, "held_out": 0.99}, "^The 1 rows that are not held out have one label only"),
    ],
)
def test_wrong_parameters(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BestInstances(LogisticRegression(), **options).fit(SAMPLE.X[:50], SAMPLE.y[:50])


def test_select_needs_a_goal_of_a_batch() -> None:
    model = BestInstances(LogisticRegression(), top=0.2, cv=2).fit(SAMPLE.X, SAMPLE.y)
    with pytest.raises(ValueError, match=r"^select needs a precision or a budget; with top, flag"):
        model.select(FRESH.X)


HELD_OUT = "rows are held out by number, and a row of weight 2 is not two rows"
BATCH = "the best rows of a batch depend on the batch"
WEIGHTS = dict.fromkeys([f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")], HELD_OUT)
ROWS_TOGETHER = dict.fromkeys(["check_methods_subset_invariance", "check_classifiers_train"], BATCH)


@parametrize_with_checks(
    [BestInstances(LogisticRegression(), precision=0.5), BestInstances(LogisticRegression(), budget=5)],
    expected_failed_checks=lambda model: WEIGHTS if model.budget is None else WEIGHTS | ROWS_TOGETHER,
)
def test_checks_of_scikit_learn(estimator: BestInstances, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No threshold has a precision")
        check(estimator)
