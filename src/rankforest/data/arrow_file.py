"""Parquet and Arrow files, in batches of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .data_file import Bytes, DataFileError, Layout, batch_rows, check_distinct_names

__all__ = ["ArrowFile", "ParquetDataFile"]

_BUFFER = 2**20


class _Typed:
    """What the formats with types of their own share."""

    def __init__(
        self, content: Bytes, layout: Layout, kind: str, look: Callable[[], tuple[pa.Schema, int | None]]
    ) -> None:
        self.path = content.name
        self.layout = layout
        self._content, self._kind = content, kind
        self._read = 0.0
        try:
            schema, self.n_rows = look()
        except (pa.ArrowException, OSError) as error:
            raise self._unreadable(error) from None
        schema = pa.schema([field.with_type(_plain(field.type)) for field in schema])
        self.names = check_distinct_names(schema.names, self.path)
        self.types: dict[str, Any] | None = dict(zip(schema.names, schema.types))
        self.schema = schema

    @property
    def share_read(self) -> float:
        return min(1.0, self._read)

    def _unreadable(self, error: Exception) -> DataFileError:
        return DataFileError(f"{self.path} cannot be read as {self._kind} ({' '.join(str(error).split())}).")

    def _rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError

    def table(self) -> pa.Table:
        return pa.Table.from_batches(list(self.batches()), self.schema)

    def batches(self, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> Iterator[pa.RecordBatch]:
        try:
            for batch in self._rows(self.names if columns is None else columns):
                fields = [field.with_type(_plain(field.type)) for field in batch.schema]
                yield batch.cast(pa.schema(fields))
        except (pa.ArrowException, OSError) as error:
            raise self._unreadable(error) from None
        self._read = 1.0


class ParquetDataFile(_Typed):
    """A Parquet file, see `rankforest.data.data_file.DataFile`.

    Parameters
    ----------
    content : Bytes
    layout : Layout
    """

    def __init__(self, content: Bytes, layout: Layout) -> None:
        def look() -> tuple[pa.Schema, int | None]:
            file = self._file()
            return file.schema_arrow, file.metadata.num_rows

        super().__init__(content, layout, "Parquet", look)

    def _file(self) -> pq.ParquetFile:
        # small buffers and no look ahead: a file of one large row group is streamed too
        return pq.ParquetFile(self._content.open(), buffer_size=_BUFFER, pre_buffer=False)

    def _rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        done = 0
        for batch in self._file().iter_batches(batch_size=batch_rows(len(columns)), columns=list(columns)):
            done += batch.num_rows
            self._read = done / max(1, self.n_rows or 0)
            yield batch.select(list(columns))


class ArrowFile(_Typed):
    """An Arrow (Feather version 2) file or stream, see `rankforest.data.data_file.DataFile`.

    Parameters
    ----------
    content : Bytes
    layout : Layout
    """

    def __init__(self, content: Bytes, layout: Layout) -> None:
        self._is_file = content.head[:6] == b"ARROW1"

        def look() -> tuple[pa.Schema, int | None]:
            with self._reader() as reader:
                return reader.schema, None

        super().__init__(content, layout, "Arrow", look)

    def _reader(self) -> Any:
        stream = self._content.open()
        return pa.ipc.open_file(stream) if self._is_file else pa.ipc.open_stream(stream)

    def _rows(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        with self._reader() as reader:
            if self._is_file:
                n = reader.num_record_batches
                for i in range(n):
                    self._read = i / n
                    yield from _sliced(reader.get_batch(i).select(list(columns)))
            else:
                for batch in reader:
                    yield from _sliced(batch.select(list(columns)))


def _plain(kind: Any) -> Any:
    """Text for views of text, which few functions of Arrow take; any other type as it is."""
    return pa.string() if pa.types.is_string_view(kind) else kind


def _sliced(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    size = batch_rows(batch.num_columns)
    for start in range(0, batch.num_rows, size):
        yield batch.slice(start, size)
