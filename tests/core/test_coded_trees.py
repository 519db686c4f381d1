"""Trees evaluated on coded rows, compared with a walk of one row and one node at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dags import NODE_ARRAYS, dag_of, dags, random_dag, random_rows, walks
from rankforest import _core
from rankforest.tree.walk import make_tree_sum

MANY_ROWS = 600  # enough that trees are coded
Tree = tuple[dict[str, Any], np.ndarray]  # arrays, labels of the terminals


def check(trees: list[Tree], n_codes: list[int], distinct: np.ndarray, n_rows: int = MANY_ROWS) -> _core.Forest:
    """Labels and sums of rows drawn from `distinct`, by coded trees and one thread or three, equal those of walks."""
    picks = np.random.default_rng(0).integers(0, len(distinct), n_rows)
    X = np.ascontiguousarray(distinct[picks])
    forest = _core.Forest([dag_of(arrays, labels, n_codes) for arrays, labels in trees])
    assert forest.is_coded(n_rows)
    expected = np.column_stack([walks(arrays, labels, n_codes, distinct) for arrays, labels in trees])[picks]
    numbers = [np.arange(max(labels) + 1.0) for _, labels in trees]
    values = [np.random.default_rng(t).normal(size=len(number)) for t, number in enumerate(numbers)]
    sums = np.zeros(n_rows)
    for t, value in enumerate(values):  # in order, so the rounding is known too
        sums += value[expected[:, t]]
    for n_threads in (1, 3):
        assert np.array_equal(_core.tree_scores(forest, numbers, X, n_threads), expected)
        assert np.array_equal(make_tree_sum(forest, values).sum(X, 0, len(trees), n_threads), sums)
    return forest


def numeric_forest(
    rng: np.random.Generator, n_features: int, thresholds: np.ndarray, n_trees: int, n_nodes: int = 60
) -> list[Tree]:
    """DAGs that ask for every feature, at these thresholds."""
    trees = []
    for t in range(n_trees):
        arrays = random_dag(rng, n_nodes, 12, [0] * n_features)
        arrays["threshold"] = rng.choice(thresholds, n_nodes)
        arrays["feature"] = (np.arange(n_nodes, dtype=np.int32) + t * n_nodes) % n_features
        trees.append((arrays, np.arange(12)))
    return trees


def rows_around(rng: np.random.Generator, thresholds: np.ndarray, n: int, n_features: int) -> np.ndarray:
    """Values on the thresholds, next to them, far from them, zeros of both signs, infinities, and missing values."""
    near = np.concatenate(
        [thresholds, np.nextafter(thresholds, np.inf), np.nextafter(thresholds, -np.inf), [0.0, -0.0, np.inf, -np.inf]]
    )
    return rng.choice(np.append(near, np.nan), (n, n_features))


@pytest.mark.parametrize("n_features", [1, 17, 130])
def test_numbers(n_features: int) -> None:
    """More rows than a block has, the last group not full; ties at thresholds, infinities, missing values."""
    rng = np.random.default_rng(n_features)
    thresholds = np.array([-np.inf, -1e300, -1.5, -5e-324, -0.0, 0.0, 5e-324, 0.1, 2.0, np.inf])
    trees = numeric_forest(rng, n_features, thresholds, n_trees=max(9, n_features))
    check(trees, [0] * n_features, rows_around(rng, thresholds, 101, n_features), 2 * 1024 + 3)


@settings(max_examples=40, deadline=None)
@given(st.lists(dags(), min_size=12, max_size=14), st.integers(0, 2**32 - 1))
def test_any_forest(shapes: list[tuple], seed: int) -> None:
    """DAGs of any shape with numbers and categories, single terminals and several terminals of one label among them."""
    rng = np.random.default_rng(seed)
    n_codes = [0, 6, 0, 130]
    trees = [(random_dag(rng, len(old["feature"]), len(labels), n_codes), labels) for old, labels, _, _ in shapes]
    check(trees, n_codes, random_rows(rng, 30, n_codes))


@pytest.mark.parametrize("n_codes", [[2, 2], [128, 129], [256, 257, 0], [3001]])
def test_categories(n_codes: list[int]) -> None:
    """Around the 128 categories of a page, two-byte categories; more sets in a tree than there are scratch planes."""
    rng = np.random.default_rng(0)
    trees = [(random_dag(rng, 50, 12, n_codes), np.arange(12)) for _ in range(20)]
    for arrays, _ in trees[:10]:  # sparse sets, of one category, and empty ones
        arrays["sets"] &= arrays["sets"] << np.uint64(3) & arrays["sets"] << np.uint64(5)
    trees[0][0]["sets"][:] = 0
    check(trees, n_codes, random_rows(rng, 80, n_codes))


@pytest.mark.parametrize(("n_codes", "n_sets"), [(4, 3), (9, 127), (9, 200), (130, 20), (300, 150)])
def test_sets_that_many_nodes_test(n_codes: int, n_sets: int) -> None:
    """They are evaluated once for all nodes; of more of them than have room, the rest is tested by each node."""
    rng = np.random.default_rng(n_sets)
    n_words = (n_codes + 63) // 64
    pool = rng.integers(0, 2**63, n_sets * n_words, dtype=np.uint64)
    pool[:n_words] = 0  # an empty set
    trees = []
    for _ in range(20):
        arrays = random_dag(rng, 60, 12, [n_codes, 0])
        of_set = arrays["set_offset"] >= 0
        arrays["sets"] = pool
        arrays["set_offset"][of_set] = n_words * rng.integers(0, n_sets, of_set.sum())
        trees.append((arrays, np.arange(12)))
    trees.append((random_dag(rng, 60, 12, [n_codes, 0]), np.arange(12)))  # sets of its own
    check(trees, [n_codes, 0], random_rows(rng, 200, [n_codes, 0]))


def test_categories_compared_as_numbers() -> None:
    """A node without a set compares the code of a category with its threshold, in the same tree as nodes with sets."""
    rng = np.random.default_rng(0)
    trees = [(random_dag(rng, 40, 12, [0, 9]), np.arange(12)) for _ in range(8)]
    for arrays, _ in trees:
        arrays["set_offset"][rng.random(40) < 0.5] = -1
    check(trees, [0, 9], random_rows(rng, 60, [0, 9]))


@pytest.mark.parametrize("n_thresholds", [254, 255, 508, 1300])
def test_many_thresholds_of_a_feature(n_thresholds: int) -> None:
    """As many as a byte holds, and more."""
    rng = np.random.default_rng(0)
    thresholds = np.sort(rng.normal(size=n_thresholds))
    trees = numeric_forest(rng, 1, thresholds, n_trees=1 + n_thresholds // 60)
    for t, (arrays, _) in enumerate(trees):
        own = thresholds[60 * t : 60 * (t + 1)]
        arrays["threshold"][: len(own)] = rng.permutation(own)
        arrays["left"][:] = [*range(1, 60), ~0]  # every node is kept
        arrays["right"][:] = ~(1 + np.arange(60) % 11)
    check(trees, [0], rows_around(rng, thresholds, 400, 1))


def test_a_nan_threshold() -> None:
    """No fitted tree has a NaN threshold; no value is above it, and missing values go to their side."""
    rng = np.random.default_rng(0)
    trees = numeric_forest(rng, 3, np.array([0.0, np.nan]), n_trees=4)
    X = rows_around(rng, np.zeros(1), MANY_ROWS, 3)
    models = [dag_of(arrays, labels, [0] * 3) for arrays, labels in trees]
    forest = _core.Forest(models)
    assert forest.is_coded(MANY_ROWS)
    found = _core.tree_scores(forest, [np.arange(12.0)] * 4, X, 1)
    assert np.array_equal(found, np.column_stack([model.walk(X, 1) for model in models]))


@pytest.mark.parametrize("n_labels", [256, 257, 2**16, 2**16 + 1])
def test_labels_of_several_bytes(n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    arrays = random_dag(rng, 100, 40, [0, 0])
    arrays["left"][:99] = np.arange(1, 100)  # every node is reached
    labels = np.zeros(n_labels, dtype=np.int32)
    labels[:40] = np.append(rng.integers(0, n_labels, 37), [0, 255, n_labels - 1])
    X = random_rows(rng, MANY_ROWS, [0, 0])
    dag = dag_of(arrays, labels, [0, 0])
    forest = _core.Forest([dag] * 3)
    assert forest.is_coded(MANY_ROWS)
    found = _core.tree_scores(forest, [np.arange(float(n_labels))] * 3, X, 1)
    assert np.array_equal(found, np.column_stack([dag.walk(X, 1)] * 3))


def test_a_tree_too_large_to_be_evaluated_is_walked() -> None:
    """A balanced tree of many nodes and short paths, among small ones."""
    n_leaves = 2**13
    arrays = {name: np.zeros(n_leaves - 1, dtype=dtype) for name, dtype in NODE_ARRAYS.items()}
    heap = np.arange(n_leaves - 1)
    arrays["set_offset"][:], arrays["sets"] = -1, np.zeros(0, dtype=np.uint64)
    arrays["feature"][:] = np.log2(heap + 1).astype(int)
    arrays["threshold"][:] = heap % 7 / 10  # no symmetric tree
    for side, name in enumerate(("left", "right")):
        child = 2 * heap + 1 + side
        arrays[name][:] = np.where(child < n_leaves - 1, child, ~(child - (n_leaves - 1)))
    rng = np.random.default_rng(0)
    small = numeric_forest(rng, 13, np.arange(3.0), 16)
    distinct = rng.integers(0, 3, (50, 13)) / 2
    check([*small[:6], (arrays, np.arange(n_leaves)), *small[6:]], [0] * 13, distinct)
    assert not _core.Forest([dag_of(arrays, np.arange(n_leaves), [0] * 13)] * 20).is_coded(MANY_ROWS)


# ---- symmetric trees


def symmetric_tree(rng: np.random.Generator, depth: int, n_codes: list[int]) -> Tree:
    """All nodes of a level have the same test; the labels are in any order."""
    levels = random_dag(rng, depth, 1, n_codes)  # one node per level
    n_leaves = 2**depth
    arrays = {name: np.repeat(levels[name], 2 ** np.arange(depth)) for name in NODE_ARRAYS if name != "sets"}
    arrays["sets"] = levels["sets"]
    heap = np.arange(n_leaves - 1)
    for side, name in enumerate(("left", "right")):
        child = 2 * heap + 1 + side
        arrays[name] = np.where(child < n_leaves - 1, child, ~(child - (n_leaves - 1))).astype(np.int32)
    return arrays, rng.permutation(n_leaves)


@pytest.mark.parametrize("n_codes", [[0] * 9, [0, 6, 0, 300]])
def test_symmetric_trees(n_codes: list[int]) -> None:
    """Numbers and sets of categories; a number of trees that does not fill the last batch."""
    rng = np.random.default_rng(0)
    trees = [symmetric_tree(rng, 1 + t % 8, n_codes) for t in range(27)]
    assert check(trees, n_codes, random_rows(rng, 100, n_codes)).n_symmetric() == 27


def test_trees_that_are_nearly_symmetric() -> None:
    """One node has another feature, threshold, side of missing values or set; a leaf is cut; a level too many."""
    rng = np.random.default_rng(1)
    n_codes = [0, 6, 0]
    trees: list[Tree] = []
    while len(trees) < 20:
        arrays, labels = symmetric_tree(rng, 4, n_codes)
        node = int(rng.integers(1, 15))
        if arrays["set_offset"][node] >= 0:
            arrays["set_offset"][node] = len(arrays["sets"])
            arrays["sets"] = np.append(arrays["sets"], ~arrays["sets"][-1:])
        else:
            name = ("feature", "threshold", "missing_left")[len(trees) % 3]
            changed = {"feature": 2 - arrays["feature"][node], "threshold": 0.125, "missing_left": 2}
            arrays[name][node] = 1 - arrays[name][node] if name == "missing_left" else changed[name]
        trees.append((arrays, labels))
    arrays, labels = symmetric_tree(rng, 3, n_codes)
    arrays["right"][-1] = -1  # both sides of the last node lead to the first terminal or the last but one
    trees.append((arrays, labels))
    trees.append(symmetric_tree(rng, 9, [0, 6, 0]))
    distinct = random_rows(rng, 100, n_codes)
    distinct[:20, ::2] = 0.125
    assert check(trees, n_codes, distinct).n_symmetric() == 1  # a DAG that ends at equal depth


# ---- when trees are coded


def test_trees_are_coded_once_enough_rows_are_scored() -> None:
    rng = np.random.default_rng(0)
    models = [dag_of(arrays, labels, [0] * 12) for arrays, labels in numeric_forest(rng, 12, np.arange(3.0), 12)]
    forest = _core.Forest(models)
    assert not forest.is_coded(511)
    assert forest.is_coded(512)
    total = make_tree_sum(forest, [np.arange(12.0)] * 12)
    X = np.ascontiguousarray(rng.integers(0, 4, (500, 12)) / 2)
    before = total.sum(X, 0, 12, 1)
    assert forest.is_coded(100)
    assert np.array_equal(total.sum(X, 0, 12, 1), before)
    assert not forest.is_coded(1)  # a single row is walked
    assert [total.sum(X[i : i + 1], 0, 12, 1)[0] for i in range(20)] == before[:20].tolist()


def test_few_trees_are_not_coded() -> None:
    """Coding a row takes as long as a few walks."""
    rng = np.random.default_rng(0)
    models = [dag_of(arrays, labels, [0] * 12) for arrays, labels in numeric_forest(rng, 12, np.arange(3.0), 3)]
    assert not _core.Forest(models).is_coded(MANY_ROWS)
    assert not _core.Forest([]).is_coded(MANY_ROWS)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 40), st.sampled_from([1, 4, 5, 129, 600]))
def test_sums_of_some_of_the_trees(seed: int, first: int, n_trees: int, n_rows: int) -> None:
    """For one row, a few and many; the trees are summed in order."""
    rng = np.random.default_rng(seed)
    n_codes = [0, 5, 0]
    models = [dag_of(random_dag(rng, 9, 5, n_codes), np.arange(5), n_codes) for _ in range(80)]
    values = [rng.normal(size=5) for _ in models]
    X = random_rows(rng, n_rows, n_codes)
    expected = np.zeros(n_rows)
    for model, value in list(zip(models, values))[first : first + n_trees]:
        expected += value[model.walk(X, 1)]
    assert make_tree_sum(_core.Forest(models), values).sum(X, first, first + n_trees, 1).tolist() == expected.tolist()
