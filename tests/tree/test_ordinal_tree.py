"""The frozen tree of ordered labels: medians, sums, pruning and words, each against brute force."""

import itertools
import pickle

import numpy as np
import pytest

import naive_ordinal_tree as twin
from rankforest import OrdinalRankingTree
from rankforest.tree.ordinal_pruning import OrdinalPath, collapse_ordinal, depth_path, ordinal_pruning_path
from rankforest.tree.ordinal_rules import leaf_rules
from rankforest.tree.ordinal_tree import OrdinalTree, median_level


def grown(seed: int, n: int = 60, max_depth: int | None = None) -> tuple[OrdinalTree, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    sample = twin.random_ordered(rng, n, 3, 4, missing=0.1)
    labels = np.array(sample.levels)[sample.y]
    model = OrdinalRankingTree("ranking", max_depth=max_depth, pruning=None).fit(sample.X, labels)
    return model.tree_, sample.X, labels


def rows_below(tree: OrdinalTree, leaves: np.ndarray) -> list[np.ndarray]:
    """For every node and, after them, every leaf: which rows pass it."""
    below: list[set[int]] = [set() for _ in range(tree.n_nodes)] + [{i} for i in range(tree.n_leaves)]
    for node in range(tree.n_nodes - 1, -1, -1):
        below[node] = below[tree.children[node][0]] | below[tree.children[node][1]]
    return [np.isin(leaves, list(found)) for found in below]


def test_median_has_the_least_expected_distance() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        k = int(rng.integers(2, 7))
        mass, levels = rng.integers(0, 4, k), np.cumsum(rng.integers(1, 5, k))
        if mass.any():
            guess = levels[median_level(mass[None, :].astype(float))[0]]
            assert guess == twin.median_label(mass.tolist(), levels.tolist())


def test_node_masses_are_those_of_the_rows_that_pass() -> None:
    tree, X, labels = grown(1)
    for mass, rows in zip(tree.node_mass, rows_below(tree, tree.apply(X)), strict=True):
        assert mass.tolist() == [int((labels[rows] == level).sum()) for level in tree.levels]
    assert tree.max_depth == max(tree.depth)
    assert tree.depth[0] == 0


def error_of(tree: OrdinalTree, X: np.ndarray, labels: np.ndarray) -> float:
    return float(np.abs(tree.levels[tree.leaf_median[tree.apply(X)]] - labels).mean())


def prunings(tree: OrdinalTree) -> list[np.ndarray]:
    """All subtrees with the same root, as masks of the nodes that are cut no more."""

    def kept(node: int) -> list[frozenset[int]]:
        if node >= tree.n_nodes:
            return [frozenset()]
        left, right = (kept(child) for child in tree.children[node])
        return [frozenset()] + [one | other | {node} for one, other in itertools.product(left, right)]

    return [~np.isin(np.arange(tree.n_nodes), list(nodes)) for nodes in kept(0)]


@pytest.mark.parametrize("seed", range(4))
def test_path_holds_the_best_subtree_of_every_complexity(seed: int) -> None:
    """Of all subtrees with the same root, the smallest of those with the least error + complexity * leaves."""
    tree, X, labels = grown(seed, 30, max_depth=3)
    path = ordinal_pruning_path(tree)
    all_of_them = [collapse_ordinal(tree, chosen) for chosen in prunings(tree)]
    assert path.n_leaves[0] <= tree.n_leaves
    assert path.n_leaves[-1] == 1
    errors = [error_of(pruned, X, labels) for pruned in all_of_them]
    for i, complexity in enumerate(path.complexities):
        cost = [error + complexity * pruned.n_leaves for error, pruned in zip(errors, all_of_them)]
        least = min(cost)
        smallest = min(p.n_leaves for c, p in zip(cost, all_of_them) if c <= least + 1e-12)
        found = path.prune(complexity)
        assert found.n_leaves == smallest == path.n_leaves[i]
        assert error_of(found, X, labels) == pytest.approx(path.error[i])


def test_path_of_a_large_tree_starts_where_a_leaf_is_worth_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """From there on it is the whole path: the same subtrees at the same complexities."""
    tree, _, labels = grown(9, 200)
    whole = ordinal_pruning_path(tree)
    monkeypatch.setattr("rankforest.tree.ordinal_pruning._LARGE", 10)
    path = ordinal_pruning_path(tree)
    one_row = np.diff(tree.levels).min() / len(labels)
    assert 1 < len(path) < len(whole)
    np.testing.assert_allclose(path.collapse_at, np.maximum(whole.collapse_at, one_row))
    for complexity in (one_row, *(path.complexities[1:] * (1 + 1e-9))):
        assert path.prune(complexity).n_leaves == whole.prune(complexity * (1 + 1e-9)).n_leaves


@pytest.mark.parametrize("make_path", [ordinal_pruning_path, depth_path])
def test_errors_along_a_path_on_other_rows(make_path: type[OrdinalPath]) -> None:
    """One pass over the rows gives the error of every subtree."""
    tree, _, _ = grown(5, 80)
    rng = np.random.default_rng(6)
    X, codes = rng.normal(size=(50, 3)) + 1.0, rng.integers(0, 4, 50)
    mass = np.zeros((tree.n_leaves, 4))
    np.add.at(mass, (tree.apply(X), codes), 1.0)
    path = make_path(tree)
    expected = [error_of(path.prune(complexity), X, tree.levels[codes]) for complexity in path.complexities]
    np.testing.assert_allclose(path.error_on(mass, path.complexities), expected)


def test_depth_path_is_the_tree_grown_to_each_depth() -> None:
    whole, X, labels = grown(7, 90)
    path = depth_path(whole)
    assert len(path) == whole.max_depth + 1
    for depth in range(1, whole.max_depth + 1):
        shallow = OrdinalRankingTree("ranking", max_depth=depth, pruning=None).fit(X, labels).tree_
        pruned = path.prune(-depth)
        for name in ("feature", "threshold", "left", "right", "leaf_mass", "leaf_count", "missing_left"):
            np.testing.assert_array_equal(getattr(pruned, name), getattr(shallow, name), err_msg=name)


def test_a_tree_of_one_leaf() -> None:
    model = OrdinalRankingTree(min_samples_leaf=10, pruning=None).fit(np.arange(12.0)[:, None], np.arange(12) % 3)
    tree = model.tree_
    assert (tree.n_leaves, tree.max_depth, tree.n_nodes) == (1, 0, 0)
    assert len(ordinal_pruning_path(tree)) == len(depth_path(tree)) == 1
    assert model.feature_importances_.tolist() == [0.0]
    assert leaf_rules(tree) == ["all rows"]
    assert model.predict([[3.0]]).tolist() == [1]
    assert model.export_text() == "12 rows, mean 1: predicts 1"


def test_pickle_keeps_the_tree_and_not_its_cache() -> None:
    tree, X, _ = grown(8)
    leaves = tree.apply(X)
    copy = pickle.loads(pickle.dumps(tree))
    assert copy._cache == {}
    np.testing.assert_array_equal(copy.apply(X), leaves)
    assert repr(copy) == repr(tree)


def test_words() -> None:
    X = [[1.0, "a"], [2.0, "b"], [3.0, "b"], [4.0, "a"], [5.0, "c"], [None, "c"]]
    model = OrdinalRankingTree("ranking", order=["low", "mid", "high"], pruning=None)
    model.fit(X, ["low", "low", "mid", "mid", "high", "high"])
    assert model.rules() == ["x0 <= 2.5", "2.5 < x0 <= 4.5", "x0 > 4.5 or missing"]
    assert model.export_text().splitlines() == [
        "6 rows, mean 1",
        "    x0 <= 2.5: 2 rows, mean 0: predicts low",
        "    x0 > 2.5 or missing: 4 rows, mean 1.5",
        "        x0 <= 4.5: 2 rows, mean 1: predicts mid",
        "        x0 > 4.5 or missing: 2 rows, mean 2: predicts high",
    ]
    assert model.export_text(max_depth=0) == "6 rows, mean 1: predicts mid"
