"""Text columns in memory of their own."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

__all__ = ["unsliced"]


def unsliced(column: Any) -> Any:
    """The same values, copied if the column is a slice.

    `pyarrow.compute.if_else` reads beyond a slice of texts in some versions (seen in 20 to 23).

    Examples
    --------
    >>> part = pa.array(["a", "b", "c"])[1:]
    >>> part.offset, unsliced(part).offset, unsliced(part).to_pylist()
    (1, 0, ['b', 'c'])
    """
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([unsliced(chunk) for chunk in column.chunks], column.type)
    return pa.concat_arrays([column]) if column.offset else column
