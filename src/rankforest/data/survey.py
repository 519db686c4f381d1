"""Survey of a table that arrives in batches: all that `fit` must know of the features before it can code them.

A batch may be any table that `fit` takes; batches may be surveyed in other processes, and their surveys, which are
small, merged. Any division of the rows into batches gives the schema and the bins of the whole table, to the last bit:

1. `rows_for_cuts(n, kept)` names the rows that cut points are drawn from, by their number in the whole table of n rows,
   of which only those of weight above 0 count. So n and the weights come first.
2. `survey_batch(X, drawn, ...)` surveys one batch, given the positions of those rows in it, see `rows_within`;
   `merge_surveys` merges surveys in the order of the rows.
3. `TableSurvey.schema()` and `TableSurvey.bins(...)` are the schema and the bins of the whole table.
4. `code_batch(X, schema, bins, ...)` of `rankforest.data.coding` gives the codes of a batch, and the neighbours of the
   cuts among its rows; `with_digits` completes the bins with those of all batches.

Labels and weights come the same way: see `rankforest.data.label_batches`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NoReturn

import numpy as np

from .. import _core
from .binning import SAMPLE_ROWS, USUAL_BINS, Bins, bins_of
from .categories import check_number, distinct_values, in_order, refuse_all_missing
from .columns import Family, refuse_infinite_number
from .errors import counted_from
from .reading.attached import attached_reading
from .reading.recipe import Reading
from .rows import n_rows_of
from .schema import Feature, Schema, column_label, resolve_categorical
from .stores import Store, is_categorical, open_store

__all__ = ["ColumnSurvey", "TableSurvey", "merge_surveys", "rows_for_cuts", "rows_within", "survey_batch"]


def rows_for_cuts(n_rows: int, kept: np.ndarray | None = None) -> np.ndarray:
    """Numbers of the rows that cut points are drawn from, ascending; all rows if they are few.

    Parameters
    ----------
    n_rows : int
        Rows of the whole table.
    kept : ndarray of bool, optional
        The rows with a weight above 0, from which alone cut points are drawn; None is all.

    Examples
    --------
    >>> rows_for_cuts(3).tolist(), rows_for_cuts(3, np.array([True, False, True])).tolist()
    ([0, 1, 2], [0, 2])
    >>> len(rows_for_cuts(1_000_000))
    200000
    """
    if kept is None or kept.all():
        return _core.sample_rows(n_rows, SAMPLE_ROWS, 0)
    numbers = np.flatnonzero(kept)
    return numbers[_core.sample_rows(len(numbers), SAMPLE_ROWS, 0)]


def rows_within(rows: np.ndarray, first_row: int, n_rows: int) -> np.ndarray:
    """Positions, in a batch of `n_rows` rows from `first_row` on, of those of the rows that lie in it.

    Examples
    --------
    >>> rows_within(np.array([1, 5, 6, 9]), 5, 3)
    array([0, 1])
    """
    start, stop = np.searchsorted(rows, [first_row, first_row + n_rows])
    return rows[start:stop] - first_row


@dataclass(frozen=True)
class ColumnSurvey:
    """What the batches so far say of one column.

    Attributes
    ----------
    family : {"number", "boolean", "text"} or None
        None if no value was seen.
    categorical : bool
    order : tuple or None
        Of an ordered categorical: its categories, from the lowest to the highest.
    categories : frozenset
        Those that were seen.
    drawn : tuple of arrays
        Of a numeric column, the values of the drawn rows, without the missing ones.
    example : (int, value) or None
        First row of the first batch with a value, and a value of that batch.
    """

    family: Family | None
    categorical: bool
    order: tuple[Any, ...] | None = None
    categories: frozenset[Any] = frozenset()
    drawn: tuple[np.ndarray, ...] = ()
    example: tuple[int, Any] | None = None

    def merged(self, other: ColumnSurvey, label: str) -> ColumnSurvey:
        """The survey of both; `other` has the later rows."""
        if self.family is None or other.family is None:
            return other if self.family is None else self
        if self.family != other.family or self.categorical != other.categorical:
            _refuse_mix(self, other, label)
        categories = self.categories | other.categories
        check_number(len(categories), label)
        order = None
        if self.order is not None and other.order is not None:
            order = tuple(dict.fromkeys((*self.order, *other.order)))  # as Arrow unifies dictionaries
        return replace(self, order=order, categories=categories, drawn=self.drawn + other.drawn)

    def feature(self, name: str, label: str, n_rows: int) -> Feature:
        """The column as a feature of the model; a column without values is refused."""
        if self.family is None:
            refuse_all_missing(label, n_rows)
        if not self.categorical:
            return Feature(name, "numeric", None)
        return Feature(name, "categorical", in_order(self.categories, self.family, self.order))


@dataclass(frozen=True)
class TableSurvey:
    """What the batches so far say of the features; made by `survey_batch`.

    Attributes
    ----------
    n_rows : int
    names : tuple of str, or None
        None if the batches have no names.
    columns : tuple of ColumnSurvey
        Empty if there was no row.
    reading : Reading or None
        How they were made of the columns of a file.
    """

    n_rows: int
    names: tuple[str, ...] | None
    columns: tuple[ColumnSurvey, ...]
    reading: Reading | None = None

    def merged(self, other: TableSurvey) -> TableSurvey:
        """The survey of both; `other` has the later rows."""
        if not self.n_rows or not other.n_rows:
            return other if not self.n_rows else self
        if self.names != other.names or len(self.columns) != len(other.columns):
            _refuse_columns(self, other)
        columns = [
            one.merged(two, column_label(j, self.names))
            for j, (one, two) in enumerate(zip(self.columns, other.columns))
        ]
        return replace(self, n_rows=self.n_rows + other.n_rows, columns=tuple(columns))

    def schema(self) -> Schema:
        """The schema of the table, or an error that names a column without values."""
        features = [
            column.feature(f"x{j}" if self.names is None else self.names[j], column_label(j, self.names), self.n_rows)
            for j, column in enumerate(self.columns)
        ]
        return Schema(tuple(features), named=self.names is not None, reading=self.reading)

    def bins(self, schema: Schema, *, max_bins: int = USUAL_BINS, n_threads: int = 1) -> Bins:
        """The bins of the table; their digits are right if all rows were drawn, see `rows_for_cuts`."""
        numeric = [np.concatenate(column.drawn) for column in self.columns if not column.categorical]
        return bins_of(schema, _core.find_bins(numeric, max_bins, SAMPLE_ROWS, 0, n_threads))


def survey_batch(X: Any, drawn: np.ndarray, *, categorical: Any = None, first_row: int = 0) -> TableSurvey:
    """Survey of one batch.

    Parameters
    ----------
    X : array, data frame, Arrow table or sparse matrix
        The features.
    drawn : ndarray of int
        Positions in the batch of the rows that cut points are drawn from.
    categorical : list of names or positions, or boolean mask, optional
        As in `read_table`.
    first_row : int
        Number of the first row in the whole table, for error messages.

    Raises
    ------
    ValueError
        One sentence with the column, the value, the row in the whole table and the remedy.

    Examples
    --------
    >>> parts = [survey_batch([[1.5, "red"]], np.array([0])), survey_batch([[2.5, "blue"]], np.array([0]))]
    >>> table = merge_surveys(parts)
    >>> table.schema().features[1]
    Feature(name='x1', kind='categorical', categories=('blue', 'red'))
    >>> table.bins(table.schema()).cuts[0]
    array([2.])
    """
    if n_rows_of(X) == 0:
        return TableSurvey(0, None, ())
    with counted_from(first_row):
        store, names = open_store(X)
        chosen = resolve_categorical(categorical, names, store.n_columns)
        columns = [
            _column(store, j, bool(chosen[j]), drawn, column_label(j, names), first_row) for j in range(store.n_columns)
        ]
    return TableSurvey(store.n_rows, names, tuple(columns), attached_reading(X))


def merge_surveys(surveys: Iterable[TableSurvey]) -> TableSurvey:
    """The survey of all batches, given those of the batches in the order of the rows."""
    return reduce(TableSurvey.merged, surveys, TableSurvey(0, None, ()))


def _column(store: Store, j: int, chosen: bool, drawn: np.ndarray, label: str, first_row: int) -> ColumnSurvey:
    raw = store.raw(j)
    numbers = None if raw.family == "text" else store.column(j)
    value = None if numbers is None else _any_number(numbers, label)
    if not (chosen or is_categorical(store, j)):
        assert numbers is not None
        values = numbers[drawn]
        family, example = (None, None) if value is None else (raw.family, (first_row, value))
        return ColumnSurvey(family, False, drawn=(values[~np.isnan(values)],), example=example)
    found = frozenset(distinct_values(raw, label))
    check_number(len(found), label)
    if not found:
        return ColumnSurvey(None, True)
    return ColumnSurvey(raw.family, True, raw.order, found, example=(first_row, next(iter(found))))


def _any_number(numbers: np.ndarray, label: str) -> float | None:
    """The first value of a column, None if it has none; an infinite one is refused."""
    finite = np.isfinite(numbers)
    if not finite.all():
        infinite = np.isinf(numbers)
        if infinite.any():
            row = int(infinite.argmax())
            refuse_infinite_number(label, row, float(numbers[row]))
        if not finite.any():
            return None
    return float(numbers[finite.argmax()])


def _refuse_mix(one: ColumnSurvey, other: ColumnSurvey, label: str) -> NoReturn:
    said = []
    for column in (one, other):
        assert column.example is not None
        kind = {"number": "categories" if column.categorical else "numbers", "boolean": "booleans", "text": "text"}
        row, value = column.example
        said.append(f"{kind[column.family or 'number']} ({value!r}) in the batch that starts at row {row}")
    raise ValueError(f"{label} holds {said[0]}, and {said[1]}; convert the column to one type.")


def _refuse_columns(one: TableSurvey, other: TableSurvey) -> NoReturn:
    if one.names is not None and other.names is not None:
        odd = [name for name in (*one.names, *other.names) if (name in one.names) != (name in other.names)]
        if odd:
            raise ValueError(
                f"The batches have different columns: {odd[0]!r} is in some of them only; give all the same."
            )
        raise ValueError("The batches have their columns in different orders; give all the same.")
    raise ValueError(
        f"The batches differ in columns: some have {len(one.columns)}, others {len(other.columns)}, with or "
        "without names; give all the same."
    )
