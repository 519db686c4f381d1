"""The codes of training rows that stay in their partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from .. import _core
from ..data.binning import Bins
from .far_rows import FarRows, OwnRows
from .rows import PartRows
from .selection import Selection
from .spread import Spread

__all__ = ["SpreadBinned"]


@dataclass(frozen=True, eq=False)
class SpreadBinned:
    """The codes of training rows in partitions; stands for a `BinnedTable`.

    Attributes
    ----------
    spread : Spread
    rows : array or None
        Numbers of the rows in the whole table, not decreasing; None is all rows.
    labels, weights : arrays or None
        Labels and weights of these rows if they are not those of the partitions.
    """

    spread: Spread
    rows: np.ndarray | None = None
    labels: np.ndarray | None = None
    weights: np.ndarray | None = None

    @property
    def bins(self) -> Bins:
        return self.spread.bins

    @property
    def selection(self) -> Selection | None:
        """The rows, in a form that is small to send; None is all."""
        return None if self.rows is None else Selection.of(self.rows, self.spread.n_rows)

    @property
    def own_selections(self) -> list[Selection | None]:
        """The rows of each partition; None is all of them."""
        if self.rows is None:
            return [None] * len(self.spread.parts)
        return [
            Selection.of(self.rows[start:stop] - part.first, part.n_rows)
            for part, (start, stop) in zip(self.spread.parts, pairwise(self._bounds))
        ]

    @cached_property
    def core(self) -> _core.TableArrays:
        """The bins, and what grows trees on the rows where they are."""
        none = np.empty((0, self.bins.n_features), dtype=self.bins.code_dtype)
        return self.bins.with_codes(none, FarRows(self.spread, self._own_rows()))

    def _own_rows(self) -> list[OwnRows]:
        """The rows of each partition that are in the sample, and their labels and weights if they are others."""
        return [
            OwnRows(
                selection,
                None if self.labels is None else self.labels[start:stop],
                None if self.weights is None else self.weights[start:stop],
            )
            for selection, (start, stop) in zip(self.own_selections, pairwise(self._bounds))
        ]

    @property
    def _bounds(self) -> list[int]:
        """Where the rows of each partition begin among those of the sample, and the number of rows."""
        firsts = [*(part.first for part in self.spread.parts), self.spread.n_rows]
        return firsts if self.rows is None else np.searchsorted(self.rows, firsts).tolist()

    @cached_property
    def counts(self) -> tuple[np.ndarray, ...]:
        """Number of rows of each code of each feature, "missing" first."""
        sizes = self.bins.n_bins + 1
        found = self.spread.total(count_codes, sizes, own=self.own_selections)
        return tuple(np.split(found, np.cumsum(sizes)[:-1]))

    @cached_property
    def has_missing(self) -> np.ndarray:
        """Whether each feature has a missing value."""
        return np.array([counts[0] > 0 for counts in self.counts])

    def take(self, rows: np.ndarray) -> SpreadBinned:
        """Some of the rows: a mask, or positions that do not decrease."""
        numbers = np.flatnonzero(rows) if rows.dtype == bool else rows
        return SpreadBinned(
            self.spread,
            numbers if self.rows is None else self.rows[numbers],
            None if self.labels is None else self.labels[rows],
            None if self.weights is None else self.weights[rows],
        )


def count_codes(rows: PartRows, selection: Selection | None, sizes: np.ndarray) -> np.ndarray:
    """Number of rows of each code, feature after feature."""
    codes = rows.codes if selection is None else rows.codes[selection.positions()]
    return np.concatenate([np.bincount(codes[:, j], minlength=size) for j, size in enumerate(sizes.tolist())])
