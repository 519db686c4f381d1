"""The binned training rows that a forest keeps; bins take the same paths through every tree as the values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .binning import BinnedTable
from .columns import row_blocks

__all__ = ["AskOutOfBag", "TrainingRows", "blocks_on_all_rows", "on_all_rows"]

_ROWS_AT_ONCE = 65536

# Given a block of values, out-of-bag bits of each tree, and the place of the block's first row in the bits: arrays with
# one entry per row.
AskOutOfBag = Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray, ...]]


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

    def take(self, rows: np.ndarray) -> TrainingRows:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return TrainingRows(self.binned.take(rows), self.labels[rows], weights)

    def same_as(self, other: TrainingRows) -> bool:
        """Whether these are the same rows, in the same order."""
        pairs = (self.labels, other.labels), (self.binned.codes, other.binned.codes), (self.weights, other.weights)
        return all(np.array_equal(ours, theirs) for ours, theirs in pairs)  # type: ignore[arg-type]

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def values(self, rows: slice | np.ndarray) -> np.ndarray:
        """Rows as numbers: the mean of each bin, and NaN for missing. Thresholds always lie between bins."""
        return self.binned.values(rows)

    def answers(self, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """What a function of a block of values says of every row."""
        return np.concatenate([ask(self.values(slice(*block))) for block in row_blocks(self.n_rows, _ROWS_AT_ONCE)])

    def out_of_bag(self, ask: AskOutOfBag, bits: np.ndarray, X: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        """What a function says of every row, given the out-of-bag bits of the trees.

        Parameters
        ----------
        ask : callable
        bits : array
            One row of bits per tree, as in `Draw.out_of_bag`.
        X : array or None
            Values that replace those of the rows, for instance with one feature shuffled.
        """
        if X is not None:
            return ask(X, bits, 0)
        found: tuple[np.ndarray, ...] = ()
        for start, stop in row_blocks(self.n_rows, _ROWS_AT_ONCE):
            said = ask(self.values(slice(start, stop)), bits, start)
            found = found or tuple(np.empty((self.n_rows, *each.shape[1:]), each.dtype) for each in said)
            for all_rows, block in zip(found, said):
                all_rows[start:stop] = block
        return found

    def add_out_of_bag(self, ask: AskOutOfBag, bits: np.ndarray, sums: tuple[np.ndarray, ...]) -> None:
        """Add what a function says of every row to arrays with one entry per row."""
        for start, stop in row_blocks(self.n_rows, _ROWS_AT_ONCE):
            for total, block in zip(sums, ask(self.values(slice(start, stop)), bits, start)):
                total[start:stop] += block


def on_all_rows(values: np.ndarray, kept: np.ndarray | None) -> np.ndarray:
    """Values of the rows that were kept, NaN for those of weight 0."""
    if kept is None:
        return values
    spread = np.full((len(kept), *values.shape[1:]), np.nan)
    spread[kept] = values
    return spread


def blocks_on_all_rows(blocks: np.ndarray, kept: np.ndarray | None) -> np.ndarray:
    """The fold that each row judges, -1 for rows that judge none and for those of weight 0."""
    spread = np.full(len(blocks) if kept is None else len(kept), -1, dtype=np.int32)
    spread[slice(None) if kept is None else kept] = blocks
    return spread
