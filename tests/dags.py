"""Random decision DAGs and rows, for the tests of scoring."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
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
