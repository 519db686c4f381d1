"""The core's Shapley values are those of the definition, for every kind of node."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_shapley
from dags import dag_of, dags, random_dag, random_rows
from rankforest import _core
from rankforest.tree.walk import make_tree_sum


def tree_sum(rng, n_trees, n_codes, n_nodes=20):
    trees, values = [], []
    for _ in range(n_trees):
        arrays = random_dag(rng, n_nodes, 8, n_codes)
        trees.append(dag_of(arrays, np.arange(8), n_codes))
        values.append(rng.normal(size=8))
    return make_tree_sum(_core.Forest(trees), values), n_trees


def naive_values(total, n_trees, X, Z, weight, of_pair=naive_shapley.values_of_pair):
    def score(rows):
        return total.sum(np.ascontiguousarray(rows), 0, n_trees, 1)

    return np.array([sum(w * of_pair(score, x, z) for w, z in zip(weight, Z)) for x in X])


@settings(max_examples=60, deadline=None)
@given(dags(), st.integers(1, 4), st.integers(1, 4))
def test_one_graph_of_any_kind(dag, n, m):
    """Numbers, missing values, categories of several words, shared subtrees, several terminals of one label."""
    arrays, labels, n_codes, rng = dag
    labels = np.unique(labels, return_inverse=True)[1]
    values = rng.normal(size=labels.max() + 1)
    total = make_tree_sum(_core.Forest([dag_of(arrays, labels, n_codes)]), [values])
    X, Z, weight = random_rows(rng, n, n_codes), random_rows(rng, m, n_codes), rng.random(m)
    found = total.shapley(X, Z, weight, None, False, 1)
    np.testing.assert_allclose(found, naive_values(total, 1, X, Z, weight), atol=1e-12)
    assert found.sum(axis=1) == pytest.approx((total.sum(X, 0, 1, 1)[:, None] - total.sum(Z, 0, 1, 1)) @ weight)
    one_by_one = np.tile(weight, (n, 1))
    np.testing.assert_allclose(total.shapley(X, Z, weight, one_by_one, False, 1), found, atol=1e-12)
    pairs = total.shapley(X, Z, weight, None, True, 1)
    np.testing.assert_allclose(total.shapley(X, Z, weight, one_by_one, True, 1), pairs, atol=1e-12)
    naive = naive_values(total, 1, X, Z, weight, naive_shapley.interactions_of_pair)
    np.testing.assert_allclose(pairs, naive, atol=1e-12)


@pytest.mark.parametrize("n_codes", [[0] * 8, [0, 5, 0, 70, 2, 0, 0, 0, 3, 0]])
def test_forests(n_codes):
    rng = np.random.default_rng(1)
    total, n_trees = tree_sum(rng, 5, n_codes)
    X, Z, weight = random_rows(rng, 3, n_codes), random_rows(rng, 4, n_codes), np.full(4, 0.25)
    np.testing.assert_allclose(
        total.shapley(X, Z, weight, None, False, 1), naive_values(total, n_trees, X, Z, weight), atol=1e-12
    )


def test_weights_of_pairs():
    rng = np.random.default_rng(2)
    total, _ = tree_sum(rng, 4, [0] * 6)
    X, Z = random_rows(rng, 5, [0] * 6), random_rows(rng, 7, [0] * 6)
    pair_weight = rng.normal(size=(5, 7))
    for interactions in (False, True):
        found = total.shapley(X, Z, np.ones(7), pair_weight, interactions, 1)
        for i in range(5):
            single = total.shapley(X[[i]], Z, pair_weight[i].copy(), None, interactions, 1)
            np.testing.assert_allclose(found[[i]], single, atol=1e-12)


def test_more_features_on_a_path_than_bits_of_a_pattern():
    """A chain of 150 features, and one of a few, which both walks can take."""
    q = 150
    arrays = {
        "feature": np.arange(q, dtype=np.int32), "threshold": np.zeros(q), "missing_left": np.zeros(q, dtype=np.uint8),
        "left": np.append(np.arange(1, q), ~q).astype(np.int32), "right": (~np.arange(q)).astype(np.int32),
        "set_offset": np.full(q, -1, dtype=np.int32), "sets": np.empty(0, dtype=np.uint64),
    }  # fmt: skip
    rng = np.random.default_rng(3)
    values = rng.normal(size=q + 1)
    total = make_tree_sum(_core.Forest([dag_of(arrays, np.arange(q + 1), [0] * q)]), [values])
    x, z = -np.ones(q), np.where(rng.random(q) < 0.9, 1.0, -1.0)
    found = total.shapley(x[None], z[None], np.ones(1), None, False, 1)[0]
    assert found.sum() == pytest.approx(values[q] - values[np.argmax(z > 0)], abs=1e-9)
    # the game: with the first k parting features of x and not the next one, the value of that one's terminal
    parting = np.flatnonzero(z > 0)
    expected, d = np.zeros(q), len(parting)
    steps = np.append(values[parting], values[q])
    for k in range(d):  # the k-th step is taken when all features up to it are from x: shared equally
        expected[parting[: k + 1]] += (steps[k + 1] - steps[k]) / (k + 1)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    pairs = total.shapley(x[None], z[None], np.ones(1), None, True, 1)[0]
    np.testing.assert_allclose(pairs.sum(axis=1), found, atol=1e-9)
    for k, weight in ((5, None), (5, np.ones((1, 1)))):  # rows that part in few features, by both walks
        short = np.where(np.arange(q) < k, z, x)
        both = total.shapley(x[None], short[None], np.ones(1), weight, False, 1)[0]
        narrow = make_tree_sum(_core.Forest([dag_of(arrays, np.arange(q + 1), [0] * q)]), [values])
        assert both.sum() == pytest.approx(narrow.sum(x[None], 0, 1, 1)[0] - narrow.sum(short[None], 0, 1, 1)[0])


def test_threads_and_blocks_of_rows_give_the_same_bits():
    rng = np.random.default_rng(4)
    n_codes = [0, 0, 4, 0, 0, 0]
    total, _ = tree_sum(rng, 12, n_codes, 30)
    X, Z = random_rows(rng, 1100, n_codes), random_rows(rng, 30, n_codes)
    weight = np.full(30, 1 / 30)
    found = total.shapley(X, Z, weight, None, False, 1)
    for n_threads in (2, 3, 7):
        assert (total.shapley(X, Z, weight, None, False, n_threads) == found).all()
    one_by_one = np.concatenate([total.shapley(X[[i]], Z, weight, None, False, 1) for i in range(0, 1100, 50)])
    assert (one_by_one == found[::50]).all()
    pairs = total.shapley(X[:60], Z, weight, None, True, 1)
    assert (total.shapley(X[:60], Z, weight, None, True, 3) == pairs).all()


def test_bad_shapes_are_refused():
    total, _ = tree_sum(np.random.default_rng(5), 1, [0, 0])
    X = np.zeros((2, 2))
    with pytest.raises(ValueError, match="different number of features"):
        total.shapley(np.zeros((2, 3)), X, np.ones(2), None, False, 1)
    with pytest.raises(ValueError, match="one weight per background row"):
        total.shapley(X, X, np.ones(3), None, False, 1)
    with pytest.raises(ValueError, match="one weight per pair"):
        total.shapley(X, X, np.ones(2), np.ones((1, 2)), False, 1)
    assert total.shapley(np.zeros((0, 2)), X, np.ones(2), None, False, 1).shape == (0, 2)


def test_graphs_of_many_paths():
    """Beyond 4096 paths pairs of rows walk one by one: a ladder whose two sides meet again after every step."""
    q, n_steps = 7, 13
    step = np.arange(n_steps)
    on = 2 * (step + 1)
    arrays = {
        "feature": np.repeat(step % q, 2), "threshold": np.tile([0.0, 0.5], n_steps) - np.repeat(step, 2) % 3,
        "left": np.column_stack([on, on]).ravel(), "right": np.column_stack([on + 1, on]).ravel(),
        "missing_left": np.tile([0, 1], n_steps), "set_offset": np.full(2 * n_steps, -1),
        "sets": np.empty(0, dtype=np.uint64),
    }  # fmt: skip
    for name in ("left", "right"):  # the last step ends in terminals
        arrays[name][-2:] = ~np.arange(2) if name == "left" else ~np.arange(1, 3)
    arrays["right"][1:-2:2] = arrays["left"][1:-2:2] + 1
    kinds = {"threshold": np.float64, "missing_left": np.uint8, "sets": np.uint64}
    arrays = {name: np.asarray(value, dtype=kinds.get(name, np.int32)) for name, value in arrays.items()}
    rng = np.random.default_rng(6)
    total = make_tree_sum(_core.Forest([dag_of(arrays, np.arange(3), [0] * q)]), [rng.normal(size=3)])
    X, Z = random_rows(rng, 3, [0] * q), random_rows(rng, 11, [0] * q)
    weight = rng.random(11)
    np.testing.assert_allclose(
        total.shapley(X, Z, weight, None, False, 2), naive_values(total, 1, X, Z, weight), atol=1e-12
    )
    np.testing.assert_allclose(
        total.shapley(X, Z, weight, None, True, 1),
        naive_values(total, 1, X, Z, weight, naive_shapley.interactions_of_pair),
        atol=1e-12,
    )


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from dags import dag_of, random_dag, random_rows
from rankforest import _core
from rankforest.tree.walk import make_tree_sum

rng = np.random.default_rng(0)
n_codes = [0] * 10
trees = [dag_of(random_dag(rng, 60, 30, n_codes), np.arange(30), n_codes) for _ in range(400)]
total = make_tree_sum(_core.Forest(trees), [rng.normal(size=30)] * 400)
X, Z = random_rows(rng, 20_000, n_codes), random_rows(rng, 500, n_codes)
signal.signal(signal.SIGINT, signal.default_int_handler)
pressed = []

def press():
    pressed.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(0.3, press).start()
try:
    total.shapley(X, Z, np.full(500, 1 / 500), None, False, 2)
    print("never")
except KeyboardInterrupt:
    print(time.monotonic() - pressed[0])
"""


def test_interrupt():
    command = [sys.executable, "-c", INTERRUPTED, str(Path(__file__).parents[1])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() != "never"
    assert float(done.stdout) < 5.0
