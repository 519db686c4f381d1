"""The rows of one partition, and of several partitions put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from .live import Live

__all__ = ["PartRows", "assemble"]


@dataclass(frozen=True)
class PartRows:
    """Training rows in one place: a run of the rows of the whole table.

    Rows of weight 0 are left out before they are numbered.

    Attributes
    ----------
    codes : array of shape (n, q)
        Codes of the values, a byte or two each.
    labels : array of uint8
        0 and 1, or the levels of ordered labels.
    weights : array or None
        Positive; None is 1 everywhere.
    first : int
        Number of the first row in the whole table.
    times : array of uint32 or None
        How often each row counts in the bag of a tree; None is once.
    live : Live
        States of fits that stay with these rows in their process.
    """

    codes: np.ndarray
    labels: np.ndarray
    weights: np.ndarray | None
    first: int
    times: np.ndarray | None = None
    live: Live = field(default_factory=Live, compare=False, repr=False)

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    @property
    def n_bytes(self) -> int:
        return self.codes.nbytes + self.labels.nbytes + (0 if self.weights is None else self.weights.nbytes)

    def take(self, rows: np.ndarray) -> PartRows:
        """Some of the rows, by their positions in the partition; their numbers are not a run any more."""
        weights = None if self.weights is None else self.weights[rows]
        return PartRows(self.codes[rows], self.labels[rows], weights, self.first)


def assemble(parts: Sequence[PartRows]) -> PartRows:
    """All rows of some partitions, in the order of the whole table.

    Examples
    --------
    >>> halves = [PartRows(np.full((2, 1), first), np.zeros(2, np.uint8), None, first) for first in (2, 0)]
    >>> assemble(halves).codes.ravel()
    array([0, 0, 2, 2])
    """
    ordered = sorted(parts, key=lambda part: (part.first, part.n_rows))
    if len(ordered) == 1:
        return ordered[0]
    weights, times = _joined([part.weights for part in ordered]), _joined([part.times for part in ordered])
    codes = np.concatenate([part.codes for part in ordered])
    return PartRows(codes, np.concatenate([part.labels for part in ordered]), weights, ordered[0].first, times)


def _joined(arrays: Sequence[np.ndarray | None]) -> np.ndarray | None:
    known = [array for array in arrays if array is not None]
    return np.concatenate(known) if known else None
