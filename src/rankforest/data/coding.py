"""Codes of a batch of rows, once the bins of the whole table are known; see `rankforest.data.survey`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import _core
from .binning import SAMPLE_ROWS, Bins, bin_table
from .errors import counted_from
from .rows import n_rows_of
from .schema import Schema
from .table import Table, read_table

__all__ = ["CodedBatch", "Neighbours", "code_batch", "with_digits"]


@dataclass(frozen=True)
class Neighbours:
    """Of each cut of each feature, the greatest value up to it and the least one above it, among some rows.

    Attributes
    ----------
    low, high : tuple of arrays
        -inf and inf where these rows have no value in the bin below, or above; those of categories are empty.
    """

    low: tuple[np.ndarray, ...]
    high: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, table: Table, bins: Bins, n_threads: int = 1) -> Neighbours:
        """Those among the rows of a table."""
        nothing = np.empty(0)
        low, high = [[nothing] * bins.n_features for _ in range(2)]
        numeric = np.flatnonzero(~bins.categorical).tolist()
        found = _core.neighbours([table.column(j) for j in numeric], [bins.cuts[j] for j in numeric], n_threads)
        for j, (below, above) in zip(numeric, found):
            low[j], high[j] = below, above
        return cls(tuple(low), tuple(high))

    def merged(self, other: Neighbours) -> Neighbours:
        """Those among the rows of both."""
        return Neighbours(tuple(map(np.maximum, self.low, other.low)), tuple(map(np.minimum, self.high, other.high)))


@dataclass(frozen=True)
class CodedBatch:
    """Rows of a batch that have a weight above 0, as codes.

    Attributes
    ----------
    codes : ndarray of uint8 or uint16, of shape (n_rows, n_features)
    neighbours : Neighbours or None
        None if the digits of the bins are right already.
    """

    codes: np.ndarray
    neighbours: Neighbours | None


def code_batch(
    X: Any,
    schema: Schema,
    bins: Bins,
    *,
    n_counted: int,
    kept: np.ndarray | None = None,
    first_row: int = 0,
    n_threads: int = 1,
) -> CodedBatch:
    """The codes of a batch.

    Parameters
    ----------
    X : array, data frame, Arrow table or sparse matrix
        The features.
    schema, bins
        Of the whole table.
    n_counted : int
        Rows of the whole table with a weight above 0.
    kept : ndarray of bool, optional
        The rows of the batch with a weight above 0; None is all.
    first_row : int
        Number of the first row in the whole table, for error messages.
    n_threads : int

    Examples
    --------
    >>> from rankforest.data.survey import rows_for_cuts, survey_batch
    >>> X = np.array([[1.0], [2.0], [4.0], [np.nan]])
    >>> survey = survey_batch(X, rows_for_cuts(4))
    >>> code_batch(X, survey.schema(), survey.bins(survey.schema()), n_counted=4).codes.ravel()
    array([1, 2, 3, 0], dtype=uint8)
    """
    if n_rows_of(X) == 0 or (kept is not None and not kept.any()):
        return CodedBatch(np.empty((0, schema.n_features), dtype=bins.code_dtype), None)
    with counted_from(first_row):
        table = read_table(X, schema=schema)
    if kept is not None and not kept.all():
        table = table.take(kept)
    codes = bin_table(table, bins, n_threads=n_threads).codes
    return CodedBatch(codes, Neighbours.of(table, bins, n_threads) if n_counted > SAMPLE_ROWS else None)


def with_digits(bins: Bins, neighbours: Iterable[Neighbours | None]) -> Bins:
    """The bins of the whole table, completed with the neighbours of their cuts in all of its batches."""
    merged = None
    for each in neighbours:
        if each is not None:
            merged = each if merged is None else merged.merged(each)
    if merged is None or bins.digits is None:
        return bins
    digits = [
        known if is_category else _core.digits_of_cuts(low, cuts, high)
        for known, is_category, low, cuts, high in zip(
            bins.digits, bins.categorical, merged.low, bins.cuts, merged.high
        )
    ]
    low = tuple(cuts if is_category else low for is_category, cuts, low in zip(bins.categorical, bins.cuts, merged.low))
    return replace(bins, digits=tuple(digits), low=low)
