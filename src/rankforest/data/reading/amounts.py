"""Numbers as people write them: thousands separators, decimal commas, currency signs and per cent."""

from __future__ import annotations

from functools import cache
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = [
    "CONVENTIONS",
    "CURRENCIES",
    "fits",
    "is_code",
    "is_power",
    "looks_like_number",
    "plain_numbers",
    "to_numbers",
]

# Decimal point and thousands separator; where values fit several of them, the first one is meant.
CONVENTIONS = ((".", ""), (".", ","), (",", ""), (",", "."), (".", " "), (",", " "), (".", "'"), (",", "'"))
CURRENCIES = ("$", "€", "£", "¥", "₹", "USD", "EUR", "GBP", "CHF")

_SPACE = "[ \u00a0\u202f]"  # also those that do not break
_GROUPS = {"": None, ",": ",", ".": r"\.", " ": _SPACE, "'": "['’]"}
_SIGN = r"(?:US\$|[$€£¥₹]|USD|EUR|GBP|CHF)"
_MINUS, _PLUS_MINUS = "[-\u2212]", "[-+\u2212]"  # also the sign of printed tables
_EXACT_DIGITS = 15  # of a whole number: more are not exact in a double
_CODE = rf"^\s*(0\d+|0[xX][0-9a-fA-F]+|[-+]?[1-9]\d{{{_EXACT_DIGITS},}})\s*$"
_POWER = r"^\s*\d+[eE]\d+\s*$"


@cache
def _pattern(decimal: str, thousands: str) -> str:
    group, point = _GROUPS[thousands], r"\." if decimal == "." else decimal
    # in India groups of two digits stand before the last three: 12,34,567
    grouped = rf"\d{{1,3}}(?:{group}\d{{3}})+" + (r"|\d{1,2}(?:,\d{2})+,\d{3}" if group == "," else "")
    whole = r"\d+" if group is None else rf"(?:{grouped}|\d+)"
    body = rf"(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][-+]?\d+)?"
    unit = rf"{_SPACE}*(?:%|{_SIGN})?"
    signed = rf"{_PLUS_MINUS}?{_SPACE}*{_SIGN}?{_SPACE}*{_PLUS_MINUS}?{body}{unit}"
    behind = rf"{_SIGN}?{_SPACE}*{body}(?:{_SPACE}*{_MINUS}{unit}|{unit}{_SPACE}*{_MINUS})"  # 12.50- in ledgers
    return rf"^\s*(?:{signed}|{behind}|\({_SIGN}?{_SPACE}*{body}{unit}\))\s*$"


def plain_numbers(text: Any) -> Any | None:
    """Text as float64 if all of it is plain numbers with a point, spaces around them aside; else None.

    Examples
    --------
    >>> plain_numbers(pa.array(["1", " 2.5", None])).to_pylist(), plain_numbers(pa.array(["1,5"]))
    ([1.0, 2.5, None], None)
    """
    for once_more in (False, True):
        try:
            return text.cast(pa.float64())
        except pa.ArrowInvalid:
            if once_more:
                return None
            text = pc.utf8_trim_whitespace(text)
    return None


def is_code(text: Any) -> Any:
    """Which values are whole numbers that are names: leading zeros, hexadecimals, more digits than a double has.

    Examples
    --------
    >>> is_code(pa.array(["02114", "0x1F", "12345678901234567890", "0", "0.5"])).to_pylist()
    [True, True, True, False, False]
    """
    return pc.match_substring_regex(text, _CODE)


def is_power(text: Any) -> Any:
    """Which values are whole numbers with a power of ten, as the names of some articles look.

    Examples
    --------
    >>> is_power(pa.array(["3E5", "1e+06", "1.5e7", "35"])).to_pylist()
    [True, False, False, False]
    """
    return pc.match_substring_regex(text, _POWER)


def fits(text: Any, decimal: str, thousands: str) -> Any:
    """Which values are numbers of this convention; missing ones are null.

    Examples
    --------
    >>> fits(pa.array(["$1,234.50", "(12)", "1.234,5"]), ".", ",").to_pylist()
    [True, True, False]
    """
    return pc.match_substring_regex(text, _pattern(decimal, thousands))


def looks_like_number(text: Any) -> Any:
    """Which values are numbers of any convention."""
    found = fits(text, *CONVENTIONS[0])
    for convention in CONVENTIONS[1:]:
        found = pc.or_(found, fits(text, *convention))
    return found


def to_numbers(text: Any, decimal: str, thousands: str) -> Any:
    """Values that fit the convention as float64; a number in parentheses, or with a minus behind it, is negative.

    Examples
    --------
    >>> to_numbers(pa.array(["$1,234.50", "(12)", "12 %", "12.50-"]), ".", ",").to_pylist()
    [1234.5, -12.0, 12.0, -12.5]
    """
    text = pc.replace_substring_regex(text, rf"[\s'’%]|{_SPACE}|{_SIGN}", "")
    text = pc.replace_substring(text, "\u2212", "-")
    text = pc.replace_substring_regex(text, r"^(?:\((.*)\)|([^-]*)-)$", r"-\1\2")
    if thousands in (",", "."):
        text = pc.replace_substring(text, thousands, "")
    if decimal != ".":
        text = pc.replace_substring(text, decimal, ".")
    return text.cast(pa.float64())
