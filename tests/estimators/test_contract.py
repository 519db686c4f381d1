"""scikit-learn's contract: signed scores, probabilities and labels agree, whichever of the two labels is positive."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay, average_precision_score, f1_score, make_scorer, roc_auc_score
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    StratifiedKFold,
    TunedThresholdClassifierCV,
    cross_val_score,
)

from rankforest import (
    OAPBPM,
    BestInstances,
    FalseAlarmConstrained,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    PRank,
    Pruning,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    Sampling,
    ThresholdRankBoost,
    TreeRank,
)
from rankforest.data import simulate
from rankforest.fitting.calibration import Calibration
from rankforest.metrics import concordance_index

SAMPLE, FRESH = simulate.rf10_sparse(160, random_state=0), simulate.rf10_sparse(400, random_state=1)
RULE = LeafRank(max_depth=3, max_features="sqrt")
FOREST = RankingForest(8, splitter=RULE, max_depth=3, random_state=0)
BOOST = RankBoost(8, n_folds=(2, 1), max_leaf_nodes=4, cuts="best", loss="log_loss", l2=1.0, random_state=0)
RANKERS = {
    "tree": TreeRank(LeafRank(max_depth=2), max_depth=3, random_state=0),
    "pruned": TreeRank(LeafRank(max_depth=2), pruning=Pruning("cv", n_folds=3), random_state=0),
    "forest": FOREST,
    "mean ranks": clone(FOREST).set_params(aggregation="mean_rank"),
    "no rows out of bag": clone(FOREST).set_params(
        aggregation="median_rank", sampling=Sampling(replace=False), max_features=3
    ),
    "kemeny": clone(FOREST).set_params(aggregation="kemeny", n_estimators=3),
    "boosting": BOOST,
    "scorecard": RankScore(n_estimators=10, n_folds=2, random_state=0),
    "thresholds": ThresholdRankBoost(random_state=0),
    "consensus": RankConsensus(FOREST, BOOST, random_state=0),
}
FLAGGERS = {
    "best instances": BestInstances(RANKERS["tree"], top=0.2, cv=3, random_state=0),
    "false alarms": FalseAlarmConstrained(RANKERS["tree"], alpha=0.2, random_state=0),
}
# The same rows and the same positives: once their label sorts last, once first.
LABELS = {"last": ("bad", "good"), "first": ("good", "bad")}  # (negative, positive)
NUMBERS = {"last": (0, 1), "first": (1, 0)}


def labels_of(sample: Any, order: str, names: dict[str, Any] = LABELS) -> np.ndarray:
    negative, positive = names[order]
    return np.where(sample.y == 1, positive, negative)


def positive_proba(model: Any, positive: Any) -> np.ndarray:
    """Rounded: the last bit would break ties of calibrated probabilities."""
    return model.predict_proba(FRESH.X)[:, list(model.classes_).index(positive)].round(12)


# ---- what users do with a ranker in scikit-learn: each gives figures from (ranker, labels, positive label)

CV = StratifiedKFold(3)
Figures = Callable[[Any, np.ndarray, str], Any]


def by_roc_auc(ranker: Any, y: np.ndarray, positive: str) -> Any:
    return cross_val_score(ranker, SAMPLE.X, y, scoring="roc_auc", cv=CV)


def by_average_precision(ranker: Any, y: np.ndarray, positive: str) -> Any:
    how = {"response_method": ("decision_function", "predict_proba"), "pos_label": positive}
    return cross_val_score(ranker, SAMPLE.X, y, scoring=make_scorer(average_precision_score, **how), cv=CV)


def by_default(ranker: Any, y: np.ndarray, positive: str) -> Any:
    return cross_val_score(ranker, SAMPLE.X, y, cv=CV)


def by_search(ranker: Any, y: np.ndarray, positive: str) -> Any:
    known, (some, others) = ranker.get_params(), ("min_samples_leaf", "n_estimators")
    sized = (f"{part}{name}" for name in (some, others) for part in ("", "estimator__", "forest__"))
    name, values = next(name for name in sized if name in known), [2, 9]
    search = GridSearchCV(ranker, {name: values}, scoring="roc_auc", cv=CV).fit(SAMPLE.X, y)
    auc = roc_auc_score(labels_of(FRESH, "last") == "good", search.score_samples(FRESH.X))
    return [*search.cv_results_["mean_test_score"], search.best_params_[name], search.score(FRESH.X, y_fresh(y)), auc]


def y_fresh(y: np.ndarray) -> np.ndarray:
    """Labels of the fresh rows in the same words."""
    return labels_of(FRESH, "last" if (y == labels_of(SAMPLE, "last")).all() else "first")


def by_calibration(ranker: Any, y: np.ndarray, positive: str) -> Any:
    figures = []
    for method in ("sigmoid", "isotonic"):
        probability = positive_proba(CalibratedClassifierCV(ranker, method=method, cv=CV).fit(SAMPLE.X, y), positive)
        figures += [roc_auc_score(FRESH.y, probability), probability.mean()]
    return figures


def by_fixed_threshold(ranker: Any, y: np.ndarray, positive: str) -> Any:
    figures = []
    for response, threshold in (("predict_proba", 0.3), ("decision_function", 0.01)):
        how = {"response_method": response, "pos_label": positive}
        model = FixedThresholdClassifier(ranker, threshold=threshold, **how).fit(SAMPLE.X, y)
        figures.append((model.predict(FRESH.X) == positive).mean())
    return figures


def by_tuned_threshold(ranker: Any, y: np.ndarray, positive: str) -> Any:
    scoring = make_scorer(f1_score, pos_label=positive)
    figures = []
    for response in ("predict_proba", "decision_function"):
        model = TunedThresholdClassifierCV(ranker, scoring=scoring, response_method=response, thresholds=15, cv=CV)
        model.fit(SAMPLE.X, y)
        figures += [model.best_score_, (model.predict(FRESH.X) == positive).mean()]
    return figures


def by_stacking(ranker: Any, y: np.ndarray, positive: str) -> Any:
    figures = []
    for method in ("predict_proba", "decision_function"):
        stack = StackingClassifier([("ranker", ranker)], LogisticRegression(tol=1e-8), stack_method=method, cv=CV)
        figures.append(roc_auc_score(FRESH.y, positive_proba(stack.fit(SAMPLE.X, y), positive)))
    return figures


def by_voting(ranker: Any, y: np.ndarray, positive: str) -> Any:
    vote = VotingClassifier([("ranker", ranker), ("line", LogisticRegression(tol=1e-8))], voting="soft")
    return roc_auc_score(FRESH.y, positive_proba(vote.fit(SAMPLE.X, y), positive))


def by_permutation(ranker: Any, y: np.ndarray, positive: str) -> Any:
    model = clone(ranker).fit(SAMPLE.X, y)
    how: dict[str, Any] = {"scoring": "roc_auc", "n_repeats": 1, "random_state": 0}
    return permutation_importance(model, FRESH.X, y_fresh(y), **how).importances_mean


def by_display(ranker: Any, y: np.ndarray, positive: str) -> Any:
    model = clone(ranker).fit(SAMPLE.X, y)
    display = RocCurveDisplay.from_estimator(model, FRESH.X, y_fresh(y), pos_label=positive)
    plt.close(display.figure_)
    return [display.roc_auc, len(display.fpr)]


USES: dict[str, Figures] = {
    use.__name__: use
    for use in (
        by_roc_auc,
        by_average_precision,
        by_default,
        by_search,
        by_calibration,
        by_fixed_threshold,
        by_tuned_threshold,
        by_stacking,
        by_voting,
        by_permutation,
        by_display,
    )
}


WITHOUT_PROBABILITIES = (
    "by_roc_auc",
    "by_average_precision",
    "by_default",
    "by_search",
    "by_permutation",
    "by_display",
)


@pytest.mark.parametrize(
    ("name", "use"),
    [*product(RANKERS, USES), *product(FLAGGERS, WITHOUT_PROBABILITIES)],
)
def test_figures_do_not_depend_on_the_label_that_is_positive(name: str, use: str) -> None:
    found = []
    names = NUMBERS if use in ("by_stacking", "by_voting") else LABELS  # the two hand 0 and 1 on, whatever the labels
    for order, (_, positive) in names.items():
        ranker = clone((RANKERS | FLAGGERS)[name]).set_params(pos_label=positive)
        found.append(np.ravel(USES[use](ranker, labels_of(SAMPLE, order, names), positive)))
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    if use in ("by_roc_auc", "by_default", "by_display"):
        assert found[0][0] > 0.6  # not upside down


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("order", LABELS)
def test_score_probability_and_label_agree(name: str, order: str) -> None:
    positive = LABELS[order][1]
    model = clone(RANKERS[name]).set_params(pos_label=positive).fit(SAMPLE.X, labels_of(SAMPLE, order))
    scores, signed, proba = model.score_samples(FRESH.X), model.decision_function(FRESH.X), model.predict_proba(FRESH.X)
    upwards = signed if model.classes_[1] == positive else -signed
    by_score = np.argsort(scores, kind="stable")
    low, high = model.card_.range if name == "scorecard" else (0.0, 1.0)
    assert ((scores >= low) & (scores <= high)).all()
    assert (np.diff(upwards[by_score]) >= 0).all()
    np.testing.assert_allclose(np.diff(upwards[by_score]), np.diff(scores[by_score]), atol=1e-15)
    assert (np.diff(proba[by_score, list(model.classes_).index(positive)]) >= 0).all()
    predicted = model.predict(FRESH.X)
    np.testing.assert_array_equal(predicted, model.classes_[(signed > 0).astype(int)])
    np.testing.assert_array_equal(predicted, model.classes_[proba.argmax(axis=1)])
    assert set(predicted) == {"bad", "good"}


@pytest.mark.parametrize("name", RANKERS)
@pytest.mark.parametrize("order", LABELS)
def test_score_is_the_auc(name: str, order: str) -> None:
    positive = LABELS[order][1]
    model = clone(RANKERS[name]).set_params(pos_label=positive).fit(SAMPLE.X, labels_of(SAMPLE, order))
    weights = np.linspace(0.5, 2.0, len(FRESH.y))
    for given in (None, weights):
        expected = roc_auc_score(FRESH.y, model.score_samples(FRESH.X), sample_weight=given)
        assert model.score(FRESH.X, labels_of(FRESH, order), sample_weight=given) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("positive", [-1, 1])
def test_the_scorer_by_name_reads_the_sign(positive: int) -> None:
    """scikit-learn's "average_precision" is that of the label 1, at the top of our list or at its bottom."""
    model = TreeRank(max_depth=3, pos_label=positive)
    for (train, test), found in zip(
        CV.split(SAMPLE.X, SAMPLE.y), cross_val_score(model, SAMPLE.X, SAMPLE.y, scoring="average_precision", cv=CV)
    ):
        score = clone(model).fit(SAMPLE.X[train], SAMPLE.y[train]).score_samples(SAMPLE.X[test])
        assert found == average_precision_score(SAMPLE.y[test], score if positive == 1 else -score)


