"""A score as a sum of parts whose Shapley values are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

__all__ = ["Part", "ScoreParts", "TrainingAverage", "averaged"]


class Part(Protocol):
    """A part of a score: a function of rows that knows its Shapley values."""

    @property
    def exact(self) -> bool:
        """Whether `shapley` gives Shapley values; if not, other numbers with the same sum."""

    def scores(self, X: np.ndarray, n_threads: int) -> np.ndarray:
        """The part of each row of a float64 block, categories coded as in the schema."""

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool, n_threads: int
    ) -> np.ndarray:
        """For each row x, the sum over the rows z of their weight times the Shapley values of the pair (x, z).

        They have the shape (n, q). With interactions (n, q, q): half of the interaction index of two features outside
        of the diagonal, and on it what is left of the Shapley value, so that the rows of the matrix sum to it.
        """


@dataclass(frozen=True)
class ScoreParts:
    """The sum of parts that is explained.

    Attributes
    ----------
    scale : str
        Its name: "score" is what `score_samples` returns; "margin" and "points" have the same order.
    parts : tuple of Part
    own : TrainingAverage or None
        What a row is compared with if no background is given: training rows where the model still knows enough of them.
    """

    scale: str
    parts: tuple[Part, ...]
    own: TrainingAverage | None = None

    @property
    def exact(self) -> bool:
        """Whether all values are Shapley values."""
        return all(part.exact for part in self.parts)

    def scores(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """The sum for each row of a coded block."""
        return np.sum([part.scores(X, n_threads) for part in self.parts], axis=0)

    def shapley(
        self, X: np.ndarray, Z: np.ndarray, weight: np.ndarray, *, interactions: bool = False, n_threads: int = 1
    ) -> np.ndarray:
        """The Shapley values of the sum, which are the sums of those of the parts; see `Part.shapley`."""
        found = [part.shapley(X, Z, weight, interactions=interactions, n_threads=n_threads) for part in self.parts]
        return np.sum(found, axis=0)


class TrainingAverage(Protocol):
    """Shapley values against training rows, from what a model keeps of them."""

    @property
    def name(self) -> str:
        """Which rows these are, in words."""

    @property
    def base(self) -> float:
        """Mean score of these rows."""

    def average(self, X: np.ndarray, *, interactions: bool, n_threads: int) -> np.ndarray:
        """As `Part.shapley`, averaged over these rows."""


def averaged(n: int) -> np.ndarray:
    """Weights of n rows that are averaged."""
    return np.full(n, 1.0 / n)
