"""The points of a scorecard as a part of a score: closed forms, also for pairs of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..scorecard.card import PairSteps, Scorecard, Steps

__all__ = ["CardTerms"]

Shares = Callable[[Steps | PairSteps], np.ndarray]


@dataclass(frozen=True)
class CardTerms:
    """The total of a card.

    A feature explains the difference of its own points. Of a pair of features each explains half of what it changes
    while the other has the value of z, and half of what it changes while the other has that of x. Averages over the
    rows z depend on the shares of the steps (of the cells of a pair) among them, so those of the training rows, which
    a card keeps, are enough to compare a row with all of them.

    Attributes
    ----------
    card : Scorecard
    """

    card: Scorecard

    exact = True
    name = "the training rows"

    def scores(self, X: np.ndarray, n_threads: int) -> np.ndarray:
        return self.card.total(X)

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool, n_threads: int
    ) -> np.ndarray:
        def shares(term: Steps | PairSteps) -> np.ndarray:
            return np.bincount(term.codes(Z), weights=weight, minlength=len(term.table))

        return self._spread(X, shares, interactions)

    # ---- against the training rows

    @property
    def base(self) -> float:
        """Mean total of the training rows."""
        return float(self.card.offset + sum(term.table @ _training_shares(term) for term in self.card.terms))

    def average(self, X: np.ndarray, *, interactions: bool, n_threads: int) -> np.ndarray:
        """The Shapley values against all training rows."""
        return self._spread(X, _training_shares, interactions)

    # ----

    def _spread(self, X: np.ndarray, shares: Shares, interactions: bool) -> np.ndarray:
        q = self.card.schema.n_features
        values = np.zeros((len(X), q, q)) if interactions else np.zeros((len(X), q))
        for steps in self.card.steps:
            j, share = steps.feature, shares(steps)
            found = steps.table[steps.codes(X)] * share.sum() - steps.table @ share
            values[(slice(None), j, j) if interactions else (slice(None), j)] += found
        for pair in self.card.pairs:
            (i, j), (of_i, of_j, half) = pair.features, _of_pair(pair, X, shares(pair).reshape(pair.points.shape))
            if interactions:
                values[:, i, j] += half
                values[:, j, i] += half
                values[:, i, i] += of_i - half
                values[:, j, j] += of_j - half
            else:
                values[:, i] += of_i
                values[:, j] += of_j
        return values


def _of_pair(pair: PairSteps, X: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The Shapley values of the two features, and half of their interaction, for rows z in these cells."""
    one, other = (axis.codes(X) for axis in pair.axes)
    points = pair.points
    both = points[one, other] * share.sum()
    first_of_z = (share.sum(axis=1) @ points)[other]
    second_of_z = (points @ share.sum(axis=0))[one]
    neither = (points * share).sum()
    of_one = (both - first_of_z + second_of_z - neither) / 2
    of_other = (both - second_of_z + first_of_z - neither) / 2
    return of_one, of_other, (both - first_of_z - second_of_z + neither) / 2


def _training_shares(term: Steps | PairSteps) -> np.ndarray:
    """Share of the training rows in each step or cell; equal ones if there are none."""
    mass = term.mass.reshape(-1, 2).sum(axis=1)
    return mass / mass.sum() if mass.any() else np.full(len(mass), 1.0 / len(mass))
