"""Columns of a table, read as the model reads those of a file: numbers, texts and booleans of any column type.

A numeric feature may be a text column, as in a table made from a CSV file. A text that is a number counts as the
number, the words for a missing value in a file count as missing, and any other text is refused. Databases have no
common way to raise an error, so a row with a refused value has no score.
"""

from __future__ import annotations

from typing import Any

from ..data.data_file import MISSING
from ..data.schema import Feature
from .sql_words import identifier, literal, quoted_text

__all__ = ["coded", "given", "is_refused", "raw"]

_LARGEST = "1.7976931348623157e308"
_TRUE, _FALSE = ("true", "1", "1.0"), ("false", "0", "0.0")


def raw(feature: Feature, dialect: str) -> str:
    """A column as a number or a text; NULL where it is missing, and where the model refuses it.

    Examples
    --------
    >>> raw(Feature("age", "numeric"), "duckdb")
    'TRY_CAST(d."age" AS DOUBLE)'
    """
    column = _column(feature)
    if _holds(feature) == "text":
        # an expression is compared letter by letter, whatever the collation of the column
        return _if(_is_text_or_whole(column, dialect), f"{column} || ''")
    if _holds(feature) == "boolean":
        words = f"LOWER({_text(column)})"
        return f"CASE WHEN {words} IN {_listed(_TRUE)} THEN 1e0 WHEN {words} IN {_listed(_FALSE)} THEN 0e0 END"
    if dialect == "duckdb":
        return f"TRY_CAST({column} AS DOUBLE)"
    if dialect == "postgresql":  # which raises its own error if a text is not a number
        return f"CASE WHEN {_text(column)} NOT IN {_listed(MISSING)} THEN CAST({_text(column)} AS DOUBLE PRECISION) END"
    return _if(_is_number(column, dialect), f"CAST({column} AS DOUBLE PRECISION)")


def given(feature: Feature, dialect: str) -> str:
    """1 if the column has a value, 0 if it is missing."""
    column = _column(feature)
    if _holds(feature) == "text":
        return f"CASE WHEN {column} IS NOT NULL THEN 1 ELSE 0 END"
    known = f"{_text(column)} NOT IN {_listed(MISSING)}"
    if _holds(feature) == "boolean":  # other numbers than 0 and 1 are categories that were not there in fit
        known += f" AND NOT {_is_number(column, dialect)}"
    return f"CASE WHEN {known} THEN 1 ELSE 0 END"


def is_refused(column: str, flag: str, feature: Feature) -> str:
    """1 if the model refuses the value: another type, or infinite."""
    if feature.categories is not None and _holds(feature) != "number":
        return f"CASE WHEN {flag} = 1 AND {column} IS NULL THEN 1 ELSE 0 END"
    beyond = f"{column} IS NULL OR {column} > {_LARGEST} OR {column} < -{_LARGEST}"
    return f"CASE WHEN {flag} = 1 AND ({beyond}) THEN 1 ELSE 0 END"


def coded(column: str, feature: Feature) -> str:
    """A number that is finite, or the code of a category; NULL otherwise."""
    if feature.categories is None:
        # NaN, which databases put above all numbers, is missing
        return f"CASE WHEN {column} <= {_LARGEST} THEN {column} END"
    cases = [f"WHEN {_category(category)} THEN {code}" for code, category in enumerate(feature.categories)]
    return f"CASE {column} {' '.join(cases)} END"


def _holds(feature: Feature) -> str:
    if feature.categories is None:
        return "number"
    first = feature.categories[0]
    return "text" if isinstance(first, str) else "boolean" if isinstance(first, bool) else "number"


def _category(category: Any) -> str:
    return quoted_text(category) if isinstance(category, str) else literal(float(category))


def _column(feature: Feature) -> str:
    """A column of the table; unlike a bare name, one with its table is never taken for a text."""
    return f"d.{identifier(feature.name)}"


def _text(column: str) -> str:
    return f"CAST({column} AS VARCHAR)"


def _listed(texts: tuple[str, ...]) -> str:
    return f"({', '.join(map(quoted_text, texts))})"


def _if(condition: str, value: str) -> str:
    return value if condition == "TRUE" else f"CASE WHEN {condition} THEN {value} END"


def _is_text_or_whole(column: str, dialect: str) -> str:
    """Whole numbers are text where the categories are, as in a file; other types are refused where SQL can tell."""
    if dialect == "sqlite":
        return f"typeof({column}) IN ('text', 'integer')"
    if dialect == "duckdb":
        kind = f"typeof({column})"
        return f"({kind} = 'VARCHAR' OR {kind} LIKE 'ENUM%' OR {kind} LIKE '%INT%')"
    return "TRUE"


def _is_number(column: str, dialect: str) -> str:
    """Whether a value is a number, or a text that is one from its first letter to its last."""
    if dialect == "sqlite":
        # a comparison with a number turns a text into one only if all of it is a number
        return f"({column} = CAST({column} AS NUMERIC))"
    if dialect == "duckdb":
        return f"(TRY_CAST({column} AS DOUBLE) IS NOT NULL)"
    unsigned = f"REPLACE(REPLACE(LOWER({_text(column)}), 'e-', 'e'), 'e+', 'e')"
    digits = f"LTRIM({unsigned}, '+-')"
    wrong = ("e%", "%e", ".e%", "%e%e%", "%.%.%", "%e%.%")
    rules = [
        f"TRIM({digits}, '0123456789.e') = ''",
        f"{digits} NOT IN ('', '.')",
        f"LENGTH({unsigned}) <= LENGTH({digits}) + 1",
        *(f"{digits} NOT LIKE '{pattern}'" for pattern in wrong),
    ]
    return f"({' AND '.join(rules)})"
