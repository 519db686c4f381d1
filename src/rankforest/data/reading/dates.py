"""Dates and times as text, and as numbers: days since 1970-01-01 and hours of the day."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["ORDERS", "days_of", "days_of_typed", "hours_of", "part_of"]

ORDERS = ("ymd", "dmy", "mdy", "dby")  # b: the name of a month

_TIME = r"(?:[T ]+(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}(?:\.\d+)?))?)?\s*(?:Z|UTC)?(?P<z>[-+]\d{2}:?\d{2})?"
_YEAR = r"(?P<y>\d{4})"
_PATTERNS = {
    "ymd": rf"^\s*{_YEAR}[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}}){_TIME}\s*$",
    "dmy": rf"^\s*(?P<d>\d{{1,2}})[-/.](?P<m>\d{{1,2}})[-/.]{_YEAR}{_TIME}\s*$",
    "mdy": rf"^\s*(?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})[-/.]{_YEAR}{_TIME}\s*$",
    "dby": rf"^\s*(?P<d>\d{{1,2}})[- /.](?P<m>[A-Za-z]{{3,9}})[- /.,]+{_YEAR}{_TIME}\s*$",
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = r"^\s*(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2}(?:\.\d+)?))?\s*$"
_DAY_SECONDS = 86400.0


def days_of(text: Any, order: str) -> np.ndarray:
    """Days since 1970-01-01 of dates that are text, with a fraction for the time; NaN for what is no such date.

    Examples
    --------
    >>> days_of(pa.array(["02/01/1970", "1/2/1970 12:00", "31/2/1970", None]), "dmy")
    array([ 1. , 31.5,  nan,  nan])
    """
    text = _one(text)
    found = pc.extract_regex(text, _PATTERNS[order])
    year, day = _whole(found, "y"), _whole(found, "d")
    month = _named_months(found) if order == "dby" else _whole(found, "m")
    known = ~np.isnan(year) & (month >= 1) & (month <= 12) & (day >= 1)
    months = np.where(known, (year - 1970) * 12 + month - 1, 0).astype(np.int64)
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    length = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) - first
    seconds, possible = _seconds(found)
    known &= (day <= length) & possible
    offset = pc.replace_substring(pc.fill_null(pc.struct_field(found, "z"), ""), ":", "")
    offset = pc.if_else(pc.equal(offset, ""), "+0000", offset)
    hours, minutes = (np.asarray(pc.utf8_slice_codeunits(offset, *at).cast(pa.float64())) for at in ((0, 3), (3, 5)))
    seconds = seconds - 3600 * hours - 60 * np.where(hours < 0, -minutes, minutes)
    return np.where(known, first + np.where(known, day, 1) - 1 + seconds / _DAY_SECONDS, np.nan)


def hours_of(text: Any) -> np.ndarray:
    """Hours of times of the day that are text; NaN for what is none.

    Examples
    --------
    >>> hours_of(pa.array(["6:30", "18:00:36", "25:00"]))
    array([ 6.5 , 18.01,   nan])
    """
    found = pc.extract_regex(_one(text), _CLOCK)
    seconds, possible = _seconds(found)
    given = ~np.isnan(_whole(found, "H"))
    return np.where(possible & given, seconds / 3600, np.nan)


def days_of_typed(column: Any) -> np.ndarray:
    """Days of a column of dates, times of the day (as hours) or durations.

    Examples
    --------
    >>> days_of_typed(pa.array([1, None], pa.date32()))
    array([ 1., nan])
    """
    kind = column.type
    if pa.types.is_time(kind):
        whole = _one(column).cast(pa.time64("us")).cast(pa.int64())
        return _floats(whole) / 3.6e9
    if pa.types.is_duration(kind):
        return _floats(_one(column).cast(pa.duration("us")).cast(pa.int64())) / (_DAY_SECONDS * 1e6)
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        column = _one(column).cast(pa.timestamp(kind.unit, "UTC")).cast(pa.timestamp(kind.unit))
    stamps = _one(column).cast(pa.timestamp("us"), safe=False)
    return _floats(stamps.cast(pa.int64())) / (_DAY_SECONDS * 1e6)


def part_of(days: np.ndarray, part: str) -> np.ndarray:
    """The month (1 to 12), the weekday (1 is Monday) or the hour of days since 1970-01-01.

    Examples
    --------
    >>> days = np.array([0.0, 31.75, np.nan])
    >>> part_of(days, "month"), part_of(days, "weekday"), part_of(days, "hour")
    (array([ 1.,  2., nan]), array([ 4.,  7., nan]), array([ 0., 18., nan]))
    """
    known = ~np.isnan(days)
    whole = np.floor(np.where(known, days, 0.0))
    if part == "weekday":
        found = (whole + 3) % 7 + 1  # 1970-01-01 was a Thursday
    elif part == "month":
        found = whole.astype(np.int64).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1.0
    else:
        found = np.floor((np.where(known, days, 0.0) - whole) * 24 + 1e-9)
    return np.where(known, found, np.nan)


def _one(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _floats(whole: Any) -> np.ndarray:
    return np.asarray(whole.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _whole(found: Any, name: str) -> np.ndarray:
    text = pc.struct_field(found, name)
    return _floats(pc.if_else(pc.equal(text, ""), None, text).cast(pa.float64()))


def _named_months(found: Any) -> np.ndarray:
    short = pc.utf8_slice_codeunits(pc.utf8_lower(pc.struct_field(found, "m")), 0, 3)
    return _floats(pc.add(pc.index_in(short, pa.array(_MONTHS)), 1))


def _seconds(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Seconds since midnight, and which are possible."""
    hours, minutes, seconds = (np.nan_to_num(_whole(found, name)) for name in "HMS")
    return 3600 * hours + 60 * minutes + seconds, (hours < 24) & (minutes < 60) & (seconds < 61)
