"""One column of the user's data, whatever it is stored in.

A column belongs to a family: numbers, booleans or text. Numbers and booleans are read as float64 with NaN for
missing; text is read as a list in which everything that is not a string is missing. Nothing is copied until a
slice of the column is read. Columns of other types (dates, lists, complex numbers, mixed types) are refused here.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal, NoReturn, Protocol

import narwhals as nw
import numpy as np

from .errors import InputError, Row

Family = Literal["number", "boolean", "text"]

BLOCK_ROWS = 65536
_NOT_IN_NUMPY = (nw.Decimal, nw.Int128, nw.UInt128)  # converted by the data frame library


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
        if series.dtype == nw.Boolean or series.dtype in _NOT_IN_NUMPY:
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


def open_series(series: nw.Series[Any], label: str) -> Column:
    """Find the family of a data frame column from its dtype, or from its values where the dtype says nothing."""
    series = plain_series(series)
    dtype = series.dtype
    if dtype.is_numeric():
        array = _numpy_view(series)
        return SeriesColumn(series, "number") if array is None else ArrayColumn(array, "number")
    if dtype == nw.Boolean:
        return SeriesColumn(series, "boolean")
    if dtype == nw.String:
        return SeriesColumn(series, "text")
    if dtype in (nw.Categorical, nw.Enum):
        return _open_categorical(series, label)
    if dtype in (nw.Object, nw.Unknown):
        return open_array(np.asarray(series.to_numpy()), label)
    _refuse_dtype(label, dtype)


def _numpy_view(series: nw.Series[Any]) -> np.ndarray | None:
    """The memory of a numeric column as an array, if it is plain enough to need no copy."""
    native = series.to_native()
    if nw.dependencies.is_polars_series(native):
        plain = native.n_chunks() == 1 and native.null_count() == 0
    elif nw.dependencies.is_pyarrow_chunked_array(native):
        plain = native.num_chunks == 1 and native.null_count == 0
    else:
        plain = isinstance(native.dtype, np.dtype)  # pandas
    if not plain or series.dtype in _NOT_IN_NUMPY:
        return None
    return series.to_numpy()


def _open_categorical(series: nw.Series[Any], label: str) -> Column:
    order = own_order(series)
    native = series.to_native()
    if nw.dependencies.is_pandas_series(native) and hasattr(native, "cat"):
        strings, positions = native.cat.categories.tolist(), native.cat.codes.to_numpy()
        if all(type(text) is str for text in strings) and (positions >= 0).any():
            return DictionaryColumn(positions, strings, order=order)
    series = decode_dictionary(series)
    if survey(series.unique().to_list()).families == ["text"]:
        return SeriesColumn(series, "text", declared=True, order=order)
    column = open_objects(objects(series.to_list()), label)
    column.declared, column.order = True, order
    return column


def decode_dictionary(series: nw.Series[Any]) -> nw.Series[Any]:
    """The values of an Arrow dictionary column; any other column as it is."""
    native = series.to_native()
    if series.dtype == nw.Categorical and nw.dependencies.is_pyarrow_chunked_array(native):
        # Quick, while to_list takes seconds on dictionaries and to_numpy of narwhals 2.28 loses their nulls.
        return nw.from_native(native.cast(native.type.value_type), series_only=True)
    return series


def plain_series(series: nw.Series[Any]) -> nw.Series[Any]:
    """A series whose Arrow column, where it is one, is not of views: their missing values become '' in Arrow 26."""
    native = series.to_native()
    if not nw.dependencies.is_pyarrow_chunked_array(native):
        return series
    plain = without_views(native)
    return series if plain is native else nw.from_native(plain, series_only=True)


def without_views(column: Any) -> Any:
    """An Arrow column of a plain type where it is of views: most of Arrow's functions do not know these."""
    import pyarrow as pa  # installed, because the column is an Arrow column

    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    kind = column.type
    if kind in plain:
        return column.cast(plain[kind])
    if pa.types.is_dictionary(kind) and kind.value_type in plain:
        wanted = pa.dictionary(kind.index_type, plain[kind.value_type], kind.ordered)
        chunks = [
            pa.DictionaryArray.from_arrays(
                chunk.indices, chunk.dictionary.cast(wanted.value_type), ordered=kind.ordered
            )
            for chunk in column.chunks
        ]
        return pa.chunked_array(chunks, type=wanted)
    return column


def own_order(series: nw.Series[Any]) -> tuple[Any, ...] | None:
    """The categories of an ordered categorical or an enum, in their order."""
    native = series.to_native()
    if nw.dependencies.is_pyarrow_chunked_array(native):
        if not native.type.ordered or native.num_chunks == 0:
            return None
        return tuple(native.unify_dictionaries().chunk(0).dictionary.to_pylist())
    if getattr(native.dtype, "ordered", False) or series.dtype == nw.Enum:  # pandas, Polars
        return tuple(native.dtype.categories.to_list())
    return None


def open_array(array: np.ndarray, label: str) -> Column:
    """Find the family of a one-dimensional array."""
    kind = array.dtype.kind
    if kind in "iuf":
        return ArrayColumn(array, "number")
    if kind == "b":
        return ArrayColumn(array, "boolean")
    if kind in "UT":
        return TextColumn(array)
    if kind == "O":
        return open_objects(array, label)
    if kind == "c":
        raise InputError(
            "Complex data not supported: {column} has dtype {dtype}; " + COMPLEX_REMEDY + ".",
            column=_inner(label),
            dtype=str(array.dtype),
        )
    _refuse_dtype(label, array.dtype)


