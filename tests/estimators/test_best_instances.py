"""BestInstances: the flagged share of fresh rows is the rate that was asked for."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import BestInstances, LeafRank, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.estimators.best_instances import TIES, _threshold
from rankforest.metrics import recall_at

FRESH = simulate.rf20(4000, random_state=999)
FOREST = RankingForest(25, splitter=LeafRank(max_depth=4, max_features="sqrt"), max_depth=4, random_state=0)


class Points(ClassifierMixin, BaseEstimator):
    """A score card: few points, and nothing to learn."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> Points:
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        return np.round(X[:, :4].sum(axis=1) / 2)


@pytest.mark.parametrize(
    ("estimator", "ties", "rate"),
    [
        (FOREST, "nearest", 0.1),
        (LogisticRegression(solver="liblinear"), "nearest", 0.05),
        (TreeRank(LeafRank(max_depth=3), max_depth=4), "nearest", 0.2),
        (Points(), "random", 0.2),
    ],
    ids=["out of bag", "cross-validated", "strata", "points"],
)
def test_the_share_of_fresh_rows_is_the_rate(estimator: object, ties: str, rate: float) -> None:
    """200 samples: the mean share is within .01 of the rate."""
    shares = []
    for seed in range(200):
        sample, fresh = simulate.rf20(400, random_state=seed), simulate.rf20(1000, random_state=1000 + seed)
        model = BestInstances(estimator, rate=rate, ties=ties, random_state=seed).fit(sample.X, sample.y)
        shares.append(model.flag(fresh.X).mean())
    assert np.mean(shares) == pytest.approx(rate, abs=0.01)
    assert np.std(shares) > 0


def test_quantiles_of_training_scores_and_of_raw_out_of_bag_scores_would_flag_too_few() -> None:
    """The first are too sure, the second are means over a third of the trees."""
    sample = simulate.rf20(300, random_state=0)
    model = BestInstances(FOREST, rate=0.1).fit(sample.X, sample.y)
    forest = model.estimator_
    fresh = forest.score_samples(FRESH.X)
    for scores in (forest.score_samples(sample.X), forest.oob_scores_):
        assert (fresh > np.nanquantile(scores, 0.9)).mean() < 0.075 < model.flag(FRESH.X).mean()


@pytest.mark.parametrize("ties", TIES)
def test_ties_at_the_threshold(ties: str) -> None:
    """Five rows score 3, ten score 2, twenty score 1: the quantile of 20% is among those that score 2."""
    scores, mass = np.repeat([3.0, 2.0, 1.0], [5, 10, 20]), np.ones(35)
    threshold, tie_score, chance = _threshold(scores, mass, 0.2, ties)
    expected = {"nearest": 5, "exclude": 5, "include": 15, "random": 5}[ties]
    assert (scores > threshold).sum() == expected
    assert tie_score == 2.0
    assert chance == pytest.approx(0.2 if ties == "random" else 0.0)  # 7 = 5 + 10 * .2
    # nearer to the larger group
    assert (scores > _threshold(scores, mass, 0.4, ties)[0]).sum() == {"nearest": 15}.get(ties, expected)


def test_the_threshold_against_the_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        n = int(rng.integers(1, 12))
        scores = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else rng.normal(size=n)
        mass, rate = rng.integers(1, 4, n).astype(float), float(rng.uniform(0.01, 0.99))
        shares = {float(t): float(mass[scores > t].sum() / mass.sum()) for t in [-np.inf, *scores, np.inf]}
        possible = sorted(set(shares.values()))
        below, above = max(s for s in possible if s <= rate), min(s for s in possible if s >= rate)
        for ties, wanted in (("include", above), ("exclude", below)):
            threshold = _threshold(scores, mass, rate, ties)[0]
            assert mass[scores > threshold].sum() / mass.sum() == pytest.approx(wanted)
        nearest = _threshold(scores, mass, rate, "nearest")[0]
        found = mass[scores > nearest].sum() / mass.sum()
        assert abs(found - rate) == pytest.approx(min(abs(below - rate), abs(above - rate)))
        threshold, tie_score, chance = _threshold(scores, mass, rate, "random")
        expected = mass[scores > threshold].sum() + chance * mass[scores == tie_score].sum()
        assert expected / mass.sum() == pytest.approx(rate)


