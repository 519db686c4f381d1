"""Tables of features: every table is read and checked here, before any work starts.

A `Table` is a view on the user's array, data frame or sparse matrix that hands out float64: columns to the binning,
blocks of rows to the scoring. Missing values are NaN. Categorical columns are read as the codes of their categories.
Rows in error messages count from 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from .categories import decode, encode, learn_categories, refuse_all_missing
from .columns import BLOCK_ROWS, ArrayColumn, first_value, refuse_infinite_number, row_blocks
from .errors import InputError, Row
from .one_row import coded_row
from .reading.attached import attached_reading
from .reading.recipe import Reading
from .schema import Feature, Schema, check_width, column_label, resolve_categorical
from .stores import ColumnStore, DenseStore, Store, is_categorical, open_store

__all__ = ["Feature", "Schema", "Table", "read_table"]

_BLOCK_BYTES = 2**27  # a wide table gets shorter blocks, so that a dense block of a sparse table stays bounded


class Table:
    """A checked view on the features; made by `read_table`.

    Attributes
    ----------
    schema : Schema
        Names, kinds and categories of the features.
    n_rows, n_features : int
        Shape of the table.

    Examples
    --------
    >>> import numpy as np
    >>> table = read_table(np.array([[1.0, np.nan], [2.0, 5.0]]))
    >>> table.n_rows, table.n_features
    (2, 2)
    >>> table.column(1)
    array([nan,  5.])
    """

    def __init__(self, schema: Schema, store: Store, codes: Mapping[int, np.ndarray]) -> None:
        self.schema = schema
        self.n_rows = store.n_rows
        self.n_features = store.n_columns
        self._store = store
        self._codes = codes  # of the categorical features, by position

    def __repr__(self) -> str:
        return f"Table({self.n_rows} rows, {self.n_features} features, {len(self._codes)} of them categorical)"

    def column(self, j: int) -> np.ndarray:
        """Feature `j` as one-dimensional float64, NaN for missing.

        A categorical feature gives its codes 0, 1, ..., and NaN for missing and for values unseen in fit. The result
        may be a strided or read-only view on the user's data: do not write to it.
        """
        codes = self._codes.get(j)
        return self._store.column(j) if codes is None else decode(codes, self._n_categories(j))

    def matrix(self) -> np.ndarray | None:
        """The whole table as a two-dimensional float64 array if that costs no copy, else None."""
        if self._codes or not isinstance(self._store, DenseStore) or self._store.array.dtype != np.float64:
            return None
        return self._store.array

    @cached_property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and greatest value of each feature; of a categorical feature, least and greatest code.

        Examples
        --------
        >>> import numpy as np
        >>> read_table(np.array([[1.0, np.nan], [2.0, 5.0]])).box
        (array([1., 5.]), array([2., 5.]))
        """
        low, high = np.full((2, self.n_features), np.nan)
        for block in self.blocks():
            low = np.fmin(low, np.fmin.reduce(block, axis=0))
            high = np.fmax(high, np.fmax.reduce(block, axis=0))
        return low, high

    def take(self, rows: np.ndarray) -> Table:
        """The table of some of the rows.

        Parameters
        ----------
        rows : ndarray
            Boolean mask over the rows, or row positions in any order, also repeated.
        """
        rows = np.asarray(rows)
        if rows.dtype == bool:
            if rows.shape != (self.n_rows,):
                raise ValueError(f"The mask has shape {rows.shape}, but the table has {self.n_rows} rows.")
            rows = np.flatnonzero(rows)
        rows = rows.astype(np.intp, copy=False)
        if rows.size and not (rows.min() >= 0 and rows.max() < self.n_rows):
            raise IndexError(f"Row positions must lie between 0 and {self.n_rows - 1}.")
        return Table(self.schema, self._store.take(rows), {j: codes[rows] for j, codes in self._codes.items()})

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[np.ndarray]:
        """The rows in order, in C-contiguous float64 blocks of at most `n_rows` rows.

        Blocks of a C-ordered float64 array are slices of it: do not write to them. The blocks of a very wide table
        are shorter than asked for, so that memory stays bounded.
        """
        size = max(1, min(n_rows, _BLOCK_BYTES // (8 * self.n_features)))
        for start, stop in row_blocks(self.n_rows, size):
            block = self._store.block(start, stop, writable=bool(self._codes))
            for j, codes in self._codes.items():
                block[:, j] = decode(codes[start:stop], self._n_categories(j))
            yield block

    def _n_categories(self, j: int) -> int:
        categories = self.schema.features[j].categories
        return 0 if categories is None else len(categories)


def read_table(
    X: Any,
    *,
    categorical: Any = None,
    schema: Schema | None = None,
    estimator_name: str = "this model",
) -> Table:
    """Read and check a table of features.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_rows, n_features)
        NumPy arrays of numbers, booleans, strings or objects, nested lists, pandas and Polars data frames, Arrow
        tables, and SciPy sparse matrices (what they do not store is the number 0). Columns of text, booleans or a
        categorical dtype are categorical; columns of a sparse matrix are numeric.
    categorical : list of names or positions, or boolean mask, optional
        Additional categorical columns, for instance integer codes. Only used when the schema is learned.
    schema : Schema, optional
        The schema of the training table. Without it, it is learned from `X` (fit); with it, `X` is checked against
        it and read in its terms (scoring).
    estimator_name : str
        Name of the model in error messages.

    Returns
    -------
    Table

    Raises
    ------
    ValueError, TypeError
        One sentence with the column, the value and the remedy.

    Examples
    --------
    >>> table = read_table([[1.5, "red"], [2.5, "blue"], [None, "red"]])
    >>> table.schema.features[1]
    Feature(name='x1', kind='categorical', categories=('blue', 'red'))
    >>> table.column(0), table.column(1)
    (array([1.5, 2.5, nan]), array([1., 0., 1.]))

    A category that was not there in fit is read as missing:

    >>> read_table([[0.0, "green"]], schema=table.schema).column(1)
    array([nan])
    """
    row = None if schema is None else coded_row(X, schema)
    if schema is not None and row is not None:
        return Table(schema, DenseStore(row), {})
    store, names = open_store(X, scoring=schema is not None)
    if schema is None:
        chosen = resolve_categorical(categorical, names, store.n_columns)
        return _learn(store, names, chosen, attached_reading(X))
    check_width(store.n_columns, names, schema, estimator_name)
    return _apply(store, schema, estimator_name)


def _learn(store: Store, names: tuple[str, ...] | None, chosen: np.ndarray, reading: Reading | None) -> Table:
    _check_numbers(store, names, fitting=True)
    features: list[Feature] = []
    codes: dict[int, np.ndarray] = {}
    for j in range(store.n_columns):
        name = f"x{j}" if names is None else names[j]
        if chosen[j] or is_categorical(store, j):
            label = column_label(j, names)
            column = store.raw(j)
            categories = learn_categories(column, label)
            codes[j] = encode(column, categories, label, "this model")
            features.append(Feature(name, "categorical", categories))
        else:
            features.append(Feature(name, "numeric", None))
    schema = Schema(tuple(features), named=names is not None, reading=reading)
    return Table(schema, store.without(list(codes)), codes)


def _apply(store: Store, schema: Schema, estimator_name: str) -> Table:
    _check_numbers(store, schema.names if schema.named else None, fitting=False)
    codes: dict[int, np.ndarray] = {}
    for j, feature in enumerate(schema.features):
        if feature.categories is not None:
            codes[j] = encode(store.raw(j), feature.categories, schema.label(j), estimator_name)
        elif isinstance(store, ColumnStore) and store.raw(j).family == "text":
            hit = first_value(store.raw(j))
            if hit is not None:
                raise InputError(
                    "{column} was numeric when {model} was fitted but now holds text ({value!r} in row {row}); convert "
                    "it to numbers.",
                    column=schema.label(j),
                    model=estimator_name,
                    value=hit[1],
                    row=Row(hit[0]),
                )
            # Text without values: an empty column whose type was lost, for instance in a file of one row.
            store.columns[j] = ArrayColumn(np.full(store.n_rows, np.nan), "number")
    return Table(schema, store.without(list(codes)), codes)


def _check_numbers(store: Store, names: tuple[str, ...] | None, *, fitting: bool) -> None:
    found = store.scan()
    if found.infinite is not None:
        row, j, value = found.infinite
        refuse_infinite_number(column_label(j, names), row, value)
    if fitting and found.empty is not None:
        refuse_all_missing(column_label(found.empty, names), store.n_rows)
