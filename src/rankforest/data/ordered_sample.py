"""A training sample with ordered labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .sample import Sample, fixed_point

__all__ = ["OrderedSample"]


@dataclass(frozen=True)
class OrderedSample(Sample):
    """Training rows with ordered labels.

    Attributes
    ----------
    table, binned, weights
        As in `Sample`.
    labels : array of uint8
        Level of each row, 0 = lowest.
    levels : array
        Positions of the levels on the line, increasing.
    """

    levels: np.ndarray

    @cached_property
    def with_spare_bits(self) -> tuple[np.ndarray | None, tuple[float, float]]:
        return self._one_unit(46)

    @cached_property
    def _fixed(self) -> tuple[np.ndarray | None, tuple[float, float]]:
        return self._one_unit(52)

    def _one_unit(self, total_bits: int) -> tuple[np.ndarray | None, tuple[float, float]]:
        """Masses of all labels in the same unit; unlike two classes, they are never balanced."""
        return fixed_point(self.weights, np.zeros(self.n_rows, dtype=np.intp), total_bits=total_bits)
