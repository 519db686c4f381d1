"""Rows that can be read only once, kept in a nameless temporary file, so that they can be read again in the same order.

A query without ORDER BY may give its rows in another order the next time, and a table may change between two queries.
So a query is run once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .arrow_file import ArrowFile
from .data_file import Bytes, Layout, batch_rows

__all__ = ["relation_reader", "spooled"]

_MOST_DIGITS = 38  # of a decimal128


def spooled(reader: Any, name: str) -> ArrowFile:
    """The rows of an Arrow reader as a file; it has no name, so nothing is left of it, however the process ends.

    Numbers with a fixed number of decimals stay exact: a model reads its features as float64, and identifiers of many
    digits pass through. Types that only a database knows become text.

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
    exact = {field.name: _Digits() for field in reader.schema if _is_numeric(field)}
    spool = tempfile.TemporaryFile()  # noqa: SIM115
    with pa.ipc.new_stream(pa.PythonFile(spool, mode="w"), schema) as writer:
        for batch in _plain(reader, schema):
            writer.write_batch(batch)
            for column, digits in exact.items():
                digits.see(batch.column(column))
    spool.flush()
    return _Exact(Bytes(name, spool), {column: digits.type for column, digits in exact.items()})


class _Digits:
    """How many digits numbers have that come as text."""

    def __init__(self) -> None:
        self._whole = self._decimals = 0
        self._odd = False  # such as NaN

    def see(self, text: Any) -> None:
        """Take in a batch."""
        found = pc.extract_regex(text.drop_null(), r"^-?(?P<whole>[0-9]+)(?:\.(?P<decimals>[0-9]*))?$")
        self._odd = self._odd or found.null_count > 0
        for name, most in (("whole", self._whole), ("decimals", self._decimals)):
            longest = pc.max(pc.binary_length(pc.struct_field(found, name))).as_py() or 0
            setattr(self, f"_{name}", max(most, longest))

    @property
    def type(self) -> pa.DataType:
        """Decimals that hold all of the numbers; float64 if there are none."""
        fits = not self._odd and self._whole + self._decimals <= _MOST_DIGITS
        return pa.decimal128(_MOST_DIGITS, self._decimals) if fits else pa.float64()


class _Exact(ArrowFile):
    """An Arrow file in which some columns of text are numbers of other types."""

    def __init__(self, content: Bytes, numbers: dict[str, pa.DataType]) -> None:
        super().__init__(content, Layout())
        fields = [field.with_type(numbers.get(field.name, field.type)) for field in self.schema]
        self.schema = pa.schema(fields, self.schema.metadata)
        self.types = dict(zip(self.schema.names, self.schema.types))

    def _rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        schema = pa.schema([self.schema.field(name) for name in columns])
        for batch in super()._rows(columns):
            yield batch.cast(schema) if columns else batch


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


def _is_numeric(field: pa.Field) -> bool:
    """Whether it is PostgreSQL's numeric, which comes as text."""
    return bool(
        isinstance(field.type, pa.BaseExtensionType)
        and pa.types.is_string(field.type.storage_type)
        and (field.metadata or {}).get(b"POSTGRESQL:type") == b"numeric"
    )


def _type(field: pa.Field) -> pa.DataType:
    kind = field.type
    if isinstance(kind, pa.BaseExtensionType):
        return pa.string() if pa.types.is_string(kind.storage_type) else kind.storage_type
    return kind.value_type if pa.types.is_dictionary(kind) else kind
