"""A recipe followed: the columns of a file as features, the same in fit and in scoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError, Row
from ..unsliced import unsliced
from .amounts import CURRENCIES, fits, plain_numbers, to_numbers
from .dates import days_of, days_of_typed, hours_of, part_of
from .recipe import ColumnReading
from .spelling import folded

__all__ = ["as_text", "is_text", "read_column", "without"]

_WANTED = {
    "time": "a time of day",
    "ymd": "a date such as 2024-12-31",
    "dmy": "a date such as 31/12/2024",
    "mdy": "a date such as 12/31/2024",
    "dby": "a date such as 31-Dec-2024",
    "bdy": "a date such as December 31, 2024",
    "compact": "a date such as 20241231",
    "ym": "a month such as 2024-12",
    "my": "a month such as 12/2024",
    "by": "a month such as Dec-24",
    "mixed dmy": "a date such as 2024-12-31 or 31/12/2024",
    "mixed mdy": "a date such as 2024-12-31 or 12/31/2024",
}
_TRUE, _FALSE = "true", "false"


def is_text(kind: Any) -> bool:
    """Whether an Arrow type is text, also in a dictionary."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def as_text(column: Any) -> Any:
    """A column of text as plain strings, in memory of their own."""
    return unsliced(column if column.type == pa.string() else column.cast(pa.string()))


def without(column: Any, words: Sequence[str]) -> Any:
    """The column with these values missing; numbers are compared as numbers."""
    if not words:
        return column
    if is_text(column.type):
        text = as_text(column)
        return pc.if_else(pc.is_in(text, pa.array(words, pa.string())), pa.scalar(None, pa.string()), text)
    numbers = []
    for word in words:
        try:
            numbers.append(float(word))
        except ValueError:
            continue
    if not numbers or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        return column
    gone = pc.is_in(column.cast(pa.float64()), pa.array(numbers, pa.float64()))
    return pc.if_else(gone, pa.scalar(None, column.type), column)


def read_column(column: Any, how: ColumnReading, *, known: Sequence[Any] | None = None) -> list[Any]:
    """The features that a column becomes, in the order of ``how.features``.

    Parameters
    ----------
    column : pyarrow Array or ChunkedArray
        Of a CSV file as text, with null for what is missing.
    how : ColumnReading
    known : sequence, optional
        Of a text: the categories of the model, which other spellings of them become.

    Raises
    ------
    InputError
        One sentence with the column, the row, the value and the remedy.

    Examples
    --------
    >>> read_column(pa.array(["$1,200", None]), ColumnReading("pay", "number", thousands=",", unit="$"))[0].to_pylist()
    [1200.0, None]
    >>> read_column(pa.array(["paris "]), ColumnReading("city", "text", fold=True), known=["Paris"])[0].to_pylist()
    ['Paris']
    """
    column = without(column, how.missing)
    if how.kind == "text":
        return [_words(column, how, known)]
    if pa.types.is_null(column.type):
        return [pa.nulls(len(column), pa.float64()) for _ in how.features]
    if how.kind == "boolean":
        return [_truths(column, how)]
    if how.kind == "number":
        return [_numbers(column, how)]
    if how.order == "compact" and (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        column = column.cast(pa.int64()).cast(pa.string())
    if is_text(column.type):
        text = as_text(column)
        values = hours_of(text) if how.kind == "time" else days_of(text, how.order or "ymd")
        wrong = np.isnan(values) & ~_flags(pc.is_null(text))
        if wrong.any():
            _refuse(text, int(wrong.argmax()), how.name, _WANTED["time" if how.kind == "time" else how.order or "ymd"])
    elif pa.types.is_temporal(column.type):
        values = days_of_typed(column)
        if how.kind == "time" and pa.types.is_duration(column.type):
            values = 24 * values
    else:
        raise InputError(
            "{column} has the type {kind}, and held dates when the model was fitted; convert it.",
            column=f"Column {how.name!r}",
            kind=str(column.type),
        )
    made = [values, *(part_of(values, part) for part in how.parts)]
    return [pa.array(one, pa.float64(), from_pandas=True) for one in made]


def _numbers(column: Any, how: ColumnReading) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not is_text(column.type):
        return column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column
    text = as_text(column)
    if how.decimal == "." and not how.thousands and not how.unit:
        found = plain_numbers(text)
        if found is not None:
            return found
    right = fits(text, how.decimal, how.thousands)
    for sign in ("%", *CURRENCIES):
        has = pc.match_substring(text, sign)
        if sign == "%" and how.unit == "%":
            right = pc.and_(right, has)  # 12 and 12 % are not the same
        elif sign != how.unit:
            right = pc.and_(right, pc.invert(has))
    wrong = ~_flags(pc.fill_null(right, True))
    if wrong.any():
        _refuse(text, int(wrong.argmax()), how.name, _number(how))
    return to_numbers(text, how.decimal, how.thousands)


def _number(how: ColumnReading) -> str:
    """What a column of numbers holds, in words."""
    comma = " with a decimal comma" if how.decimal == "," else ""
    if how.unit == "%":
        return f"a number{comma} in per cent"
    return f"a number{comma}" + (f", alone or in {how.unit}," if how.unit else "")


def _truths(column: Any, how: ColumnReading) -> Any:
    if not is_text(column.type):
        return column
    text = as_text(column)
    low = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    wrong = ~_flags(pc.fill_null(pc.is_in(low, pa.array([_TRUE, _FALSE])), True) if len(low) else low)
    wrong &= ~_flags(pc.is_null(text))
    if wrong.any():
        _refuse(text, int(wrong.argmax()), how.name, "true or false")
    return pc.equal(low, _TRUE)


def _words(column: Any, how: ColumnReading, known: Sequence[Any] | None) -> Any:
    if pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
        column = column.cast(pa.string())
    if not how.fold or not is_text(column.type):
        return column
    text = as_text(column)
    spelled = dict(how.spellings)
    for category in known or ():
        spelled.setdefault(folded(category), category)
    exact = set(known or ()) | set(spelled.values())
    found = text.unique()
    names = [None if word is None else word if word in exact else _name(word, spelled) for word in found.to_pylist()]
    if names == found.to_pylist():
        return column
    return pa.array(names, pa.string()).take(pc.index_in(text, found))


def _name(word: str, spelled: dict[str, str]) -> str:
    return spelled.get(folded(word), " ".join(word.split()))


def _flags(column: Any) -> np.ndarray:
    return np.asarray(column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(False), dtype=bool)


def _refuse(text: Any, row: int, name: str, wanted: str) -> None:
    raise InputError(
        "Column {column!r} in row {row} is {value!r}, not {wanted} as when the model was fitted; correct it, or add "
        "--missing {value!r} if it is a missing value.",
        column=name,
        row=Row(row),
        value=text[row].as_py(),
        wanted=wanted,
    )
