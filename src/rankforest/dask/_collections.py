"""Dask arrays, series and frames as lists of partitions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import numpy as np
from dask.delayed import Delayed

__all__ = ["in_partition", "is_array", "is_frame", "is_series", "rows_of", "split_like"]


def is_array(values: Any) -> bool:
    return type(values).__module__.startswith("dask.array")


def is_frame(values: Any) -> bool:
    return dask.is_dask_collection(values) and hasattr(values, "columns")


def is_series(values: Any) -> bool:
    return dask.is_dask_collection(values) and hasattr(values, "divisions") and not is_frame(values)


def rows_of(values: Any, name: str) -> list[Delayed]:
    """The partitions of a Dask array, series or frame, from the first row to the last.

    An array that is split by columns is refused, because a partition must hold whole rows.
    """
    if is_array(values):
        if values.ndim == 2 and values.numblocks[1] > 1:
            raise ValueError(
                f"{name} is split by columns into {values.numblocks[1]} blocks, and a partition must hold whole rows; "
                f"use {name}.rechunk({{1: -1}})."
            )
        return list(values.to_delayed().ravel())
    if is_frame(values) or is_series(values):
        return list(values.to_delayed())
    raise TypeError(
        f"{name} must be a Dask array, series or frame, got {type(values).__name__}; use the function of the same name "
        "without Dask for rows in memory."
    )


def split_like(values: Any, name: str, other: Any, other_name: str) -> list[Delayed]:
    """The partitions of a column beside another table or column with the same partitions."""
    if is_array(values) and is_array(other) and values.chunks[0] != other.chunks[0]:
        known = not np.isnan([*values.chunks[0], *other.chunks[0]]).any()
        if known and sum(values.chunks[0]) == sum(other.chunks[0]):
            values = values.rechunk({0: other.chunks[0]})
    parts, others = rows_of(values, name), rows_of(other, other_name)
    if len(parts) != len(others):
        raise ValueError(
            f"{name} has {len(parts)} partitions and {other_name} has {len(others)}; split both in the same way, for "
            "instance by taking them from one frame."
        )
    return parts


@contextmanager
def in_partition(number: int, first_row: int | None = None) -> Iterator[None]:
    """Name the partition in the message of an input error.

    Parameters
    ----------
    number : int
        Of the partition, counted from 0.
    first_row : int, optional
        If rows are counted over all partitions, the number of its first row.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        where = f"Partition {number}" if first_row is None else f"Partition {number}, which starts at row {first_row}"
        raise kind(f"{where}: {error}") from None
