"""Sums of functions of single features, such as linear scores, as a part of a score."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..program.program import Linear

__all__ = ["FeatureTerms", "terms_of"]


@dataclass(frozen=True)
class FeatureTerms:
    """offset + (sum of one function of each feature): nothing interacts, so a feature explains its own difference.

    Attributes
    ----------
    terms : callable
        From a coded block of shape (n, q) to the terms of each feature, of the same shape.
    offset : float
    """

    terms: Callable[[np.ndarray], np.ndarray]
    offset: float = 0.0

    exact = True

    def scores(self, X: np.ndarray, n_threads: int) -> np.ndarray:
        return self.offset + self.terms(X).sum(axis=1)

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool, n_threads: int
    ) -> np.ndarray:
        values = self.terms(X) * weight.sum() - weight @ self.terms(Z)
        return values[:, :, None] * np.eye(values.shape[1]) if interactions else values


def terms_of(linear: Linear, X: np.ndarray) -> np.ndarray:
    """The term of each feature in a linear score, for the rows of a coded block.

    Examples
    --------
    >>> terms_of(Linear(((0, 1.0, 2.0, 0.5),), ((1, (3.0, 4.0), -1.0),)), np.array([[2.0, 1.0], [np.nan, np.nan]]))
    array([[ 2. ,  4. ],
           [ 0.5, -1. ]])
    """
    terms = np.zeros(X.shape)
    for j, centre, weight, missing in linear.numbers:
        terms[:, j] = np.where(np.isnan(X[:, j]), missing, weight * (X[:, j] - centre))
    for j, of_code, missing in linear.categories:
        codes = np.where(np.isnan(X[:, j]), len(of_code), X[:, j]).astype(np.intp)
        terms[:, j] = np.append(of_code, missing)[codes]
    return terms
