"""The three storages of a table: one dense array, one sparse matrix, or a list of columns.

Each gives, in float64, a column, a block of rows and a subset of the rows, and searches for infinite numbers. A store
never copies the user's data as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import narwhals as nw
import numpy as np
from scipy import sparse

from .columns import ArrayColumn, Column, TextColumn, as_float64, objects, row_blocks
from .one_row import only_row
from .open_column import COMPLEX_REMEDY, family_of, open_array, open_series
from .schema import check_names, column_label

_BLOCK_CELLS = 2**20  # cells per step, so that temporaries stay within a few megabytes


@dataclass
class Scan:
    """What `Store.scan` found: row, column and value of an infinite number, and a column without any value."""

    infinite: tuple[int, int, float] | None = None
    empty: int | None = None


class Store(Protocol):
    """Interface of the storage of a table."""

    n_rows: int
    n_columns: int

    def raw(self, j: int) -> Column:
        """Column `j` as the user gave it."""
        ...

    def column(self, j: int) -> np.ndarray:
        """Numeric column `j` as float64."""
        ...

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        """Rows start to stop, C-contiguous float64; not the user's own memory if it shall be writable."""
        ...

    def take(self, rows: np.ndarray) -> Store:
        """The rows at the given positions."""
        ...

    def without(self, encoded: list[int]) -> Store:
        """The store once the values of these columns are not needed any more."""
        ...

    def scan(self) -> Scan:
        """Look for infinite numbers and for numeric columns without a value."""
        ...


