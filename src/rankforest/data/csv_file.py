"""CSV files, read by Arrow, with clear errors."""

from __future__ import annotations

import codecs
import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv as arrow_csv

from .data_file import (
    Bytes,
    DataFileError,
    Layout,
    OtherFormat,
    check_distinct_names,
    guess_delimiter,
    lines_above,
    refuse_title,
)
from .quotes import find_open_quote

__all__ = ["CsvFile", "western"]

_BLOCK_BYTES = 4 * 2**20  # bytes read at a time; a row must fit
_SEPARATOR = re.compile(r"^sep=(.)$", re.IGNORECASE)  # as spreadsheets write it
_WINDOWS = re.compile(rb"[\x80-\x9f]")  # the euro sign and long dashes, which latin-1 does not have
_FEW_ZEROS = 0.01  # share of the bytes of a text that something has spoiled
_LEAST_WIDE = 8  # characters; shorter ones may be anything
_ZEROS = 0.6  # share of one half of the bytes in UTF-16 of a language with few other letters
_FIRST_ROWS = 30  # that are looked at for lines above the header
_MODEL = b'{"__metadata__":{"rankforest"'  # how the header of a model file begins
_BOMS = {b"\xff\xfe\0\0": "utf-32", b"\0\0\xfe\xff": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


class CsvFile:
    """A CSV file, see `rankforest.data.data_file.DataFile`.

    Parameters
    ----------
    content : Bytes
    layout : Layout
    """

    def __init__(self, content: Bytes, layout: Layout) -> None:
        self.path = content.name
        self.types: dict[str, Any] | None = None
        self.n_rows: int | None = None
        self._content = content
        self.layout = layout
        self._raw: Any = None
        self._gzipped = content.head[:2] == b"\x1f\x8b"
        self._check_encoding()
        lines = self._first_lines()
        self._skip = layout.skip
        said = _SEPARATOR.match(lines[0]) if lines and not layout.skip else None
        if said:
            self._skip = 1
            warnings.warn(
                f"{self.path}: the first line, {lines[0]!r}, names the delimiter; it is no header.", stacklevel=2
            )
        lines = lines[self._skip :]
        self._delimiter = layout.delimiter or (said and said[1]) or guess_delimiter(lines[0] if lines else "")
        self._blank_rows = False
        self._quotes_checked = False
        try:
            with self._open() as stream, self._reader(stream, arrow_csv.ConvertOptions()) as reader:
                self.names = check_distinct_names(reader.schema.names, self.path)
        except (pa.ArrowException, OSError, UnicodeError) as error:
            self._refuse_title(lines, *([layout.delimiter] if layout.delimiter else []))
            self._refuse(error, ())
        if len(self.names) > 1 or layout.delimiter:
            self._refuse_title(lines, self._delimiter)
        self._blank_rows = len(self.names) == 1  # a blank line is a row whose only value is missing

    @property
    def share_read(self) -> float:
        return min(1.0, self._raw.tell() / self._content.size) if self._raw and not self._raw.closed else 1.0

    def table(self) -> pa.Table:
        self._check_quotes()
        found = None
        # The fast reader does not report the row of an error, so the slow one is used then.
        for threads in (True, False):
            try:
                with self._open() as stream:
                    found = arrow_csv.read_csv(
                        stream,
                        read_options=self._read_options(threads),
                        parse_options=self._parse_options(),
                        convert_options=self._convert_options(self.names),
                    )
                break
            except (pa.ArrowException, OSError, UnicodeError) as error:
                if not threads:
                    self._refuse(error, self.names)
        assert found is not None
        return found

    def batches(self, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> Iterator[pa.RecordBatch]:
        self._check_quotes()
        options = self._convert_options(self.names if columns is None else columns, verbatim=verbatim)
        try:
            with self._open() as stream, self._reader(stream, options) as reader:
                yield from reader
        except (pa.ArrowException, UnicodeError) as error:
            self._refuse(error, self.names)

    # ---- options for Arrow

    def _open(self) -> Any:
        self._raw = self._content.open()
        return pa.CompressedInputStream(self._raw, "gzip") if self._gzipped else self._raw

    def _reader(self, stream: Any, options: arrow_csv.ConvertOptions) -> Any:
        return arrow_csv.open_csv(
            stream,
            read_options=self._read_options(False),
            parse_options=self._parse_options(),
            convert_options=options,
        )

    def _read_options(self, threads: bool) -> arrow_csv.ReadOptions:
        encoding = self.layout.encoding.lower()
        encoding = "utf8" if encoding in ("utf-8", "utf8", "utf-8-sig") else encoding
        return arrow_csv.ReadOptions(
            use_threads=threads, block_size=_BLOCK_BYTES, encoding=encoding, skip_rows=self._skip
        )

    def _parse_options(self) -> arrow_csv.ParseOptions:
        return arrow_csv.ParseOptions(
            delimiter=self._delimiter, newlines_in_values=True, ignore_empty_lines=not self._blank_rows
        )

    def _convert_options(self, columns: Sequence[str], *, verbatim: bool = False) -> arrow_csv.ConvertOptions:
        return arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in columns},
            include_columns=list(columns),
            null_values=list(self.layout.missing),
            strings_can_be_null=not verbatim,
        )

    # ---- errors of the file

    def _check_encoding(self) -> None:
        try:
            "".encode(self.layout.encoding)
        except LookupError:
            raise DataFileError(
                f"The encoding {self.layout.encoding!r} is not known; give one such as utf-8 or latin-1."
            ) from None
        found = next((name for mark, name in _BOMS.items() if self._content.head.startswith(mark)), None)
        plain = self.layout.encoding.lower() in ("utf-8", "utf8")
        if plain and not found and not self._gzipped:
            found = _wide(self._content.head[:4096])
            if found:
                warnings.warn(f"{self.path} is read as {found.upper()}, of which it has the look.", stacklevel=3)
        if found and plain:
            self.layout = replace(self.layout, encoding=found)
        if not self._gzipped and b"\0" in self._content.head[:4096] and not found:
            if _MODEL in self._content.head[:64]:
                raise DataFileError(f"{self.path} is a model of rankforest, not data; give a file of rows.")
            head = self._content.head[:4096]
            if head.count(0) <= _FEW_ZEROS * len(head):
                line = head[: head.index(0)].count(b"\n") + 1
                raise OtherFormat(f"{self.path}: line {line} holds the character NUL, which is no text; remove it.")
            raise OtherFormat(f"{self.path} is not a text file; give CSV, Excel, Parquet or Arrow.")

    def _check_quotes(self) -> None:
        """Refuse a quotation mark that swallows rows; once, because it takes a pass over the file."""
        if self._quotes_checked:
            return
        self._quotes_checked = True
        try:
            found = find_open_quote(self._blocks(), self._blocks(), self._delimiter, self._skip)
        except (pa.ArrowException, OSError, UnicodeError) as error:
            self._refuse(error, ())
        if found is not None:
            where = "to the end of the file" if found.until is None else f"to line {found.until}"
            raise DataFileError(
                f"{self.path}: the quotation mark in line {found.line} is not closed, and everything {where} would be "
                'one value; close it, or write it twice ("") if it is part of the value.'
            )

    def _blocks(self) -> Iterator[bytes]:
        """The text of the file in an encoding that extends ASCII."""
        wide = self.layout.encoding.lower().replace("_", "-").startswith(("utf-16", "utf16", "utf-32", "utf32"))
        decoder = codecs.getincrementaldecoder(self.layout.encoding)(errors="replace") if wide else None
        with self._open() as stream:
            while block := bytes(stream.read(_BLOCK_BYTES)):
                yield block if decoder is None else decoder.decode(block).encode()

    def _first_lines(self) -> list[str]:
        try:
            with self._open() as stream:
                head = bytes(stream.read(65536))
        except (pa.ArrowException, OSError) as error:
            self._refuse(error, ())
        return head.decode(self.layout.encoding, errors="replace").removeprefix("\ufeff").splitlines()

    def _refuse_title(self, lines: Sequence[str], *delimiters: str) -> None:
        """Refuse a file with lines above its header."""
        whole = lines[:_FIRST_ROWS]
        for delimiter in delimiters or (self._delimiter, ",", ";", "\t", "|"):
            rows = list(csv.reader(whole, delimiter=delimiter))
            widths = [len(row) for row in rows]
            if lines_above(widths) == 1 and widths[0] > 1 and not any(any(row[widths[0] :]) for row in rows[1:]):
                raise DataFileError(
                    f"{self.path}: the rows end with the delimiter {delimiter!r}, and the header does not; add it "
                    "there, for a column without a name."
                )
            refuse_title(lines_above(widths), self.path)

    def _not_text(self, where: str) -> str:
        return (
            f"{self.path}: {where} is not {self.layout.encoding.upper()} text; give the encoding of the file, for "
            f"instance with --encoding {western(self._content.head)}."
        )

    def _refuse(self, error: Exception, names: Sequence[str]) -> NoReturn:
        """Raise a clear error for what Arrow, or Python, found."""
        said = str(error)
        if isinstance(error, UnicodeError):
            raise DataFileError(self._not_text("it")) from None
        ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", said)
        if ragged or "straddl" in said:
            self._check_quotes()  # an open one may be the cause
        if ragged:
            row = "a row" if ragged[1] is None else f"row {int(ragged[1]) - 1 - self._skip}"
            values = "1 value" if ragged[3] == "1" else f"{ragged[3]} values"
            raise DataFileError(
                f"{self.path}: {row} has {values}, and the header has {ragged[2]} columns; correct the row, or give "
                "another --delimiter."
            ) from None
        value = re.search(r"CSV column #(\d+): (?:Row #(\d+): )?.*conversion error.*UTF8", said, re.DOTALL)
        if value:
            column = names[int(value[1])] if names else value[1]
            where = f"column {column!r}" + ("" if value[2] is None else f" in row {int(value[2]) - 1 - self._skip}")
            raise DataFileError(self._not_text(where)) from None
        if "Empty CSV" in said:
            raise DataFileError(f"{self.path} is empty; give a file with a header and rows.") from None
        if "straddl" in said:
            raise DataFileError(
                f"{self.path} has a row of more than {_BLOCK_BYTES // 2**20} MB; is a quotation mark never closed?"
            ) from None
        raise DataFileError(f"{self.path} cannot be read as CSV ({' '.join(said.split())}).") from None


def western(text: bytes) -> str:
    """The name of the encoding that text of western Europe probably has, if it is not UTF-8.

    Examples
    --------
    >>> western("5 €".encode("cp1252")), western("Köln".encode("latin-1"))
    ('cp1252', 'latin-1')
    """
    return "cp1252" if _WINDOWS.search(text) else "latin-1"


def _wide(head: bytes) -> str | None:
    """The encoding of text of two bytes a character without a mark: every second byte is 0.

    Examples
    --------
    >>> _wide("age,city,y\\n".encode("utf-16-le")), _wide(b"age,city,y\\n")
    ('utf-16-le', None)
    """
    half = len(head) // 2
    first, second = (head[start : 2 * half : 2].count(0) for start in (0, 1))
    if half >= _LEAST_WIDE and max(first, second) > _ZEROS * half and min(first, second) == 0:
        return "utf-16-le" if second else "utf-16-be"
    return None
