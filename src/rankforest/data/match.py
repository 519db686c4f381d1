"""The columns of a file and the columns that a model was fitted on: which they are, and of which type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from .data_file import DataFile, DataFileError
from .errors import InputError, listed
from .schema import Feature, Schema

__all__ = ["check_columns", "features_of", "file_rows", "label_type", "model_types"]


def model_types(schema: Schema) -> dict[str, pa.DataType]:
    """How the columns of a CSV file are read for a model: as they were when it was fitted.

    Examples
    --------
    >>> schema = Schema((Feature("age", "numeric"), Feature("zip", "categorical", ("01", "02"))), named=True)
    >>> model_types(schema)
    {'age': DataType(double), 'zip': DataType(string)}
    """
    return {
        feature.name: pa.float64() if feature.categories is None else label_type(feature.categories)
        for feature in schema.features
    }


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
    missing = [name for name in schema.names if name not in there]
    if missing:
        several = "columns" if len(missing) > 1 else "column"
        raise DataFileError(
            f"{data.path} has no {several} {listed(missing)}, which the model was fitted on; "
            f"its columns are {listed(data.names)}."
        )
    if data.types is not None:
        for feature in schema.features:
            _check_type(feature, data.types[feature.name], data.path)
    expected = {*schema.names, *known}
    return [name for name in data.names if name not in expected]


def _check_type(feature: Feature, kind: pa.DataType, path: str) -> None:
    """Refuse a column whose type cannot hold what the model was fitted on."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    was = pa.float64() if feature.categories is None else label_type(feature.categories)
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if pa.types.is_null(kind):
        return
    if was == pa.string():
        fine = text or pa.types.is_integer(kind)
    else:
        fine = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        fine = fine or (pa.types.is_boolean(kind) and feature.categories is not None)
    if not fine:
        names = {pa.string(): "text", pa.bool_(): "true or false"}
        raise DataFileError(
            f"{path}: column {feature.name!r} has the type {kind}, and held {names.get(was, 'numbers')} when the model "
            "was fitted; convert it."
        )


def features_of(rows: Any, schema: Schema) -> pa.Table:
    """The columns of the model, in its order; whole numbers are text where its categories are.

    Parameters
    ----------
    rows : pyarrow Table or RecordBatch
    schema : Schema
    """
    columns = []
    for feature in schema.features:
        column = rows.column(feature.name)
        wants_text = feature.categories is not None and isinstance(feature.categories[0], str)
        columns.append(column.cast(pa.string()) if wants_text and pa.types.is_integer(column.type) else column)
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
