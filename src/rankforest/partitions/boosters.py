"""Boosters whose rows are in partitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from .. import _core
from ..data.binning import BinnedTable, Bins
from .rows import PartRows
from .spread import Spread

__all__ = ["SpreadBoosters", "bits_of", "flags_of"]


class SpreadBoosters:
    """Boosters of one kind; stands for `_core.Boosters`. Where the rounds run is said by the subclass.

    Parameters
    ----------
    spread : Spread
    held_out : array of shape (n_boosters, n_rows)
    params : sequence of BoostParams
    """

    def __init__(self, spread: Spread, held_out: np.ndarray, params: Sequence[_core.BoostParams]) -> None:
        self.spread, self.held_out, self.params = spread, held_out, params
        self.name = uuid4().hex  # of its states in the partitions
        self.n_rounds = 0
        self._trees: list[list[_core.BoostedTree]] = [[] for _ in params]
        self._curves: list[np.ndarray] = [np.empty(0) for _ in params]
        self._starts = [0.0] * len(params)
        bins = spread.bins
        self.head = BinnedTable(np.empty((0, bins.n_features), dtype=bins.code_dtype), bins).core  # bins without rows
        spread.living.add(self)

    def resume(self, grown: Sequence[Sequence[_core.BoostedTree]]) -> None:
        """Take trees of each booster as its first rounds."""
        self._trees = [list(trees) for trees in grown]
        self.n_rounds = len(self._trees[0])

    def advance(self, n_rounds: int, n_threads: int) -> None:
        """Run more rounds."""
        raise NotImplementedError

    @property
    def best_round(self) -> int:
        return _core.best_round(self._curves, self.n_rounds)

    def starts(self) -> list[float]:
        return self._starts

    def curves(self) -> list[np.ndarray]:
        return self._curves

    def trees(self, n_rounds: int) -> dict[str, Any]:
        """By round and then by booster."""
        return _core.flat_trees(self.head, [trees[r] for r in range(n_rounds) for trees in self._trees])

    def held_out_scores(self, n_rounds: int) -> list[np.ndarray]:
        """Margins of the held-out rows of each booster after a round."""
        return [self._margins(b, n_rounds, start, self.held_out[b]) for b, start in enumerate(self._starts)]

    def fitted(self) -> list[np.ndarray]:
        """The sum of all trees for each row, of the boosters without held-out rows."""
        return [
            np.empty(0) if self.held_out[b].any() else self._margins(b, self.n_rounds, 0.0, None)
            for b in range(len(self.params))
        ]

    def _margins(self, b: int, n_rounds: int, start: float, rows: np.ndarray | None) -> np.ndarray:
        own = [None if rows is None else bits_of(rows, part) for part in self.spread.parts]
        return np.concatenate(self.spread.each(margins_of, self._trees[b][:n_rounds], start, self.spread.bins, own=own))


def bits_of(flags: np.ndarray, part: Any) -> np.ndarray:
    """The flags of the rows of a partition, as bits."""
    return np.packbits(flags[part.first : part.first + part.n_rows])


def flags_of(bits: np.ndarray, n_rows: int) -> np.ndarray:
    """The flags again, a byte each."""
    return np.unpackbits(bits, count=n_rows)


def margins_of(
    rows: PartRows, bits: np.ndarray | None, trees: Sequence[_core.BoostedTree], start: float, bins: Bins
) -> np.ndarray:
    """Margins of the rows of a partition, or of some of them."""
    flags = None if bits is None else flags_of(bits, rows.n_rows)
    return _core.boosted_margins(BinnedTable(rows.codes, bins).core, trees, start, flags)
