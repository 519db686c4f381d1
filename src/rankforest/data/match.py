"""The columns of a file and the columns that a model was fitted on: which they are, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .data_file import DataFile, DataFileError
from .errors import InputError, listed
from .reading.apply import is_text, read_column
from .reading.recipe import ColumnReading, Kind, Reading
from .schema import Feature, Schema
from .yes_no import side_of

__all__ = ["check_columns", "features_of", "file_rows", "label_type", "read_labels", "reading_of"]


def reading_of(schema: Schema, data: DataFile | None = None) -> Reading:
    """How the columns of a file are read for a model: as they were when it was fitted.

    Parameters
    ----------
    schema : Schema
        Of the model; without a recipe of its own, each feature is a column of its kind.
    data : DataFile, optional
        A decimal point that was given for the file replaces that of the model.

    Examples
    --------
    >>> schema = Schema((Feature("age", "numeric"), Feature("zip", "categorical", ("01", "02"))), named=True)
    >>> [column.kind for column in reading_of(schema).columns]
    ['number', 'text']
    """
    found = schema.reading
    if found is None:
        kinds: list[Kind] = ["number" if one.categories is None else _kind(one.categories) for one in schema.features]
        columns = (ColumnReading(one.name, kind, fold=kind == "text") for one, kind in zip(schema.features, kinds))
        found = Reading(tuple(columns))
    decimal = None if data is None else data.layout.decimal
    if decimal is None:
        return found
    return replace(found, columns=tuple(_with_decimal(column, decimal) for column in found.columns))


def _with_decimal(how: ColumnReading, decimal: str) -> ColumnReading:
    thousands = "" if how.thousands == decimal else how.thousands
    return replace(how, decimal=decimal, thousands=thousands) if how.kind == "number" else how


def _kind(categories: Sequence[Any]) -> Kind:
    first = categories[0]
    return "text" if isinstance(first, str) else "boolean" if isinstance(first, bool) else "number"


def label_type(labels: Sequence[Any] | np.ndarray) -> pa.DataType:
    """The Arrow type that a CSV column is read in so that these values are found in it.

    Examples
    --------
    >>> label_type(["no", "yes"]), label_type([0, 1]), label_type([False, True])
    (DataType(string), DataType(double), DataType(bool))
    """
    first = labels[0].item() if hasattr(labels[0], "item") else labels[0]
    if isinstance(first, str):
        return pa.string()
    if isinstance(first, bool):
        return pa.bool_()
    if isinstance(first, int) and max(map(abs, map(int, labels))) >= 2**53:  # a float64 does not tell these apart
        return pa.uint64() if min(labels) >= 0 else pa.int64()
    return pa.float64()


def read_labels(column: Any, name: str, labels: Sequence[Any] | np.ndarray, schema: Schema) -> Any:
    """A column of labels in the type of those of the model; other spellings of them are theirs.

    Parameters
    ----------
    column : pyarrow Array or ChunkedArray
    name : str
        Of the column.
    labels : sequence
        Of the model.
    schema : Schema
    """
    wanted = label_type(labels)
    how = None if schema.reading is None else schema.reading.label
    if wanted == pa.string():
        how = ColumnReading(name, "text", fold=True) if how is None else how
        names = [str(label) for label in labels]
        return _by_side(read_column(column, how, known=names)[0], names)
    if not is_text(column.type):
        return column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column
    if wanted in (pa.int64(), pa.uint64()):
        try:
            return column.cast(wanted)
        except pa.ArrowInvalid:
            raise InputError(
                "The target {name!r} is not all whole numbers, as when the model was fitted; correct it.", name=name
            ) from None
    kind: Kind = "boolean" if wanted == pa.bool_() else "number"
    return read_column(column, ColumnReading(name, kind) if how is None or how.kind != kind else how)[0]


def _by_side(column: Any, labels: Sequence[str]) -> Any:
    """Words for yes and no become the label of the model that says the same, if its labels are two such words."""
    named = {side_of(label): label for label in labels}
    found = column.unique().to_pylist()
    if named.keys() != {"yes", "no"} or set(found) <= {*labels, None}:
        return column
    names = [word if word is None or word in labels else named.get(side_of(word), word) for word in found]
    return pa.array(names, pa.string()).take(pc.index_in(column, pa.array(found, column.type)))


def check_columns(data: DataFile, schema: Schema, *, known: Sequence[str] = ()) -> list[str]:
    """Refuse a file without a column that the model needs; the columns that it knows nothing of.

    Parameters
    ----------
    data : DataFile
    schema : Schema
        Of the model.
    known : sequence of str
        Other columns that were in the training file, such as the target.
    """
    there = set(data.names)
    reading = reading_of(schema)
    missing = [name for name in reading.sources if name not in there]
    if missing:
        several = "columns" if len(missing) > 1 else "column"
        raise DataFileError(
            f"{data.path} has no {several} {listed(missing)}, which the model was fitted on; "
            f"{_to_rename(missing, data.names) or f'its columns are {listed(data.names)}.'}"
        )
    if data.types is not None:
        by_name = {feature.name: feature for feature in schema.features}
        for how in reading.columns:
            _check_type(how, by_name[how.name], data.types[how.name], data.path)
    expected = {*reading.sources, *known}
    return [name for name in data.names if name not in expected]


def _to_rename(missing: Sequence[str], names: Sequence[str]) -> str:
    """What to do about columns that are there with other capitals, spaces or signs; "" if there are none."""
    spelled = {_letters(name): name for name in names if name not in missing}
    pairs = [f"{spelled[_letters(name)]!r} to {name!r}" for name in missing if _letters(name) in spelled]
    return f"rename {', '.join(pairs)}." if pairs else ""


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _check_type(how: ColumnReading, feature: Feature, kind: pa.DataType, path: str) -> None:
    """Refuse a column whose type cannot hold what the model was fitted on."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if how.kind in ("date", "time"):
        fine = pa.types.is_temporal(kind) or is_text(kind)
    elif how.kind == "text":
        fine = is_text(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)
    else:
        fine = number or (pa.types.is_boolean(kind) and feature.categories is not None)
        fine = fine or (is_text(kind) and not how.is_plain)
    if not fine:
        held = {"text": "text", "boolean": "true or false", "date": "dates", "time": "times"}.get(how.kind, "numbers")
        raise DataFileError(
            f"{path}: column {how.name!r} has the type {kind}, and held {held} when the model was fitted; convert it."
        )


def features_of(rows: Any, schema: Schema, reading: Reading | None = None) -> pa.Table:
    """The features of the model, in its order, made of the columns of a file.

    Parameters
    ----------
    rows : pyarrow Table or RecordBatch
    schema : Schema
    reading : Reading, optional
        That of the schema by default.
    """
    reading = reading_of(schema) if reading is None else reading
    known = {feature.name: feature.categories for feature in schema.features}
    columns = [
        made
        for how in reading.columns
        for made in read_column(rows.column(how.name), how, known=known[how.name] if how.kind == "text" else None)
    ]
    return pa.table(columns, names=list(schema.names))


@contextmanager
def file_rows(data: DataFile, before: int = 0) -> Iterator[None]:
    """Errors about rows 0, 1, ... of a batch become errors about rows of the file, which count from 1.

    Parameters
    ----------
    data : DataFile
    before : int
        Rows of the file before the batch.
    """
    try:
        yield
    except InputError as error:  # any other error is about a parameter
        said = error.sentence(first_row=before + 1)
        raise DataFileError(f"{data.path}: {said[0].lower()}{said[1:]}") from error
