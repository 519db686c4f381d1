"""A table of which only the codes are known: the mean of its bin stands for a value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .binning import BinnedTable
from .columns import ArrayColumn, Column
from .schema import Schema
from .stores import Scan
from .table import Table

__all__ = ["TableOutline", "coded_table"]


@dataclass(frozen=True)
class TableOutline:
    """What is known of a table whose rows are not coded yet, or elsewhere; enough to check parameters."""

    schema: Schema
    n_rows: int

    @property
    def n_features(self) -> int:
        return self.schema.n_features

    def take(self, rows: np.ndarray) -> TableOutline:
        """The outline of some of the rows: a mask, or positions."""
        return TableOutline(self.schema, int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows))


class CodedStore:
    """The storage of a table of codes. Thresholds lie between bins, so the means take the paths of the values."""

    def __init__(self, binned: BinnedTable, rows: np.ndarray | None = None) -> None:
        self.binned = binned
        self.rows = rows  # some of the rows; None is all
        self.n_rows = len(binned.codes) if rows is None else len(rows)
        self.n_columns = binned.codes.shape[1]

    def raw(self, j: int) -> Column:
        return ArrayColumn(self.column(j), "number")

    def column(self, j: int) -> np.ndarray:
        codes = self.binned.codes[:, j] if self.rows is None else self.binned.codes[self.rows, j]
        return self.binned.bins.values(j)[codes]

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        part = slice(start, stop)
        return self.binned.values(part if self.rows is None else self.rows[part])

    def take(self, rows: np.ndarray) -> CodedStore:
        return CodedStore(self.binned, rows if self.rows is None else self.rows[rows])

    def without(self, encoded: list[int]) -> CodedStore:
        return self

    def scan(self) -> Scan:
        return Scan()


def coded_table(binned: BinnedTable, schema: Schema) -> Table:
    """The table of some codes.

    Examples
    --------
    >>> from .binning import bin_table, find_bins
    >>> from .table import read_table
    >>> table = read_table(np.array([[1.0], [2.0], [4.0], [np.nan]]))
    >>> coded_table(bin_table(table, find_bins(table)), table.schema).column(0)
    array([ 1.,  2.,  4., nan])
    """
    return Table(schema, CodedStore(binned), {})
