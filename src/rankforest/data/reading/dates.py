"""Dates and times as text, and as numbers: days since 1970-01-01 and hours of the day."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["MONTHLY", "ORDERS", "PURE", "days_of", "days_of_typed", "fitting", "has_short_year", "hours_of", "part_of"]

MONTHLY = ("ym", "my", "by")  # without a day: the first one of the month is meant
_MIXED = {f"mixed {order}": ("ymd", order, "dby", "bdy") for order in ("dmy", "mdy")}
PURE = ("ymd", "dmy", "mdy", "dby", "bdy", "compact", *MONTHLY)  # b: the name of a month; compact: 20241231
ORDERS = (*PURE, *_MIXED)

_HALF = r"(?P<p>[AaPp])\.?[Mm]\.?"
_TIME = (
    rf"(?:[T ,]+(?P<H>\d{{1,2}}):(?P<M>\d{{2}})(?::(?P<S>\d{{2}}(?:\.\d+)?))?(?:\s*{_HALF})?)?"
    r"\s*(?:Z|UTC)?(?P<z>[-+]\d{2}:?\d{2})?"
)
_YEAR = r"(?P<y>\d{4})"
_DAY_FIRST, _MONTH_FIRST = (r"(?P<d>\d{1,2})", r"(?P<m>\d{1,2})"), (r"(?P<m>\d{1,2})", r"(?P<d>\d{1,2})")
_NAME = r"(?P<m>[A-Za-zä]{3,9})"


def _numeric(first: str, second: str) -> str:
    """Dates that end with the year; a year of two digits needs other separators than 24-12-31 has."""
    return rf"^\s*{first}[-/.]{second}(?:[-/.](?P<y>\d{{4}})|[/.](?P<s>\d{{2}})){_TIME}\s*$"


_PATTERNS = {
    "ymd": rf"^\s*{_YEAR}[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}}){_TIME}\s*$",
    "dmy": _numeric(*_DAY_FIRST),
    "mdy": _numeric(*_MONTH_FIRST),
    "dby": rf"^\s*(?P<d>\d{{1,2}})[- /.]+{_NAME}[- /.,]+(?:(?P<y>\d{{4}})|(?P<s>\d{{2}})){_TIME}\s*$",
    "bdy": rf"^\s*{_NAME}[- /.]+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[- /.,]+{_YEAR}{_TIME}\s*$",
    "compact": rf"^\s*{_YEAR}(?P<m>\d{{2}})(?P<d>\d{{2}})\s*$",
    "ym": rf"^\s*{_YEAR}[-/](?P<m>\d{{1,2}})\s*$",
    "my": rf"^\s*(?P<m>\d{{1,2}})[-/]{_YEAR}\s*$",
    "by": rf"^\s*{_NAME}[- /.,']+(?:(?P<y>\d{{4}})|(?P<s>\d{{2}}))\s*$",
}
_FIRST_SHORT = 69  # 69 is 1969, and 68 is 2068
_COMPACT_YEARS = (1900, 2100)
_MONTHS = (
    ("jan", "january", "januar"),
    ("feb", "february", "februar"),
    ("mar", "march", "mrz", "märz", "maerz"),
    ("apr", "april"),
    ("may", "mai"),
    ("jun", "june", "juni"),
    ("jul", "july", "juli"),
    ("aug", "august"),
    ("sep", "sept", "september"),
    ("oct", "october", "okt", "oktober"),
    ("nov", "november"),
    ("dec", "december", "dez", "dezember"),
)
_MONTH_WORDS = {word: number for number, words in enumerate(_MONTHS, 1) for word in words}
_CLOCK = rf"^\s*(?P<H>\d{{1,4}}):(?P<M>\d{{2}})(?::(?P<S>\d{{2}}(?:\.\d+)?))?(?:\s*{_HALF})?\s*$"
_DAY_SECONDS = 86400.0


def days_of(text: Any, order: str) -> np.ndarray:
    """Days since 1970-01-01 of dates that are text, with a fraction for the time; NaN for what is no such date.

    Examples
    --------
    >>> days_of(pa.array(["02/01/1970", "1/2/1970 12:00", "31/2/1970", None]), "dmy")
    array([ 1. , 31.5,  nan,  nan])
    >>> days_of(pa.array(["1/2/70 06:00 PM"]), "mdy"), days_of(pa.array(["Feb-70"]), "by")
    (array([1.75]), array([31.]))
    """
    text = _one(text)
    if order in _MIXED:
        return np.fmax.reduce([days_of(text, one) for one in _MIXED[order]])
    pattern = _PATTERNS[order]
    found = pc.extract_regex(text, pattern)
    year = _years(found, pattern)
    month = _named_months(found) if "b" in order else _whole(found, "m")
    day = np.ones(len(year)) if order in MONTHLY else _whole(found, "d")
    known = ~np.isnan(year) & (month >= 1) & (month <= 12) & (day >= 1)
    if order == "compact":
        known &= (year >= _COMPACT_YEARS[0]) & (year <= _COMPACT_YEARS[1])
    months = np.where(known, (year - 1970) * 12 + month - 1, 0).astype(np.int64)
    first = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    length = (months + 1).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) - first
    known &= day <= length
    seconds = np.zeros(len(year))
    if "(?P<H>" in pattern:
        seconds, possible = _seconds(found)
        known &= possible
        seconds = seconds - _offset_seconds(found)
    return np.where(known, first + np.where(known, day, 1) - 1 + seconds / _DAY_SECONDS, np.nan)


def fitting(text: Any, orders: Any) -> dict[str, np.ndarray]:
    """Which values are dates, by each of some pure orders and by those mixed of them.

    Examples
    --------
    >>> {order: fits.tolist() for order, fits in fitting(pa.array(["2024-01-31", "31.1.2024"]), ("ymd", "dmy")).items()}
    {'ymd': [True, False], 'dmy': [False, True], 'mixed dmy': [True, True]}
    """
    found = {order: ~np.isnan(days_of(text, order)) for order in orders if order in PURE}
    for mixed, parts in _MIXED.items():
        some = [found[part] for part in parts if part in found]
        if some and parts[1] in found:
            found[mixed] = np.logical_or.reduce(some)
    return found


def has_short_year(value: str, order: str) -> bool:
    """Whether the year of a date has two digits.

    Examples
    --------
    >>> has_short_year("1/31/24", "mdy"), has_short_year("1/31/2024", "mdy")
    (True, False)
    """
    kept = _MIXED.get(order, (order,))
    found = [re.match(_PATTERNS[one], value) for one in kept if "(?P<s>" in _PATTERNS[one]]
    return any(one is not None and one["s"] is not None for one in found)


def hours_of(text: Any) -> np.ndarray:
    """Hours of times of the day that are text, or of durations with seconds; NaN for what is neither.

    Examples
    --------
    >>> hours_of(pa.array(["6:30", "18:00:36", "25:00", "25:00:00"]))
    array([ 6.5 , 18.01,   nan, 25.  ])
    """
    found = pc.extract_regex(_one(text), _CLOCK)
    seconds, possible = _seconds(found)
    given = ~np.isnan(_whole(found, "H"))
    whole = ~np.isnan(_whole(found, "S")) & (_whole(found, "M") < 60) & (_whole(found, "S") < 61)
    halved = np.asarray(pc.fill_null(pc.not_equal(pc.struct_field(found, "p"), ""), False).to_numpy(False))
    return np.where((possible | (whole & ~halved)) & given, seconds / 3600, np.nan)


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


def _years(found: Any, pattern: str) -> np.ndarray:
    years = _whole(found, "y")
    if "(?P<s>" not in pattern:
        return years
    short = _whole(found, "s")
    return np.where(np.isnan(years), short + np.where(short < _FIRST_SHORT, 2000, 1900), years)


def _named_months(found: Any) -> np.ndarray:
    words = pc.utf8_lower(pc.struct_field(found, "m"))
    at = pc.index_in(words, pa.array(list(_MONTH_WORDS)))
    return _floats(pa.array(list(_MONTH_WORDS.values())).take(at))


def _offset_seconds(found: Any) -> np.ndarray:
    """Seconds that the clock is ahead of UTC."""
    offset = pc.replace_substring(pc.fill_null(pc.struct_field(found, "z"), ""), ":", "")
    offset = pc.if_else(pc.equal(offset, ""), "+0000", offset)
    hours, minutes = (np.asarray(pc.utf8_slice_codeunits(offset, *at).cast(pa.float64())) for at in ((0, 3), (3, 5)))
    return np.asarray(3600 * hours + 60 * np.where(hours < 0, -minutes, minutes))


def _seconds(found: Any) -> tuple[np.ndarray, np.ndarray]:
    """Seconds since midnight, and which are possible."""
    hours, minutes, seconds = (np.nan_to_num(_whole(found, name)) for name in "HMS")
    half = pc.fill_null(pc.utf8_lower(pc.struct_field(found, "p")), "")
    evening, halved = (np.asarray(test.to_numpy(False)) for test in (pc.equal(half, "p"), pc.not_equal(half, "")))
    possible = (hours < 24) & (minutes < 60) & (seconds < 61) & (~halved | ((hours >= 1) & (hours <= 12)))
    hours = np.where(halved, hours % 12 + 12 * evening, hours)
    return 3600 * hours + 60 * minutes + seconds, possible
