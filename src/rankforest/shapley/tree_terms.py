"""Sums of trees, and functions of such sums, as parts of a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .. import _core

__all__ = ["LinkedTrees", "TreeTerms"]


@dataclass(frozen=True)
class TreeTerms:
    """offset + factor * (sum of the values of the trees) / divisor. The core walks their decision graphs.

    Attributes
    ----------
    trees : core TreeSum
    n_trees : int
    factor, divisor, offset : float
    """

    trees: _core.TreeSum
    n_trees: int
    factor: float = 1.0
    divisor: float = 1.0
    offset: float = 0.0

    exact = True

    def scores(self, X: np.ndarray, n_threads: int) -> np.ndarray:
        return self.offset + self.factor * (self.trees.sum(X, 0, self.n_trees, n_threads) / self.divisor)

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool, n_threads: int
    ) -> np.ndarray:
        return self.factor / self.divisor * self.trees.shapley(X, Z, weight, None, interactions, n_threads)


@dataclass(frozen=True)
class LinkedTrees:
    """factor * link(sum of trees) + offset, for a function that is not linear.

    There is no fast way to the Shapley values of such a score. The values of a pair are those of the sum of trees,
    multiplied by the slope of the line through the two points: (link(f(x)) - link(f(z))) / (f(x) - f(z)). So they add
    up to the difference of the scores, and features share it in the same proportions as that of the sums.

    Attributes
    ----------
    inside : TreeTerms
    link, slope : callable
        The function and its derivative, which is used where both sums are equal.
    factor, offset : float
    """

    inside: TreeTerms
    link: Callable[[np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray], np.ndarray]
    factor: float = 1.0
    offset: float = 0.0

    exact = False

    def scores(self, X: np.ndarray, n_threads: int) -> np.ndarray:
        return self.offset + self.factor * self.link(self.inside.scores(X, n_threads))

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool, n_threads: int
    ) -> np.ndarray:
        x, z = self.inside.scores(X, n_threads)[:, None], self.inside.scores(Z, n_threads)[None, :]
        apart = x - z
        close = np.abs(apart) <= 1e-9 * np.maximum(np.abs(x), np.abs(z))
        slopes = np.where(close, self.slope(z), (self.link(x) - self.link(z)) / np.where(close, 1.0, apart))
        weights = np.ascontiguousarray(self.factor * self.inside.factor / self.inside.divisor * slopes * weight)
        return self.inside.trees.shapley(X, Z, weight, weights, interactions, n_threads)
