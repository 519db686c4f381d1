"""The consensus of a forest and of boosting as an estimator."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from rankforest import LeafRank, RankBoost, RankConsensus, RankingForest, TreeRank, progress
from rankforest.data import simulate
from rankforest.estimators import rank_consensus
from rankforest.estimators._consensus_weights import _errors_of_differences, best_weights
from rankforest.forest.complexity import FINE, RANDOM, RANDOM_FINE, Candidate
from rankforest.metrics import local_auc
from rankforest.storage import load_model, save_model


def small(**given: Any) -> RankConsensus:
    return RankConsensus(RankingForest(60), RankBoost(80, n_folds=(4, 1)), random_state=0, **given)


@pytest.fixture(scope="module")
def rf20() -> tuple[simulate.Simulated, simulate.Simulated]:
    return simulate.rf20(600, random_state=2), simulate.rf20(3000, random_state=1)


@pytest.fixture(scope="module")
def fitted(rf20: Any) -> RankConsensus:
    return small().fit(rf20[0].X, rf20[0].y)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    age, city = rng.normal(50, 10, 300), rng.choice(["Lyon", "Paris", "Nice"], 300).astype(object)
    signal = (age - 50) / 10 + np.where(city == "Lyon", 1.0, -1.0)
    frame = pd.DataFrame({"age": age, "city": city})
    frame.loc[rng.random(300) < 0.1, "age"] = np.nan
    frame.loc[rng.random(300) < 0.1, "city"] = None
    return frame, np.where(signal + 0.5 * rng.normal(size=300) > 0, "bad", "good")


def standardised(margins: np.ndarray, known: np.ndarray) -> np.ndarray:
    known = known[~np.isnan(known)]
    return (margins - known.mean()) / known.std()


def test_the_score_is_the_weighted_mean_of_the_members(rf20: Any, fitted: RankConsensus) -> None:
    X = rf20[1].X
    forest = standardised(fitted.forest_.score_samples(X), fitted.forest_.oob_scores_)
    booster = standardised(fitted.booster_.margin(X), fitted.booster_.team_.held_out)
    np.testing.assert_allclose(
        fitted.margin(X), fitted.weights_[0] * forest + fitted.weights_[1] * booster, rtol=1e-9, atol=1e-12
    )
    scores = fitted.score_samples(X)
    assert ((scores > 0) & (scores < 1)).all()
    np.testing.assert_array_equal(np.argsort(scores, kind="stable"), np.argsort(fitted.margin(X), kind="stable"))
    np.testing.assert_array_equal(fitted.rank(X), rankdata(-scores))
    np.testing.assert_array_equal(fitted.score_coded(X), scores)


def test_members_are_those_fitted_alone(rf20: Any, fitted: RankConsensus) -> None:
    """Sharing the bins changes nothing: with the same seed the members are the same models."""
    train, test = rf20
    forest = RankingForest(60, random_state=0).fit(train.X, train.y)
    booster = RankBoost(80, n_folds=(4, 1), random_state=0).fit(train.X, train.y)
    np.testing.assert_array_equal(forest.score_samples(test.X), fitted.forest_.score_samples(test.X))
    np.testing.assert_array_equal(booster.score_samples(test.X), fitted.booster_.score_samples(test.X))


def test_ranks_as_well_as_the_better_member(rf20: Any, fitted: RankConsensus) -> None:
    test = rf20[1]
    aucs = [
        roc_auc_score(test.y, model.score_samples(test.X))
        for model in (fitted, fitted.forest_, fitted.booster_, TreeRank(random_state=0).fit(rf20[0].X, rf20[0].y))
    ]
    assert aucs[0] > max(aucs[1:3]) - 0.003
    assert aucs[0] > aucs[3] + 0.03
    assert abs(fitted.held_out_auc_ - aucs[0]) < 0.04


def held_out_margins(model: RankConsensus) -> tuple[np.ndarray, np.ndarray]:
    forest, booster = model.forest_.oob_scores_, model.booster_.team_.held_out
    return standardised(forest, forest), standardised(booster, booster)


def error_of_difference(y: np.ndarray, one: np.ndarray, other: np.ndarray) -> float:
    """DeLong's standard error of a difference of two AUCs, by all pairs."""

    def pairs(scores: np.ndarray) -> np.ndarray:
        gaps = scores[y == 1][:, None] - scores[y != 1][None, :]
        return (gaps > 0) + 0.5 * (gaps == 0)

    lead = pairs(one) - pairs(other)
    return np.sqrt(sum(np.var(lead.mean(axis=k), ddof=1) / lead.shape[1 - k] for k in (0, 1)))


