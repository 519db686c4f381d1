"""OrdinalRankingTree: labels of all kinds, what it predicts, how it is pruned, other implementations."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import naive_ordinal_tree as twin
from rankforest import OrdinalRankingTree, Pruning
from rankforest.data import simulate
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.folds import ordered_folds
from rankforest.data.ordered_sample import OrderedSample
from rankforest.data.table import read_table
from rankforest.growing.ordinal import OrdinalGrowth, grow_ordinal_trees
from rankforest.tree.ordinal_pruning import depth_path, ordinal_pruning_path


def tie_free(seed: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=n), np.linspace(-1, 1, k - 1))
    return X, y


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two numberings of cells put the same rows together."""
    pairs = {(a, b) for a, b in zip(one.tolist(), other.tolist())}
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@pytest.mark.parametrize("seed", range(5))
def test_gini_grows_the_tree_of_scikit_learn(seed: int) -> None:
    """Weights leave no ties between cuts of different features, which scikit-learn would break at random."""
    X, y = tie_free(seed, 200, 5)
    weights = np.random.default_rng(seed).integers(1000, 4000, 200)
    limits: dict[str, Any] = {"max_depth": 5, "min_samples_leaf": 3}
    ours = OrdinalRankingTree("gini", pruning=None, **limits).fit(X, y, weights)
    theirs = DecisionTreeClassifier(random_state=0, **limits).fit(X, y, weights)
    assert same_partition(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


@pytest.mark.parametrize("criterion", twin.CRITERIA)
def test_importance_is_the_impurity_that_the_cuts_take_off(criterion: str) -> None:
    X, y = tie_free(11, 120, 4)
    model = OrdinalRankingTree(criterion, max_depth=4, pruning=None).fit(X, y)
    tree, expected = model.tree_, np.zeros(3)
    mass = [tuple(int(m) for m in masses) for masses in tree.node_mass]
    for node, feature in enumerate(tree.feature):
        gain = twin.gain(criterion, mass[tree.children[node][0]], mass[node], [0, 1, 2, 3])
        expected[feature] += float(gain * twin.share(criterion, mass[node], mass[0]))
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum())
    assert model.feature_importances_.argmax() == 0


@pytest.mark.parametrize("criterion", ["ordinal_gini", "gini"])
def test_two_labels_grow_the_regression_tree(criterion: str) -> None:
    """The Gini of two labels is their variance."""
    X, y = tie_free(9, 200, 2)
    weights = np.random.default_rng(9).integers(1000, 4000, 200)
    limits: dict[str, Any] = {"max_depth": 5, "min_samples_leaf": 3}
    ours = OrdinalRankingTree(criterion, pruning=None, **limits).fit(X, y, weights)
    theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y, weights)
    assert same_partition(ours.apply(X), theirs.apply(X))
    np.testing.assert_allclose(ours.score_samples(X), theirs.predict(X))


def test_labels_of_all_kinds() -> None:
    """Numbers, an ordered categorical, text with its order: the same tree, and the user's labels come back."""
    X, codes = tie_free(1, 150, 3)
    words = np.array(["poor", "fair", "good"])
    by_code = OrdinalRankingTree(pruning=None).fit(X, codes)
    by_text = OrdinalRankingTree(order=list(words), pruning=None).fit(X, words[codes])
    categorical = pd.Categorical(words[codes], list(words), ordered=True)
    by_category = OrdinalRankingTree(pruning=None).fit(X, categorical)
    for model in (by_text, by_category):
        assert model.classes_.tolist() == words.tolist()
        assert model.levels_.tolist() == [0.0, 1.0, 2.0]
        assert model.predict(X).tolist() == words[by_code.predict(X)].tolist()
    with pytest.raises(ValueError, match="whose order is not known"):
        OrdinalRankingTree().fit(X, words[codes])


