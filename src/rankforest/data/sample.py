"""What a tree learns from: features as they came and as bins, labels 0 and 1, weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .binning import BinnedTable
from .table import Table

__all__ = ["Sample", "fixed_point"]


@dataclass(frozen=True)
class Sample:
    """Rows to learn from.

    Attributes
    ----------
    table : Table
        The features as they came.
    binned : BinnedTable
        The same rows as bins.
    labels : array of uint8
        1 = to be put at the top.
    weights : array or None
        Positive; None is 1 everywhere.
    """

    table: Table
    binned: BinnedTable
    labels: np.ndarray
    weights: np.ndarray | None

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @cached_property
    def with_spare_bits(self) -> tuple[np.ndarray | None, tuple[float, float]]:
        """Masses and units with room for rows that are drawn more than once."""
        return fixed_point(self.weights, self.labels, total_bits=46)

    @cached_property
    def _fixed(self) -> tuple[np.ndarray | None, tuple[float, float]]:
        return fixed_point(self.weights, self.labels)

    @property
    def masses(self) -> np.ndarray | None:
        """Weights as whole numbers of units; None where all are equal."""
        return self._fixed[0]

    @property
    def units(self) -> tuple[float, float]:
        """What one unit of mass of each class weighs."""
        return self._fixed[1]

    def take(self, rows: np.ndarray) -> Sample:
        """The sample of some of the rows: a mask, or positions."""
        weights = None if self.weights is None else self.weights[rows]
        binned = BinnedTable(self.binned.codes[rows], self.binned.bins)
        return Sample(self.table.take(rows), binned, self.labels[rows], weights)


def fixed_point(
    weights: np.ndarray | None, labels: np.ndarray, *, total_bits: int = 52
) -> tuple[np.ndarray | None, tuple[float, float]]:
    """Weights as whole multiples of a power of two, and that power for each class.

    Sums of whole numbers are exact: they depend neither on the order of the rows nor on threads, and a weight of 2 is
    exactly two rows. Equal weights need no table at all.

    Examples
    --------
    >>> import numpy as np
    >>> masses, unit = fixed_point(np.array([0.5, 1.0, 2.0]), np.array([0, 0, 1]))
    >>> masses * np.array([unit[0], unit[0], unit[1]])
    array([0.5, 1. , 2. ])
    >>> fixed_point(np.array([3.0, 3.0]), np.array([0, 1]))
    (None, (3.0, 3.0))
    """
    if weights is None:
        return None, (1.0, 1.0)
    if weights.min() == weights.max():
        return None, (float(weights[0]), float(weights[0]))
    # the total of a class stays below 2^total_bits, so that it and all its parts are exact as doubles too
    totals = np.bincount(labels, weights=weights, minlength=2).tolist()
    units = [
        math.ldexp(1.0, max(math.frexp(total)[1] - total_bits, -1074)) for total in totals
    ]  # -1074: the least double
    masses = np.maximum(np.rint(weights / np.array(units)[labels]), 1.0).astype(np.int64)
    return masses, (units[0], units[1])