def nearest_to_usual(y: np.ndarray, forest: np.ndarray, booster: np.ndarray, figure: Any = roc_auc_score) -> float:
    """The weight of the booster nearest to .8 that is not clearly worse than the best."""
    mixed = {share: (1 - share) * forest + share * booster for share in np.linspace(0, 1, 11)}
    found = {share: figure(y, margin) for share, margin in mixed.items()}
    best = max(found, key=lambda share: found[share])
    reach = {share: max(2e-4, 0.5 * error_of_difference(y, mixed[best], mixed[share])) for share in mixed}
    close = [share for share in mixed if found[share] >= found[best] - reach[share]]
    return min(close, key=lambda share: abs(share - 0.8))


def test_weights_are_the_usual_ones_unless_others_are_better(rf20: Any, fitted: RankConsensus) -> None:
    assert fitted.weights_[1] == pytest.approx(nearest_to_usual(rf20[0].y, *held_out_margins(fitted)))
    assert fitted.weights_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(6))
def test_weights_of_two_noisy_margins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = (rng.random(300) < 0.3).astype(int)
    forest, booster = (standardised(m, m) for m in labels + rng.normal(0, (0.5 + seed / 4, 1.0), (300, 2)).T)
    found = best_weights([forest, booster], labels, None, [1.0])
    assert found[1] == pytest.approx(nearest_to_usual(labels, forest, booster))


@pytest.mark.parametrize(("n", "weight"), [(60, 0.8), (40_000, 1.0)])
def test_a_useless_member_is_dropped_if_there_are_rows_enough_to_know(n: int, weight: float) -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(n) % 2
    booster = labels + rng.normal(size=n)
    forest = booster + rng.normal(0, 2, n)  # a noisy copy
    assert best_weights([standardised(m, m) for m in (forest, booster)], labels, None, [1.0])[1] == weight


def test_blocks_and_weights_of_rows_count_in_the_errors() -> None:
    """Rows twice, or with the weight 2 in one of two equal blocks, are the same rows."""
    rng = np.random.default_rng(0)
    labels = (rng.random(200) < 0.5).astype(int)
    margins = [labels + rng.normal(0, spread, 200) for spread in (2.0, 1.0)]
    once = best_weights(margins, labels, None, [1.0])
    blocks = np.repeat([0, 1], 200)
    both = best_weights([np.tile(m, 2) for m in margins], np.tile(labels, 2), np.repeat([1.0, 2.0], 200), [1.0], blocks)
    known = _errors_of_differences(labels, np.array(margins), None, [np.arange(200)])
    halves = [np.arange(200), np.arange(200, 400)]
    pair = _errors_of_differences(np.tile(labels, 2), np.tile(np.array(margins), 2), np.repeat([1.0, 2.0], 200), halves)
    np.testing.assert_allclose(pair, known / np.sqrt(2))
    assert known[0, 1] == pytest.approx(error_of_difference(labels, *margins))
    assert both.sum() == once.sum() == pytest.approx(1.0)


def test_a_member_that_adds_nothing_is_dropped(rf20: Any, tmp_path: Path) -> None:
    train, test = rf20
    noise = RankingForest(5, splitter=LeafRank(max_depth=1), max_depth=1)
    model = RankConsensus(noise, RankBoost(60, n_folds=(4, 1)), random_state=0).fit(train.X, train.y)
    np.testing.assert_array_equal(model.weights_, [0.0, 1.0])
    assert model.forest_ is None
    assert model.kept_rows() is None
    assert model.voters() is None
    assert model.figures()["trees"] == 0
    alone = RankBoost(60, n_folds=(4, 1), random_state=0).fit(train.X, train.y)
    np.testing.assert_array_equal(model.rank(test.X), alone.rank(test.X))
    assert model.held_out_auc_ == pytest.approx(alone.held_out_auc_)
    np.testing.assert_allclose(model.feature_importances_, alone.feature_importances_)
    save_model(model, tmp_path / "model.rf")
    again = load_model(tmp_path / "model.rf")
    assert again.forest_ is None
    np.testing.assert_array_equal(again.score_samples(test.X), model.score_samples(test.X))
    assert "boosting" in str(model.summary())