def test_spacing_counts_for_the_ranking_impurity_alone() -> None:
    X, codes = tie_free(2, 150, 4)
    wide = np.array([0.0, 1.0, 2.0, 50.0])[codes]
    roots = {}
    for criterion in ("ranking", "ordinal_gini"):
        trees = [OrdinalRankingTree(criterion, max_depth=1, pruning=None).fit(X, y).tree_ for y in (codes, wide)]
        roots[criterion] = [tree.threshold[0] for tree in trees]
    assert roots["ordinal_gini"][0] == roots["ordinal_gini"][1]
    assert roots["ranking"][0] < roots["ranking"][1]  # the pairs with the far label are worth more


def test_what_it_predicts_follows_from_the_leaf() -> None:
    X, y = tie_free(3, 200, 5)
    y = np.array([1, 2, 4, 8, 9])[y]
    weights = np.random.default_rng(0).integers(1, 5, 200)
    model = OrdinalRankingTree(max_depth=3, pruning=None).fit(X, y, weights)
    leaves = model.apply(X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        mass = [int(weights[rows & (y == label)].sum()) for label in model.classes_]
        one = X[rows][:1]
        np.testing.assert_allclose(model.predict_proba(one)[0], np.array(mass) / sum(mass))
        assert model.predict(one)[0] == twin.median_label(mass, model.classes_.tolist())
        assert model.score_samples(one)[0] == pytest.approx(np.average(y[rows], weights=weights[rows]))
        above = [sum(mass[m + 1 :]) / sum(mass) for m in range(4)]
        np.testing.assert_allclose(model.predict_cumulative_proba(one)[0], above)
    scores = model.score_samples(X)
    assert (np.argsort(model.rank(X), kind="stable") == np.argsort(-scores, kind="stable")).all()


def test_repeating_rows_is_weighting_them() -> None:
    rng = np.random.default_rng(4)
    for criterion in twin.CRITERIA:
        X, y = tie_free(4, 80, 4)
        times = rng.integers(1, 4, 80)
        model = OrdinalRankingTree(criterion, pruning=None, min_samples_leaf=1)
        by_weight = model.fit(X, y, times).tree_
        by_rows = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times)).tree_
        for name in ("feature", "threshold", "left", "right", "leaf_mass"):
            np.testing.assert_array_equal(getattr(by_weight, name), getattr(by_rows, name), err_msg=name)


def test_rows_of_weight_zero_are_left_out() -> None:
    X, y = tie_free(5, 100, 4)
    weights = np.r_[np.ones(60), np.zeros(40)]
    with_zeros = OrdinalRankingTree(random_state=0).fit(X, y, weights)
    without = OrdinalRankingTree(random_state=0).fit(X[:60], y[:60])
    np.testing.assert_array_equal(with_zeros.predict_proba(X), without.predict_proba(X))
    with pytest.raises(ValueError, match="one class only"):
        OrdinalRankingTree().fit(X, y, (y == 1).astype(float))


