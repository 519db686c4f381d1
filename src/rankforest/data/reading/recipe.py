"""Recipes: how the columns of a file become features. Plain data that a model file stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

__all__ = ["PARTS", "ColumnReading", "Kind", "Reading"]

Kind = Literal["number", "boolean", "text", "date", "time"]
PARTS = ("month", "weekday", "hour")
_ORDERS = ("", "ymd", "dmy", "mdy", "dby", "bdy", "compact", "ym", "my", "by", "mixed dmy", "mixed mdy")


@dataclass(frozen=True)
class ColumnReading:
    """How one column is read.

    Attributes
    ----------
    name : str
        The column of the file.
    kind : {"number", "boolean", "text", "date", "time"}
        A date becomes days since 1970-01-01 with a fraction for the time, a time of day becomes hours.
    decimal, thousands : str
        Of a number: the decimal point, and what separates groups of three digits; "" is nothing.
    unit : str
        Of a number: a currency sign or ``"%"`` that stands beside it.
    order : str
        Of a date that is text: "ymd", "dmy" and so on for year, month and day, b for the name of a month; "compact" is
        20241231, and "mixed dmy" also knows dates that begin with the year or hold the name of a month.
    parts : tuple of {"month", "weekday", "hour"}
        Of a date: further features, named after the column. January and Monday are 1.
    missing : tuple of str
        Values that are missing in this column, besides those of the file.
    fold : bool
        Of a text: spaces around it and capitals do not tell two categories apart.
    spellings : tuple of (str, str)
        Of a text: what some categories are called, by their spelling without capitals and spaces.

    Examples
    --------
    >>> ColumnReading("opened", "date", order="dmy", parts=("month",)).features
    ('opened', 'opened (month)')
    """

    name: str
    kind: Kind
    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    order: str = ""
    parts: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    fold: bool = False
    spellings: tuple[tuple[str, str], ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that are made of the column."""
        return (self.name, *(f"{self.name} ({part})" for part in self.parts))

    @property
    def is_plain(self) -> bool:
        """Whether a column of numbers, or of text, is taken as it is."""
        return self.to_dict().keys() <= {"name", "kind", "fold"} and self.kind in ("number", "boolean", "text")

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what differs from the defaults."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        kept = {name: value for name, value in given.items() if value != _DEFAULTS.get(name, _NONE)}
        return {name: _listed(value) for name, value in kept.items()}

    @classmethod
    def from_dict(cls, value: Any) -> ColumnReading:
        """The recipe again, checked; a `ValueError` says what is wrong."""
        known = {field.name for field in fields(cls)}
        _need(isinstance(value, dict) and {"name", "kind"} <= value.keys() <= known, "has other entries")
        _need(isinstance(value["name"], str) and value["kind"] in get_args(Kind), "has no name or kind")
        for name in ("decimal", "thousands", "unit", "order"):
            _need(isinstance(value.get(name, ""), str), f"has no text in {name}")
        _need(value.get("order", "") in _ORDERS and len(value.get("decimal", ".")) == 1, "has an unknown order")
        for name, allowed in (("parts", PARTS), ("missing", None)):
            found = value.get(name, [])
            _need(isinstance(found, list) and all(isinstance(one, str) for one in found), f"has no list in {name}")
            _need(allowed is None or set(found) <= set(allowed), f"has unknown {name}")
        pairs = value.get("spellings", [])
        _need(isinstance(pairs, list) and all(_is_pair(pair) for pair in pairs), "has no pairs in spellings")
        _need(isinstance(value.get("fold", False), bool), "has no truth value in fold")
        lists = {name: tuple(value[name]) for name in ("parts", "missing") if name in value}
        spelled = {"spellings": tuple((one, other) for one, other in pairs)} if pairs else {}
        return cls(**{**value, **lists, **spelled})


@dataclass(frozen=True)
class Reading:
    """How the columns of a file become the features of a model.

    Attributes
    ----------
    columns : tuple of ColumnReading
        In the order of the features.
    label : ColumnReading or None
        The column of the labels.

    Examples
    --------
    >>> Reading((ColumnReading("age", "number"), ColumnReading("opened", "date", parts=("month",)))).features
    ('age', 'opened', 'opened (month)')
    """

    columns: tuple[ColumnReading, ...]
    label: ColumnReading | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of the file that are read."""
        return tuple(column.name for column in self.columns)

    @property
    def features(self) -> tuple[str, ...]:
        """The features, in order."""
        return tuple(name for column in self.columns for name in column.features)

    @property
    def is_plain(self) -> bool:
        """Whether all columns are taken as they are, so that a table of features needs no recipe."""
        return all(column.is_plain for column in self.columns)

    def of(self, name: str) -> ColumnReading:
        """The recipe of a column of the file."""
        return next(column for column in self.columns if column.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        found: dict[str, Any] = {"columns": [column.to_dict() for column in self.columns]}
        return found if self.label is None else {**found, "label": self.label.to_dict()}

    @classmethod
    def from_dict(cls, value: Any, features: Sequence[str]) -> Reading:
        """The recipes again, checked against the features that they make."""
        _need(isinstance(value, dict) and {"columns"} <= value.keys() <= {"columns", "label"}, "has other entries")
        _need(isinstance(value["columns"], list), "has no columns")
        label = value.get("label")
        found = cls(
            tuple(map(ColumnReading.from_dict, value["columns"])),
            None if label is None else ColumnReading.from_dict(label),
        )
        _need(found.features == tuple(features), "makes other features")
        return found


def _listed(value: Any) -> Any:
    return [_listed(one) for one in value] if isinstance(value, tuple) else value


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, str) for one in pair)


def _need(sound: bool, what: str) -> None:
    if not sound:
        raise ValueError(f"the recipe of a column {what}")


_NONE = object()
_DEFAULTS = {field.name: field.default for field in fields(ColumnReading)}
