"""Bins with given cuts: new rows are binned as a fitted model cuts them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .binning import Bins, BinsOfColumn, bins_of, find_bins
from .table import Table

__all__ = ["bins_with_cuts"]


def bins_with_cuts(table: Table, cuts: Mapping[int, np.ndarray], *, n_threads: int = 1) -> Bins:
    """Bins of the rows of a table whose numeric features have these cuts; the others get cuts of their own.

    Examples
    --------
    >>> from rankforest.data.table import read_table
    >>> bins = bins_with_cuts(read_table(np.array([[1.0], [2.0], [9.0]])), {0: np.array([2.5, 5.0])})
    >>> bins.cuts[0], bins.means[0]
    (array([2.5, 5. ]), array([1.5, 5. , 9. ]))
    """
    own = find_bins(table, n_threads=n_threads)
    numeric = [j for j, feature in enumerate(table.schema.features) if feature.categories is None]
    found = [_column(table.column(j), cuts[j]) if j in cuts else _own(own, j) for j in numeric]
    return bins_of(table.schema, found)


def _own(own: Bins, j: int) -> BinsOfColumn:
    digits = np.full(len(own.cuts[j]), 17, dtype=np.uint8) if own.digits is None else own.digits[j]
    low = np.full(len(own.cuts[j]), -np.inf) if own.low is None else own.low[j]
    return own.cuts[j], own.means[j], digits, low


def _column(values: np.ndarray, cuts: np.ndarray) -> BinsOfColumn:
    known = values[~np.isnan(values)]
    place = np.searchsorted(cuts, known, side="left")
    rows = np.bincount(place, minlength=len(cuts) + 1)
    inside = np.append(cuts, np.nextafter(cuts[-1], np.inf))  # a value of each bin, in case that it has no row
    # sums of differences: the mean of equal values is the value, and that of a bin stays in the bin
    first = inside.copy()
    first[place[::-1]] = known[::-1]
    away = np.bincount(place, weights=known - first[place], minlength=len(cuts) + 1)
    means = np.where(rows > 0, first + away / np.maximum(rows, 1), inside)
    below, above = np.append(-np.inf, cuts), np.append(cuts, np.inf)
    means = np.where((means > below) & (means <= above), means, inside)
    greatest = np.full(len(cuts) + 1, -np.inf)
    np.maximum.at(greatest, place, known)
    return cuts, means, np.full(len(cuts), 17, dtype=np.uint8), np.maximum.accumulate(greatest[:-1])
