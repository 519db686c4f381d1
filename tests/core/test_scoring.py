"""Scoring with decision DAGs in the core, compared with a walk of one row and one node at a time."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import _core

NODE_ARRAYS = {
    "feature": np.int32, "threshold": np.float64, "left": np.int32, "right": np.int32,
    "missing_left": np.uint8, "set_offset": np.int32, "sets": np.uint64,
}  # fmt: skip


def random_dag(rng: np.random.Generator, n_nodes: int, n_terminals: int, n_codes: list[int]) -> dict[str, Any]:
    """Any DAG whose children come after their parents; several parents may share a child."""
    arrays: dict[str, Any] = {name: [] for name in NODE_ARRAYS}
    for i in range(n_nodes):
        j = int(rng.integers(len(n_codes)))
        children = [
            int(rng.integers(i + 1, n_nodes))
            if i + 1 < n_nodes and rng.random() < 0.7
            else ~int(rng.integers(n_terminals))
            for _ in range(2)
        ]
        arrays["feature"].append(j)
        arrays["threshold"].append(rng.choice([rng.normal(), 0.0, math.inf]))
        arrays["left"].append(children[0])
        arrays["right"].append(children[1])
        arrays["missing_left"].append(rng.integers(2))
        arrays["set_offset"].append(len(arrays["sets"]) if n_codes[j] else -1)
        n_words = (n_codes[j] + 63) // 64
        arrays["sets"] += [int(v) for v in rng.integers(0, 2**63, n_words, dtype=np.uint64) * 2 + 1]
    return {name: np.array(arrays[name], dtype=dtype) for name, dtype in NODE_ARRAYS.items()}


def random_rows(rng: np.random.Generator, n: int, n_codes: list[int]) -> np.ndarray:
    """Numbers on and off the thresholds, categories known and unknown, and missing values."""
    X = rng.choice([0.0, -0.0, np.inf, -np.inf, 1.0], (n, len(n_codes)))
    X = np.where(rng.random(X.shape) < 0.7, rng.normal(size=X.shape), X)
    for j, k in enumerate(n_codes):
        if k:
            X[:, j] = rng.integers(-2, k + 2, n)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X


def dag_of(arrays: dict[str, Any], labels: Any, n_codes: list[int]) -> _core.Dag:
    return _core.Dag(*(arrays[name] for name in NODE_ARRAYS), np.array(labels, dtype=np.int32), n_codes)


@st.composite
def dags(draw: st.DrawFn) -> tuple[dict[str, Any], np.ndarray, list[int], np.random.Generator]:
    """Arrays, labels of the terminals (each its own, or several of one label), codes of the features."""
    n_codes = draw(st.lists(st.sampled_from([0, 0, 1, 2, 6, 63, 64, 65, 66, 130]), min_size=1, max_size=5))
    n_nodes, n_terminals = draw(st.integers(0, 25)), draw(st.integers(1, 10))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = np.arange(n_terminals) if draw(st.booleans()) else rng.integers(0, n_terminals, n_terminals)
    return random_dag(rng, n_nodes, n_terminals, n_codes), labels, n_codes, rng


def walks(arrays: dict[str, Any], labels: np.ndarray, n_codes: list[int], X: np.ndarray) -> np.ndarray:
    """Label of the terminal of each row, one row after the other."""
    return np.array([labels[naive.walk(arrays, row, n_codes)[1]] for row in X], dtype=int)


@settings(max_examples=100, deadline=None)
@given(dags(), st.sampled_from([0, 1, 2, 15, 16, 17, 40]))
def test_walk(dag: tuple, n_rows: int) -> None:
    """Numbers of rows around the sixteen that walk together; sets of categories in one word and in several."""
    arrays, labels, n_codes, rng = dag
    X = random_rows(rng, n_rows, n_codes)
    got = dag_of(arrays, labels, n_codes).walk(X, 1)
    assert got.tolist() == walks(arrays, labels, n_codes, X).tolist()


@pytest.mark.parametrize("n_features", [3, 30])
def test_walk_in_threads(n_features: int) -> None:
    """Enough rows for several threads, in long and in short blocks, the last of them not full."""
    rng = np.random.default_rng(0)
    n_codes = [0, 0, 7] * (n_features // 3)
    arrays, labels = random_dag(rng, 200, 50, n_codes), np.arange(50)
    distinct = random_rows(rng, 200, n_codes)
    picks = rng.integers(0, 200, 101_123)
    expected = walks(arrays, labels, n_codes, distinct)[picks]
    X = distinct[picks]
    dag = dag_of(arrays, labels, n_codes)
    for n_threads in (1, 3):
        assert np.array_equal(dag.walk(X, n_threads), expected)


@settings(max_examples=40, deadline=None)
@given(st.lists(dags(), max_size=5), st.sampled_from([1, 3, 700]))
def test_sum_of_scores_is_the_sum_of_walks(trees: list[tuple], n_rows: int) -> None:
    """Trees of any shape on the same features; trees are summed in order, so the rounding is known too."""
    rng = np.random.default_rng(n_rows)
    n_codes = [0, 5, 0]
    X = random_rows(rng, n_rows, n_codes)
    models, values = [], []
    expected = np.zeros(n_rows)
    for old, labels, _, _ in trees:
        arrays = random_dag(rng, len(old["feature"]), len(labels), n_codes)
        models.append(dag_of(arrays, labels, n_codes))
        values.append(rng.normal(size=max(labels) + 1))
        expected += values[-1][walks(arrays, labels, n_codes, X)]
    assert _core.sum_scores(_core.Forest(models), values, X, 1).tolist() == expected.tolist()


def test_sum_of_scores_in_threads() -> None:
    rng = np.random.default_rng(1)
    n_codes = [0, 0]
    X = random_rows(rng, 30_001, n_codes)
    models = [dag_of(random_dag(rng, 60, 9, n_codes), np.arange(9), n_codes) for _ in range(5)]
    values = [rng.normal(size=9) for _ in models]
    expected = sum(v[m.walk(X, 1)] for m, v in zip(models, values))
    for n_threads in (1, 3):
        assert np.array_equal(_core.sum_scores(_core.Forest(models), values, X, n_threads), expected)


# ---- rows that are coded once for many trees

CODED = _core.instruction_set() != "baseline"  # where sixteen bytes can be looked up at once
WORTH_CODING = 4096  # rows, for the sake of which trees are coded
MANY_ROWS = 300  # enough for trees that are


def numeric_forest(
    rng: np.random.Generator, n_features: int, thresholds: np.ndarray, n_trees: int, n_nodes: int = 60
) -> list[tuple[dict[str, Any], np.ndarray]]:
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


def forest_scores(trees: list, n_codes: list[int], X: np.ndarray, n_threads: int = 1) -> tuple[np.ndarray, bool]:
    """Label of every row (first axis) in every tree, as a score, and whether the rows were coded."""
    forest = _core.Forest([dag_of(arrays, labels, n_codes) for arrays, labels in trees])
    values = [np.arange(max(labels) + 1.0) for _, labels in trees]
    coded = forest.is_coded(WORTH_CODING)  # from then on for fewer rows, too
    assert forest.is_coded(len(X)) == coded
    return _core.tree_scores(forest, values, X, n_threads), coded


def one_by_one(trees: list, n_codes: list[int], X: np.ndarray) -> np.ndarray:
    return np.column_stack([walks(arrays, labels, n_codes, X) for arrays, labels in trees])


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("n_features", [1, 15, 16, 17, 32, 33, 49, 64])
def test_coded_rows_reach_the_same_terminals(n_features: int, missing: bool) -> None:
    """Columns in one and in several groups of sixteen; a number of rows that does not fill the last group of eight."""
    rng = np.random.default_rng(n_features)
    thresholds = np.array([-np.inf, -1e300, -1.5, -5e-324, -0.0, 0.0, 5e-324, 0.1, 2.0, np.inf])
    trees = numeric_forest(rng, n_features, thresholds, n_trees=16)
    distinct = rows_around(rng, thresholds, 101, n_features)
    if not missing:
        distinct[np.isnan(distinct)] = 0.1
    picks = rng.integers(0, len(distinct), 2 * 2048 + 3)
    n_codes = [0] * n_features
    expected = one_by_one(trees, n_codes, distinct)[picks]
    for n_threads in (1, 3):
        found, coded = forest_scores(trees, n_codes, distinct[picks], n_threads)
        assert coded == CODED
        assert np.array_equal(found, expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(dags(), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_coded_rows_in_any_forest(shapes: list[tuple], seed: int) -> None:
    """DAGs of any shape, single terminals and several terminals of one label among them."""
    rng = np.random.default_rng(seed)
    n_codes = [0, 0, 0]
    trees = [(random_dag(rng, len(old["feature"]), len(labels), n_codes), labels) for old, labels, _, _ in shapes]
    distinct = random_rows(rng, 30, n_codes)
    picks = rng.integers(0, 30, MANY_ROWS)
    found, coded = forest_scores(trees, n_codes, distinct[picks])
    assert coded == CODED
    assert np.array_equal(found, one_by_one(trees, n_codes, distinct)[picks])


def test_coded_rows_at_a_nan_threshold() -> None:
    """No fitted tree has a NaN threshold; no value is above it, with or without codes."""
    rng = np.random.default_rng(0)
    trees = numeric_forest(rng, 3, np.array([0.0, np.nan]), n_trees=4)
    X = rows_around(rng, np.zeros(1), MANY_ROWS, 3)
    found, coded = forest_scores(trees, [0] * 3, X)
    assert coded == CODED
    for scores, (arrays, labels) in zip(found.T, trees):
        assert np.array_equal(scores, dag_of(arrays, labels, [0] * 3).walk(X, 1))


@pytest.mark.parametrize(("n_thresholds", "fits"), [(254, True), (255, False)])
def test_as_many_thresholds_as_a_byte_holds(n_thresholds: int, fits: bool) -> None:
    rng = np.random.default_rng(0)
    thresholds = np.sort(rng.normal(size=n_thresholds))
    trees = numeric_forest(rng, 1, thresholds, n_trees=1, n_nodes=n_thresholds)
    trees[0][0]["threshold"] = rng.permutation(thresholds)
    trees[0][0]["left"][:] = [i + 1 for i in range(n_thresholds - 1)] + [~0]  # every node is kept
    trees[0][0]["right"][:] = ~(1 + np.arange(n_thresholds) % 11)
    X = rows_around(rng, thresholds, MANY_ROWS, 1)
    found, coded = forest_scores(trees, [0], X)
    assert coded == (fits and CODED)
    assert np.array_equal(found, one_by_one(trees, [0], X))


@pytest.mark.parametrize("n_codes", [[0] * 65, [0, 5, 0]])
def test_forests_that_cannot_be_coded(n_codes: list[int]) -> None:
    """More features than a row has columns, and sets of categories."""
    rng = np.random.default_rng(0)
    trees = [(random_dag(rng, 100, 12, n_codes), np.arange(12)) for _ in range(20)]
    distinct = random_rows(rng, 40, n_codes)
    picks = rng.integers(0, 40, MANY_ROWS)
    found, coded = forest_scores(trees, n_codes, distinct[picks])
    assert not coded
    assert np.array_equal(found, one_by_one(trees, n_codes, distinct)[picks])


@pytest.mark.parametrize(("n_labels", "fits"), [(2**15, True), (2**15 + 1, False)])
def test_as_many_labels_as_fit_beside_a_bit(n_labels: int, fits: bool) -> None:
    """A balanced tree, each level of which asks for a feature of its own."""
    arrays = {name: np.zeros(n_labels - 1, dtype=dtype) for name, dtype in NODE_ARRAYS.items()}
    heap = np.arange(n_labels - 1)
    arrays["set_offset"][:], arrays["sets"] = -1, np.zeros(0, dtype=np.uint64)
    arrays["feature"][:] = np.log2(heap + 1).astype(int)
    for side, name in enumerate(("left", "right")):
        child = 2 * heap + 1 + side
        arrays[name][:] = np.where(child < n_labels - 1, child, ~(child - (n_labels - 1)))
    arrays["threshold"][:] = 0.5
    X = np.random.default_rng(0).integers(0, 2, (MANY_ROWS, 16)).astype(float)
    X[0], X[1] = 0.0, 1.0
    labels, n_codes = np.arange(n_labels), [0] * 16
    found, coded = forest_scores([(arrays, labels)] * 4, n_codes, X)
    assert coded == (fits and CODED)
    assert np.array_equal(found[:, 0], walks(arrays, labels, n_codes, X))
    assert (found == found[:, :1]).all()


def test_few_rows_and_few_trees_are_not_coded() -> None:
    rng = np.random.default_rng(0)
    dags = [dag_of(arrays, labels, [0] * 12) for arrays, labels in numeric_forest(rng, 12, np.arange(3.0), 3)]
    forest = _core.Forest(dags)
    assert [forest.is_coded(n) for n in (WORTH_CODING - 1, WORTH_CODING, 256, 255)] == [False, CODED, CODED, False]
    assert not _core.Forest(dags[:2]).is_coded(WORTH_CODING)
    assert not _core.Forest([]).is_coded(WORTH_CODING)


def test_a_forest_keeps_its_trees() -> None:
    """The DAGs may be dropped, and the list may change, after the forest was made."""
    models = [small_dag() for _ in range(3)]
    forest = _core.Forest(models)
    del models[:]
    X = np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    assert _core.sum_scores(forest, [np.arange(3.0)] * 3, X, 1).tolist() == [0.0, 6.0, 3.0]


# ---- arrays that are no DAG


def small_dag(**changes: Any) -> _core.Dag:
    """A numeric node over a categorical one (three categories) and three terminals, with some entries changed."""
    arrays = {
        "feature": [0, 1], "threshold": [0.0, 0.0], "left": [1, -1], "right": [-2, -3],
        "missing_left": [0, 1], "set_offset": [-1, 0], "sets": [0b0110],
    }  # fmt: skip
    arrays |= {name: changes.pop(name) for name in list(changes) if name in arrays}
    options = {"labels": [0, 1, 2], "n_codes": [0, 4]} | changes
    checked = {name: np.array(arrays[name], dtype=dtype) for name, dtype in NODE_ARRAYS.items()}
    return dag_of(checked, options["labels"], options["n_codes"])


def test_the_small_dag_is_fine() -> None:
    X = np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 0.0], [0.0, math.nan], [math.nan, 0.0]])
    assert small_dag().walk(X, 1).tolist() == [0, 2, 1, 0, 1]


INT_MIN, INT_MAX = -(2**31), 2**31 - 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": [0, -1]}, "child"),  # itself
        ({"left": [1, 0]}, "child"),  # a parent
        ({"right": [-2, 1]}, "child"),
        ({"left": [2, -1]}, "child"),  # no such node
        ({"right": [INT_MAX, -3]}, "child"),
        ({"right": [-2, -4]}, "child"),  # no such terminal
        ({"right": [-2, INT_MIN]}, "child"),
        ({"labels": [0, 1]}, "child"),
        ({"labels": []}, "terminal"),
        ({"labels": [0, 1, 3]}, "label"),
        ({"labels": [0, -1, 2]}, "label"),
        ({"labels": [0, 1, INT_MAX]}, "label"),
        ({"feature": [2, 1]}, "feature"),
        ({"feature": [-1, 1]}, "feature"),
        ({"feature": [INT_MAX, 1]}, "feature"),
        ({"n_codes": [0]}, "feature"),
        ({"n_codes": []}, "feature"),
        ({"sets": []}, "categor"),  # no words at all
        ({"set_offset": [-1, 1]}, "categor"),
        ({"set_offset": [-1, INT_MAX]}, "categor"),
        ({"n_codes": [0, 65]}, "categor"),  # two words needed, one there
        ({"n_codes": [0, 0]}, "categor"),  # a set for a numeric feature
        ({"n_codes": [0, -3]}, "categor"),
        ({"n_codes": [0, INT_MAX]}, "categor"),
        ({"threshold": [0.0]}, "length"),
        ({"missing_left": [0, 1, 1]}, "length"),
    ],
)
def test_bad_arrays_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        small_dag(**changes)


def test_a_table_without_columns_is_no_crash() -> None:
    """In a process of its own: an error there would end it."""
    code = """
import numpy as np
from rankforest import _core
none = [np.zeros(0, dtype=d) for d in (np.int32, np.float64, np.int32, np.int32, np.uint8, np.int32, np.uint64)]
print(_core.Dag(*none, np.zeros(1, dtype=np.int32), []).walk(np.zeros((3, 0)), 1).tolist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[0, 0, 0]\n" or "ValueError" in done.stderr


def test_rows_of_another_width_are_refused() -> None:
    for width in (1, 3):
        with pytest.raises(ValueError, match="number of features"):
            small_dag().walk(np.zeros((4, width)), 1)
        with pytest.raises(ValueError, match="number of features"):
            _core.sum_scores(_core.Forest([small_dag()]), [np.zeros(3)], np.zeros((4, width)), 1)
    with pytest.raises(ValueError, match="per label"):
        _core.sum_scores(_core.Forest([small_dag()]), [np.zeros(2)], np.zeros((4, 2)), 1)
    with pytest.raises(ValueError, match="per tree"):
        _core.sum_scores(_core.Forest([small_dag()]), [], np.zeros((4, 2)), 1)
