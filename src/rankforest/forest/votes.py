"""Votes of the out-of-bag trees on each row: sums that can be added up grove by grove."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Votes", "bits_of_rows", "flags_of"]


@dataclass(frozen=True)
class Votes:
    """Sums over the out-of-bag trees of each row.

    Attributes
    ----------
    sums : array of shape (n,) or (n, k)
        Sum of the trees' values.
    counts : array of shape (n,)
        Number of these trees.

    Examples
    --------
    >>> votes = Votes(np.array([1.0, 0.0]), np.array([1, 0]))
    >>> (votes + votes + Votes(np.array([0.4, 0.0]), np.array([2, 0]))).means
    array([0.6, nan])
    """

    sums: np.ndarray
    counts: np.ndarray

    def __add__(self, other: Votes) -> Votes:
        return Votes(self.sums + other.sums, self.counts + other.counts)

    @property
    def means(self) -> np.ndarray:
        """Mean value of each row; NaN if no tree voted."""
        return Votes(self.sums.copy(), self.counts).into_means()

    def into_means(self) -> np.ndarray:
        """The same in the memory of the sums, which are lost."""
        counts = self.counts if self.sums.ndim == 1 else self.counts[:, None]
        np.divide(self.sums, counts, out=self.sums, where=counts > 0)
        self.sums[self.counts == 0] = np.nan
        return self.sums


def flags_of(bits: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Whether each row (first axis) is out of bag for each tree (second)."""
    return ((bits[:, rows >> 3] >> (rows & 7).astype(np.uint8)) & 1).T.astype(bool)


def bits_of_rows(bits: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Out-of-bag bits of some of the rows, in their order; one row of bits per tree, as in `Draw.out_of_bag`."""
    return np.packbits(flags_of(bits, rows).T, axis=1, bitorder="little")
