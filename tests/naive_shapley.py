"""Shapley values by their definition, over all subsets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import factorial

import numpy as np

Score = Callable[[np.ndarray], np.ndarray]


def values_of_pair(score: Score, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Of the game v(S): the score of the row with the values of x in S and those of z elsewhere."""
    v, q = _game(score, x, z), len(x)
    found = np.zeros(q)
    for j in range(q):
        for S in _subsets(q, {j}):
            found[j] += factorial(len(S)) * factorial(q - len(S) - 1) / factorial(q) * (v[S | {j}] - v[S])
    return found


def interactions_of_pair(score: Score, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Half of the Shapley interaction index of each pair; the diagonal makes rows sum to the Shapley values."""
    v, q = _game(score, x, z), len(x)
    found = np.zeros((q, q))
    for i, j in combinations(range(q), 2):
        for S in _subsets(q, {i, j}):
            weight = factorial(len(S)) * factorial(q - len(S) - 2) / factorial(q - 1)
            found[i, j] += weight * (v[S | {i, j}] - v[S | {i}] - v[S | {j}] + v[S]) / 2
        found[j, i] = found[i, j]
    return found + np.diag(values_of_pair(score, x, z) - found.sum(axis=1))


def _subsets(q: int, without: set[int]) -> list[frozenset[int]]:
    others = [k for k in range(q) if k not in without]
    return [frozenset(S) for size in range(len(others) + 1) for S in combinations(others, size)]


def _game(score: Score, x: np.ndarray, z: np.ndarray) -> dict[frozenset[int], float]:
    subsets = _subsets(len(x), set())
    rows = np.array([[x[k] if k in S else z[k] for k in range(len(x))] for S in subsets])
    return dict(zip(subsets, score(rows).tolist()))
