"""RankBoost as an estimator."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.metrics import roc_auc_score

from rankforest import EarlyStopping, RankBoost, TreeRank, progress
from rankforest.boosting.kinds import POOL
from rankforest.data import simulate
from rankforest.interpret import permutation_importance
from rankforest.metrics import roc_auc


@pytest.fixture(scope="module")
def rf20() -> tuple[simulate.Simulated, simulate.Simulated]:
    return simulate.rf20(600, random_state=0), simulate.rf20(3000, random_state=1)


@pytest.fixture(scope="module")
def fitted(rf20: Any) -> RankBoost:
    return RankBoost(200, n_folds=4, random_state=0).fit(rf20[0].X, rf20[0].y)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    age, city = rng.normal(50, 10, 300), rng.choice(["Lyon", "Paris", "Nice", "Lille"], 300)
    grade = rng.integers(1, 6, 300)
    signal = (age - 50) / 10 + np.where(np.isin(city, ["Lyon", "Nice"]), 1.0, -1.0) + (grade == 3) * 2.0
    y = np.where(signal + 0.5 * rng.normal(size=300) > 0.5, "bad", "good")
    frame = pd.DataFrame({"age": age, "city": city, "grade": grade})
    for column in ["age", "city"]:
        frame.loc[rng.random(300) < 0.1, column] = None
    return frame, y


def test_better_than_one_tree_and_level_with_another_booster(rf20: Any, fitted: RankBoost) -> None:
    train, test = rf20
    ours = roc_auc_score(test.y, fitted.score_samples(test.X))
    tree = TreeRank(random_state=0).fit(train.X, train.y)
    assert ours > roc_auc_score(test.y, tree.score_samples(test.X)) + 0.03
    peer = GradientBoostingClassifier(subsample=0.7, random_state=0).fit(train.X, train.y)
    assert ours > roc_auc_score(test.y, peer.predict_proba(test.X)[:, 1]) - 0.01
    assert abs(fitted.held_out_auc_ - ours) < 0.04


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_losses_over_pairs_rank_as_well(rf20: Any, fitted: RankBoost, loss: str) -> None:
    train, test = rf20
    model = RankBoost(200, loss=loss, max_leaf_nodes=8, cuts="best", n_folds=4, random_state=0).fit(train.X, train.y)
    ours = roc_auc_score(test.y, fitted.score_samples(test.X))
    assert roc_auc_score(test.y, model.score_samples(test.X)) == pytest.approx(ours, abs=0.015)


def test_scores(rf20: Any, fitted: RankBoost) -> None:
    X = rf20[1].X
    scores, margin = fitted.score_samples(X), fitted.margin(X)
    assert ((scores > 0) & (scores < 1)).all()
    np.testing.assert_array_equal(np.argsort(scores, kind="stable"), np.argsort(margin, kind="stable"))
    np.testing.assert_array_equal(fitted.rank(X), rankdata(-scores))
    np.testing.assert_array_equal(fitted.score_coded(X), scores)
    proba = fitted.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (np.diff(proba[np.argsort(scores), 1]) >= 0).all()
    assert np.mean(fitted.predict(X) == rf20[1].y) > 0.6
    share = pd.Series(rf20[1].y).groupby(pd.cut(proba[:, 1], [0, 0.3, 0.5, 0.7, 1.0]), observed=True).mean()
    assert (share.diff().dropna() > 0).all()


def test_staged_scores_end_at_the_score(rf20: Any, fitted: RankBoost) -> None:
    X = rf20[1].X[:50]
    stages = list(fitted.staged_score_samples(X))
    assert len(stages) == fitted.n_iter_
    np.testing.assert_allclose(stages[-1], fitted.score_samples(X), rtol=1e-9)
    assert not np.allclose(stages[0], stages[-1])


def test_held_out_figures(rf20: Any, fitted: RankBoost) -> None:
    y = rf20[0].y
    assert fitted.held_out_scores_.shape == (600,)
    assert fitted.held_out_auc_ == pytest.approx(roc_auc_score(y, fitted.held_out_scores_))
    assert fitted.trials_[0].n_rounds == int(np.argmax(fitted.validation_curve_)) + 1
    assert fitted.n_iter_ == max(trial.n_rounds for trial in fitted.trials_ if trial.weight > 0)
    assert roc_auc_score(y, fitted.score_samples(rf20[0].X)) > fitted.held_out_auc_  # these rows were learned from


@pytest.mark.parametrize("kind", ["pandas category", "polars"])
def test_frames_with_categories_and_holes(mixed: tuple[pd.DataFrame, np.ndarray], kind: str) -> None:
    frame, y = mixed
    other = pl.from_pandas(frame) if kind == "polars" else frame.assign(city=frame["city"].astype("category"))
    models = [
        RankBoost(60, n_folds=4, categorical_features=["grade"], pos_label="bad", random_state=0).fit(X, y)
        for X in (frame, other)
    ]
    np.testing.assert_array_equal(models[0].score_samples(other), models[1].score_samples(frame))
    assert models[0].held_out_auc_ > 0.9
    assert roc_auc(y, models[0].score_samples(frame), pos_label="bad") > 0.93
    assert list(models[1].feature_names_in_) == ["age", "city", "grade"]
    assert list(models[0].classes_) == ["bad", "good"]
    assert np.mean(models[0].predict(frame) == y) > 0.8
    unseen, missing = frame.head(50).assign(city="Rome"), frame.head(50).assign(city=None)
    missing["city"] = missing["city"].astype(frame["city"].dtype)
    np.testing.assert_array_equal(models[0].score_samples(unseen), models[0].score_samples(missing))


def test_missing_values_can_be_the_signal() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    X[(y == 1) & (rng.random(400) < 0.8), 1] = np.nan
    model = RankBoost(50, random_state=0).fit(X, y)
    assert model.held_out_auc_ > 0.85
    assert model.feature_importances_.argmax() == 1


def test_importance() -> None:
    train = simulate.rf10_sparse(600, random_state=0)
    model = RankBoost(100, n_folds=3, random_state=0).fit(train.X, train.y)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_[:4].min() > model.feature_importances_[4:].max()
    shuffled = permutation_importance(model, train.X, train.y, n_repeats=1, random_state=0)
    assert set(np.argsort(-shuffled.mean)[:4]) == {0, 1, 2, 3}


def test_weights(rf20: Any) -> None:
    train = rf20[0]
    w = np.random.default_rng(0).random(600) * (np.arange(600) % 3 > 0)
    model = RankBoost(40, n_folds=3, random_state=0).fit(train.X, train.y, sample_weight=w)
    assert np.isnan(model.held_out_scores_).sum() == (w == 0).sum()
    kept = w > 0
    other = RankBoost(40, n_folds=3, random_state=0).fit(train.X[kept], train.y[kept], sample_weight=4 * w[kept])
    np.testing.assert_allclose(model.score_samples(train.X), other.score_samples(train.X), rtol=1e-9)


def test_one_row_of_a_class_and_few_rows() -> None:
    X = np.arange(12.0)[:, None]
    model = RankBoost(random_state=0, min_samples_leaf=1).fit(X, np.arange(12) == 11)
    assert model.n_iter_ == 100
    assert model.score_samples(X).argmax() == 11
    few = RankBoost(random_state=0).fit(X, np.arange(12) >= 9)
    assert few.team_.members[0].trees.n_boosters == 3 * 3  # folds, as many as the rarer class has rows, three times
    twice = RankBoost(random_state=0, n_folds=(5, 2)).fit(X, np.arange(12) >= 9)
    assert twice.team_.members[0].trees.n_boosters == 3 * 2


def test_threads_seeds_and_storage(rf20: Any, fitted: RankBoost) -> None:
    train, test = rf20
    again = clone(fitted).set_params(n_jobs=2).fit(train.X, train.y)
    np.testing.assert_array_equal(again.score_samples(test.X), fitted.score_samples(test.X))
    stored = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(stored.score_samples(test.X), fitted.score_samples(test.X))
    np.testing.assert_array_equal(stored.predict_proba(test.X), fitted.predict_proba(test.X))


def test_progress(rf20: Any) -> None:
    told: list[tuple[int, int]] = []
    with progress(lambda *figures: told.append(figures)):
        RankBoost(40, n_folds=2, random_state=0).fit(rf20[0].X, rf20[0].y)
    assert told == [(r, 40 * len(POOL)) for r in range(1, 40 * len(POOL) + 1)]

    def stop(done: int, total: int) -> None:
        raise RuntimeError("enough")

    model = RankBoost(40, n_folds=2)
    with progress(stop), pytest.raises(RuntimeError, match="enough"):
        model.fit(rf20[0].X, rf20[0].y)
    assert not hasattr(model, "team_")


def test_a_second_fit_forgets_the_first(rf20: Any) -> None:
    train = rf20[0]
    model = RankBoost(20, random_state=0).fit(train.X, train.y)
    assert hasattr(model, "held_out_auc_")
    model.set_params(n_folds=None).fit(train.X, train.y)
    assert not hasattr(model, "held_out_auc_")
    assert not hasattr(model, "validation_curve_")
    assert model.n_iter_ == 20


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0; give a whole number of at least 1."),
        ({"loss": "hinge"}, "loss is 'hinge'; choose one of 'logistic', 'exponential', 'log_loss'."),
        ({"learning_rate": 0.0}, "learning_rate is 0.0; give a number above 0 and at most 1."),
        ({"subsample": 1.5}, "subsample is 1.5; give a number above 0 and at most 1."),
        ({"l2": -1}, "l2 is -1; give a number of at least 0."),
        ({"l2": "big"}, "l2 is 'big'; give a number of at least 0."),
        ({"cuts": "good"}, "cuts is 'good'; choose one of 'best', 'random'."),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1; give a whole number of at least 2."),
        ({"min_samples_leaf": 0}, "min_samples_leaf is 0; give a whole number of at least 1."),
        ({"max_features": 0}, "max_features is 0; give None, 'sqrt', 'log2'"),
        ({"n_folds": 1}, "n_folds is 1; give a whole number of at least 2."),
        ({"n_folds": "all"}, "n_folds is 'all'; give 'auto', None, a number of folds"),
        ({"n_folds": (1, 3)}, "The first number of n_folds is 1; give a whole number of at least 2."),
        ({"n_folds": (5, 0)}, "The second number of n_folds is 0; give a whole number of at least 1."),
        (
            {"n_folds": (5, 1, 1)},
            "n_folds is (5, 1, 1); give 'auto', None, a number of folds, or a pair (folds, repeats).",
        ),
        ({"n_folds": EarlyStopping(n_iter_no_change=0)}, "n_iter_no_change is 0; give a whole number of at least 1."),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        RankBoost(**parameters).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
