"""Rows that can be read only once, kept in a nameless temporary file, so that they can be read again in the same order.

A query without ORDER BY may give its rows in another order the next time, and a table may change between two queries.
So a query is run once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from .arrow_file import ArrowFile
from .data_file import Bytes, Layout, batch_rows

__all__ = ["relation_reader", "spooled"]


def spooled(reader: Any, name: str) -> ArrowFile:
    """The rows of an Arrow reader as a file; it has no name, so nothing is left of it, however the process ends.

    Numbers with a fixed number of decimals become float64, because trees cut at float64. Types that only a database
    knows become text.

    Parameters
    ----------
    reader : pyarrow RecordBatchReader
    name : str
        Its name in messages.

    Examples
    --------
    >>> table = pa.table({"age": [30, 40]})
    >>> spooled(table.to_reader(), "people").table()["age"].to_pylist()
    [30, 40]
    """
    schema = pa.schema([pa.field(field.name, _type(field)) for field in reader.schema])
    spool = tempfile.TemporaryFile()  # noqa: SIM115
    with pa.ipc.new_stream(pa.PythonFile(spool, mode="w"), schema) as writer:
        for batch in _plain(reader, schema):
            writer.write_batch(batch)
    spool.flush()
    return ArrowFile(Bytes(name, spool), Layout())


def relation_reader(relation: Any) -> Any:
    """The rows of a DuckDB relation as an Arrow reader; DuckDB before 1.4 has another name for it."""
    make = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return make(batch_rows(len(relation.columns)))


def _plain(reader: Any, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for batch in reader:
        columns = [_as(column, field.type) for column, field in zip(batch.columns, schema)]
        yield pa.record_batch(columns, schema=schema)


def _as(column: Any, kind: pa.DataType) -> Any:
    if isinstance(column.type, pa.BaseExtensionType):
        column = column.storage
    return column if column.type == kind else column.cast(kind)


def _type(field: pa.Field) -> pa.DataType:
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        number = (field.metadata or {}).get(b"POSTGRESQL:type") == b"numeric"
        text = pa.types.is_string(kind.storage_type)
        return pa.float64() if number else pa.string() if text else kind.storage_type
    if pa.types.is_decimal(kind):
        return pa.float64()
    return kind.value_type if pa.types.is_dictionary(kind) else kind
