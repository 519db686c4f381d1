"""Columns that can be read and yet spoil a model: identifiers, codes for missing values, labels in disguise, copies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import rankdata

from .evidence import Evidence
from .findings import Finding

__all__ = ["in_rows", "one_column_auc", "suspicious_columns"]

_FEW_ROWS = 20
_CODES = (-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
_SAMPLE = 20_000  # rows that are looked at for codes and disguised labels
_LEAK = 0.99
_ID_NAME = re.compile(r"(?i)(^|[^a-z])(id|ids|uuid|guid|key|nr|no|number|num|index|ref|reference)$|Id$|ID$")


def suspicious_columns(seen: Sequence[Evidence]) -> list[Finding]:
    """Columns without values or with one, identifiers, row numbers, and too many categories."""
    found = []
    for one in seen:
        ignore = ("--ignore", one.name)
        if not one.n_values:
            found.append(Finding("empty", one.name))
        elif one.is_constant:
            found.append(Finding("constant", one.name))
        elif one.n_values < _FEW_ROWS:
            continue
        elif one.n_values == one.n_rows and one.counting and (one.numbers or one.typed == "number"):
            found.append(Finding("row number", one.name, option=ignore))
        elif _is_words(one) and one.n_numbers <= one.n_values / 2:  # else it is numbers, with a strange value
            n_words = None if one.words is None else len(one.words)
            if n_words is None or n_words == one.n_values:
                found.append(Finding("identifier", one.name, option=ignore))
            elif n_words > max(50, one.n_values / 4):
                found.append(Finding("many", one.name, str(n_words), ignore))
    return found


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


def sentinels(features: Any) -> list[Finding]:
    """Numbers such as -999 that occur several times, far from all others.

    Parameters
    ----------
    features : pyarrow Table
    """
    found = []
    for name in features.column_names:
        values = _numbers(_some(features[name]))
        values = values[~np.isnan(values)] if values is not None else np.empty(0)
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
    """Whole numbers that differ in every row, and whose column has the name of an identifier."""
    found = []
    for name in features.column_names:
        if not _ID_NAME.search(name):
            continue
        values = _numbers(features[name])
        if values is None or len(values) < _FEW_ROWS or np.isnan(values).any():
            continue
        if (values == np.floor(values)).all() and len(np.unique(values)) == len(values):
            found.append(Finding("identifier", name, option=("--ignore", name)))
    return found


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
    sizes = [max(1, pc.count_distinct(_some(column)).as_py()) for column in table.columns]
    if np.sum(np.log(sizes)) < 3 * np.log(table.num_rows):  # so few different rows are possible that equal ones occur
        return []
    plain = [f"c{j}" for j in range(table.num_columns)]
    distinct = table.rename_columns(plain).group_by(plain).aggregate([]).num_rows
    n_copies = table.num_rows - distinct
    return [Finding("duplicates", value=f"{n_copies} row{'s' * (n_copies > 1)}")] if n_copies else []


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
