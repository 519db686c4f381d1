"""A linear support vector machine for ranking: squared hinge over all pairs, none of which is looked at.

A pair of a positive i and a negative j costs max(0, 1 - (s_i - s_j))^2. The negatives that positive i pays for are
those above s_i - 1: in sorted order the last ones, whose number, sum and sum of squares are all that loss and gradient
need. So both take O(n log n) (Chapelle and Keerthi, "Efficient algorithms for ranking with SVMs", 2010).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin

__all__ = ["RankSVM", "pair_loss"]


def pair_loss(scores: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Mean squared hinge over all pairs (positive, negative), and its gradient by the scores.

    Examples
    --------
    >>> pair_loss(np.array([0.0, 0.5]), np.array([0, 1]))
    (0.25, array([ 1., -1.]))
    """
    positive = np.asarray(y) == 1
    up, down = scores[positive], scores[~positive]
    number, total, squares = _sums_above(down, up - 1.0)
    gap = 1.0 - up
    loss = number @ gap**2 + 2.0 * (total @ gap) + squares.sum()
    gradient = np.empty(len(scores))
    gradient[positive] = -2.0 * (number * gap + total)
    # the same from the other side: the positives below s_j + 1
    number, total, _ = _sums_above(-up, -down - 1.0)
    gradient[~positive] = 2.0 * (number * (1.0 + down) + total)
    n_pairs = len(up) * len(down)
    return float(loss) / n_pairs, gradient / n_pairs


def _sums_above(values: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number, sum and sum of squares of the values above each bound."""
    values = np.sort(values)
    at = np.searchsorted(values, bounds, side="right")
    sums = [np.append(np.cumsum(v[::-1])[::-1], 0.0) for v in (values, values**2)]
    return len(values) - at, sums[0][at], sums[1][at]


class RankSVM(ClassifierMixin, BaseEstimator):
    """Minimises |w|^2 / 2 + C n (mean squared hinge over all pairs), by L-BFGS.

    The factor n, the number of rows, makes C mean what it means in scikit-learn's LogisticRegression. Labels are 0 / 1.
    There is no intercept: it would not change the order.
    """

    def __init__(self, C: float = 0.1, max_iter: int = 1000) -> None:
        self.C, self.max_iter = C, max_iter

    def fit(self, X: Any, y: np.ndarray) -> RankSVM:
        y = np.asarray(y)
        self.classes_ = np.array([0, 1])
        if not np.array_equal(np.unique(y), self.classes_):
            raise ValueError(f"y has the labels {np.unique(y).tolist()}; pass 0 and 1, and rows of both.")
        weight = self.C * len(y)

        def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
            loss, gradient = pair_loss(np.asarray(X @ w).ravel(), y)
            return 0.5 * float(w @ w) + weight * loss, w + weight * np.asarray(X.T @ gradient).ravel()

        start = np.zeros(X.shape[1])
        self.found_ = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": self.max_iter})
        self.coef_ = self.found_.x
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        return np.asarray(X @ self.coef_).ravel()
