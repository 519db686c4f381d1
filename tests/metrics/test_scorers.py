"""Metrics of the top as scorers of scikit-learn."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankforest import TreeRank, metrics
from rankforest.data import simulate
from rankforest.metrics import RankingScorer, get_scorer, get_scorers, local_auc, local_auc_scorer, local_risk

NAMES = {
    "local_auc@0.2": lambda y, s, **k: metrics.local_auc(y, s, 0.2, **k),
    "relative_local_auc@0.2": lambda y, s, **k: metrics.relative_local_auc(y, s, 0.2, **k),
    "recall@0.2": lambda y, s, **k: metrics.recall_at(y, s, 0.2, **k),
    "hit_ratio@0.2": lambda y, s, **k: metrics.hit_ratio(y, s, 0.2, **k),
    "partial_auc@0.2": lambda y, s, **k: metrics.partial_auc(y, s, 0.2, **k),
    "w_ranking@0.2": lambda y, s, **k: metrics.w_ranking(y, s, 0.2, **k),
    "neg_local_risk@0.2": lambda y, s, **k: -metrics.local_risk(y, s, 0.2, **k),
    "neg_local_ranking_error@0.2": lambda y, s, **k: -metrics.local_ranking_error(y, s, 0.2, **k),
    "neg_mass_constrained_error@0.2": lambda y, s, **k: -metrics.mass_constrained_error(y, s, 0.2, **k),
    "roc_auc": metrics.roc_auc,
    "gini": metrics.gini,
    "average_precision": metrics.average_precision,
    "ndcg": metrics.ndcg,
    "tail_strength": metrics.tail_strength,
}


@pytest.fixture(scope="module")
def sample() -> Any:
    return simulate.rf20(240, random_state=0)


@pytest.mark.parametrize("name", NAMES)
def test_a_scorer_is_its_metric_of_the_scores(name: str, sample: Any) -> None:
    model = LogisticRegression().fit(sample.X, sample.y)
    expected = NAMES[name](sample.y, model.decision_function(sample.X))
    found = get_scorer(name)(model, sample.X, sample.y)
    assert type(found) is float
    assert found == expected
    assert get_scorer(name)(clone(model).fit(sample.X, -sample.y), sample.X, sample.y) != expected
    if name == "ndcg":
        with pytest.raises(ValueError, match=r"^ndcg counts positions and takes no sample_weight; leave it out\.$"):
            get_scorer(name)(model, sample.X, sample.y, sample_weight=np.ones(240))
    else:
        weight = np.arange(1.0, 241.0)
        weighted = get_scorer(name)(model, sample.X, sample.y, sample_weight=weight)
        assert weighted == NAMES[name](sample.y, model.decision_function(sample.X), sample_weight=weight)
        assert weighted != expected


def test_every_known_name_is_tested() -> None:
    with pytest.raises(ValueError, match=r"^There is no scorer") as error:
        get_scorer("?")
    listed = str(error.value).partition("pass one of ")[2].removesuffix(".").replace("@0.1", "@0.2")
    assert listed == ", ".join(map(repr, NAMES))


@pytest.mark.parametrize("positive", ["bad", "sound"])  # before and after the other label in sorted order
@pytest.mark.parametrize(
    "model",
    [
        TreeRank(max_depth=3),
        make_pipeline(StandardScaler(), TreeRank(max_depth=3)),
        LogisticRegression(),
        make_pipeline(StandardScaler(), GaussianNB()),
    ],
    ids=["tree", "tree in a pipeline", "decision function", "probabilities"],
)
def test_string_labels_and_the_positive_one(model: Any, positive: str, sample: Any) -> None:
    y = np.where(sample.y == 1, positive, "other")
    model = clone(model)
    tree = "max_depth" in model.get_params() or "treerank" in model.get_params()
    if tree:
        model.set_params(**{"pos_label" if isinstance(model, TreeRank) else "treerank__pos_label": positive})
    model.fit(sample.X, y)
    probability = model.predict_proba(sample.X)[:, list(model.classes_).index(positive)]
    score = model.score_samples(sample.X) if tree else probability
    if isinstance(model, LogisticRegression):
        score = probability  # the same order as its decision function for the positive label
    expected = local_auc(y, score, 0.2, pos_label=positive)
    assert expected > 0.25  # chance is 0.18
    assert local_auc_scorer(0.2, pos_label=positive)(model, sample.X, y) == pytest.approx(expected)
    if tree or positive == "sound":  # without a label: the one that the estimator puts at the top
        assert local_auc_scorer(0.2)(model, sample.X, y) == pytest.approx(expected)
    other = local_auc(y, -score, 0.2, pos_label="other")
    assert local_auc_scorer(0.2, pos_label="other")(model, sample.X, y) == pytest.approx(other)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (TreeRank(pos_label="bad"), {"max_depth": [1, 4]}),
        (LogisticRegression(), {"C": [1e-4, 1.0]}),
    ],
    ids=["TreeRank", "LogisticRegression"],
)
def test_grid_search(model: Any, grid: dict[str, list[Any]], sample: Any) -> None:
    y = np.where(sample.y == 1, "bad", "good")
    folds = StratifiedKFold(3)
    scorer = local_auc_scorer(0.1, pos_label="bad")
    search = GridSearchCV(model, grid, scoring=scorer, cv=folds, error_score="raise").fit(sample.X, y)
    (key, values), by_hand = *grid.items(), []
    for value in values:
        fitted = [clone(model).set_params(**{key: value}).fit(sample.X[a], y[a]) for a, _ in folds.split(sample.X, y)]
        sign = -1  # the decision function speaks for "good"
        by_hand.append(
            np.mean(
                [
                    local_auc(y[b], sign * one.decision_function(sample.X[b]), 0.1, pos_label="bad")
                    for one, (_, b) in zip(fitted, folds.split(sample.X, y))
                ]
            )
        )
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], by_hand)
    assert search.best_params_ == {key: values[int(np.argmax(by_hand))]}
    # The search itself can be judged, refitted inside or not.
    assert scorer(search, sample.X, y) == pytest.approx(scorer(search.best_estimator_, sample.X, y))
    assert search.score(sample.X, y) == pytest.approx(scorer(search, sample.X, y))


def test_cross_validate_with_several_scorers(sample: Any) -> None:
    scoring = get_scorers("local_auc@0.1", "neg_local_risk@0.1", "roc_auc")
    found = cross_validate(TreeRank(max_depth=3), sample.X, sample.y, scoring=scoring, cv=3, return_estimator=True)
    folds = StratifiedKFold(3).split(sample.X, sample.y)
    for i, (_, test) in enumerate(folds):
        y, score = sample.y[test], found["estimator"][i].score_samples(sample.X[test])
        assert found["test_local_auc@0.1"][i] == local_auc(y, score, 0.1)
        assert found["test_neg_local_risk@0.1"][i] == -local_risk(y, score, 0.1)
    theirs = cross_validate(TreeRank(max_depth=3), sample.X, sample.y, scoring="roc_auc", cv=3)
    np.testing.assert_allclose(found["test_roc_auc"], theirs["test_score"])


def test_weights_are_routed(sample: Any) -> None:
    weight = np.arange(1.0, 241.0)
    model, options = LogisticRegression(), {"cv": 3, "params": {"sample_weight": weight}, "return_estimator": True}
    with config_context(enable_metadata_routing=True):
        scorer = local_auc_scorer(0.2).set_score_request(sample_weight=True)
        model.set_fit_request(sample_weight=False)
        found = cross_validate(model, sample.X, sample.y, scoring=scorer, **options)
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            cross_validate(model, sample.X, sample.y, scoring=local_auc_scorer(0.2), **options)
    for fitted, (_, test), value in zip(
        found["estimator"], StratifiedKFold(3).split(sample.X, sample.y), found["test_score"]
    ):
        score = fitted.decision_function(sample.X[test])
        assert value == local_auc(sample.y[test], score, 0.2, sample_weight=weight[test])


def test_scorers_travel_and_print(sample: Any) -> None:
    scorer = local_auc_scorer(0.1, pos_label="bad")
    assert repr(scorer) == "get_scorer('local_auc@0.1', pos_label='bad')"
    assert eval(repr(scorer)) == scorer
    assert repr(local_auc_scorer(1)) == "get_scorer('local_auc@1.0')"
    copy = pickle.loads(pickle.dumps(scorer))
    assert copy == scorer
    assert hash(copy) == hash(scorer)
    assert scorer != local_auc_scorer(0.1)
    y = np.where(sample.y == 1, "bad", "good")
    model = LogisticRegression().fit(sample.X, y)
    assert copy(model, sample.X, y) == scorer(model, sample.X, y)


@pytest.mark.parametrize("name", ["local_auc", "roc_auc@0.1", "local_auc:0.1", "", None, 3])
def test_an_unknown_name_gets_a_sentence(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^There is no scorer .*; pass one of 'local_auc@0\.1', .*'tail_strength'\.$"):
        RankingScorer(name)


def test_wrong_shares_and_estimators_get_a_sentence(sample: Any) -> None:
    with pytest.raises(
        ValueError, match=r"^'local_auc@' has no number after the @; pass a share of the list, such as 'local_auc@0\.1'"
    ):
        get_scorer("local_auc@")
    for u in (0, 1.5, float("nan")):
        with pytest.raises(ValueError, match=r"^u must lie in \(0, 1\], got "):
            local_auc_scorer(u)
    with pytest.raises(
        ValueError, match=r"^estimator LinearRegression has neither decision_function nor predict_proba"
    ):
        local_auc_scorer(0.1)(LinearRegression().fit(sample.X, sample.y), sample.X, sample.y)
    with pytest.raises(ValueError, match=r"^pos_label='x' is not a label of y_true; "):
        local_auc_scorer(0.1, pos_label="x")(LogisticRegression().fit(sample.X, sample.y), sample.X, sample.y)
