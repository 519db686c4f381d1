"""Text columns in memory of their own."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

__all__ = ["unsliced"]


def unsliced(column: Any) -> Any:
    """The same values, copied if the column is a slice.

    `pyarrow.compute.if_else(mask, None, texts)` gives wrong texts up to version 23 if `texts` is a slice that does not
    begin at the first row, with and without missing values (seen in 19 to 23; 24 and 26 are right).

    Examples
    --------
    >>> part = pa.array(["a", "b", "c"])[1:]
    >>> part.offset, unsliced(part).offset, unsliced(part).to_pylist()
    (1, 0, ['b', 'c'])
    """
    if isinstance(column, pa.ChunkedArray):
        return pa.chunked_array([unsliced(chunk) for chunk in column.chunks], column.type)
    return pa.concat_arrays([column]) if column.offset else column
