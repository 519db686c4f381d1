"""The binned training rows that a forest keeps; bins take the same paths through every tree as the values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .binning import BinnedTable
from .sample import Sample

__all__ = ["TrainingRows", "on_all_rows"]

_ROWS_AT_ONCE = 65536


@dataclass(frozen=True)
class TrainingRows:
    """Training rows of a forest, a byte or two per value.

    Attributes
    ----------
    binned : BinnedTable
    labels : array of 0 and 1, or of the levels of ordered labels
    weights : array or None
    """

    binned: BinnedTable
    labels: np.ndarray
    weights: np.ndarray | None

    @classmethod
    def of(cls, sample: Sample) -> TrainingRows:
        return cls(sample.binned, sample.labels, sample.weights)

    def take(self, rows: np.ndarray) -> TrainingRows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingRows(BinnedTable(self.binned.codes[rows], self.binned.bins), self.labels[rows], weights)

    def same_as(self, sample: Sample) -> bool:
        """Whether a sample has these rows, in this order."""
        pairs = (self.labels, sample.labels), (self.binned.codes, sample.binned.codes), (self.weights, sample.weights)
        return all(np.array_equal(ours, theirs) for ours, theirs in pairs)  # type: ignore[arg-type]

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def values(self, rows: slice | np.ndarray) -> np.ndarray:
        """Rows as numbers: the mean of each bin, and NaN for missing. Thresholds always lie between bins."""
        return self.binned.values(rows)

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, values) of one block after the other."""
        for start in range(0, self.n_rows, _ROWS_AT_ONCE):
            yield start, self.values(slice(start, start + _ROWS_AT_ONCE))


def on_all_rows(values: np.ndarray, kept: np.ndarray | None) -> np.ndarray:
    """Values of the rows that were kept, NaN for those of weight 0."""
    if kept is None:
        return values
    spread = np.full((len(kept), *values.shape[1:]), np.nan)
    spread[kept] = values
    return spread