def test_where_both_labels_are_equally_probable_the_first_is_predicted() -> None:
    X, y = np.zeros((4, 1)), ["no", "no", "yes", "yes"]
    for positive in ("no", "yes"):
        model = TreeRank(pos_label=positive).fit(X, y)
        assert model.predict_proba(X).tolist() == [[0.5, 0.5]] * 4
        assert (model.decision_function(X) <= 0.0).all()
        assert model.predict(X).tolist() == ["no"] * 4


@pytest.mark.parametrize(
    "probability", [(0.0, 1.0), (0.2, 0.5), (0.5, 0.9), (0.5, 0.5), (0.6, 0.9), (0.1, 0.4), (0.3, 0.7)]
)
def test_the_sign_is_exact_for_neighbouring_scores(probability: tuple[float, float]) -> None:
    """Twin: the probability of each of the numbers next to the crossing, and of the ends."""
    found = Calibration(np.array([0.25, 0.75]), np.array(probability))
    near = [0.0, 1.0, 0.25, 0.5, 0.75, np.nextafter(0.0, 1.0)]
    for at in (0.0, 0.25, 0.375, 0.5, 0.75, 1.0, float(np.clip(-found.signed(np.zeros(1), rising=True)[0], 0.0, 1.0))):
        for _ in range(3):
            near += [at, *(float(np.nextafter(at, to)) for to in (0.0, 1.0))]
            at = float(np.nextafter(at, 1.0))
    scores = np.array(near)
    np.testing.assert_array_equal(found.signed(scores, rising=True) > 0, found(scores) > 0.5)
    np.testing.assert_array_equal(found.signed(scores, rising=False) > 0, found(scores) < 0.5)