def test_the_default_forest_is_small_at_first(rf20: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rank_consensus, "_TREES_OF_MANY", 12)
    monkeypatch.setattr(rank_consensus, "_TREES", 24)
    train = rf20[0]
    booster = RankBoost(60, n_folds=(4, 1))
    both = RankConsensus(booster=booster, random_state=0).fit(train.X, train.y)
    assert len(both.forest_.trees_) == 24
    assert both.forest_.get_params()["warm_start"] is False
    forest_alone = RankConsensus(booster=booster, weights=(1, 0), random_state=0).fit(train.X, train.y)
    assert len(forest_alone.forest_.trees_) == 24
    monkeypatch.setattr(rank_consensus, "_FEW_ROWS", 599)
    forest_of_many = RankConsensus(booster=booster, weights=(1, 0), random_state=0).fit(train.X, train.y)
    assert len(forest_of_many.forest_.trees_) == 12


@pytest.mark.parametrize(("leaves", "kind"), [(16, RANDOM), (64, RANDOM_FINE), (None, RANDOM_FINE)])
def test_the_default_forest_is_fine_beside_fine_trees(rf20: Any, leaves: int | None, kind: Candidate) -> None:
    train = rf20[0]
    booster = RankBoost(20, max_leaf_nodes=leaves, n_folds=(3, 1))
    forest = RankConsensus(booster=booster, weights=(1, 1), random_state=0).fit(train.X, train.y).forest_
    assert str(forest.splitter) == str(kind.rule)
    assert forest.trials_ == []  # no other kind is tried
    alone = RankingForest(80, splitter=kind.rule, max_depth=kind.max_depth, random_state=0).fit(train.X, train.y)
    np.testing.assert_array_equal(forest.score_samples(train.X), alone.score_samples(train.X))


