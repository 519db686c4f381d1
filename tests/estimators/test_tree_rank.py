"""TreeRank through its public interface."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from rankforest import Dyadic, LeafRank, RankingTree, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc

ARRAYS = [
    name for name, kind in RankingTree.__annotations__.items() if kind == "np.ndarray" and not name.startswith("_")
]


def same_tree(one: RankingTree, other: RankingTree) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories, booleans and text, a tenth of the cells missing; the label depends on all of them."""
    rng = np.random.default_rng(0)
    n = 1500
    age = rng.normal(50, 10, n)
    city = rng.choice(["Lyon", "Paris", "Nice", "Brest"], n)
    grade = rng.integers(1, 6, n)
    member = rng.random(n) < 0.4
    signal = (age - 50) / 10 + np.where(np.isin(city, ["Lyon", "Nice"]), 1.0, -1.0) + (grade == 3) * 2.0 + member
    y = np.where(signal + rng.normal(size=n) > 1.0, "bad", "good")
    frame = pd.DataFrame({"age": age, "city": city, "grade": grade, "member": pd.array(member, dtype="boolean")})
    for column in ["age", "city", "member"]:
        frame.loc[rng.random(n) < 0.1, column] = None
    return frame, y


def as_kind(frame: pd.DataFrame, kind: str) -> Any:
    if kind == "pandas category":
        return frame.assign(city=frame["city"].astype("category"))
    if kind == "polars":
        return pl.from_pandas(frame)
    if kind == "polars category":
        return pl.from_pandas(frame).with_columns(pl.col("city").cast(pl.Categorical))
    return pa.Table.from_pandas(frame) if kind == "arrow" else frame


@pytest.mark.parametrize("kind", ["pandas", "pandas category", "polars", "polars category", "arrow"])
def test_every_kind_of_frame_grows_the_same_tree(mixed: tuple[pd.DataFrame, np.ndarray], kind: str) -> None:
    frame, y = mixed
    reference = TreeRank(size=None, categorical_features=["grade"], pos_label="bad").fit(frame, y)
    other = TreeRank(size=None, categorical_features=["grade"], pos_label="bad").fit(as_kind(frame, kind), y)
    assert same_tree(reference.tree_, other.tree_)
    assert set(np.unique(reference.tree_.feature)) == {0, 1, 2, 3}
    assert roc_auc(y, reference.score_samples(as_kind(frame, kind)), pos_label="bad") > 0.9
    assert list(other.feature_names_in_) == ["age", "city", "grade", "member"]


def test_integer_codes_split_as_categories_only_when_named(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = mixed
    grade = frame[["grade"]]
    as_number = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=1, pos_label="bad").fit(grade, y)
    as_category = clone(as_number).set_params(categorical_features=["grade"]).fit(grade, y)
    top = set(grade["grade"][as_category.apply(grade) == 0])
    assert top == {3}  # in the middle of the range: no single threshold finds it
    assert as_category.tree_.auc > as_number.tree_.auc


def test_sparse_equals_dense() -> None:
    rng = np.random.default_rng(1)
    X = rng.poisson(0.5, (400, 12)).astype(float)
    y = (X[:, 0] + X[:, 3] + rng.normal(size=400) > 1.2).astype(int)
    dense = TreeRank().fit(X, y)
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        model = TreeRank().fit(kind(X), y)
        assert same_tree(model.tree_, dense.tree_)
        np.testing.assert_array_equal(model.score_samples(kind(X)), dense.score_samples(X))