@pytest.mark.parametrize("order", LABELS)
def test_a_fitted_model_names_its_positive_label(order: str) -> None:
    model = TreeRank(max_depth=2)
    assert repr(model) == "TreeRank(max_depth=2)"
    model.fit(SAMPLE.X, labels_of(SAMPLE, order))
    assert repr(model) == "TreeRank(max_depth=2, pos_label='good')"
    assert model.get_params()["pos_label"] is None
    assert model.summary_.pos_label == "good"
    given = TreeRank(pos_label="bad").fit(SAMPLE.X, labels_of(SAMPLE, order))
    assert repr(given) == "TreeRank(pos_label='bad')"
    assert given.summary_.pos_label == "bad"
    counts = dict(zip(given.classes_, given.summary_.class_counts))
    assert str(given.summary_) == f"160 rows, {counts['bad']} of them positive ('bad'), 10 features"
    best = BestInstances(TreeRank(max_depth=1), top=0.3, cv=2).fit(SAMPLE.X, labels_of(SAMPLE, order))
    assert repr(best) == "BestInstances(cv=2, estimator=TreeRank(max_depth=1), pos_label='good', top=0.3)"
    numbers = RankingForest(
        3, aggregation="mean_rank", min_samples_leaf=2, sampling=Sampling(oob=False), random_state=1
    )
    numbers.fit(SAMPLE.X, SAMPLE.y)
    assert repr(numbers) == (
        "RankingForest(aggregation='mean_rank', min_samples_leaf=2, n_estimators=3,\n"
        "              pos_label=1, random_state=1, sampling=Sampling(oob=False))"
    )


