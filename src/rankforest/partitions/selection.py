"""Some rows of the whole table, and how often each of them counts, in a form that is small to send."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Selection"]


@dataclass(frozen=True)
class Selection:
    """How often each of n rows is taken.

    Attributes
    ----------
    times : array
        Bits, eight rows in a byte, if no row is taken twice; otherwise one number per row.
    n_rows : int
        Number of rows from which the selection takes.
    is_mask : bool
        Whether `times` are bits.
    """

    times: np.ndarray
    n_rows: int
    is_mask: bool

    @classmethod
    def of(cls, rows: np.ndarray, n_rows: int) -> Selection:
        """The selection of row numbers, which must not decrease; a number may be repeated.

        Examples
        --------
        >>> Selection.of(np.array([1, 1, 4]), 5).positions()
        array([1, 1, 4])
        """
        if len(rows) and (np.diff(rows) < 0).any():
            raise ValueError("The rows of a selection must not decrease.")
        return cls.of_times(np.bincount(rows, minlength=n_rows))

    @classmethod
    def of_times(cls, times: np.ndarray) -> Selection:
        """The selection that takes each row so often."""
        most = int(times.max()) if len(times) else 0
        if most <= 1:
            return cls(np.packbits(times.astype(bool)), len(times), True)
        return cls(times.astype(np.uint8 if most <= 255 else np.uint32), len(times), False)

    def counts(self) -> np.ndarray:
        """How often each row is taken."""
        return np.unpackbits(self.times, count=self.n_rows) if self.is_mask else self.times

    def positions(self) -> np.ndarray:
        """The rows that are taken, repeated as often as they are."""
        return np.repeat(np.arange(self.n_rows), self.counts())

    def part(self, first: int, n_rows: int) -> Selection:
        """The selection within a run of rows, counted from its first one."""
        return Selection.of_times(self.counts()[first : first + n_rows])
