"""A lot for each row: a number in [0, 1) that depends on the values of the row and on a seed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from zlib import crc32

import narwhals as nw
import numpy as np
from scipy import sparse

from ..data.columns import objects

__all__ = ["draw_lots"]

_GOLDEN = (5.0**0.5 - 1.0) / 2.0  # its multiples, modulo 1, fill [0, 1) evenly
_MISSING = np.uint64(2**63)  # no text has this hash


def draw_lots(X: Any, seed: int) -> np.ndarray:
    """One lot per row of X.

    A row gets the same lot in every call, whatever the other rows are. So a classifier that decides ties by lot gives
    the same answer for one row and for a million. Among equal rows, the first gets this lot, and the others get lots
    that fill [0, 1) evenly. So any share of equal rows can be flagged, not only all or none.

    Examples
    --------
    >>> lots = draw_lots(np.arange(6.0).reshape(3, 2), seed=0)
    >>> bool((draw_lots(np.arange(2.0, 6.0).reshape(2, 2), seed=0) == lots[1:]).all())
    True
    >>> equal = draw_lots(np.ones((1000, 2)), seed=0)
    >>> round(float((equal < 0.3).mean()), 2)
    0.3
    """
    keys: Any = np.uint64(seed)
    with np.errstate(over="ignore"):
        for bits in _columns(X):
            keys = _mixed(keys ^ bits)
    lots = (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return (lots + _GOLDEN * _equal_before(keys)) % 1.0


def _equal_before(keys: np.ndarray) -> np.ndarray:
    """For each key, the number of equal keys before it."""
    order = np.argsort(keys, kind="stable")
    places = np.arange(len(keys))
    starts = np.append(True, keys[order][1:] != keys[order][:-1])
    found = np.empty(len(keys), dtype=np.int64)
    found[order] = places - np.maximum.accumulate(np.where(starts, places, 0))
    return found


def _columns(X: Any) -> Iterator[np.ndarray]:
    """The columns of a table of any kind, each as 64 bits per row."""
    X = nw.to_native(X, pass_through=True)
    if nw.dependencies.is_into_dataframe(X):
        for series in nw.from_native(X, eager_only=True).iter_columns():
            if series.dtype.is_numeric() or series.dtype == nw.Boolean:
                yield _bits(series.cast(nw.Float64).to_numpy())
            else:
                yield np.where(series.is_null().to_numpy(), _MISSING, _bits(objects(series.to_list())))
        return
    array = X.toarray() if sparse.issparse(X) else np.asarray(X)
    for column in array[:, None].T if array.ndim == 1 else array.T:
        yield _bits(column)


def _bits(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        numbers[np.isnan(numbers)] = np.nan  # one bit pattern for all NaN
        return numbers.view(np.uint64)
    texts = (None if value is None or value != value else str(value) for value in values.tolist())
    return np.array(
        [_MISSING if text is None else crc32(text.encode("utf-8", "surrogatepass")) for text in texts], dtype=np.uint64
    )


def _mixed(bits: np.ndarray) -> np.ndarray:
    """Mix the bits so that each depends on all others: two rounds of multiplication and shift."""
    for factor in (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)):
        bits = (bits ^ (bits >> np.uint64(32))) * factor
    return bits ^ (bits >> np.uint64(29))
