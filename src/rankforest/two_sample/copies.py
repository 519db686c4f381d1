"""Rows that are copies of one another, in tables of any kind.

Two rows can be identical because one is a copy of the other, or by chance, if a table has few possible rows. Copies are
not new observations; rows that are equal by chance are. Two criteria distinguish them:

- **A continuous column**: numeric, with at least ten values whose gaps nearly all differ, as in measurements and unlike
  in counts, grades or rounded prices. In such a column rows are never equal by chance, except in a frequent value such
  as 0 in an amount of rain: a value that other rows have too, or that is far more frequent than others.
- **No near misses**: if rows of discrete columns are equal by chance, there are also rows that agree in all columns but
  one. If for every column such pairs of different rows are rare compared with the repeated rows, these are copies. This
  does not apply if there are few different rows.

Rows are compared by 64-bit hashes, summed over the columns, so a column can be left out by a subtraction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["column_arrays", "copied_groups", "row_groups"]

_FEWEST_VALUES = 10
_DIFFERENT_GAPS = 0.9
_NEAR_MISSES = 0.1
_ATOM = 10  # a group with this many times the rows of the median group is a frequent value, not copies
_MOST_COPIES = 10  # mean number of identical rows above which a table without continuous columns has few possible rows

Hashes = NDArray[np.uint64]
Groups = NDArray[np.int64]


def column_arrays(rows: Any) -> Iterator[NDArray[Any]]:
    """The columns of an array, a sparse matrix or a narwhals frame, one by one.

    Examples
    --------
    >>> [column.tolist() for column in column_arrays(np.array([[1.0, 2.0], [3.0, 4.0]]))]
    [[1.0, 3.0], [2.0, 4.0]]
    """
    if hasattr(rows, "columns"):
        for name in rows.columns:
            yield np.asarray(rows[name].to_numpy())
    elif hasattr(rows, "tocsc"):
        by_column = rows.tocsc()
        for j in range(by_column.shape[1]):
            yield np.asarray(by_column[:, [j]].todense()).ravel()
    else:
        yield from rows.T


def row_groups(rows: Any) -> Groups:
    """A group number for every row; rows that agree in all columns have the same. Missing values count as equal.

    Examples
    --------
    >>> row_groups(np.array([[1.0, np.nan], [0.0, 2.0], [1.0, np.nan]])).tolist()
    [0, 1, 0]
    """
    return _numbered(_row_hashes(rows))


def copied_groups(rows: Any, groups: Groups) -> NDArray[np.bool_]:
    """Which groups of identical rows are copies, not rows that are equal by chance.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> measured, graded = rng.normal(size=(50, 2)), rng.integers(0, 5, (50, 2))
    >>> [int(copied_groups(table, row_groups(table)).sum()) for table in (np.vstack([measured, measured]), graded)]
    [50, 0]
    """
    first, size = np.unique(groups, return_index=True)[1], np.bincount(groups)
    repeated = size > 1
    copied = np.zeros(len(size), dtype=bool)
    if not repeated.any():
        return copied
    continuous = False
    for column in column_arrays(rows):
        if _is_continuous(column):
            continuous = True
            values, place, count = np.unique(column[first], return_inverse=True, return_counts=True)
            copied |= (np.isfinite(values) & (count == 1))[place]
    if continuous:
        return copied & repeated & (size <= _ATOM * np.median(size))
    few_rows = len(size) < max(_FEWEST_VALUES, len(groups) / _MOST_COPIES)
    return repeated if not few_rows and _misses_are_rare(rows, first, int(repeated.sum())) else copied


def _is_continuous(column: NDArray[Any]) -> bool:
    if column.dtype.kind not in "iuf":
        return False
    values = np.unique(column.astype(np.float64))
    values = values[np.isfinite(values)]
    if len(values) < _FEWEST_VALUES:
        return False
    gaps = np.diff(values)
    # Gaps of a grid such as 0.01 differ by rounding.
    different = len(np.unique(np.round(gaps / np.ptp(values), 12)))
    return different >= _DIFFERENT_GAPS * len(gaps)


def _misses_are_rare(rows: Any, first: Groups, n_repeated: int) -> bool:
    """Whether, for every column, few pairs of different rows agree in all others, beside the rows that are repeated."""
    whole = _row_hashes(rows)[first]
    return all(
        _pairs(_numbered(whole - _hashes(column, j)[first])) <= _NEAR_MISSES * n_repeated
        for j, column in enumerate(column_arrays(rows))
    )


def _pairs(groups: Groups) -> int:
    size = np.bincount(groups)
    return int(np.sum(size * (size - 1)) // 2)


def _numbered(hashes: Hashes) -> Groups:
    return np.unique(hashes, return_inverse=True)[1].astype(np.int64).ravel()


def _row_hashes(rows: Any) -> Hashes:
    return np.asarray(sum(_hashes(column, j) for j, column in enumerate(column_arrays(rows))), dtype=np.uint64)


def _hashes(column: NDArray[Any], j: int) -> Hashes:
    """A hash for every value of column j; equal values, and missing values, have equal hashes."""
    return _mixed(_bits(column) + _mixed(np.array([j + 1], dtype=np.uint64)))


def _bits(column: NDArray[Any]) -> Hashes:
    if column.dtype.kind in "biuf":
        values = column.astype(np.float64) + 0.0  # -0.0 becomes 0.0
        if column.dtype.kind in "iu" and not np.array_equal(values.astype(column.dtype), column):
            return column.astype(np.uint64)  # whole numbers beyond 2**53
        values[np.isnan(values)] = np.nan  # one bit pattern for all NaN
        return values.view(np.uint64)
    if column.dtype.kind in "mM":
        return column.view(np.uint64)
    codes: dict[Any, int] = {}
    # Values are equal if a dictionary treats them as equal; unhashable values are compared by their text.
    return np.fromiter((codes.setdefault(_key(value), len(codes)) for value in column), np.uint64, len(column))


def _key(value: Any) -> Any:
    if value is None or _differs_from_itself(value):
        return None
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return value


def _differs_from_itself(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # pandas.NA and arrays have no truth value
        return not hasattr(value, "__len__")


def _mixed(bits: Hashes) -> Hashes:
    """The finalising mix of splitmix64: every bit of the input moves every bit of the output."""
    with np.errstate(over="ignore"):
        mixed = bits + np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> np.uint64(31))
