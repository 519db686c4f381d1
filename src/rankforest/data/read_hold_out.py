"""The groups and the times of the rows as they come in, read and checked before any work starts."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import InputError, Row
from .hold_out import ANY_ROWS, Forward, Groups, HoldOut
from .row_values import as_vector, check_length
from .splitters import blocks_of_splits, is_splitter, parts_of_splits, splitter_name

__all__ = ["group_codes", "read_hold_out", "refuse_both"]


def read_hold_out(groups: Any, time: Any, *, n_rows: int, labels: np.ndarray | None = None) -> HoldOut:
    """How rows are held out, by the arguments of `fit`.

    Parameters
    ----------
    groups : array-like or series of shape (n_rows,), or None
        Any values, equal for the rows of a group; or a splitter, of whose test rows folds are made.
    time : array-like or series of shape (n_rows,), or None
        Numbers, dates or times, or text such as 2024-05-31; or a splitter of rows in the order of time.
    n_rows : int
    labels : array or None
        For splitters that look at them.

    Examples
    --------
    >>> read_hold_out(["b", "a", "b"], None, n_rows=3).groups
    array([0, 1, 0], dtype=int32)
    >>> read_hold_out(None, ["2024-05-31", "2023-12-01"], n_rows=2).groups
    array([1, 0], dtype=int32)
    """
    refuse_both(groups, time)
    for name, given in (("groups", groups), ("time", time)):
        if isinstance(given, str):
            raise ValueError(f"{name} is {given!r}; give a value for each row, such as the column X[{given!r}].")
    if is_splitter(groups):
        return Groups(parts_of_splits(groups, n_rows, labels), name=splitter_name(groups))
    if is_splitter(time):
        return Forward(blocks_of_splits(time, n_rows, labels), name=splitter_name(time), given=True)
    if groups is not None:
        return _read_groups(groups, n_rows)
    return ANY_ROWS if time is None else _read_time(time, n_rows)


def refuse_both(groups: Any, time: Any) -> None:
    """Refuse groups together with times."""
    if groups is not None and time is not None:
        raise ValueError("groups and time are both given; give groups to keep them together, or time to go forward.")


def group_codes(groups: Any, n_rows: int) -> tuple[np.ndarray, list[Any]]:
    """The number of each row's group, in the order in which they appear, and the values of the groups.

    Examples
    --------
    >>> group_codes(["b", "a", "b"], 3)
    (array([0, 1, 0], dtype=int32), ['b', 'a'])
    """
    values = as_vector(groups, "groups")
    check_length(values, n_rows, "groups", "group")
    _refuse_missing(values, _called("groups", groups), "give every row a group; a row of its own has its own")
    place: dict[Any, int] = {}
    codes = np.fromiter((place.setdefault(value, len(place)) for value in values.tolist()), np.int32, n_rows)
    return codes, list(place)


def _read_groups(groups: Any, n_rows: int) -> Groups:
    codes, distinct = group_codes(groups, n_rows)
    if len(distinct) < 2:
        raise ValueError(f"groups is {distinct[0]!r} in all {n_rows} rows; give at least two groups, or none.")
    return Groups(codes, name=_name(groups))


def _read_time(time: Any, n_rows: int) -> Forward:
    values = as_vector(time, "time")
    check_length(values, n_rows, "time", "time")
    _refuse_missing(values, _called("time", time), "give every row a time")
    if values.dtype.kind in "UOT":
        values = _comparable(values.astype(object))
    if values.dtype.kind not in "iufbMm":
        raise ValueError(f"time has dtype {values.dtype}, which has no order; give numbers, dates or times.")
    distinct, codes = np.unique(values, return_inverse=True)
    if len(distinct) < 2:
        raise ValueError(f"time is the same in all {n_rows} rows; give at least two times, or none.")
    return Forward(codes.astype(np.int32), name=_name(time))


def _comparable(values: np.ndarray) -> np.ndarray:
    """Dates, times, their text or numbers as values that can be sorted."""
    for row, value in enumerate(values):
        if isinstance(value, str):
            try:
                np.datetime64(value.strip())
            except ValueError:
                raise InputError(
                    "time is {value!r} in row {row}, which cannot be ordered; give numbers, or dates such as "
                    "2024-05-31.",
                    value=value,
                    row=Row(row),
                ) from None
    try:
        if all(isinstance(value, str) for value in values):
            return np.array([np.datetime64(value.strip(), "us") for value in values])
        order = {value: place for place, value in enumerate(sorted(set(values.tolist())))}
    except TypeError:
        raise ValueError("time mixes values that cannot be ordered; give all numbers, or all dates.") from None
    return np.array([order[value] for value in values.tolist()])


def _refuse_missing(values: np.ndarray, name: str, remedy: str) -> None:
    if values.dtype.kind in "fM":
        missing = np.isnan(values) if values.dtype.kind == "f" else np.isnat(values)
    elif values.dtype.kind in "OT":
        missing = np.array([value is None or _differs_from_itself(value) for value in values], dtype=bool)
    else:
        return
    if missing.any():
        raise InputError(
            "{name} is missing in row {row}; {remedy}.", name=name, row=Row(missing.argmax()), remedy=remedy
        )


def _differs_from_itself(value: Any) -> bool:
    """Whether a value is NaN, NaT or the missing value of a data frame library."""
    try:
        return bool(value != value)
    except TypeError:  # of pandas.NA
        return True


def _called(role: str, values: Any) -> str:
    name = _name(values)
    return role if name is None else f"{role} ({name})"


def _name(values: Any) -> str | None:
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else None
