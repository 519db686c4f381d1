"""The family of a column, found from its type, or from its values where the type says nothing.

Columns of other types (dates, lists, complex numbers, mixed types) are refused here.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, NoReturn

import narwhals as nw
import numpy as np

from .columns import NOT_IN_NUMPY, ArrayColumn, Column, DictionaryColumn, SeriesColumn, TextColumn, objects
from .errors import InputError, Row

COMPLEX_REMEDY = "pass the real and the imaginary part as separate columns"


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
    if not plain or series.dtype in NOT_IN_NUMPY:
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


def _refuse_dtype(label: str, dtype: Any) -> NoReturn:
    raise InputError(
        "{column} has dtype {dtype}, which is neither number, text, boolean nor category; convert it to numbers (a "
        "date to days since a fixed date, for instance) or drop it.",
        column=label,
        dtype=str(dtype),
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
