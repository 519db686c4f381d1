"""Scoring with decision DAGs in the core, compared with a walk of one row and one node at a time."""

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dags import NODE_ARRAYS, dag_of, dags, random_dag, random_rows, walks
from rankforest import _core
from rankforest.tree.walk import make_tree_sum


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


def scores_of(models: list[_core.Dag], values: list[np.ndarray], X: np.ndarray, n_threads: int = 1) -> np.ndarray:
    """Sum over the trees of the value of each row's label."""
    return make_tree_sum(_core.Forest(models), values).sum(X, 0, len(models), n_threads)


@settings(max_examples=40, deadline=None)
@given(st.lists(dags(), max_size=20), st.sampled_from([1, 3, 5, 40]))
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
    assert scores_of(models, values, X).tolist() == expected.tolist()


def test_sum_of_scores_in_threads() -> None:
    rng = np.random.default_rng(1)
    n_codes = [0, 0]
    X = random_rows(rng, 30_001, n_codes)
    models = [dag_of(random_dag(rng, 60, 9, n_codes), np.arange(9), n_codes) for _ in range(5)]
    values = [rng.normal(size=9) for _ in models]
    expected = sum(v[m.walk(X, 1)] for m, v in zip(models, values))
    for n_threads in (1, 3):
        assert np.array_equal(scores_of(models, values, X, n_threads), expected)


# ---- forests


def test_a_forest_keeps_its_trees() -> None:
    """The DAGs may be dropped, and the list may change, after the forest was made."""
    models = [small_dag() for _ in range(3)]
    total = make_tree_sum(_core.Forest(models), [np.arange(3.0)] * 3)
    del models[:]
    X = np.array([[0.0, 0.0], [0.0, 2.0], [1.0, 0.0]])
    assert total.sum(X, 0, 3, 1).tolist() == [0.0, 6.0, 3.0]


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
            scores_of([small_dag()], [np.zeros(3)], np.zeros((4, width)))


@pytest.mark.parametrize("values", [[np.zeros(2)], [np.zeros(4)], [], [np.zeros(3)] * 2])
def test_values_that_do_not_fit_are_refused(values: list[np.ndarray]) -> None:
    with pytest.raises(ValueError, match="per label"):
        make_tree_sum(_core.Forest([small_dag()]), values)


@pytest.mark.parametrize("bounds", [[0], [1, 3], [0, 3, 3], [0, 2], [3, 3]])
def test_bounds_that_do_not_fit_are_refused(bounds: list[int]) -> None:
    with pytest.raises(ValueError, match="per label"):
        _core.TreeSum(_core.Forest([small_dag()]), np.zeros(3), np.array(bounds, dtype=np.int64))


@pytest.mark.parametrize(("first", "last"), [(-1, 1), (1, 0), (0, 2)])
def test_trees_that_do_not_exist_are_refused(first: int, last: int) -> None:
    with pytest.raises(ValueError, match="not so many trees"):
        make_tree_sum(_core.Forest([small_dag()]), [np.zeros(3)]).sum(np.zeros((1, 2)), first, last, 1)
