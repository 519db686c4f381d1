"""Any classifier as a splitting rule: costs, encoding, held-out routing, failures."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from cells import Memory, Stump, cell_of
from rankforest import LeafRank, TreeRank
from rankforest.data import simulate
from rankforest.data.encoding import Encoding
from rankforest.metrics import roc_auc
from rankforest.splitting.cell import RuleFailed
from rankforest.splitting.weighted_erm import WeightedERM, local_cost
from rankforest.tree.rule_tree import RuleTree

NAN = np.nan


def normals(seed: int = 0, n: int = 200, q: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, q))
    return X, (X[:, 0] + 0.5 * X[:, 1] + rng.normal(size=n) > 0.7).astype(int)


# ---- costs


@pytest.mark.parametrize("weighted", [False, True])
def test_both_classes_weigh_the_same(weighted: bool) -> None:
    """omega = share of positives: positives weigh 1 - omega, negatives omega; here rescaled to a mean of 1."""
    X, y = normals()
    w = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    cost = local_cost(cell_of(X, y, w if weighted else None))
    omega = w[y == 1].sum() / w.sum()
    expected = w * np.where(y == 1, 1 - omega, omega)
    np.testing.assert_allclose(cost / cost[0], expected / expected[0], rtol=1e-12)
    assert cost[y == 0].sum() == pytest.approx(cost[y == 1].sum())
    assert cost.sum() == pytest.approx(len(y))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_root_equals_a_fit_by_hand(weighted: bool) -> None:
    X, y = normals(2)
    w = np.random.default_rng(1).choice([0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    tree = TreeRank(LogisticRegression(), max_depth=1).fit(X, y, w if weighted else None).tree_
    cost = w * len(y) / 2 / np.where(y == 1, w[y == 1].sum(), w[y == 0].sum())
    by_hand = LogisticRegression().fit(X, y, sample_weight=cost)
    assert isinstance(tree, RuleTree)
    np.testing.assert_allclose(tree.divisions[0].classifier.coef_, by_hand.coef_, rtol=1e-6)
    fresh = np.random.default_rng(3).normal(size=(500, 3))
    np.testing.assert_array_equal(tree.apply(fresh) == 0, by_hand.predict(fresh) == 1)
    unweighted = LogisticRegression().fit(X, y)
    assert (unweighted.predict(fresh) != by_hand.predict(fresh)).any()  # the costs matter


def test_deeper_nodes_are_balanced_anew() -> None:
    X, y = normals(2, 400)
    tree = TreeRank(Stump(), max_depth=3).fit(X, y).tree_
    split = np.flatnonzero(tree.cell_left >= 0)
    assert len(split) > 3
    for cell in split:
        seen_X, seen_y, cost = tree.divisions[cell].classifier.seen_
        assert len(seen_X) == tree.cell_count[cell]
        assert np.bincount(seen_y).tolist() == tree.cell_mass[cell].tolist()
        assert cost[seen_y == 0].sum() == pytest.approx(cost[seen_y == 1].sum())


def test_weights_zero_and_whole() -> None:
    X, y = normals(3, 120)
    w = np.random.default_rng(0).integers(0, 3, 120)
    model = TreeRank(LogisticRegression(), max_depth=2, random_state=0)
    weighted = clone(model).fit(X, y, w)
    kept = clone(model).fit(X[w > 0], y[w > 0], w[w > 0])
    np.testing.assert_array_equal(weighted.tree_.cell_mass, kept.tree_.cell_mass)
    root = weighted.tree_.divisions[0].classifier
    repeated = clone(model).fit(np.repeat(X, w, axis=0), np.repeat(y, w)).tree_.divisions[0].classifier
    np.testing.assert_allclose(
        root.coef_ / np.abs(root.coef_).sum(), repeated.coef_ / np.abs(repeated.coef_).sum(), atol=0.02
    )  # fmt: skip  (the penalty sees the mean weight of a row)


# ---- the user's object


def test_the_users_classifier_stays_unfitted() -> None:
    X, y = normals()
    classifier, pipeline = LogisticRegression(), make_pipeline(StandardScaler(), GaussianNB())
    for given in (classifier, pipeline):
        before = given.get_params(deep=False)
        TreeRank(given, max_depth=2).fit(X, y)
        TreeRank([given, LeafRank()], max_depth=2).fit(X, y)
        with pytest.raises(NotFittedError):
            check_is_fitted(given[-1] if given is pipeline else given)
        assert given.get_params(deep=False) == before


def test_every_node_has_its_own_clone() -> None:
    X, y = normals(0, 400)
    tree = TreeRank(LogisticRegression(C=0.5), max_depth=3).fit(X, y).tree_
    fitted = [division.classifier for division in tree.divisions if division is not None]
    assert len(fitted) > 2
    assert len({id(classifier) for classifier in fitted}) == len(fitted)
    assert {classifier.C for classifier in fitted} == {0.5}


def test_pipelines_pass_the_weights_to_their_last_step() -> None:
    X, y = normals(2)
    tree = TreeRank(make_pipeline(StandardScaler(), LogisticRegression()), max_depth=1).fit(X, y).tree_
    cost = local_cost(cell_of(X, y))
    by_hand = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y, logisticregression__sample_weight=cost)
    np.testing.assert_allclose(tree.divisions[0].classifier[-1].coef_, by_hand[-1].coef_, rtol=1e-6)
    assert tree.divisions[0].words(True) == "LogisticRegression says positive"
    assert tree.divisions[0].words(False) == "LogisticRegression says negative"


@pytest.mark.parametrize(
    "classifier", [KNeighborsClassifier(), make_pipeline(StandardScaler(), KNeighborsClassifier())]
)
@pytest.mark.parametrize("in_list", [False, True])
def test_no_sample_weight_gets_a_sentence(classifier: Any, in_list: bool) -> None:
    X, y = normals()
    message = r"^splitter is KNeighborsClassifier, whose fit takes no sample_weight, but both classes must have the "
    with pytest.raises(TypeError, match=message):
        TreeRank([LeafRank(), classifier] if in_list else classifier).fit(X, y)


def test_unseeded_parts_get_a_seed_of_the_cell_and_seeds_are_kept() -> None:
    X, y = normals(0, 300)

    def seeds(classifier: Any) -> list[int]:
        tree = TreeRank(classifier, max_depth=3, random_state=0).fit(X, y).tree_
        return [division.classifier.random_state for division in tree.divisions if division is not None]

    own = seeds(DecisionTreeClassifier(max_depth=2))
    assert None not in own
    assert len(set(own)) == len(own) > 1
    assert set(seeds(DecisionTreeClassifier(max_depth=2, random_state=5))) == {5}


@pytest.mark.parametrize("classifier", [
    RandomForestClassifier(3, max_depth=3), make_pipeline(StandardScaler(), RandomForestClassifier(3, max_depth=3))
])  # fmt: skip
def test_a_seed_gives_the_same_model(classifier: Any) -> None:
    X, y = normals(0, 100)
    one, same, other = (
        TreeRank(classifier, max_depth=2, random_state=seed).fit(X, y).score_samples(X) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


# ---- what classifiers get to see


def test_encoding_by_hand() -> None:
    """Columns: a number, a category (codes of Lyon, Nice, Paris), a number; the cell is the first four rows."""
    frame = pd.DataFrame(
        {
            "age": [10.0, NAN, 40.0, 20.0, 99.0],
            "city": pd.Categorical(["Nice", "Lyon", None, "Nice", "Paris"]),
            "debt": [1.0, 2.0, 3.0, 4.0, 5.0],
        }
    )
    cell = cell_of(frame, [0, 1, 0, 1, 1], [1, 1, 1, 2, 1]).take(np.arange(5) < 4)
    encoding = Encoding.of(cell.X, cell.sample.table.schema, features=cell.features, means=cell.means)
    mean = (10 + 40 + 2 * 20) / 4
    rows = np.array([[10.0, 1.0, 1.0], [NAN, 0.0, 2.0], [40.0, NAN, 3.0], [5.0, 2.0, NAN]])
    debt = (1 + 2 + 3 + 2 * 4) / 5
    # age, debt, city is Lyon, city is Nice; Paris, which the cell has not seen, is as missing
    assert encoding.encode(rows).tolist() == [
        [10.0, 1.0, 0.0, 1.0],
        [mean, 2.0, 1.0, 0.0],
        [40.0, 3.0, 0.0, 0.0],
        [5.0, debt, 0.0, 0.0],
    ]
    kept = Encoding.of(cell.X, cell.sample.table.schema, features=cell.features, means=None).encode(rows)
    np.testing.assert_array_equal(kept[:, :2], [[10.0, 1.0], [NAN, 2.0], [40.0, 3.0], [5.0, NAN]])
    np.testing.assert_array_equal(kept[:, 2:], encoding.encode(rows)[:, 2:])


def test_drawn_features_are_the_only_ones_seen() -> None:
    X, y = normals(0, 60, 5)
    cell = cell_of(X, y, max_features=2)
    division = WeightedERM(Stump()).learn(cell)
    assert division is not None
    np.testing.assert_array_equal(division.classifier.seen_[0], X[:, np.sort(cell.features)])


def test_missing_values_go_to_classifiers_that_take_them() -> None:
    X, y = normals(0, 60)
    X[::4, 0] = NAN
    for classifier, takes_them in ((HistGradientBoostingClassifier(max_iter=2), True), (LogisticRegression(), False)):
        division = WeightedERM(classifier).learn(cell_of(X, y))
        assert division is not None
        assert (division.encoding.means is None) == takes_them


def test_a_cell_without_any_column_stays_whole() -> None:
    """Its only category is missing in all of its rows: there is nothing to fit, and nothing to warn of."""
    cell = cell_of([[NAN], [NAN], [NAN], [NAN], [0.0]], [0, 1, 0, 1, 1], categorical=[0]).take(np.arange(5) < 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert WeightedERM(LogisticRegression()).learn(cell) is None


@pytest.mark.parametrize(
    "classifier",
    [
        SVC(),
        LogisticRegression(),
        RandomForestClassifier(10, min_samples_leaf=5),
        HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=10),
        DecisionTreeClassifier(max_depth=2),
        TreeRank(max_depth=2),
    ],
    ids=lambda classifier: type(classifier).__name__,
)
def test_many_kinds_of_classifiers_rank_mixed_tables(classifier: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"x": rng.normal(size=400), "city": rng.choice(["Lyon", "Nice"], 400), "z": rng.normal(size=400)}
    )
    y = np.where(frame["x"] + 1.5 * (frame["city"] == "Nice") + rng.normal(size=400) > 0.5, "bad", "good")
    frame.loc[::6, "x"] = NAN
    frame.loc[::7, "city"] = None
    model = TreeRank(classifier, max_depth=3, pos_label="bad", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(frame[:250], y[:250])
    assert model.tree_.n_leaves > 2
    assert roc_auc(y[250:] == "bad", model.score_samples(frame[250:])) > 0.65
    proba = model.predict_proba(frame[250:])
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert model.classes_.tolist() == ["bad", "good"]
    assert np.corrcoef(proba[:, 0], model.score_samples(frame[250:]))[0, 1] > 0.5
    assert set(model.predict(frame[250:])) <= {"bad", "good"}


# ---- rows are routed out of their fold


@pytest.mark.parametrize(
    "classifier", [DecisionTreeClassifier(), RandomForestClassifier(5, bootstrap=False)], ids=lambda c: type(c).__name__
)
def test_a_classifier_that_memorises_does_not_end_the_ranking(classifier: Any) -> None:
    """In-sample routing separates the root perfectly and stops at two strata; the two-cell trap."""

    train, test = simulate.rf10_sparse(500, random_state=0), simulate.rf10_sparse(2000, random_state=1)
    trapped = TreeRank(WeightedERM(classifier, routing="in-sample"), max_depth=4, random_state=0).fit(train.X, train.y)
    assert trapped.tree_.n_leaves == 2
    assert trapped.tree_.auc == 1.0
    model = TreeRank(classifier, max_depth=4, random_state=0).fit(train.X, train.y)
    assert model.tree_.n_leaves > 6
    assert 0.6 < model.tree_.auc < 0.95
    scores = [roc_auc(test.y, m.score_samples(test.X)) for m in (trapped, model)]
    assert scores[1] > scores[0] + 0.02
    assert abs(model.tree_.auc - scores[1]) < 0.1  # an honest figure, too


def test_nothing_learned_is_nothing_ranked() -> None:
    """A classifier that memorises its training rows has no gain on held-out rows, so there is no split."""
    X, y = normals()
    for otherwise in (0, 1):
        assert TreeRank(Memory(otherwise)).fit(X, y).tree_.n_leaves == 1


def test_training_rows_go_where_the_folds_classifiers_send_them() -> None:
    X, y = normals(4, 100)
    cell = cell_of(X, y, key=9)
    folds = cell.folds(5)
    assert folds is not None
    expected = np.empty(100, dtype=bool)
    for fold in range(5):
        inside = folds != fold
        cost = np.where(y[inside] == 1, 1 - y[inside].mean(), y[inside].mean())
        expected[~inside] = GaussianNB().fit(X[inside], y[inside], cost).predict(X[~inside]) == 1
    cut = WeightedERM(GaussianNB()).divide(cell)
    assert cut is not None
    np.testing.assert_array_equal(cut.left, expected)
    assert (cut.left != cut.division.goes_left(X)).any()


# ---- failures


@pytest.mark.parametrize("error", [ValueError, np.linalg.LinAlgError, ZeroDivisionError, FloatingPointError])
def test_a_classifier_that_fails_somewhere_leaves_a_leaf_there(error: Any) -> None:
    X, y = normals(0, 300)
    whole = TreeRank(Stump(), max_depth=4).fit(X, y).tree_
    with pytest.warns(
        UserWarning, match=r"stays a leaf: Stump could not be fitted \(\d+ rows are too few\)\.$"
    ) as caught:
        tree = TreeRank(Stump(80, error), max_depth=4).fit(X, y).tree_
    assert 2 < tree.n_leaves < whole.n_leaves
    named = {str(w.message).split(" stays")[0] for w in caught}
    assert len(named) == len(caught) > 1
    assert all(name.startswith("Node ") for name in named)


def test_a_classifier_that_always_fails_leaves_the_root() -> None:
    X, y = normals()
    with pytest.warns(UserWarning, match=r"^The root \(depth 0, 200 rows\) stays a leaf: Stump could not be fitted \("):
        model = TreeRank(Stump(10**6)).fit(X, y)
    assert model.tree_.n_leaves == 1
    assert set(model.score_samples(X)) == {0.5}


def test_no_convergence_is_a_failure() -> None:
    X, y = normals(0, 200, 10)
    with pytest.warns(UserWarning, match=r"stays a leaf: LogisticRegression did not converge \(lbfgs failed") as caught:
        assert TreeRank(LogisticRegression(max_iter=1)).fit(X, y).tree_.n_leaves == 1
    assert not any(issubclass(w.category, ConvergenceWarning) for w in caught)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, TypeError, ZeroDivisionError])
def test_what_is_not_a_failure_to_learn_passes_through(error: Any) -> None:
    X, y = normals()
    rule = WeightedERM(Stump(10**6, error))
    expected = RuleFailed if error is ZeroDivisionError else error
    with pytest.raises(expected):
        rule.learn(cell_of(X, y))
    if expected is error:
        model = TreeRank(Stump()).fit(X, y)
        before = model.score_samples(X)
        with pytest.raises(error):
            model.set_params(splitter=Stump(10**6, error)).fit(X, y)
        np.testing.assert_array_equal(model.score_samples(X), before)  # the model is as it was


# ---- tools of scikit-learn


def test_pickle_and_clone() -> None:
    X, y = normals(0, 150)
    model = TreeRank(make_pipeline(StandardScaler(), LogisticRegression()), max_depth=3, random_state=0).fit(X, y)
    again, refit = pickle.loads(pickle.dumps(model)), clone(model).fit(X, y)
    for other in (again, refit):
        np.testing.assert_array_equal(other.apply(X), model.apply(X))
        np.testing.assert_array_equal(other.tree_.cell_gain, model.tree_.cell_gain)


def test_grid_search_over_splitters() -> None:
    X, y = normals(0, 150)
    grid = {"splitter": [LeafRank(max_depth=1), LogisticRegression(), [LeafRank(), GaussianNB()]], "max_depth": [1]}
    search = GridSearchCV(TreeRank(random_state=0), grid, scoring="roc_auc", cv=2, error_score="raise").fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    nested = GridSearchCV(TreeRank(LogisticRegression()), {"splitter__C": [0.01, 1.0]}, scoring="roc_auc", cv=2)
    assert nested.fit(X, y).best_estimator_.splitter.C in (0.01, 1.0)


def test_labels_and_the_positive_one() -> None:
    """The same rows, ranked upside down where the other label is the positive one."""
    X, y = normals(0, 200)
    names = np.where(y == 1, "a", "b")
    up, down = (TreeRank(GaussianNB(), max_depth=3, pos_label=p, random_state=0).fit(X, names) for p in ("a", "b"))
    one = TreeRank(GaussianNB(), max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(up.apply(X), one.apply(X))
    assert roc_auc(names == "a", up.score_samples(X)) > 0.7
    assert roc_auc(names == "b", down.score_samples(X)) > 0.7
    np.testing.assert_allclose(up.predict_proba(X)[:, 0], one.predict_proba(X)[:, 1])


def test_a_rule_made_by_hand_of_no_classifier_gets_a_sentence() -> None:
    with pytest.raises(TypeError, match=r"which is not a classifier; give a scikit-learn classifier\.$"):
        TreeRank(WeightedERM(StandardScaler())).fit([[0.0], [1.0]], [0, 1])


class Nervous(ClassifierMixin, BaseEstimator):
    """Warns in every fit, of nothing that concerns convergence."""

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> Nervous:
        warnings.warn("mind the step", FutureWarning, stacklevel=2)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return (X[:, 0] > 0).astype(int)


def test_other_warnings_are_passed_on() -> None:
    X, y = normals()
    with pytest.warns(FutureWarning, match="mind the step"):
        assert TreeRank(Nervous()).fit(X, y).tree_.n_leaves == 2