@pytest.mark.parametrize("useful", [True, False])
def test_on_a_large_table_six_trees_tell_whether_there_is_a_forest(
    rf20: Any, useful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = rf20[0]
    monkeypatch.setattr(rank_consensus, "MANY_ROWS", 500)
    grown = []

    def weigh(self: RankConsensus, standard: Any, *_: Any) -> np.ndarray:
        grown.append(np.isnan(standard[0]).mean())  # rows that no tree left out
        return np.array([0.5, 0.5]) if useful else np.array([0.0, 1.0])

    monkeypatch.setattr(RankConsensus, "_weigh", weigh)
    booster = RankBoost(20, n_folds=(3, 1))
    model = RankConsensus(booster=booster, random_state=0).fit(train.X, train.y)
    assert 0.02 < grown[0] < 0.13  # (1 - 1/e)^6 is .064
    if useful:
        assert grown[1:] == [0.0]
        assert len(model.forest_.trees_) == 40
        assert str(model.forest_.splitter) == str(FINE.rule)  # no other kind is tried
        assert model.forest_.trials_ == []
        assert {grove.growth.max_depth for grove in model.forest_._groves} == {FINE.max_depth}
        at_once = RankingForest(40, splitter=FINE.rule, max_depth=FINE.max_depth, random_state=0)
        at_once.fit(train.X, train.y)
        np.testing.assert_array_equal(model.forest_.oob_scores_, at_once.oob_scores_)
        given = RankConsensus(RankingForest(10), booster, random_state=0).fit(train.X, train.y)
        assert len(given.forest_.trees_) == 10
        assert len(grown) == 3  # a forest that is given is grown at once
    else:
        assert len(grown) == 1
        assert model.forest_ is None
        alone = clone(booster).set_params(random_state=0).fit(train.X, train.y)
        np.testing.assert_array_equal(model.rank(train.X), alone.rank(train.X))


def test_a_forest_that_helps_on_a_large_table_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of few customers, whom fine trees recognise and smooth boosting does not."""
    monkeypatch.setattr(rank_consensus, "MANY_ROWS", 500)
    rng = np.random.default_rng(1)
    of_customer, y_of_customer = rng.normal(size=(250, 6)), rng.random(250) < 0.4
    customer = rng.integers(0, 250, 2400)
    X = of_customer[customer] + 0.01 * rng.normal(size=(2400, 6))
    y = np.where(rng.random(2400) < 0.15, rng.random(2400) < 0.4, y_of_customer[customer]).astype(int)
    booster = RankBoost(60, max_leaf_nodes=4, n_folds=(3, 1))
    model = RankConsensus(booster=booster, random_state=0).fit(X[:1200], y[:1200])
    assert len(model.forest_.trees_) == 40
    alone = clone(booster).fit(X[:1200], y[:1200])
    assert roc_auc_score(y[1200:], model.score_samples(X[1200:])) > roc_auc_score(
        y[1200:], alone.score_samples(X[1200:])
    )


def test_weights_that_are_given(rf20: Any) -> None:
    train, test = rf20
    forest_alone = small(weights=(2, 0)).fit(train.X, train.y)
    np.testing.assert_array_equal(forest_alone.weights_, [1.0, 0.0])
    np.testing.assert_array_equal(forest_alone.rank(test.X), forest_alone.forest_.rank(test.X))
    assert forest_alone.booster_ is None


def test_held_out_figures(rf20: Any, fitted: RankConsensus) -> None:
    train = rf20[0]
    scores = fitted.held_out_scores_
    assert scores.shape == (600,)
    assert fitted.held_out_auc_ == pytest.approx(roc_auc_score(train.y, scores))
    assert roc_auc_score(train.y, fitted.score_samples(train.X)) > fitted.held_out_auc_


def test_probabilities(rf20: Any, fitted: RankConsensus) -> None:
    test = rf20[1]
    scores, proba = fitted.score_samples(test.X), fitted.predict_proba(test.X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (np.diff(proba[np.argsort(scores), 1]) >= 0).all()
    share = pd.Series(test.y).groupby(pd.cut(proba[:, 1], [0, 0.3, 0.5, 0.7, 1.0]), observed=True).mean()
    assert (share.diff().dropna() > 0).all()
    assert fitted.feature_importances_.sum() == pytest.approx(1.0)


def test_the_top_of_the_list(rf20: Any) -> None:
    train, test = rf20
    model = small(top=0.1).fit(train.X, train.y)
    assert model.forest_.top == 0.1
    forest, booster = held_out_margins(model)

    def both(y: np.ndarray, margin: np.ndarray) -> float:
        return roc_auc_score(y, margin) + local_auc(y, margin, 0.1)

    assert model.weights_[1] == pytest.approx(nearest_to_usual(train.y, forest, booster, both))
    assert roc_auc_score(test.y, model.score_samples(test.X)) > 0.7


def test_frames_labels_and_rows_of_no_weight(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = mixed
    w = (np.arange(300) % 3 > 0).astype(float)
    model = small(weights=(1, 1), pos_label="bad", categorical_features=["city"]).fit(frame, y, sample_weight=w)
    assert model.pos_label_ == "bad"
    assert model.forest_.pos_label_ == model.booster_.pos_label_ == "bad"
    assert list(model.classes_) == ["bad", "good"]
    assert np.isnan(model.held_out_scores_).sum() == (w == 0).sum()
    assert roc_auc_score(y == "bad", model.score_samples(frame)) > 0.9
    assert np.mean(model.predict(frame) == y) > 0.8
    unseen, missing = frame.assign(city="Rome"), frame.assign(city=None)
    missing["city"] = missing["city"].astype(frame["city"].dtype)
    np.testing.assert_array_equal(model.score_samples(unseen), model.score_samples(missing))


def test_threads_pickles_and_clones(rf20: Any, fitted: RankConsensus) -> None:
    train, X = rf20[0], rf20[1].X[:200]
    again = clone(fitted).set_params(n_jobs=2).fit(train.X, train.y)
    np.testing.assert_array_equal(again.score_samples(X), fitted.score_samples(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), fitted.predict_proba(X))
    assert clone(fitted).get_params()["forest__n_estimators"] == 60


def test_a_class_of_one_row() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.arange(40) == 7
    model = small().fit(X, y)
    assert np.isfinite(model.score_samples(X)).all()
    assert model.rank(X)[7] <= 3


def test_progress() -> None:
    sample = simulate.rf20(200, random_state=0)
    told: list[tuple[int, int]] = []
    with progress(lambda done, total: told.append((done, total))):
        small().fit(sample.X, sample.y)
    assert [total for _, total in told] == [1000] * len(told)
    done = [d for d, _ in told]
    assert done == sorted(done)
    assert done[0] < 200 <= max(done) <= 1000


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"weights": (1, -1)}, "weights is (1, -1); give 'auto' or the weights of forest and boosting, two numbers"),
        ({"weights": "equal"}, "weights is 'equal'; give 'auto'"),
        ({"forest": RankBoost()}, "A consensus needs a RankingForest and a RankBoost, got RankBoost and"),
        ({"forest": RankingForest(monotonic_cst=[1])}, "monotonic_cst of the forest would not hold for the consensus"),
        ({"top": 0}, "top is 0"),
        ({"forest": RankingForest(splitter=LeafRank(max_bins=1))}, "LeafRank's max_bins is 1"),
        ({"booster": RankBoost(learning_rate=2)}, "learning_rate is 2"),
        ({"forest": RankingForest(0)}, "n_estimators is 0"),
    ],
)
def test_bad_parameters_are_said_before_any_work(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        RankConsensus(**given).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1])
