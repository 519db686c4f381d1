"""Logistic regression with features selected by the Bayesian information criterion: a rival in the TreeRank paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import StandardScaler

__all__ = ["BicLogistic"]

# Weak penalty: it only keeps the coefficients finite if the classes are separable.
_PENALTY = 1e4


class BicLogistic:
    """Stepwise selection from the empty model: add or drop the feature that lowers the criterion most, until none does.

    The criterion is minus twice the log-likelihood plus log(n) times the number of coefficients.

    Parameters
    ----------
    groups : list of lists of int
        Columns of each feature; the dummy columns of a category are added or removed together.

    Attributes
    ----------
    selected_ : list of int
        The features of the model, by their place in `groups`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 3))
    >>> y = (X[:, 1] + rng.normal(size=300) > 0).astype(int)
    >>> BicLogistic([[0], [1], [2]]).fit(X, y).selected_
    [1]
    """

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        self.groups = groups

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> BicLogistic:
        self._scale = StandardScaler().fit(X)
        table = self._scale.transform(X)
        chosen: frozenset[int] = frozenset()
        best = self.criterion(table, y, chosen)
        while True:
            steps = [chosen ^ {j} for j in range(len(self.groups))]
            found = [self.criterion(table, y, step) for step in steps]
            if min(found) >= best:
                break
            best = min(found)
            chosen = steps[int(np.argmin(found))]
        self.selected_ = sorted(chosen)
        self._model = self._fitted(table, y, chosen) if chosen else None
        return self

    def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._model is None:
            return np.zeros(len(X))
        return self._model.decision_function(self._columns(self._scale.transform(X), frozenset(self.selected_)))

    def criterion(self, table: NDArray[np.float64], y: NDArray[np.int64], chosen: frozenset[int]) -> float:
        """The criterion of a set of features, on standardised columns."""
        if chosen:
            p = self._fitted(table, y, chosen).predict_proba(self._columns(table, chosen))[:, 1]
        else:
            p = np.full(len(y), y.mean())
        n_coefficients = 1 + sum(len(self.groups[j]) for j in chosen)
        return float(2 * log_loss(y, p, normalize=False) + np.log(len(y)) * n_coefficients)

    def _columns(self, table: NDArray[np.float64], chosen: frozenset[int]) -> NDArray[np.float64]:
        return table[:, [column for j in sorted(chosen) for column in self.groups[j]]]

    def _fitted(self, table: NDArray[np.float64], y: NDArray[np.int64], chosen: frozenset[int]) -> LogisticRegression:
        return LogisticRegression(C=_PENALTY, solver="newton-cholesky").fit(self._columns(table, chosen), y)