@pytest.mark.parametrize(("y", "positive"), [((0, 1), 1), ((-1, 1), -1), (("no", "yes"), "no"), ((False, True), True)])
def test_labels_are_any_two_values(y: tuple[Any, Any], positive: Any) -> None:
    sample = simulate.rf10_sparse(600, random_state=0)
    labels = np.array([y[int(label > 0)] for label in sample.y])
    model = TreeRank(max_depth=4, pos_label=positive).fit(sample.X, labels)
    score = model.score_samples(sample.X)
    assert roc_auc_score(labels == positive, score) == pytest.approx(model.tree_.auc, abs=1e-12)
    assert model.pos_label_ == positive
    assert list(model.classes_) == sorted(y)
    column = list(model.classes_).index(positive)
    np.testing.assert_allclose(
        model.predict_proba(sample.X)[:, column], model.tree_.leaf_probability[model.apply(sample.X)]
    )
    assert set(model.predict(sample.X)) == set(y)
    assert np.mean(model.predict(sample.X) == labels) > 0.75


def test_scores_ranks_and_strata_agree() -> None:
    sample = simulate.rf20(800, random_state=3)
    model = TreeRank(max_depth=4).fit(sample.X, sample.y)
    score, stratum, rank = model.score_samples(sample.X), model.apply(sample.X), model.rank(sample.X)
    assert 0.0 <= score.min() < score.max() <= 1.0
    assert np.all(np.diff(model.tree_.leaf_score) < 0)
    assert np.array_equal(np.argsort(np.argsort(-score, kind="stable")), np.argsort(np.argsort(stratum, kind="stable")))
    # mid-ranks: those before, and half of those beside
    for i in (0, 17, 400):
        assert rank[i] == np.sum(score > score[i]) + (np.sum(score == score[i]) + 1) / 2
    table = model.strata()
    np.testing.assert_array_equal(table.rows, np.bincount(stratum))
    np.testing.assert_array_equal(table.positives, np.bincount(stratum, weights=sample.y == 1))
    assert table.cumulative_capture[-1] == pytest.approx(1.0)
    assert str(table).count("\n") == len(table)
    assert list(table.to_frame()["stratum"]) == list(range(1, len(table) + 1))


def test_probabilities_follow_the_ranking_and_are_honest() -> None:
    """Compared on held-out rows with the raw rates of the strata, which are far too sure of themselves."""
    train, test = simulate.rf10_sparse(2000, random_state=0), simulate.rf10_sparse(5000, random_state=1)
    model = TreeRank(size=None).fit(train.X, train.y)
    probability = model.predict_proba(test.X)[:, 1]
    stratum = model.apply(test.X)
    by_stratum = [probability[stratum == k] for k in np.unique(stratum)]
    assert all(np.ptp(p) == 0.0 for p in by_stratum)
    assert np.all(np.diff([p[0] for p in by_stratum]) <= 0.0)
    assert 0.0 < probability.min() < probability.max() < 1.0
    # pooling moves mass between neighbours only: the overall rate stays that of the smoothed strata
    mass = model.tree_.leaf_mass.sum(axis=1)
    assert np.average(model.tree_.leaf_probability, weights=mass) == pytest.approx(np.mean(train.y == 1), abs=0.01)
    brier = np.mean((probability - (test.y == 1)) ** 2)
    raw = np.mean((model.tree_.leaf_rate[stratum] - (test.y == 1)) ** 2)
    assert brier < 0.8 * raw


def test_missing_cells_lose_no_row_and_no_score() -> None:
    train, test = simulate.rf10_sparse(2000, random_state=0), simulate.rf10_sparse(4000, random_state=1)
    rng = np.random.default_rng(0)
    X = np.where(rng.random(train.X.shape) < 0.3, np.nan, train.X)
    X_test = np.where(rng.random(test.X.shape) < 0.3, np.nan, test.X)
    for missing in ("learned", "cell_mean"):
        model = TreeRank(LeafRank(missing=missing)).fit(X, train.y)
        score = model.score_samples(X_test)
        assert model.tree_.cell_count[0] == 2000
        assert np.isfinite(score).all()
        assert roc_auc(test.y, score) > 0.72  # .83 with all cells, .5 if the rows with holes were lost
        np.testing.assert_array_equal(np.bincount(model.apply(X)), model.strata().rows)


