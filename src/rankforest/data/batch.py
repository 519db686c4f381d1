"""One batch of rows, whatever it is: its columns by name or by position."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from .stores import as_array

__all__ = ["as_batch", "column_names", "give_back", "one_column", "take_columns"]


def as_batch(batch: Any) -> Any:
    """A batch as a table with columns: a data frame, an Arrow table, a sparse matrix or an array.

    Examples
    --------
    >>> as_batch([[1, 2], [3, 4]]).shape
    (2, 2)
    """
    native = nw.to_native(batch, pass_through=True)
    if hasattr(native, "num_rows") and not nw.dependencies.is_pyarrow_table(native):  # an Arrow record batch
        import pyarrow as pa

        return pa.Table.from_batches([native])
    if nw.dependencies.is_into_dataframe(native) or sparse.issparse(native):
        return native
    array = as_array(native)
    if array.ndim != 2:
        raise ValueError(
            f"A batch is a {type(batch).__name__} of shape {array.shape}; give frames, Arrow tables or arrays with one "
            "row per instance and one column per feature."
        )
    return array


def column_names(batch: Any) -> list[Any] | None:
    """The names of the columns of a batch; None if it has none."""
    if nw.dependencies.is_pyarrow_table(batch):
        return list(batch.column_names)
    return list(batch.columns) if nw.dependencies.is_into_dataframe(batch) else None


def take_columns(batch: Any, positions: Sequence[int]) -> Any:
    """Some columns of a batch, as a batch of the same kind.

    Examples
    --------
    >>> take_columns(np.array([[1, 2, 3]]), [2, 0])
    array([[3, 1]])
    """
    positions = list(positions)
    if nw.dependencies.is_pyarrow_table(batch):
        return batch.select(positions)
    if hasattr(batch, "iloc"):  # pandas, whose columns may have any name
        return batch.iloc[:, positions]
    if sparse.issparse(batch):
        return batch.tocsc()[:, positions]
    if isinstance(batch, np.ndarray):
        return batch if positions == list(range(batch.shape[1])) else batch[:, positions]
    return batch[:, positions]  # Polars


def give_back() -> None:
    """Return the memory that Arrow keeps for further batches to the system."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()


def one_column(batch: Any, position: int) -> Any:
    """One column of a batch, as a series or an array."""
    if nw.dependencies.is_pyarrow_table(batch):
        return batch.column(position)
    if hasattr(batch, "iloc"):
        return batch.iloc[:, position]
    if sparse.issparse(batch):
        return batch.tocsc()[:, [position]].toarray()[:, 0]
    if isinstance(batch, np.ndarray):
        return batch[:, position]
    return batch[batch.columns[position]]  # Polars