# ---- ordered labels

ORDINAL = [
    OrdinalRankingTree(random_state=0),
    OrdinalRankingForest(5, random_state=0),
    OrdinalRankingForest(5, aggregation="median", random_state=0),
    PRank(random_state=0),
    OAPBPM(5, random_state=0),
]


@pytest.mark.parametrize("model", ORDINAL, ids=str)
@pytest.mark.parametrize("words", [None, ["low", "mid", "high"]])
def test_score_of_ordered_labels_is_the_c_index(model: Any, words: list[str] | None) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    codes = np.digitize(X[:, 0] + 0.5 * rng.normal(size=200), [-0.5, 0.7])
    y = codes if words is None else np.array(words)[codes]
    model = clone(model).set_params(order=words).fit(X[:120], y[:120])
    expected = concordance_index(codes[120:], model.score_samples(X[120:]))
    assert expected > 0.7
    assert model.score(X[120:], y[120:]) == expected
    weights = rng.random(80)
    assert model.score(X[120:], y[120:], weights) == concordance_index(
        codes[120:], model.score_samples(X[120:]), sample_weight=weights
    )


@pytest.mark.parametrize("model", [PRank(random_state=0), OAPBPM(5, random_state=0)], ids=str)
@pytest.mark.parametrize("n_levels", [2, 3, 4])
def test_the_decision_function_of_thresholds_is_positive_for_the_predicted_label(model: Any, n_levels: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0], np.linspace(-0.8, 0.8, n_levels - 1))
    model = clone(model).fit(X, y)
    found, predicted = model.decision_function(X), model.predict(X)
    if n_levels == 2:
        np.testing.assert_array_equal(found > 0, predicted == 1)
        assert cross_val_score(model, X, y, scoring="roc_auc").min() > 0.95
        return
    assert found.shape == (300, n_levels)
    np.testing.assert_array_equal(found > 0, predicted[:, None] == np.arange(n_levels))
