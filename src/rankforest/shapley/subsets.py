"""Shapley values by their definition: the score of every mixture of two rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import factorial

import numpy as np

__all__ = ["AnyScore"]

_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class AnyScore:
    """Any function of rows: 2^d scores for a pair of rows that differ in d features.

    Attributes
    ----------
    score : callable
        From a coded block to one number per row.
    used : array of bool
        Features that the score depends on.
    what : str
        What makes this way necessary, and its remedy: the sentence of the error if it would take too long.
    most : float
        Most scores of one call.
    """

    score: Callable[[np.ndarray], np.ndarray]
    used: np.ndarray
    what: str = ""
    most: float = 1 << 24

    exact = True

    def scores(self, X: np.ndarray, n_threads: int) -> np.ndarray:
        return self.score(X)

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool, n_threads: int
    ) -> np.ndarray:
        q = X.shape[1]
        differ = [self._differ(x, Z) for x in X]
        n_scores = sum(float((2.0 ** d.sum(axis=1)).sum()) for d in differ)
        if n_scores > self.most:
            raise ValueError(f"Exact values would need {n_scores:.2g} scores: {self.what}")
        values = np.zeros((len(X), q, q) if interactions else (len(X), q))
        for x, where, out in zip(X, differ, values):
            kinds, kind = np.unique(where, axis=0, return_inverse=True)
            for k, players in enumerate(kinds):  # rows z that differ in the same features
                chosen, rows = np.flatnonzero(players), np.flatnonzero(kind.ravel() == k)
                if not len(chosen):
                    continue
                mean = self._mean_game(x, Z[rows], weight[rows], chosen)  # values are linear in the game
                if interactions:
                    out[np.ix_(chosen, chosen)] += matrix_of_game(mean)
                else:
                    out[chosen] += values_of_game(mean)
        return values

    def _differ(self, x: np.ndarray, Z: np.ndarray) -> np.ndarray:
        return (x != Z) & ~(np.isnan(x) & np.isnan(Z)) & self.used

    def _mean_game(self, x: np.ndarray, Z: np.ndarray, weight: np.ndarray, players: np.ndarray) -> np.ndarray:
        """Weighted score of every mixture, in an array with one axis of length 2 (z, x) per player."""
        d = len(players)
        v = np.empty(1 << d)
        size = max(1, _CELLS_AT_ONCE // Z.size)
        for start in range(0, len(v), size):
            number = np.arange(start, min(start + size, len(v)))
            block = np.repeat(Z[None, :, :], len(number), axis=0)
            for k, j in enumerate(players):
                block[(number >> (d - 1 - k)) & 1 == 1, :, j] = x[j]
            v[number] = self.score(block.reshape(-1, len(x))).reshape(len(number), len(Z)) @ weight
        return v.reshape((2,) * d)


def values_of_game(game: np.ndarray) -> np.ndarray:
    """The Shapley values of a game given by all its values.

    Parameters
    ----------
    game : array of shape (2, 2, ..., 2)
        Index 1 of an axis means that the player takes part.

    Examples
    --------
    >>> values_of_game(np.array([[0.0, 1.0], [3.0, 6.0]]))
    array([4., 2.])
    """
    d = game.ndim
    weight = _by_size(d - 1, lambda s: factorial(s) * factorial(d - s - 1) / factorial(d))
    return np.array([float((np.diff(game, axis=k).reshape(weight.shape) * weight).sum()) for k in range(d)])


def matrix_of_game(game: np.ndarray) -> np.ndarray:
    """Half of the Shapley interaction index of each pair; the diagonal makes the rows sum to the Shapley values."""
    d = game.ndim
    matrix = np.zeros((d, d))
    if d > 1:
        weight = _by_size(d - 2, lambda s: factorial(s) * factorial(d - s - 2) / factorial(d - 1))
        for i in range(d):
            for j in range(i):
                both = np.diff(np.diff(game, axis=i), axis=j).reshape(weight.shape)
                matrix[i, j] = matrix[j, i] = float((both * weight).sum()) / 2
    matrix[np.diag_indices(d)] = values_of_game(game) - matrix.sum(axis=1)
    return matrix


def _by_size(d: int, weight: Callable[[int], float]) -> np.ndarray:
    """An array with an axis of length 2 for each of d players: the weight of the number of those who take part."""
    sizes = np.indices((2,) * d).sum(axis=0) if d else np.zeros((), dtype=np.intp)
    return np.array([weight(s) for s in range(d + 1)])[sizes]