def test_unseen_category_is_scored_as_missing(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = mixed
    model = TreeRank().fit(frame, y)
    unseen, missing = frame.head(200).assign(city="Rome"), frame.head(200).assign(city=None)
    missing["city"] = missing["city"].astype(frame["city"].dtype)
    np.testing.assert_array_equal(model.score_samples(unseen), model.score_samples(missing))


def test_rows_of_weight_zero_are_left_out() -> None:
    sample = simulate.rf20(500, random_state=0)
    weight = np.ones(500)
    weight[::3] = 0.0
    weighted = TreeRank().fit(sample.X, sample.y, sample_weight=weight)
    dropped = TreeRank().fit(sample.X[weight > 0], sample.y[weight > 0])
    assert same_tree(weighted.tree_, dropped.tree_)
    with pytest.raises(ValueError, match="class"):
        TreeRank().fit(sample.X, sample.y, sample_weight=(sample.y > 0).astype(float))


@pytest.mark.parametrize("scale", [1e-310, 1e-30, 1e30, 1e300])
def test_weights_of_any_size_are_fine(scale: float) -> None:
    X, y, weight = np.arange(6.0)[:, None], [0, 1, 0, 1, 0, 1], np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0])
    reference = TreeRank(LeafRank(min_mass_leaf=0.0)).fit(X, y, weight)
    scaled = TreeRank(LeafRank(min_mass_leaf=0.0)).fit(X, y, weight * scale)
    np.testing.assert_array_equal(scaled.rank(X), reference.rank(X))


def test_weights_move_the_ranking() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = np.where(rng.random(2000) < 0.5, X[:, 0] > 0, X[:, 1] > 0)
    # rows on which the second feature decides weigh nothing to speak of
    weight = np.where(y == (X[:, 0] > 0), 1.0, 1e-3)
    model = TreeRank().fit(X, y, sample_weight=weight)
    assert model.feature_importances_[0] > 0.95
    score = model.score_samples(X)
    assert roc_auc(y, score, sample_weight=weight) == pytest.approx(model.tree_.auc, abs=1e-9)


def test_pickle_clone_and_refit_give_identical_arrays() -> None:
    sample = simulate.rf20(700, random_state=0)
    model = TreeRank(LeafRank(max_features="sqrt"), max_features=0.5, random_state=7).fit(sample.X, sample.y)
    again = clone(model).fit(sample.X, sample.y)
    loaded = pickle.loads(pickle.dumps(model))
    assert same_tree(model.tree_, again.tree_)
    assert same_tree(model.tree_, loaded.tree_)
    np.testing.assert_array_equal(loaded.score_samples(sample.X), model.score_samples(sample.X))
    other = clone(model).set_params(random_state=8).fit(sample.X, sample.y)
    assert not same_tree(model.tree_, other.tree_)


def test_threads_do_not_change_the_model() -> None:
    sample = simulate.rf20(20_000, random_state=0)
    weight = np.random.default_rng(0).exponential(size=20_000)
    for sample_weight in (None, weight):
        one, two = (
            TreeRank(LeafRank(max_features="sqrt"), n_jobs=n, random_state=0).fit(sample.X, sample.y, sample_weight)
            for n in (1, 2)
        )
        assert same_tree(one.tree_, two.tree_)
        np.testing.assert_array_equal(one.score_samples(sample.X), two.score_samples(sample.X))


def test_tools_of_scikit_learn_work_on_it() -> None:
    sample = simulate.rf10_sparse(600, random_state=0)
    search = GridSearchCV(
        TreeRank(), {"splitter": [LeafRank(), LeafRank(max_depth=2)], "max_depth": [2, 4]}, scoring="roc_auc", cv=3
    )
    search.fit(sample.X, sample.y)
    assert search.best_score_ > 0.75
    nested = TreeRank(LeafRank()).set_params(splitter__max_depth=2, max_depth=3)
    assert nested.splitter.max_depth == 2
    pipeline = make_pipeline(FunctionTransformer(np.tanh), nested)
    assert cross_val_score(pipeline, sample.X, sample.y, scoring="roc_auc", cv=3).mean() > 0.75


