"""Rows are scored by models that have not seen them; training rows are recognised by their held-out scores."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankforest import LeafRank, RankBoost, RankingForest, RankScore, TreeRank, load_model, save_model
from rankforest.data import simulate
from rankforest.data.hold_out import ANY_ROWS
from rankforest.judging import held_out_if_training, judge_folds, k_folds, named_settings, tune
from rankforest.judging.held_out import take_rows
from rankforest.judging.tune import _SETTINGS
from rankforest.metrics import (
    JudgedFold,
    auc_interval,
    evaluate_folds,
    evaluate_ordinal,
    evaluate_ordinal_folds,
    roc_auc,
)

SAMPLE = simulate.rf20(240, random_state=0)


def test_the_model_of_a_fold_sees_the_other_rows_alone():
    y, weights = SAMPLE.y, np.arange(1.0, 241.0)
    folds = k_folds((y == 1).astype(np.uint8), 3, ANY_ROWS, 0)
    asked = []

    def fit(X, y, sample_weight):
        asked.append(sample_weight)
        return TreeRank(max_depth=2, size=None, random_state=0).fit(X, y, sample_weight)

    found = list(judge_folds(fit, SAMPLE.X, y, folds, {"sample_weight": weights, "groups": None}))
    for k, fold in enumerate(found):
        seen = folds.seen(k)
        assert np.array_equal(asked[k], weights[seen])
        model = TreeRank(max_depth=2, size=None, random_state=0).fit(SAMPLE.X[seen], y[seen], weights[seen])
        assert np.array_equal(fold.scores, model.score_samples(SAMPLE.X[fold.rows]))
        assert fold.pos_label == 1


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda of: np.array(of["a"])])
def test_rows_of_any_table(make):
    taken = take_rows(make({"a": [1, 2, 3, 4]}), np.array([3, 1]))
    values = taken if isinstance(taken, np.ndarray) else taken["a"].to_numpy()
    assert values.tolist() == [4, 2]


def test_means_over_folds():
    folds = [JudgedFold(SAMPLE.y[k::2], SAMPLE.eta[k::2]) for k in (0, 1)]
    found = evaluate_folds(folds, u=0.1, n_replicates=30)
    assert found.rows[0].value == pytest.approx(np.mean([roc_auc(fold.labels, fold.scores) for fold in folds]))
    assert found.rows[0].low < found.rows[0].value < found.rows[0].high
    assert (found.n_rows, found.n_positive) == (240, (SAMPLE.y == 1).sum())
    one = evaluate_folds([JudgedFold(SAMPLE.y, SAMPLE.eta)], u=0.1, n_replicates=30).rows[0]
    exact = auc_interval(SAMPLE.y, SAMPLE.eta)
    assert (one.low, one.high) == (exact.low, exact.high)
    level = np.digitize(SAMPLE.eta, [0.3, 0.6])
    guess = np.digitize(SAMPLE.X[:, 0], [0.0, 1.0])
    plain = evaluate_ordinal(level, SAMPLE.X[:, 0], guess, n_replicates=30)
    assert evaluate_ordinal_folds(
        [JudgedFold(level, SAMPLE.X[:, 0], guess)], order=[0, 1, 2], n_replicates=30
    ).rows == plain.rows  # fmt: skip


def test_the_best_setting_comes_first_and_the_default_wins_ties():
    y = SAMPLE.y
    folds = k_folds((y == 1).astype(np.uint8), 2, ANY_ROWS, 0)
    settings = {"default": {}, "the same": {"min_samples_leaf": 1}, "one cut": {"max_depth": 1}}
    trials = tune(lambda given: TreeRank(**{"max_depth": 3, "size": None, **given}), settings, SAMPLE.X, y, folds)
    assert [trial.name for trial in trials] == ["default", "the same", "one cut"]
    by_hand = [
        roc_auc(y[fold.rows], fold.scores)
        for fold in judge_folds(TreeRank(max_depth=1, size=None).fit, SAMPLE.X, y, folds)
    ]
    assert trials[-1].values.tolist() == by_hand
    assert trials[-1].error == pytest.approx(np.std(by_hand, ddof=1) / np.sqrt(2))


def test_every_named_setting_has_known_parameters():
    from rankforest.cli._kinds import kinds

    for kind, settings in _SETTINGS.items():
        assert next(iter(settings.values())) == {}  # the default comes first
        for given in settings.values():
            assert set(given) <= set(kinds()[kind]().get_params(deep=False))
    assert named_settings("tree", ["max_leaf_nodes"]) == {"as given": {}, "best order": {"size": "best"}}
    assert named_settings("consensus") == {}


@pytest.mark.parametrize(
    "fixed",
    [
        {}, {"min_samples_leaf": 3}, {"size": None}, {"size": "best"}, {"max_depth": 3}, {"max_leaf_nodes": 8},
        {"pruning": "cv"}, {"splitter": LeafRank(max_depth=2)},
    ],
    ids=str,
)  # fmt: skip
def test_settings_of_a_tree_are_trees_of_one_kind(fixed):
    """Every named setting can be fitted, has no more strata than it says, and changes the kind only if it says so."""
    X, y = SAMPLE.X[:, :4], SAMPLE.y
    default = TreeRank(**fixed).fit(X, y)
    for name, given in named_settings("tree", list(fixed)).items():
        model = TreeRank(**{**fixed, **given}).fit(X, y)
        assert model._size == ("best" if name == "best order" else default._size)
        if name.startswith("up to"):
            assert model.tree_.n_leaves <= int(name.split()[2])


@pytest.mark.parametrize(
    "model",
    [RankingForest(8, random_state=0), RankBoost(15, random_state=0), RankScore(n_estimators=30, random_state=0)],
    ids=lambda model: type(model).__name__,
)
def test_training_rows_are_recognised_by_a_stored_model(model, tmp_path):
    X, y = SAMPLE.X[:, :4], SAMPLE.y
    save_model(model.fit(X, y), tmp_path / "m")
    stored = load_model(tmp_path / "m")
    found = held_out_if_training(stored, y == 1, stored.score_samples(X))
    known = ~np.isnan(found)
    assert roc_auc(y[known], found[known]) == pytest.approx(stored.held_out_scores().auc)
    other = simulate.rf20(240, random_state=1)
    assert held_out_if_training(stored, other.y == 1, stored.score_samples(other.X[:, :4])) is None
    turned = np.argsort(-y, kind="stable")  # the same rows in another order have other held-out scores
    assert held_out_if_training(stored, y[turned] == 1, stored.score_samples(X[turned])) is None
