"""The training rows of a forest that stay in their partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.binning import BinnedTable, Bins
from ..data.training_rows import AskOutOfBag, TrainingRows
from .rows import PartRows
from .spread_binned import SpreadBinned

__all__ = ["SpreadRows", "answers_of"]


@dataclass(frozen=True)
class SpreadRows(TrainingRows):
    """Training rows in partitions. Functions are sent to the rows; a few rows may be taken to the client."""

    binned: Any  # SpreadBinned

    def take(self, rows: np.ndarray) -> TrainingRows:
        """Some of the rows, on the client."""
        order = np.argsort(rows, kind="stable")
        spread = self.binned.spread
        found = spread.each(codes_of, own=spread.slices(np.asarray(rows)[order]))
        codes = np.empty((len(rows), spread.bins.n_features), dtype=spread.bins.code_dtype)
        codes[order] = np.concatenate(found)
        weights = None if self.weights is None else self.weights[rows]
        return TrainingRows(BinnedTable(codes, spread.bins), self.labels[rows], weights)

    def same_as(self, other: TrainingRows) -> bool:
        if self.binned.spread is not getattr(other.binned, "spread", None):
            return False  # whether other partitions hold the same codes is not worth a pass over them
        pairs = (self.labels, other.labels), (self.weights, other.weights)
        return all(np.array_equal(ours, theirs) for ours, theirs in pairs)  # type: ignore[arg-type]

    def values(self, rows: slice | np.ndarray) -> np.ndarray:
        numbers = np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows
        return self.take(numbers).values(slice(None))

    def answers(self, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        return answers_of(self.binned, ask)

    def out_of_bag(self, ask: AskOutOfBag, bits: np.ndarray, X: np.ndarray | None = None) -> tuple[np.ndarray, ...]:
        if X is not None:
            return ask(X, bits, 0)
        spread = self.binned.spread
        own = [bits[:, part.first >> 3 : (part.first + part.n_rows + 7) >> 3] for part in spread.parts]
        found = spread.each(votes_of, ask, spread.bins, own=[np.ascontiguousarray(each) for each in own])
        return tuple(np.concatenate(each) for each in zip(*(votes for votes in found if votes is not None)))

    def add_out_of_bag(self, ask: AskOutOfBag, bits: np.ndarray, sums: tuple[np.ndarray, ...]) -> None:
        for total, votes in zip(sums, self.out_of_bag(ask, bits)):
            total += votes


def answers_of(binned: SpreadBinned, ask: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """What a function of a block of values says of every row."""
    spread = binned.spread
    own = [None] * len(spread.parts) if binned.rows is None else spread.slices(binned.rows)
    found = spread.each(ask_rows, ask, spread.bins, own=own)
    return np.concatenate([each for each in found if each is not None])


# ---- what a partition does


def codes_of(rows: PartRows, which: np.ndarray) -> np.ndarray:
    """The codes of some of its rows."""
    return rows.codes[which]


def ask_rows(
    rows: PartRows, which: np.ndarray | None, ask: Callable[[np.ndarray], np.ndarray], bins: Bins
) -> np.ndarray | None:
    """What a function of values says of its rows, or of some of them; None if there are none."""
    codes = rows.codes if which is None else rows.codes[which]
    return TrainingRows(BinnedTable(codes, bins), codes[:, 0], None).answers(ask) if len(codes) else None


def votes_of(rows: PartRows, bits: np.ndarray, ask: AskOutOfBag, bins: Bins) -> tuple[np.ndarray, ...] | None:
    """What a function of values and out-of-bag bits says of its rows; None if there are none."""
    if rows.n_rows == 0:
        return None
    own = TrainingRows(BinnedTable(rows.codes, bins), rows.labels, rows.weights)
    return own.out_of_bag(_Shifted(ask, rows.first & 7), bits)


@dataclass(frozen=True)
class _Shifted:
    """A question about rows whose bits begin within a byte."""

    ask: AskOutOfBag
    by: int

    def __call__(self, block: np.ndarray, bits: np.ndarray, start: int) -> tuple[np.ndarray, ...]:
        return self.ask(block, bits, start + self.by)