def test_complexity_parameters_bound_the_tree() -> None:
    sample = simulate.rf20(3000, random_state=0)
    fit = lambda **parameters: TreeRank(**parameters).fit(sample.X, sample.y).tree_  # noqa: E731
    assert fit(max_depth=2).max_depth == 2
    assert fit(max_leaf_nodes=7).n_leaves == 7
    assert fit(min_samples_leaf=200).cell_count.min() >= 200
    floor = fit(splitter=LeafRank(max_depth=8, min_mass_leaf=0.1), max_depth=1)
    balanced = (floor.terminal_mass / floor.cell_mass[0]).mean(axis=1)
    assert balanced.min() >= 0.1
    assert balanced.min() < 0.15
    leaves = fit(splitter=LeafRank(max_depth=None, max_leaf_nodes=5), max_depth=1)
    assert len(leaves.terminal_cell) == 5
    rows = fit(splitter=LeafRank(max_depth=8, min_samples_leaf=150), max_depth=1)
    assert rows.terminal_count.min() >= 150


def test_exact_bins_find_cuts_that_coarse_bins_miss() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 1))
    y = X[:, 0] > np.sort(X[:, 0])[1234]
    exact = TreeRank(LeafRank(max_depth=1, max_bins=4000)).fit(X, y)
    coarse = TreeRank(LeafRank(max_depth=1, max_bins=16)).fit(X, y)
    assert exact.tree_.auc == 1.0
    assert coarse.tree_.auc < 1.0


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (TreeRank(max_depth=0), "max_depth is 0; give a whole number of at least 1"),
        (TreeRank(max_leaf_nodes=1), "max_leaf_nodes is 1; give a whole number of at least 2"),
        (TreeRank(min_samples_leaf=1.5), "min_samples_leaf is 1.5"),
        (TreeRank(max_features="cube"), "max_features is 'cube'"),
        (TreeRank(max_features=0.0), "max_features is 0.0"),
        (TreeRank(LeafRank(missing="drop")), "LeafRank's missing is 'drop'; choose one of 'learned', 'cell_mean'"),
        (TreeRank(Dyadic(2, missing="drop")), "Dyadic's missing is 'drop'; choose one of 'learned', 'cell_mean'"),
        (TreeRank(LeafRank(max_bins=1)), "LeafRank's max_bins is 1"),
        (TreeRank(LeafRank(max_bins=70000)), "LeafRank's max_bins is 70000; the most is 65535"),
        (
            TreeRank([LeafRank(max_bins=16), DecisionTreeClassifier(), LeafRank()]),
            "max_bins of the LeafRanks in a list are 16 and 255, and all cut the same bins; give them the same",
        ),
        (TreeRank(LeafRank(criterion="entropy")), "LeafRank's criterion is 'entropy'; choose one of 'gini', 'auc'"),
        (TreeRank(LeafRank(min_mass_leaf=0.5)), "LeafRank's min_mass_leaf is 0.5"),
        (TreeRank(LeafRank(max_depth="deep")), "LeafRank's max_depth is 'deep'"),
        (TreeRank(categorical_features=["colour"]), "colour"),
        (TreeRank(pos_label="maybe"), "maybe"),
        (TreeRank(monotonic_cst=[1, 0]), "monotonic_cst has 2 values, but X has 1 columns; give one of -1, 0, 1 per"),
        (TreeRank(monotonic_cst={"b": 1}), "monotonic_cst names the column 'b', which X does not have; its columns"),
        (TreeRank(monotonic_cst=[2]), "Column 'a' has 2 in monotonic_cst; give 1 "),
        (TreeRank(monotonic_cst={"a": "up"}), "Column 'a' has 'up' in monotonic_cst; give 1 "),
        (TreeRank(monotonic_cst=[True]), "Column 'a' has True in monotonic_cst; give 1 "),
        (TreeRank(monotonic_cst=[float("nan")]), "Column 'a' has nan in monotonic_cst; give 1 "),
        (TreeRank(monotonic_cst=1), "monotonic_cst is 1; give one of -1, 0, 1 per column, a dict by column name"),
        (TreeRank(monotonic_cst="increasing"), "monotonic_cst is 'increasing'; give one of -1, 0, 1 per column"),
        (TreeRank(monotonic_cst={1}), r"monotonic_cst is \{1\}; give one of -1, 0, 1 per column"),
        (
            TreeRank(monotonic_cst=[1], categorical_features=["a"]),
            "Column 'a' has 1 in monotonic_cst, but it is categorical and its values have no order here; set it to 0, ",
        ),
    ],
)
def test_wrong_parameters_are_named_in_one_sentence(model: TreeRank, message: str) -> None:
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]})
    with pytest.raises(ValueError, match=message) as error:
        model.fit(X, [0, 1, 0, 1])
    assert "\n" not in str(error.value)
    assert not hasattr(model, "tree_")