class DenseStore:
    """A two-dimensional array of numbers or booleans."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.n_rows, self.n_columns = array.shape

    def raw(self, j: int) -> Column:
        return ArrayColumn(self.array[:, j], "boolean" if self.array.dtype.kind == "b" else "number")

    def column(self, j: int) -> np.ndarray:
        return as_float64(self.array[:, j])

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        rows = self.array[start:stop]
        if writable:
            return np.array(rows, dtype=np.float64, order="C")
        return np.ascontiguousarray(as_float64(rows))

    def take(self, rows: np.ndarray) -> DenseStore:
        return DenseStore(self.array[rows])

    def without(self, encoded: list[int]) -> DenseStore:
        return self

    def scan(self) -> Scan:
        result = Scan()
        if self.array.dtype.kind != "f":
            return result
        # Nearly every column has a value in the first row, so the search for empty columns costs next to nothing.
        pending = np.flatnonzero(np.isnan(self.array[0]))
        for start, stop in row_blocks(self.n_rows, max(1, _BLOCK_CELLS // self.n_columns)):
            block = self.array[start:stop]
            if block.dtype.itemsize > 8:
                block = as_float64(block)
            infinite = np.isinf(block)
            if infinite.any():
                row, j = np.unravel_index(int(infinite.argmax()), infinite.shape)
                result.infinite = (start + int(row), int(j), float(block[row, j]))
                return result
            pending = np.array([j for j in pending if np.isnan(block[:, j]).all()], dtype=np.intp)
        result.empty = int(pending[0]) if len(pending) else None
        return result


class SparseStore:
    """A SciPy sparse matrix or array; what it does not store is the number 0."""

    def __init__(self, matrix: Any) -> None:
        if matrix.format not in ("csr", "csc"):
            matrix = matrix.tocsr()
        if not matrix.has_canonical_format:
            # Entries stored twice count as their sum; the user's own matrix is left as it is.
            matrix = matrix.copy()
            matrix.sum_duplicates()
        self._forms = {matrix.format: matrix}
        self.n_rows, self.n_columns = matrix.shape

    def _form(self, name: str) -> Any:
        if name not in self._forms:
            (matrix,) = self._forms.values()
            self._forms[name] = matrix.asformat(name)
        return self._forms[name]

    def raw(self, j: int) -> Column:
        return ArrayColumn(self.column(j), "number")

    def column(self, j: int) -> np.ndarray:
        by_column = self._form("csc")
        start, stop = by_column.indptr[j], by_column.indptr[j + 1]
        dense = np.zeros(self.n_rows)
        dense[by_column.indices[start:stop]] = by_column.data[start:stop]
        return dense

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        return np.ascontiguousarray(as_float64(self._form("csr")[start:stop].toarray()))

    def take(self, rows: np.ndarray) -> SparseStore:
        return SparseStore(self._form("csr")[rows])

    def without(self, encoded: list[int]) -> SparseStore:
        return self

    def scan(self) -> Scan:
        result = Scan()
        (name, matrix), *_ = self._forms.items()
        if matrix.dtype.kind != "f":
            return result
        data = as_float64(matrix.data)
        infinite = np.isinf(data)
        if infinite.any():
            k = int(infinite.argmax())
            outer, inner = int(np.searchsorted(matrix.indptr, k, side="right")) - 1, int(matrix.indices[k])
            row, j = (outer, inner) if name == "csr" else (inner, outer)
            result.infinite = (row, j, float(data[k]))
            return result
        missing = np.flatnonzero(np.isnan(data))
        if len(missing):
            if name == "csr":
                columns = matrix.indices[missing]
            else:
                columns = np.searchsorted(matrix.indptr, missing, side="right") - 1
            empty = np.flatnonzero(np.bincount(columns, minlength=self.n_columns) == self.n_rows)
            result.empty = int(empty[0]) if len(empty) else None
        return result


class ColumnStore:
    """A list of columns: a data frame, or an array of objects or strings."""

    def __init__(self, columns: list[Column | None], n_rows: int) -> None:
        self.columns = columns  # None if the values are stored elsewhere, as codes
        self.n_rows, self.n_columns = n_rows, len(columns)

    def raw(self, j: int) -> Column:
        column = self.columns[j]
        if column is None:
            raise ValueError(f"the values of column {j} are held as codes")
        return column

    def column(self, j: int) -> np.ndarray:
        return self.raw(j).floats()

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        block = np.empty((stop - start, self.n_columns))
        for j, column in enumerate(self.columns):
            if column is not None:
                block[:, j] = column.floats(start, stop)
        return block

    def take(self, rows: np.ndarray) -> ColumnStore:
        return ColumnStore([None if column is None else column.take(rows) for column in self.columns], len(rows))

    def without(self, encoded: list[int]) -> ColumnStore:
        dropped = set(encoded)
        return ColumnStore([None if j in dropped else column for j, column in enumerate(self.columns)], self.n_rows)

    def scan(self) -> Scan:
        result = Scan()
        for j, column in enumerate(self.columns):
            if column is None or column.family == "text":
                continue
            empty = True
            for start, stop in row_blocks(self.n_rows):
                block = column.floats(start, stop)
                infinite = np.isinf(block)
                if infinite.any():
                    row = int(infinite.argmax())
                    result.infinite = (start + row, j, float(block[row]))
                    return result
                empty = empty and bool(np.isnan(block).all())
            if empty and result.empty is None:
                result.empty = j
        return result


class RowStore(ColumnStore):
    """A single row, as columns and as one array of its numbers, NaN for the others."""

    def __init__(self, columns: list[Column | None], numbers: np.ndarray) -> None:
        super().__init__(columns, 1)
        self._numbers = DenseStore(numbers)

    def block(self, start: int, stop: int, *, writable: bool) -> np.ndarray:
        return self._numbers.block(start, stop, writable=writable)

    def without(self, encoded: list[int]) -> RowStore:
        return self

    def scan(self) -> Scan:
        return self._numbers.scan()


def is_categorical(store: Store, j: int) -> bool:
    """Whether column `j` is categorical by its type."""
    if isinstance(store, ColumnStore):
        column = store.raw(j)
        return column.declared or column.family != "number"
    return isinstance(store, DenseStore) and store.array.dtype.kind == "b"


def open_store(X: Any, *, scoring: bool = False) -> tuple[Store, tuple[str, ...] | None]:
    """Find out what `X` is, check its shape, and return its store and its column names.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix
    scoring : bool
        Whether a schema tells which columns are categorical; then the types of a frame's columns do not matter.
    """
    if type(X) is np.ndarray:  # what most services score, row by row: it is recognised without a look at data frames
        return _open_array(X), None
    X = nw.to_native(X, pass_through=True)
    if sparse.issparse(X):
        _check_shape(X.shape)
        if X.dtype.kind not in "biuf":
            raise ValueError(_bad_dtype(X.dtype))
        return SparseStore(X), None
    if nw.dependencies.is_into_dataframe(X):
        return _open_frame(X, scoring)
    if nw.dependencies.is_into_series(X):
        _check_shape((len(X),))
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise TypeError(f"X is a lazy frame ({type(X).__name__}); collect it into memory first and pass the result.")
    return _open_array(X), None


def _open_frame(X: Any, scoring: bool) -> tuple[Store, tuple[str, ...] | None]:
    # The names are checked on the native object because narwhals refuses repeated names in its own words.
    names = check_names(X.column_names if nw.dependencies.is_pyarrow_table(X) else X.columns)
    row = only_row(X) if scoring else None
    if row is not None:
        _check_shape((1, len(row)))
        return _open_row(row, names), names
    frame = nw.from_native(X, eager_only=True)
    _check_shape(frame.shape)
    columns: list[Column | None]
    columns = [open_series(series, column_label(j, names)) for j, series in enumerate(frame.iter_columns())]
    whole = _one_array(X, columns)
    return (ColumnStore(columns, len(frame)) if whole is None else DenseStore(whole)), names


def _open_row(values: list[Any], names: tuple[str, ...] | None) -> ColumnStore:
    families = [family_of(kind) for kind in map(type, values)]
    given = zip(values, families)
    try:
        floats = np.array([value if family in ("number", "boolean") else np.nan for value, family in given], np.float64)
    except OverflowError:  # the column is named below
        floats = None
    row = objects(values)

    def column(j: int) -> Column:
        if floats is not None and families[j] in ("number", "missing"):
            return ArrayColumn(floats[j : j + 1], "number")
        return (
            TextColumn(row[j : j + 1]) if families[j] == "text" else open_array(row[j : j + 1], column_label(j, names))
        )

    columns: list[Column | None] = [column(j) for j in range(len(row))]
    return ColumnStore(columns, 1) if floats is None else RowStore(columns, floats.reshape(1, -1))


def _one_array(X: Any, columns: list[Column | None]) -> np.ndarray | None:
    """The array behind a pandas frame, if all its columns are slices of one array.

    That is how pandas holds columns of one type. If the array is in C order, then going through it by columns drags
    all of it through the cache for each column, and its rows are already the blocks that scoring wants.
    """
    if not nw.dependencies.is_pandas_dataframe(X):
        return None
    arrays = [column.array for column in columns if isinstance(column, ArrayColumn) and not column.declared]
    if len(arrays) < len(columns) or len({(array.dtype, array.strides) for array in arrays}) > 1:
        return None
    starts = [array.__array_interface__["data"][0] for array in arrays]
    if len(set(np.diff(starts).tolist())) > 1:
        return None
    whole = X.to_numpy()
    return whole if all(np.may_share_memory(whole, array) for array in (arrays[0], arrays[-1])) else None


def _open_array(X: Any) -> Store:
    array = as_array(X)
    _check_shape(array.shape)
    kind = array.dtype.kind
    if kind in "biuf":
        return DenseStore(array)
    if kind not in "OUT":
        raise ValueError(_bad_dtype(array.dtype))
    columns: list[Column | None] = [open_array(array[:, j], column_label(j, None)) for j in range(array.shape[1])]
    return ColumnStore(columns, len(array))


def as_array(X: Any) -> np.ndarray:
    """A table of the user as an array, whose masked values are missing."""
    if isinstance(X, np.ma.MaskedArray):
        # np.asarray would silently bring the masked values back.
        array = X.data.astype(np.float64 if X.dtype.kind in "biuf" else object)
        array[np.ma.getmaskarray(X)] = np.nan
        return array
    try:
        array = np.asarray(X)
        if array.dtype.kind == "U" and isinstance(X, list | tuple):
            # Of the row [1, "a"] NumPy makes two strings; as objects the number stays one.
            array = np.array(X, dtype=object)
    except ValueError as error:
        raise ValueError(
            f"X cannot be read as a table ({str(error).split('.')[0]}); give every row the same number of values."
        ) from error
    return array


def _check_shape(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        hint = (
            "Reshape your data with X.reshape(-1, 1) if it is one feature or with X.reshape(1, -1) if it is one row"
            if len(shape) == 1
            else "pass a table with one row per instance and one column per feature"
        )
        raise ValueError(f"Expected 2D array, got {len(shape)}D array of shape {shape} instead: {hint}.")
    # These two are scikit-learn's words up to the semicolon.
    if shape[1] == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required; pass at least one column."
        )
    if shape[0] == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required; pass at least one row."
        )


def _bad_dtype(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "c":
        return f"Complex data not supported: X has dtype {dtype}; {COMPLEX_REMEDY}."
    return (
        f"X has dtype {dtype}, which is neither number, text nor boolean; "
        "convert it to numbers (dates to days since a fixed date, bytes to str, for instance)."
    )
