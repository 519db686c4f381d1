"""From the values of a categorical column to codes and back.

The codes of a column with m categories are 0 to m - 1, and m for a value that is missing or was not seen in fit,
in the smallest unsigned type that holds them: one or two bytes per row, however long the strings are.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import repeat
from typing import Any, NoReturn

import numpy as np

from .columns import Column, DictionaryColumn, Family, first_value, row_blocks
from .errors import InputError, Row

MAX_CATEGORIES = 65534  # the code of the last category and the code for missing fit into 16 bits
_MAX_EXACT = 2.0**53  # equals the float64 of 2**53 + 1: from here on floats do not distinguish integers


def learn_categories(column: Column, label: str) -> tuple[Any, ...]:
    """The observed categories of a column: sorted, or in the column's own order where it has one."""
    found = distinct_values(column, label)
    if not found:
        refuse_all_missing(label, len(column))
    check_number(len(found), label)
    return in_order(found, column.family, column.order)


def distinct_values(column: Column, label: str) -> set[Any]:
    """The observed categories of a column."""
    if column.family == "text":
        return set(column.distinct_texts())
    distinct = _distinct_floats(column)
    if len(distinct) and np.abs(distinct).max() >= _MAX_EXACT:
        large = int(distinct[np.abs(distinct).argmax()])
        raise InputError(
            "{column} is categorical and contains {value} or so, but integers from 2**53 on are not exact as "
            "floats; convert the column to strings.",
            column=label,
            value=large,
        )
    return {_plain(value, column.family == "boolean") for value in distinct}


def check_number(n_categories: int, label: str) -> None:
    """Refuse a column with more categories than codes can name."""
    if n_categories > MAX_CATEGORIES:
        raise InputError(
            "{column} has {n} categories, more than the {most} allowed; drop it if it is an identifier, or group its "
            "rare values.",
            column=label,
            n=n_categories,
            most=MAX_CATEGORIES,
        )


def in_order(found: Collection[Any], family: Family, order: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """Observed categories in the order of their codes."""
    if order is not None:
        return tuple(_plain(value, family == "boolean") for value in order if value in found)
    return tuple(sorted(found))


def encode(column: Column, categories: tuple[Any, ...], label: str, estimator_name: str) -> np.ndarray:
    """The codes of a column, given the categories of fit."""
    m = len(categories)
    codes = np.full(len(column), m, dtype=np.min_scalar_type(m))
    fitted_on_text = isinstance(categories[0], str)
    if fitted_on_text != (column.family == "text"):
        # If a changed type were treated as unseen categories, plausible scores would hide the mistake.
        hit = first_value(column)
        if hit is not None:
            was = "text" if fitted_on_text else "booleans" if isinstance(categories[0], bool) else "numbers"
            now = "text" if column.family == "text" else f"{column.family}s"
            raise InputError(
                "{column} held {was} when {model} was fitted but now holds {now} ({value!r} in row {row}); convert "
                "it to the categories used in fit.",
                column=label,
                was=was,
                model=estimator_name,
                now=now,
                value=hit[1],
                row=Row(hit[0]),
            )
    elif fitted_on_text and len(column) == 1:
        text = column.texts()[0]
        codes[0] = categories.index(text) if text in categories else m
    elif fitted_on_text:
        code_of = {category: code for code, category in enumerate(categories)}
        if isinstance(column, DictionaryColumn):
            of_strings = map(code_of.get, column.strings, repeat(m))
            table = np.fromiter((*of_strings, m), codes.dtype)  # the last is that of position -1, missing
            return table[column.positions]
        for start, stop in row_blocks(len(column)):
            found = map(code_of.get, column.texts(start, stop), repeat(m))
            codes[start:stop] = np.fromiter(found, codes.dtype, stop - start)
    else:
        known = np.array(categories, dtype=np.float64)
        sorter = np.argsort(known)
        for start, stop in row_blocks(len(column)):
            values = column.floats(start, stop)
            nearest = sorter[np.minimum(np.searchsorted(known, values, sorter=sorter), m - 1)]
            codes[start:stop] = np.where(known[nearest] == values, nearest, m)
    return codes


def decode(codes: np.ndarray, n_categories: int) -> np.ndarray:
    """Codes as float64, NaN for missing and unseen."""
    table = np.arange(n_categories + 1, dtype=np.float64)
    table[n_categories] = np.nan
    return table[codes]


def refuse_all_missing(label: str, n_rows: int) -> NoReturn:
    """Raise an error for a training column without values."""
    raise InputError(
        "{column} has no values, all {n_rows} rows are missing; drop the column.", column=label, n_rows=n_rows
    )


def _distinct_floats(column: Column) -> np.ndarray:
    found = np.empty(0)
    for start, stop in row_blocks(len(column)):
        block = column.floats(start, stop)
        found = np.union1d(found, block[~np.isnan(block)])
    return found


def _plain(value: Any, is_boolean: bool) -> Any:
    """A Python scalar: bool, str, int where the number is whole (it reads better in a rule), or float."""
    if is_boolean:
        return bool(value)
    if isinstance(value, str):
        return str(value)
    number = float(value)
    return int(number) if number.is_integer() else number