def test_constraints_by_name_need_names() -> None:
    with pytest.raises(ValueError, match="X has no column names; give a list with one of -1, 0, 1 per column"):
        TreeRank(monotonic_cst={"x0": 1}).fit([[0.0], [1.0]], [0, 1])


def test_constraints_by_position_and_by_name_are_the_same(mixed: tuple[pd.DataFrame, np.ndarray]) -> None:
    frame, y = mixed
    fit = lambda cst: TreeRank(monotonic_cst=cst, pos_label="bad").fit(frame, y)  # noqa: E731
    free, named = fit(None), fit({"grade": -1, "age": 1})
    assert not same_tree(free.tree_, named.tree_)
    for other in ([1, 0, -1, 0], np.array([1.0, 0.0, -1.0, 0.0]), pd.Series([1, 0, -1, 0]), (1, 0, np.int8(-1), 0)):
        assert same_tree(fit(other).tree_, named.tree_)
    for nothing in ([0] * 4, {}, {"city": 0}):
        assert same_tree(fit(nothing).tree_, free.tree_)


def test_constraints_are_cloned_and_pickled_with_the_model() -> None:
    sample = simulate.rf10_sparse(500, random_state=0)
    cst = [1, 1, 1, 1] + [0] * 6
    model = TreeRank(monotonic_cst=cst, n_jobs=2).fit(sample.X, sample.y)
    copy = clone(model)
    assert copy.get_params()["monotonic_cst"] == cst
    assert same_tree(copy.fit(sample.X, sample.y).tree_, model.tree_)
    loaded = pickle.loads(pickle.dumps(model))
    assert loaded.monotonic_cst == cst
    assert same_tree(loaded.tree_, model.tree_)
    search = GridSearchCV(TreeRank(max_depth=3), {"monotonic_cst": [None, cst]}, scoring="roc_auc", cv=3)
    assert search.fit(sample.X, sample.y).best_score_ > 0.7


def test_wrong_splitter_is_refused() -> None:
    with pytest.raises(TypeError, match="give a LeafRank"):
        TreeRank("leafrank").fit([[0.0], [1.0]], [0, 1])


def test_nothing_to_gain_leaves_one_stratum() -> None:
    model = TreeRank().fit(np.zeros((10, 2)), [0, 1] * 5)
    assert model.tree_.n_leaves == 1
    assert model.tree_.auc == 0.5
    assert model.feature_importances_.sum() == 0.0
    np.testing.assert_array_equal(model.score_samples(np.ones((3, 2))), 0.5)
    np.testing.assert_array_equal(model.rank(np.ones((3, 2))), 2.0)
    assert "stratum 1: 10 rows, 50.0% with label 1" in model.export_text()


def test_import_is_light() -> None:
    heavy = ("numpy", "scipy", "sklearn", "matplotlib", "pandas")
    code = f"import sys, rankforest; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