def test_random_ties_are_drawn_in_proportion() -> None:
    sample = simulate.rf20(300, random_state=0)
    model = BestInstances(Points(), rate=0.2, ties="random", random_state=0).fit(sample.X, sample.y)
    assert 0 < model.tie_chance_ < 1
    tied = model.score_rows(FRESH.X) == model.tie_score_
    assert model.flag(FRESH.X)[tied].mean() == pytest.approx(model.tie_chance_, abs=0.05)
    assert model.rate_ == pytest.approx(0.2)


def test_what_is_known_of_the_flagged_rows() -> None:
    sample = simulate.rf20(500, random_state=1)
    model = BestInstances(FOREST, rate=0.2).fit(sample.X, sample.y)
    scores = model.estimator_.oob_scores_as_of_fresh_rows()
    known = ~np.isnan(scores)
    assert model.held_out_ == "out-of-bag"
    assert model.rate_ == pytest.approx(0.2, abs=0.01)
    assert model.recall_ == pytest.approx(recall_at(sample.y[known], scores[known], 0.2), abs=0.01)
    flagged = scores[known] > model.threshold_
    assert model.precision_ == pytest.approx((sample.y[known][flagged] > 0).mean())


def test_models_of_all_kinds() -> None:
    sample = simulate.rf20(600, random_state=2)
    y = np.where(sample.y > 0, "bad", "good")  # the label to look for is the smaller one
    frame = pd.DataFrame(sample.X).add_prefix("x")
    for estimator, held_out in (
        (FOREST, "out-of-bag"),
        (RandomForestClassifier(30, oob_score=True, random_state=0), "cross-validation"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "cross-validation"),
    ):
        model = BestInstances(estimator, rate=0.2, cv=5, pos_label="bad", random_state=0).fit(frame, y)
        assert model.held_out_ == held_out
        fresh = pd.DataFrame(FRESH.X).add_prefix("x")
        predicted = model.predict(fresh)
        assert (predicted == "bad").mean() == pytest.approx(0.2, abs=0.06)
        assert (FRESH.y[predicted == "bad"] > 0).mean() > (FRESH.y > 0).mean() + 0.1
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.flag(fresh), model.flag(fresh))


def test_weights_are_shares_of_weight() -> None:
    sample = simulate.rf20(400, random_state=3)
    weight = np.where(sample.X[:, 0] > 0, 5.0, 1.0)
    model = BestInstances(LogisticRegression(), rate=0.1, random_state=0).fit(sample.X, sample.y, weight)
    flagged = model.flag(FRESH.X)
    of_fresh = np.where(FRESH.X[:, 0] > 0, 5.0, 1.0)
    assert of_fresh[flagged].sum() / of_fresh.sum() == pytest.approx(0.1, abs=0.04)


def test_folds_that_leave_rows_out_and_forests_that_leave_none() -> None:
    """Rows that were never held out say nothing of the threshold; where none was, there is none."""
    sample = simulate.rf20(200, random_state=5)
    train, test = np.arange(100), np.arange(100, 200)
    model = BestInstances(LogisticRegression(), rate=0.2, cv=[(train, test)]).fit(sample.X, sample.y)
    scores = LogisticRegression().fit(sample.X[train], sample.y[train]).decision_function(sample.X[test])
    assert (scores > model.threshold_).sum() == 20
    assert model.rate_ == pytest.approx(0.2)
    with pytest.raises(ValueError, match="No row of one class was held out"):
        BestInstances(LogisticRegression(), cv=[(train, test[sample.y[test] > 0])]).fit(sample.X, sample.y)


def test_without_an_estimator_a_forest_for_the_top() -> None:
    sample = simulate.rf20(150, random_state=4)
    model = BestInstances(rate=0.1, random_state=0).fit(sample.X, sample.y)
    assert model.estimator_.top == 0.1
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0}, r"^rate is 0; give the share of the rows to flag, in \(0, 1\)\.$"),
        ({"rate": "10%"}, "^rate is '10%'; give the share"),
        ({"ties": "share"}, "^ties is 'share'; choose one of 'nearest', 'include', 'exclude', 'random'"),
        ({"cv": 1}, "^cv is 1; give a whole number of at least 2"),
        ({"pos_label": 7}, "7"),
    ],
)
def test_wrong_parameters(options: dict[str, object], message: str) -> None:
    sample = simulate.rf20(50, random_state=0)
    with pytest.raises(ValueError, match=message):
        BestInstances(FOREST, **options).fit(sample.X, sample.y)  # type: ignore[arg-type]


@parametrize_with_checks([BestInstances(LogisticRegression(), rate=0.5)])
def test_checks_of_scikit_learn(estimator: BestInstances, check: object) -> None:
    check(estimator)  # type: ignore[operator]