def open_objects(array: np.ndarray, label: str) -> ArrayColumn | TextColumn:
    """Find the family of an array of Python objects by looking at the type of each of them."""
    found = survey(array)
    if len(found.families) > 1:
        (one, other) = (found.examples[family] for family in found.families[:2])
        raise InputError(
            "{column} mixes types: {value} in row {row} is {kind} and {other} in row {other_row} is {other_kind}; "
            "convert the column to one type.",
            column=label,
            value=_short(one[1]),
            row=Row(one[0]),
            kind=_a(type(one[1])),
            other=_short(other[1]),
            other_row=Row(other[0]),
            other_kind=_a(type(other[1])),
        )
    if not found.families:
        return ArrayColumn(np.full(len(array), np.nan), "number")
    family = found.families[0]
    row, value = found.examples[family]
    if family == "complex":
        raise InputError(
            "Complex data not supported: {column} holds {value!r} in row {row}; " + COMPLEX_REMEDY + ".",
            column=_inner(label),
            value=value,
            row=Row(row),
        )
    if family == "other":
        raise InputError(
            "{column} holds {kind} in row {row} ({value}), which is neither a number, a string nor a boolean; convert "
            "the column to one of these or drop it.",
            column=label,
            kind=_a(type(value)),
            row=Row(row),
            value=_short(value),
        )
    if family == "text":
        return TextColumn(array)
    return ArrayColumn(_objects_to_floats(array, label), "boolean" if family == "boolean" else "number")


def objects(values: list[Any]) -> np.ndarray:
    """A one-dimensional object array, also where the values are themselves sequences."""
    return np.fromiter(values, dtype=object, count=len(values))


def _objects_to_floats(array: np.ndarray, label: str) -> np.ndarray:
    missing = {kind for kind in set(map(type, array)) if family_of(kind) == "missing"}
    try:
        if not missing:
            return array.astype(np.float64)
        return np.fromiter((np.nan if type(value) in missing else value for value in array), np.float64, len(array))
    except OverflowError:
        row, value = next((row, value) for row, value in enumerate(array) if _overflows(value))
        raise InputError(
            "{column} holds {value} in row {row}, which is too large for a float64; rescale the column or replace the "
            "value by NaN to mark it as missing.",
            column=label,
            value=_short(value),
            row=Row(row),
        ) from None


def _overflows(value: Any) -> bool:
    try:
        float(value)
    except OverflowError:
        return True
    except TypeError:  # a missing value
        return False
    return False


@dataclass
class Survey:
    """The families found among Python objects, and the first row and value of each; NaN alone is no family."""

    families: list[str]
    examples: dict[str, tuple[int, Any]]


def survey(values: Any) -> Survey:
    """Find which families of Python objects occur, in order of appearance, missing values aside."""
    # A set of types costs one quick pass; only the few types found are then looked at.
    families = {kind: family_of(kind) for kind in set(map(type, values))}
    wanted = set(families.values()) - {"missing"}
    examples: dict[str, tuple[int, Any]] = {}
    for row, value in enumerate(values):
        if len(examples) == len(wanted):
            break
        family = families[type(value)]
        # A NaN among strings or booleans is a missing string or boolean, so it is no example of a number.
        if family in wanted and family not in examples and not (family == "number" and value != value):
            examples[family] = (row, value)
    return Survey(list(examples), examples)


@lru_cache(maxsize=256)
def family_of(kind: type) -> str:
    """The family of a Python type; "missing", "complex" and "other" are the ones no column can have."""
    if kind is type(None) or (kind.__module__.startswith("pandas.") and kind.__name__ in ("NAType", "NaTType")):
        return "missing"
    if issubclass(kind, bool | np.bool_):
        return "boolean"
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, numbers.Real | Decimal):
        return "number"
    if issubclass(kind, numbers.Complex):
        return "complex"
    return "other"


COMPLEX_REMEDY = "pass the real and the imaginary part as separate columns"


def _refuse_dtype(label: str, dtype: Any) -> NoReturn:
    raise InputError(
        "{column} has dtype {dtype}, which is neither number, text, boolean nor category; convert it to numbers (a "
        "date to days since a fixed date, for instance) or drop it.",
        column=label,
        dtype=str(dtype),
    )


def refuse_infinite_number(label: str, row: int, value: float) -> NoReturn:
    """Raise an error for an infinite number in a column."""
    raise InputError(
        "{column} contains {value} in row {row}; replace it by a finite number, or by NaN to mark it as missing.",
        column=label,
        value=value,
        row=Row(row),
    )


def _inner(label: str) -> str:
    """The label inside a sentence instead of at its start."""
    return label[0].lower() + label[1:]


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0].lower() in 'aeiou' else 'a'} {kind.__name__}"


def _short(value: Any, limit: int = 60) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python does not print integers of thousands of digits
        text = f"an integer of {value.bit_length()} bits"
    return text if len(text) <= limit else text[: limit - 3] + "..."
