"""What the columns of a file are: decided once, for all columns together, from what was seen of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from ..data_file import DataFileError
from ..errors import listed
from .amounts import CONVENTIONS, CURRENCIES, looks_like_number
from .dates import MONTHLY, PURE, has_short_year
from .evidence import Evidence
from .findings import Finding
from .recipe import ColumnReading
from .spelling import folded, merged_spellings

__all__ = ["Hints", "recognise"]

_ALMOST = 0.95  # with a larger one, `fit` refuses it
_FEW_WORDS = 8  # that are all named
_MANY_NUMBERS = 20  # more different ones are hardly categories
_MOSTLY = 0.5  # a text column with a larger share of numbers is probably numeric, with a strange value


@dataclass(frozen=True)
class Hints:
    """What the user has said about the columns.

    Attributes
    ----------
    decimal : str or None
        The decimal point of the file.
    dates : {"dmy", "mdy"} or None
        Whether the day or the month comes first.
    text : frozenset of str
        Columns that are categories, exactly as they are written.
    numbers : frozenset of str
        Columns that are numbers, also where they have leading zeros.
    missing : mapping of str to tuple of str
        Values that are missing, by column.
    """

    decimal: str | None = None
    dates: str | None = None
    text: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def recognise(
    seen: Sequence[Evidence], hints: Hints, path: str, typed: frozenset[str] = frozenset()
) -> tuple[dict[str, ColumnReading], list[Finding]]:
    """How to read the columns, by name, and what to say about it.

    Parameters
    ----------
    seen : sequence of Evidence
        One per column.
    hints : Hints
    path : str
        Of the file, for messages.
    typed : frozenset of str
        Columns of a format with types: what it calls text is no plain number.

    Raises
    ------
    DataFileError
        If it is not clear whether the day or the month of dates comes first, or if a column that is said to be numbers
        is none.
    """
    commas = hints.decimal == "," or any(_only_commas(one) for one in seen)
    order = hints.dates or _order(seen)
    unclear = [one for one in seen if one.name not in hints.text and _is_unclear(one) and order is None]
    if unclear:
        several = "columns" if len(unclear) > 1 else "column"
        raise DataFileError(
            f"{path}: {several} {listed([one.name for one in unclear])} may begin with the day or with the month (such "
            f"as {unclear[0].example!r}); add --dates dmy or --dates mdy."
        )
    readings: dict[str, ColumnReading] = {}
    findings: list[Finding] = []
    found: list[Finding]
    for one in seen:
        if one.name in typed and one.typed is None and (one.numbers or one.booleans):
            how, found = ColumnReading(one.name, "text", missing=hints.missing.get(one.name, ())), []
        else:
            how, found = _column(one, hints, commas, order)
        readings[one.name] = how
        findings += found
    wrong = [name for name in hints.numbers if name in readings and readings[name].kind != "number"]
    if wrong:
        strange = next(one for one in seen if one.name == wrong[0]).strange
        where = "" if strange is None else f" (row {strange[0]} is {strange[1]!r})"
        raise DataFileError(
            f"{path}: --numeric names the column {wrong[0]!r}, which is not all numbers{where}; correct it, or add "
            "--missing for values that are missing."
        )
    return readings, findings


def _column(one: Evidence, hints: Hints, commas: bool, order: str | None) -> tuple[ColumnReading, list[Finding]]:
    name, missing = one.name, hints.missing.get(one.name, ())
    example = repr(one.example)
    if name in hints.text or (one.typed is None and not one.n_values):
        return ColumnReading(name, "text", missing=missing), []
    if one.typed is not None:
        if one.typed in ("date", "time"):
            how = ColumnReading(name, one.typed, parts=_parts(one), missing=missing)  # type: ignore[arg-type]
            return how, [Finding(one.typed, name, example)]
        kind = one.typed if one.typed in ("number", "boolean") else "text"
        return ColumnReading(name, kind, missing=missing), []  # type: ignore[arg-type]
    forced = name in hints.numbers
    if one.numbers and one.compact and not forced:
        how = ColumnReading(name, "date", order="compact", parts=_parts(one), missing=missing)
        return how, [Finding("compact", name, example, ("--numeric", name))]
    convention = _convention(one, hints.decimal, commas)
    if one.numbers and (one.code is None or forced) and convention in (None, (".", "")):
        return ColumnReading(name, "number", missing=missing), []
    if one.code is not None and one.numbers:
        option = ("--numeric", name)
        return ColumnReading(name, "text", missing=missing), [Finding("code", name, repr(one.code), option)]
    if one.booleans:
        return ColumnReading(name, "boolean", missing=missing), []
    if convention is not None:
        return _amount(one, convention, missing, commas)
    if one.orders:
        return _date(one, order, missing)
    if one.clock:
        return ColumnReading(name, "time", missing=missing), [Finding("time", name, example)]
    return _text(one, missing)


def _amount(
    one: Evidence, convention: tuple[str, str], missing: tuple[str, ...], commas: bool
) -> tuple[ColumnReading, list[Finding]]:
    signs = [sign for sign in ("%", *CURRENCIES) if one.units[sign]]
    n_percent = one.units["%"]
    if len(signs) > 1 or (n_percent and n_percent < one.n_values):
        how, _ = _text(one, missing)
        what = " and ".join([*signs, *(["none"] if len(signs) == 1 else [])])
        return how, [Finding("units", one.name, what)]
    decimal, thousands = convention
    how = ColumnReading(
        one.name,
        "number",
        decimal=decimal,
        thousands=thousands,
        unit=signs[0] if signs else "",
        missing=missing,
    )
    guessed = thousands == "," and (",", "") in one.conventions and not commas and not signs
    return how, [Finding("thousands" if guessed else "amount", one.name, repr(one.example))]


def _date(one: Evidence, order: str | None, missing: tuple[str, ...]) -> tuple[ColumnReading, list[Finding]]:
    """A column of dates; the order is that of the file, where both are possible."""
    wanted = [*([order, f"mixed {order}"] if order else []), *PURE, "mixed dmy", "mixed mdy"]
    pure_first = sorted((kept for kept in wanted if kept in one.orders), key=lambda kept: kept.startswith("mixed"))
    kept = pure_first[0]
    parts = tuple(part for part in _parts(one) if part != "weekday" or kept not in MONTHLY)
    assert one.example is not None
    example = repr(one.example)
    if kept.removeprefix("mixed ") in ("dmy", "mdy"):
        example += " (the day first)" if kept.endswith("dmy") else " (the month first)"
    kind = "months" if kept in MONTHLY else "mixed dates" if kept.startswith("mixed") else "date"
    found = [Finding(kind, one.name, example)]
    if any(has_short_year(word, kept) for word in one.words or (one.example,)):
        found.append(Finding("short years", one.name))
    return ColumnReading(one.name, "date", order=kept, parts=parts, missing=missing), found


def _text(one: Evidence, missing: tuple[str, ...]) -> tuple[ColumnReading, list[Finding]]:
    spelled = merged_spellings(one.words or {})
    how = ColumnReading(one.name, "text", missing=missing, fold=True, spellings=tuple(sorted(spelled.items())))
    found = []
    if spelled and one.words:
        key = next(iter(spelled))
        some = [word for word in one.words if folded(word) == key][:2]
        found.append(Finding("spelling", one.name, " and ".join(map(repr, some))))
    if one.two_orders is not None:
        (row, value), (other, month_first) = one.two_orders
        where = f"{value!r} in row {row} and {month_first!r} in row {other}"
        found = [Finding("two orders", one.name, where, ("--ignore", one.name))]
    elif one.almost_dates is not None:
        row, value = one.almost_dates
        found.append(Finding("no date", one.name, f"{value!r} in row {row}", ("--missing", f"{one.name}={value}")))
    elif one.strange is not None and _MOSTLY * one.n_values < one.n_numbers:
        found.append(_strange(one))
    return how, found


def _strange(one: Evidence) -> Finding:
    """A column of numbers with other values: if these are few, and the numbers many, all are meant to be numbers."""
    assert one.strange is not None
    row, value = one.strange
    where = f"{value!r} in row {row}"
    words = [word for word in one.words or () if not looks_like_number(pa.array([word]))[0].as_py()]
    few = one.words is not None and len(words) <= _FEW_WORDS
    many_numbers = one.words is None or len(one.words) - len(words) > _MANY_NUMBERS
    if few:
        *others, last = [where, *(repr(word) for word in words if word != value)]
        where = f"{', '.join(others)} and {last}" if others else last
    almost = one.n_numbers >= _ALMOST * one.n_values
    if almost or (few and many_numbers):
        return Finding("almost numbers", one.name, where, _as_missing(one.name, words if few else [value]))
    return Finding("strange", one.name, where)


def _as_missing(name: str, words: Sequence[str]) -> tuple[str, ...]:
    return tuple(part for word in words for part in ("--missing", f"{name}={word}"))


def _convention(one: Evidence, decimal: str | None, commas: bool) -> tuple[str, str] | None:
    """The decimal point and the thousands separator of a column; None if its values are no numbers."""
    wanted = decimal or ("," if commas else ".")
    alive = [kept for kept in CONVENTIONS if kept in one.conventions]
    if decimal is not None:
        alive = [kept for kept in alive if kept[0] == decimal]
    if not alive:
        return None
    if one.numbers and (".", "") in alive and not (commas and (",", ".") in alive and len(alive) < len(CONVENTIONS)):
        return (".", "")
    return min(alive, key=lambda kept: (kept[0] != wanted, CONVENTIONS.index(kept)))


def _only_commas(one: Evidence) -> bool:
    """Whether all values of a column are numbers, and only with a decimal comma."""
    return bool(one.conventions) and not one.numbers and all(decimal == "," for decimal, _ in one.conventions)


def _order(seen: Sequence[Evidence]) -> str | None:
    """Whether the day or the month comes first, if some column of the file tells."""
    told = {next(iter(sides)) for sides in map(_sides, seen) if len(sides) == 1}
    return told.pop() if len(told) == 1 else None


def _sides(one: Evidence) -> set[str]:
    """Whether the dates of a column may begin with the day, or with the month."""
    pure = one.orders & {"dmy", "mdy"}
    if pure or any(not order.startswith("mixed") for order in one.orders):
        return pure
    return {order.removeprefix("mixed ") for order in one.orders}


def _is_unclear(one: Evidence) -> bool:
    return one.typed is None and one.n_values > 0 and not one.numbers and len(_sides(one)) == 2


def _parts(one: Evidence) -> tuple[str, ...]:
    if one.typed == "time":
        return ()
    known = {"month": len(one.months) > 1, "weekday": len(one.weekdays) > 1, "hour": one.has_time}
    return tuple(part for part, varies in known.items() if varies)
