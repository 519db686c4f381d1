"""The rows of whatever table a user may give: how many there are, and some of them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from .open_column import without_views

__all__ = ["n_rows_of", "spaced_rows", "take_rows"]

ENOUGH_ROWS = 1 << 21  # of a sample from which curves and shares are read


def n_rows_of(X: Any) -> int:
    """Number of rows of a table.

    Examples
    --------
    >>> n_rows_of([[1, "a"], [2, "b"]]), n_rows_of(np.zeros((3, 2)))
    (2, 3)
    """
    if hasattr(X, "num_rows"):  # Arrow
        return int(X.num_rows)
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def spaced_rows(n_rows: int, most: int = ENOUGH_ROWS) -> slice | np.ndarray:
    """Positions of evenly spaced rows, at most so many; all rows if there are no more.

    Examples
    --------
    >>> spaced_rows(7, most=3)
    array([0, 2, 4])
    >>> spaced_rows(3, most=3)
    slice(None, None, None)
    """
    return slice(None) if n_rows <= most else np.arange(most) * n_rows // most


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Rows of a table, as a table of the same kind.

    Parameters
    ----------
    X : array, list of rows, sparse matrix, data frame, Arrow table or series
    rows : ndarray of int
        Positions, in any order, also repeated.

    Returns
    -------
    table
        Of the kind of `X`. Arrow columns of a view type (string_view, binary_view) come back as the plain type, since
        Arrow cannot pick rows of views.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"city": pa.array(["Lyon", None, "Oslo"], pa.string_view())})
    >>> take_rows(table, np.array([2, 1])).to_pydict()
    {'city': ['Oslo', None]}
    >>> take_rows([[1, "a"], [2, "b"]], np.array([1]))
    [[2, 'b']]
    """
    rows = np.asarray(rows)
    native = nw.to_native(X, pass_through=True)
    if nw.dependencies.is_pyarrow_table(native):
        columns = [without_views(column).take(rows) for column in native.columns]
        return type(native).from_arrays(columns, names=native.column_names)
    if nw.dependencies.is_pyarrow_chunked_array(native):
        return without_views(native).take(rows)
    if hasattr(native, "iloc"):  # pandas, whose columns may have any name
        return native.iloc[rows]
    if nw.dependencies.is_into_dataframe(native) or nw.dependencies.is_into_series(native):
        return native[rows]
    if sparse.issparse(native):
        return native.tocsr()[rows]
    return native[rows] if hasattr(native, "shape") else [native[row] for row in rows.tolist()]
