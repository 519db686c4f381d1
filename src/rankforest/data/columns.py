"""One column of the user's data, whatever it is stored in.

A column belongs to a family: numbers, booleans or text. Numbers and booleans are read as float64 with NaN for
missing; text is read as a list in which everything that is not a string is missing. Nothing is copied until a
slice of the column is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

import narwhals as nw
import numpy as np

from .errors import InputError, Row

Family = Literal["number", "boolean", "text"]

BLOCK_ROWS = 65536
NOT_IN_NUMPY = (nw.Decimal, nw.Int128, nw.UInt128)  # converted by the data frame library


class Column(Protocol):
    """Interface of a column."""

    family: Family
    declared: bool  # its type says categorical, also where its values are numbers
    order: tuple[Any, ...] | None  # the order of its own categories, where it has one

    def __len__(self) -> int: ...

    def floats(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        """Rows start to stop as float64, NaN for missing (numbers and booleans)."""
        ...

    def texts(self, start: int = 0, stop: int | None = None) -> list[Any]:
        """Rows start to stop as Python strings; any other object is a missing value (text)."""
        ...

    def distinct_texts(self) -> set[str]:
        """The distinct strings of the column (text)."""
        ...

    def take(self, rows: np.ndarray) -> Column:
        """The column at the given row positions."""
        ...


@dataclass
class ArrayColumn:
    """Numbers or booleans in a one-dimensional NumPy array, possibly a strided view."""

    array: np.ndarray
    family: Family
    declared: bool = False
    order: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.array)

    def floats(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        return as_float64(self.array[start:stop])

    def texts(self, start: int = 0, stop: int | None = None) -> list[Any]:
        raise TypeError("a column of numbers has no text")

    def distinct_texts(self) -> set[str]:
        raise TypeError("a column of numbers has no text")

    def take(self, rows: np.ndarray) -> ArrayColumn:
        return ArrayColumn(self.array[rows], self.family, self.declared, self.order)


@dataclass
class TextColumn:
    """Strings in a NumPy array, either of a string dtype or of Python objects."""

    array: np.ndarray
    declared: bool = False
    order: tuple[Any, ...] | None = None
    family: Family = "text"

    def __len__(self) -> int:
        return len(self.array)

    def floats(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        raise TypeError("a column of text has no numbers")

    def texts(self, start: int = 0, stop: int | None = None) -> list[Any]:
        return self.array[start:stop].tolist()

    def distinct_texts(self) -> set[str]:
        found: set[str] = set()
        for start, stop in row_blocks(len(self)):
            found.update(text for text in self.texts(start, stop) if isinstance(text, str))
        return {str(text) for text in found}

    def take(self, rows: np.ndarray) -> TextColumn:
        return TextColumn(self.array[rows], self.declared, self.order)


@dataclass
class DictionaryColumn:
    """Strings stored as positions in a list of distinct strings, -1 for missing: a categorical column of pandas."""

    positions: np.ndarray
    strings: list[str]
    declared: bool = True
    order: tuple[Any, ...] | None = None
    family: Family = "text"

    def __len__(self) -> int:
        return len(self.positions)

    def floats(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        raise TypeError("a column of text has no numbers")

    def texts(self, start: int = 0, stop: int | None = None) -> list[Any]:
        return [None if k < 0 else self.strings[k] for k in self.positions[start:stop].tolist()]

    def distinct_texts(self) -> set[str]:
        return {self.strings[k] for k in np.unique(self.positions).tolist() if k >= 0}

    def take(self, rows: np.ndarray) -> DictionaryColumn:
        return DictionaryColumn(self.positions[rows], self.strings, self.declared, self.order)


@dataclass
class SeriesColumn:
    """A column of a data frame, read through narwhals."""

    series: nw.Series[Any]
    family: Family
    declared: bool = False
    order: tuple[Any, ...] | None = None

    def __len__(self) -> int:
        return len(self.series)

    def _slice(self, start: int, stop: int | None) -> nw.Series[Any]:
        return self.series if start == 0 and stop is None else self.series[start : len(self) if stop is None else stop]

    def floats(self, start: int = 0, stop: int | None = None) -> np.ndarray:
        series = self._slice(start, stop)
        if series.dtype == nw.Boolean or series.dtype in NOT_IN_NUMPY:
            series = series.cast(nw.Float64)
        return as_float64(series.to_numpy())

    def texts(self, start: int = 0, stop: int | None = None) -> list[Any]:
        return self._slice(start, stop).to_list()

    def distinct_texts(self) -> set[str]:
        return {text for text in self.series.unique().to_list() if isinstance(text, str)}

    def take(self, rows: np.ndarray) -> SeriesColumn:
        return SeriesColumn(self.series[rows], self.family, self.declared, self.order)


def as_float64(array: np.ndarray) -> np.ndarray:
    """The array as float64, the same memory if it is float64 already."""
    if type(array) is np.ndarray and array.dtype == np.float64:
        return array
    with np.errstate(over="ignore"):  # a long double that overflows is reported later
        return np.asarray(array, dtype=np.float64)


def row_blocks(n_rows: int, size: int = BLOCK_ROWS) -> Iterator[tuple[int, int]]:
    """Start and stop of consecutive blocks of rows."""
    for start in range(0, n_rows, size):
        yield start, min(start + size, n_rows)


def first_value(column: Column) -> tuple[int, Any] | None:
    """The first row that is not missing and its value; None for a column without values."""
    for start, stop in row_blocks(len(column)):
        if column.family == "text":
            for row, text in enumerate(column.texts(start, stop), start):
                if isinstance(text, str):
                    return row, text
        else:
            block = column.floats(start, stop)
            present = ~np.isnan(block)
            if present.any():
                row = int(present.argmax())
                return start + row, bool(block[row]) if column.family == "boolean" else float(block[row])
    return None


def objects(values: list[Any]) -> np.ndarray:
    """A one-dimensional object array, also where the values are themselves sequences."""
    return np.fromiter(values, dtype=object, count=len(values))


def refuse_infinite_number(label: str, row: int, value: float) -> NoReturn:
    """Raise an error for an infinite number in a column."""
    raise InputError(
        "{column} contains {value} in row {row}; replace it by a finite number, or by NaN to mark it as missing.",
        column=label,
        value=value,
        row=Row(row),
    )
