"""Writing tables batch by batch: Parquet, Arrow, and CSV with the original text."""

from __future__ import annotations

import gzip
import os
import select
import sys
from collections.abc import Callable, Iterable
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .atomic import atomic_write, check_target
from .data_file import DataFileError
from .unsliced import unsliced

__all__ = ["output_format", "write_batches"]

_ENDINGS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".csv.gz": "csv.gz",
}

_WRITE_BYTES = 2**20  # of one call; a pipe takes less
_GROUP_BYTES = 32 * 2**20  # size of a row group: large enough to compress well, small enough for memory


def output_format(path: str, given: str | None = None) -> str:
    """The output format, as given or by the extension of the path; the path is checked.

    Examples
    --------
    >>> output_format("-"), output_format("-", "arrow")
    ('csv', 'arrow')
    """
    formats = tuple(dict.fromkeys(_ENDINGS.values()))
    if given is not None and given not in formats:
        raise DataFileError(f"The output format is {given!r}; give one of {', '.join(formats)}.")
    if path != "-":
        check_target(path)
    if given is not None:
        return given
    if path == "-":
        return "csv"
    for ending in sorted(_ENDINGS, key=len, reverse=True):
        if path.lower().endswith(ending):
            return _ENDINGS[ending]
    raise DataFileError(
        f"The extension of {path!r} is not a known format; use {', '.join(_ENDINGS)}, or give the format with --to."
    )


def write_batches(path: str, kind: str, schema: pa.Schema, batches: Iterable[Any]) -> None:
    """Write batches of one schema to a file, atomically, or to standard output.

    Parameters
    ----------
    path : str
        ``"-"`` is standard output.
    kind : {"parquet", "arrow", "csv", "csv.gz"}
    schema : pyarrow Schema
    batches : iterable of pyarrow RecordBatch
    """

    def write(file: BinaryIO) -> None:
        _WRITERS[kind](file, schema, batches)

    if path == "-":
        sys.stdout.flush()
        write(standard_output())
        sys.stdout.flush()
    else:
        atomic_write(os.fspath(path), write)


def standard_output() -> BinaryIO:
    """Standard output for bytes, of which every one is written or an error is raised."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):  # it was replaced by an object without a descriptor
        return sys.stdout.buffer
    return cast(BinaryIO, _Descriptor(number))


class _Descriptor:
    """Writes all of what it is given, also where the system takes a part: unbuffered, or without blocking."""

    def __init__(self, number: int) -> None:
        self._number = number

    def write(self, content: Any) -> int:
        left = memoryview(content)
        n_bytes = len(left)
        while left:
            try:
                left = left[os.write(self._number, left[:_WRITE_BYTES]) :]
            except BlockingIOError:
                select.select([], [self._number], [])
        return n_bytes

    def flush(self) -> None: ...


def _parquet(file: BinaryIO, schema: pa.Schema, batches: Iterable[Any]) -> None:
    with pq.ParquetWriter(_Unclosed(file), schema, compression="zstd") as writer:
        waiting: list[Any] = []
        for batch in batches:
            waiting.append(batch)
            if sum(b.nbytes for b in waiting) >= _GROUP_BYTES:
                writer.write_table(pa.Table.from_batches(waiting, schema))
                waiting = []
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting, schema))


def _arrow(file: BinaryIO, schema: pa.Schema, batches: Iterable[Any]) -> None:
    # Dictionaries of an Arrow file must not change between batches, so none are used.
    plain = pa.schema([field.with_type(_undictionaried(field.type)) for field in schema])
    with pa.ipc.new_file(_Unclosed(file), plain) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(plain))


def _undictionaried(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _csv(file: Any, schema: pa.Schema, batches: Iterable[Any]) -> None:
    header = pa.array(schema.names, pa.string())
    file.write(",".join(_quoted(header).to_pylist()).encode() + b"\n")
    for batch in batches:
        file.write(csv_lines(batch))


def _csv_gz(file: BinaryIO, schema: pa.Schema, batches: Iterable[Any]) -> None:
    # without name and time, so that the same rows give the same bytes
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0, compresslevel=6) as packed:
        _csv(packed, schema, batches)


def csv_lines(batch: Any) -> bytes:
    """The rows of a batch as lines; only values that need it are quoted, and what is missing is empty.

    Examples
    --------
    >>> csv_lines(pa.record_batch({"a": [1.5, None], "b": ["x, y", "z"]}))
    b'1.5,"x, y"\\n,z\\n'
    """
    columns = [_quoted(_as_text(column)) for column in batch.columns]
    if len(columns) == 1:  # an empty line is not a row, so a missing value in a single column is quoted
        columns = [pc.if_else(pc.equal(columns[0], ""), '""', columns[0])]
    lines = pc.binary_join_element_wise(*columns, ",")
    return "\n".join([*lines.to_pylist(), ""]).encode()


def _as_text(column: Any) -> Any:
    kind = _undictionaried(column.type)
    if pa.types.is_binary(kind) or pa.types.is_nested(kind):
        raise DataFileError(f"Values of the type {kind} cannot be written as CSV; write Parquet or Arrow.")
    text = column.cast(kind).cast(pa.string())
    return unsliced(pc.fill_null(text, ""))


def _quoted(text: Any) -> Any:
    special = pc.match_substring_regex(text, '[",\r\n]')
    if not pc.any(special).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    return pc.if_else(special, pc.binary_join_element_wise('"', doubled, '"', ""), text)


class _Unclosed:
    """A file that Arrow's writers can write to but not close."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._at = file, 0

    def write(self, content: Any) -> int:
        self._file.write(content)
        self._at += len(content)
        return len(content)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None: ...

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False


_WRITERS: dict[str, Callable[[BinaryIO, pa.Schema, Iterable[Any]], None]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "csv": _csv,
    "csv.gz": _csv_gz,
}
