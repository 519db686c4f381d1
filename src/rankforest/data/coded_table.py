"""A training table of which only the codes are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from .binning import BinnedTable
from .columns import BLOCK_ROWS
from .schema import Schema
from .table import Table

__all__ = ["CodedTable", "TableOutline"]


@dataclass(frozen=True)
class TableOutline:
    """What is known of a table before its rows are coded; enough to check parameters."""

    schema: Schema
    n_rows: int

    @property
    def n_features(self) -> int:
        return self.schema.n_features


class CodedTable(Table):
    """Rows as codes: each value is read as the mean of its bin, which takes the same path through every tree.

    Parameters
    ----------
    schema : Schema
    binned : BinnedTable
    rows : ndarray of int, optional
        Some of the rows; None is all.
    """

    def __init__(self, schema: Schema, binned: BinnedTable, rows: np.ndarray | None = None) -> None:
        self.schema = schema
        self.n_rows = len(binned.codes) if rows is None else len(rows)
        self.n_features = schema.n_features
        self._binned = binned
        self._rows = rows

    def __repr__(self) -> str:
        return f"CodedTable({self.n_rows} rows, {self.n_features} features)"

    def column(self, j: int) -> np.ndarray:
        codes = self._binned.codes[:, j] if self._rows is None else self._binned.codes[self._rows, j]
        return self._binned.bins.values(j)[codes]

    def matrix(self) -> None:
        return None

    @property
    def box(self) -> NoReturn:
        raise TypeError("The table was read in batches, and only its bins are known; load it as a frame.")

    def take(self, rows: np.ndarray) -> CodedTable:
        rows = np.asarray(rows)
        chosen = np.flatnonzero(rows) if rows.dtype == bool else rows
        return CodedTable(self.schema, self._binned, chosen if self._rows is None else self._rows[chosen])

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[np.ndarray]:
        for start in range(0, self.n_rows, n_rows):
            part = slice(start, start + n_rows)
            yield self._binned.values(part if self._rows is None else self._rows[part])
