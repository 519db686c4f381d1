"""Columns that can be read and yet spoil a model: identifiers, codes for missing values, labels in disguise, copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import rankdata

from .dates import ORDERS, days_of
from .evidence import Evidence
from .findings import Finding

__all__ = ["in_rows", "one_column_auc", "suspicious_columns", "without_identifiers"]

_FEW_ROWS = 20
_CODES = (-1, *(-(10**n) + 1 for n in range(1, 10)), *(10**n - 1 for n in range(2, 11)))  # and 9, 99, 999, ...
_CODE_DAYS = ("9999-12-31", "9999-01-01", "2999-12-31", "2999-01-01", "2099-12-31", "1900-01-01", "0001-01-01")
_DATES = ("date", "mixed dates", "months", "compact", "time")
_MANY_DIGITS = 7  # amounts of so many digits hardly have the same number of them in all rows
_TIMES_CHANCE = 8.0  # so many times the copies of chance are said; columns that go together have more than chance
_SOME_COPIES, _NO_CHANCE = 10, 0.01  # fewer copies are said only if not even one would be chance
_SAMPLE = 20_000  # rows that are looked at for codes and disguised labels
_LEAK = 0.99
_ID_NAME = re.compile(
    r"(?i)(^|[^a-z])(id|ids|uuid|guid|key|nr|no|number|num|index|ref|reference|referenz|kunde|kunden|client|customer|"
    r"account|konto|contract|vertrag|policy|member|patient|user|iban)$|(kunden|konto|vertrags|akten)(nr|nummer)$|Id$|ID$"
)


def suspicious_columns(seen: Sequence[Evidence]) -> list[Finding]:
    """Columns without values or with one, identifiers, row numbers, and too many categories."""
    found = []
    for one in seen:
        ignore = ("--ignore", one.name)
        if not one.n_values:
            found.append(Finding("empty", one.name))
        elif one.is_constant and not (one.long and one.n_values >= _FEW_ROWS):  # a spreadsheet may have rounded them
            found.append(Finding("constant", one.name))
        elif one.infinite is not None:
            row, value = one.infinite
            found.append(Finding("infinite", one.name, f"{value} in row {row}", ("--missing", f"{one.name}={value}")))
        elif one.n_values < _FEW_ROWS:
            continue
        elif one.long:
            found.append(Finding("long", one.name, str(max(one.long)), ignore))
        elif one.n_values == one.n_rows and one.is_counting and _is_number(one):
            found.append(Finding("row number", one.name, option=ignore))
        elif one.numbers and one.code is not None and not one.compact:  # whole numbers that are names
            if one.is_unique:
                found.append(Finding("identifier", one.name, option=ignore))
        elif one.typed is None and one.orders:
            found += _code_days(one)
        elif one.almost_dates is not None or one.two_orders is not None:
            continue
        elif _is_words(one) and one.n_numbers <= one.n_values / 2:  # else it is numbers, with a strange value
            n_words = None if one.words is None else len(one.words)
            if n_words is None or n_words == one.n_values:
                found.append(Finding("identifier", one.name, option=ignore))
            elif n_words > max(50, one.n_values / 4):
                found.append(Finding("many", one.name, str(n_words), ignore))
    return found


def without_identifiers(findings: Sequence[Finding], spoiled: Sequence[Finding]) -> list[Finding]:
    """The findings, without the codes that are identifiers: to read these as numbers is no remedy."""
    names = {one.column for one in spoiled if one.kind in ("identifier", "row number")}
    return [one for one in findings if one.kind != "code" or one.column not in names]


def in_rows(features: Any, labels: np.ndarray, told: Sequence[Finding]) -> list[Finding]:
    """What shows only in rows with their labels: identifiers, codes for missing values, labels in disguise, copies.

    Parameters
    ----------
    features : pyarrow Table
    labels : ndarray
        Of its rows.
    told : sequence of Finding
        Known already; columns with a remedy are not offered to be left out again.
    """
    known = {one.column for one in told if one.option}
    known |= {one.column for one in told if one.kind in _DATES}
    found = [one for one in identifiers(features) if one.column not in known]
    found += sentinels(features)
    classes = np.unique(labels)
    if len(classes) == 2:
        found += leaks(features, labels == classes[1])
    return [*found, *copied_rows(features.append_column("\0label", pa.array(labels)))]


def _is_words(one: Evidence) -> bool:
    """Whether a column is text that stays text."""
    if one.typed is not None or one.booleans or one.conventions or one.orders or one.clock:
        return False
    return not one.numbers


def _is_number(one: Evidence) -> bool:
    return one.typed == "number" or (one.numbers and not one.compact)


def _code_days(one: Evidence) -> list[Finding]:
    """Days such as 9999-12-31 that occur several times, far from all others."""
    if one.words is None:
        return []
    words = list(one.words)
    order = next(order for order in ORDERS if order in one.orders)
    days = days_of(pa.array(words, pa.string()), order)
    found = []
    for code in days_of(pa.array(_CODE_DAYS), "ymd"):
        same = np.floor(days) == code
        others = days[~same & ~np.isnan(days)]
        written = [word for word, is_code in zip(words, same) if is_code]
        if not written or sum(one.words[word] for word in written) < 3 or len(others) < 2:
            continue
        beyond = max(code - others.max(), others.min() - code)
        if beyond > max(0.5 * (others.max() - others.min()), 1.0):
            found += [Finding("sentinel", one.name, word, ("--missing", f"{one.name}={word}")) for word in written]
    return found


def sentinels(features: Any) -> list[Finding]:
    """Numbers such as -999 that occur several times, far from all others.

    Parameters
    ----------
    features : pyarrow Table
    """
    found = []
    for name in features.column_names:
        values = _numbers(_some(features[name]))
        values = values[np.isfinite(values)] if values is not None else np.empty(0)
        if len(values) < _FEW_ROWS:
            continue
        for code in _CODES:
            others = values[values != code]
            n = len(values) - len(others)
            if n < 3 or len(others) < _FEW_ROWS:
                continue
            low, high = others.min(), others.max()
            beyond = low - code if code < low else code - high
            # outside all other values, by more than they spread; and -1 only beside numbers that are not negative
            if beyond > max(0.5 * (high - low), 1.0 if abs(code) > 1 else 0.0) and (abs(code) > 9 or low >= 0):
                found.append(Finding("sentinel", name, f"{code}", ("--missing", f"{name}={code}")))
    return found


def identifiers(features: Any) -> list[Finding]:
    """Whole numbers that differ in every row, and whose column has the name or the look of an identifier."""
    found = []
    for name in features.column_names:
        values = _numbers(features[name])
        if values is None or len(values) < _FEW_ROWS or not np.isfinite(values).all():
            continue
        if not (values == np.floor(values)).all() or len(np.unique(values)) < len(values):
            continue
        if _ID_NAME.search(name) or _look_like_names(values):
            found.append(Finding("identifier", name, option=("--ignore", name)))
    return found


def _look_like_names(values: np.ndarray) -> bool:
    """Whether distinct whole numbers have equally many digits, and are too many, or too dense, for measurements."""
    low, high = float(values.min()), float(values.max())
    if low < 1000 or len(str(int(low))) != len(str(int(high))):
        return False
    pairs = 0.5 * len(values) ** 2 / (high - low + 1)  # equal ones that measurements would have, at the least
    return len(str(int(low))) >= _MANY_DIGITS or pairs > 5.0


def leaks(features: Any, positive: np.ndarray) -> list[Finding]:
    """Columns that alone rank the rows almost perfectly.

    Parameters
    ----------
    features : pyarrow Table
    positive : ndarray of bool
        Which rows have the positive label.
    """
    found: list[Finding] = []
    truth = _every(positive)
    if len(truth) < _FEW_ROWS or truth.all() or not truth.any():
        return found
    for name in features.column_names:
        auc = one_column_auc(_some(features[name]), truth)
        if auc > _LEAK:
            found.append(Finding("leak", name, f"{auc:.3f}", ("--ignore", name)))
    return found


def one_column_auc(column: Any, positive: np.ndarray) -> float:
    """The AUC of the best direction of a column of numbers, or of the rates of its categories.

    A category of fewer than five rows counts as all others like it, so that an identifier has an AUC near one half.

    Examples
    --------
    >>> positive = np.array([False] * 10 + [True] * 10)
    >>> one_column_auc(pa.array(range(20)), positive), one_column_auc(pa.array([*"ab"] * 10), positive)
    (1.0, 0.5)
    """
    scores = _numbers(column)
    if scores is None:
        codes = column.dictionary_encode()
        codes = codes.combine_chunks() if isinstance(codes, pa.ChunkedArray) else codes
        index = codes.indices.fill_null(len(codes.dictionary)).to_numpy(zero_copy_only=False)
        n = np.bincount(index, minlength=len(codes.dictionary) + 1)
        rate = np.bincount(index, positive, minlength=len(n)) / np.maximum(n, 1)
        scores = np.where(n >= 5, rate, positive.mean())[index]
    missing = np.isnan(scores)
    if missing.all():
        return 0.5
    n_positive = int(positive.sum())
    n_negative = len(positive) - n_positive
    best = 0.5
    for filled in (-np.inf, np.inf) if missing.any() else (0.0,):
        ranks = rankdata(np.where(missing, filled, scores))
        auc = (ranks[positive].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
        best = max(best, auc, 1 - auc)
    return float(best)


def copied_rows(table: Any) -> list[Finding]:
    """Rows that are equal to another one in all columns, where that is hardly chance.

    Parameters
    ----------
    table : pyarrow Table
        Features and labels.
    """
    if table.num_rows < _FEW_ROWS or table.num_rows > 10**6:
        return []
    table = table.select([j for j, kind in enumerate(table.schema.types) if not pa.types.is_nested(kind)])
    plain = [f"c{j}" for j in range(table.num_columns)]
    distinct = table.rename_columns(plain).group_by(plain).aggregate([]).num_rows
    n_copies = table.num_rows - distinct
    by_chance = _copies_by_chance(table) if n_copies else 0.0
    few = n_copies < _SOME_COPIES and by_chance > _NO_CHANCE
    if not n_copies or few or n_copies < _TIMES_CHANCE * by_chance:
        return []
    said = "1 row is a copy of another one" if n_copies == 1 else f"{n_copies} rows are copies of others"
    return [Finding("duplicates", value=said)]


def _copies_by_chance(table: Any) -> float:
    """About how many rows would equal another one if the columns were independent, and each row drawn anew."""
    if table.num_rows < 2:
        return 0.0
    equal = 1.0  # chance that two rows are equal
    for column in table.columns:
        counts = np.asarray(pc.value_counts(_some(column)).field("counts"), dtype=float)
        equal *= float((counts * (counts - 1)).sum()) / (counts.sum() * max(1.0, counts.sum() - 1))
    return 0.5 * table.num_rows**2 * equal


def _numbers(column: Any) -> np.ndarray | None:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    floats = column.cast(pa.float64(), safe=False)
    return np.asarray(floats.to_numpy() if isinstance(floats, pa.ChunkedArray) else floats.to_numpy(False), dtype=float)


def _some(column: Any) -> Any:
    """At most so many values, evenly from all rows."""
    step = -(-len(column) // _SAMPLE)
    return column if step <= 1 else column.take(pa.array(np.arange(0, len(column), step)))


def _every(values: np.ndarray) -> np.ndarray:
    return values[:: max(1, -(-len(values) // _SAMPLE))]
