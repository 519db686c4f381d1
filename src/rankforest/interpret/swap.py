"""What each feature does to the score of one row, for any model: its values are exchanged and the score is looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

__all__ = ["Swaps", "swap_effects"]

_CELLS_AT_ONCE = 2**22


@dataclass(frozen=True)
class Swaps:
    """The score of a row, and what it would be with one feature of other rows at a time.

    Attributes
    ----------
    score : float
        Of the row.
    swapped : array of shape (n_features,)
        Mean score when the feature has the values of the other rows, and all else stays.
    effect : array of shape (n_features,)
        ``score - swapped``: above 0, the row's own value of the feature lifts it.
    """

    score: float
    swapped: np.ndarray

    @property
    def effect(self) -> np.ndarray:
        return self.score - self.swapped


def swap_effects(score: Callable[[np.ndarray], np.ndarray], row: np.ndarray, others: np.ndarray) -> Swaps:
    """Exchange the features of a row, one at a time, for those of other rows.

    Parameters
    ----------
    score : callable
        From rows of float64 to scores.
    row : array of shape (n_features,)
    others : array of shape (n, n_features)
        One row to compare with, or a sample of rows that stands for all.

    Examples
    --------
    >>> found = swap_effects(lambda X: X @ [1.0, 2.0], np.array([3.0, 0.0]), np.array([[1.0, 1.0], [3.0, 1.0]]))
    >>> found.score, found.effect
    (3.0, array([ 1., -2.]))
    """
    n, q = others.shape
    size = max(1, _CELLS_AT_ONCE // (n * q))
    swapped = np.empty(q)
    for start in range(0, q, size):
        features = range(start, min(start + size, q))
        rows = np.tile(row, (len(features) * n, 1))
        for k, j in enumerate(features):
            rows[k * n : (k + 1) * n, j] = others[:, j]
        swapped[start : features.stop] = score(rows).reshape(len(features), n).mean(axis=1)
    return Swaps(float(score(row[None, :])[0]), swapped)