@pytest.mark.parametrize("pruning", ["cv", "cv-1se", "depth"])
def test_pruning_by_cross_validation(pruning: str) -> None:
    """The errors of the folds, by pruning and predicting fold by fold; the chosen subtree is the best of them."""
    sample = simulate.ordinal_square(300, random_state=0)
    model = OrdinalRankingTree("ranking", pruning=Pruning(pruning, n_folds=3), random_state=5, n_jobs=2).fit(
        sample.X, sample.y
    )
    found = model.pruning_
    assert found is not None
    seed = int(np.random.RandomState(5).randint(np.iinfo(np.int32).max))
    folds = ordered_folds(np.asarray(sample.y - 1), 3, seed)
    at = found.path.complexities
    middles = at if pruning == "depth" else np.append(np.sqrt(at[:-1] * at[1:]), np.inf)
    table = read_table(sample.X)
    rows = OrderedSample(
        table, bin_table(table, find_bins(table)), (sample.y - 1).astype(np.uint8), None, model.levels_
    )
    parts = [grow_ordinal_trees(rows.take(folds != fold), OrdinalGrowth("ranking"), seed=0)[0] for fold in range(3)]
    for i in {0, len(at) // 2, len(at) - 1, found.best}:
        errors = []
        for fold, part in enumerate(parts):
            test = folds == fold
            tree = (depth_path if pruning == "depth" else ordinal_pruning_path)(part).prune(middles[i])
            guess = tree.levels[tree.leaf_median[tree.apply(sample.X[test])]]
            errors.append(np.abs(guess - sample.y[test]).mean())
        assert found.error[i] == pytest.approx(np.mean(errors))
        assert found.standard_error[i] == pytest.approx(np.std(errors, ddof=1) / np.sqrt(3))
    chosen = found.one_standard_error if pruning == "cv-1se" else found.best
    assert model.tree_.n_leaves == found.path.n_leaves[chosen] < model.grown_tree_.n_leaves
    assert found.error[found.best] == found.error.min()
    assert found.error[found.one_standard_error] <= found.error.min() + found.standard_error[found.best]


def test_pruned_trees_predict_better() -> None:
    sample, fresh = (simulate.ordinal_square(1000, random_state=seed) for seed in (0, 1))
    error = {}
    for pruning in (None, "cv"):
        model = OrdinalRankingTree(pruning=pruning, random_state=0).fit(sample.X, sample.y)
        error[pruning] = np.abs(model.predict(fresh.X) - fresh.y).mean()
    assert error["cv"] < error[None]


def test_the_model_does_not_depend_on_threads_and_survives_storage() -> None:
    X, y = tie_free(6, 300, 5)
    one = OrdinalRankingTree(max_features=2, random_state=0).fit(X, y)
    other = clone(one).set_params(n_jobs=2).fit(X, y)
    again = pickle.loads(pickle.dumps(one))
    for model in (other, again):
        np.testing.assert_array_equal(model.predict_proba(X), one.predict_proba(X))
    assert repr(one) == "OrdinalRankingTree(max_features=2, random_state=0)"
    assert not np.array_equal(clone(one).set_params(random_state=1).fit(X, y).predict_proba(X), one.predict_proba(X))


def test_categories_and_missing_values() -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"grade": rng.choice(["a", "b", "c", "d"], 300), "x": rng.normal(size=300)})
    y = frame["grade"].map({"a": 2, "b": 0, "c": 1, "d": 2}).to_numpy()
    frame.loc[::10, "x"] = np.nan
    frame.loc[y == 1, "grade"] = None
    model = OrdinalRankingTree("ranking").fit(frame, y)
    assert (model.predict(frame) == y).all()
    assert model.feature_names_in_.tolist() == ["grade", "x"]
    unseen = pd.DataFrame({"grade": ["z", None], "x": [0.0, np.nan]})
    assert model.predict(unseen).tolist() == [1, 1]  # an unseen category is missing, and the missing are label 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"criterion": "entropy"}, "criterion is 'entropy'; choose one of"),
        ({"pruning": "yes"}, "pruning is 'yes'; choose None, 'cv', 'cv-1se' or 'depth', or give a Pruning"),
        ({"pruning": Pruning("cv", n_folds=1)}, "n_folds of pruning is 1; give a whole number of at least 2"),
        ({"pruning": Pruning("cv", n_folds=99)}, "n_folds is 99, and there are 40 rows"),
        ({"pruning": Pruning("cv", penalty=0.1)}, "penalty of pruning is 0.1, and there is none here; leave it 'auto'"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1"),
        ({"cuts": "worst"}, "cuts is 'worst'"),
        ({"max_bins": 1}, "max_bins is 1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf is 0"),
        ({"order": [3]}, "order is"),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    X, y = tie_free(8, 40, 3)
    with pytest.raises(ValueError, match=message):
        OrdinalRankingTree(**parameters).fit(X, y)
