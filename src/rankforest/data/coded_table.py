"""A table of which only the codes are known: the mean of its bin stands for a value."""

from __future__ import annotations

import numpy as np

from .binning import BinnedTable
from .columns import ArrayColumn, Column
from .schema import Schema
from .stores import Scan
from .table import Table

__all__ = ["coded_table"]


class CodedStore:
    """The storage of a table of codes. Thresholds lie between bins, so the means take the paths of the values."""

    def __init__(self, binned: BinnedTable) -> None:
        self.binned = binned
        self.n_rows, self.n_columns = binned.codes.shape

    def raw(self, j: int) -> Column:
        return ArrayColumn(self.column(j), "number")

    def column(self, j: int) -> np.ndarray:
        return np.append(np.nan, self.binned.bins.means[j])[self.binned.codes[:, j]]

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        return self.binned.values(slice(start, stop))

    def take(self, rows: np.ndarray) -> CodedStore:
        return CodedStore(self.binned.take(rows))

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
