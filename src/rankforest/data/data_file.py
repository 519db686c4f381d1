"""A table in a file: what all formats have in common.

A `DataFile` has the names of its columns, and gives its rows as Arrow batches, any number of times. Errors name the
file, the column, the value and the remedy; rows are numbered from 1, the first one below the header.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = [
    "MISSING",
    "Bytes",
    "DataFile",
    "DataFileError",
    "Layout",
    "NoSuchFile",
    "NotData",
    "OtherFormat",
    "batch_rows",
    "check_distinct_names",
    "check_same_columns",
    "guess_delimiter",
    "lines_above",
    "refuse_title",
]

MISSING = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")
_BATCH_ROWS = 65536
_BATCH_BYTES = 32 * 2**20
_TABLE_ROWS = 3  # of one width, before what stands above them is taken for a title
_DELIMITERS = (",", ";", "\t", "|")


class DataFileError(ValueError):
    """An error of a data file."""


class NoSuchFile(DataFileError):
    """There is no file of that name."""


class NotData(DataFileError):
    """The file is a model: the command was given its files in another order."""


class OtherFormat(DataFileError):
    """The file is of another kind than those that are read, so that no row of it can be."""


@dataclass(frozen=True)
class Layout:
    """Options for reading a file, if they are not detected.

    Attributes
    ----------
    format : {"csv", "parquet", "arrow", "xlsx"} or None
        None detects it from the first bytes.
    delimiter : str or None
        Delimiter of a CSV file; None detects it from the header.
    decimal : str or None
        The decimal point of a CSV file; None recognises it in each column.
    encoding : str
        Of a CSV file.
    missing : tuple of str
        Words for a missing value in a CSV file.
    skip : int
        Lines above the header of a CSV file, or rows above that of an Excel file.
    sheet : str or None
        Of an Excel file; None is the first one with values.

    Examples
    --------
    >>> Layout(delimiter=";", decimal=",").encoding
    'utf-8'
    """

    format: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = MISSING
    skip: int = 0
    sheet: str | None = None


class DataFile(Protocol):
    """A table in a file.

    Attributes
    ----------
    path : str
        Its name in error messages.
    names : tuple of str
        The columns.
    types : dict or None
        Arrow types by name, where the format knows them; None for CSV.
    n_rows : int or None
        Where the format knows it.
    layout : Layout
        How it is read.
    """

    path: str
    names: tuple[str, ...]
    types: dict[str, Any] | None
    n_rows: int | None
    layout: Layout

    @property
    def share_read(self) -> float:
        """How much of the file has been read since `batches` was last called, in [0, 1]."""
        ...

    def table(self) -> Any:
        """All rows as an Arrow table; columns of a CSV file are text."""
        ...

    def batches(self, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> Iterator[Any]:
        """The rows in order, in Arrow record batches; columns of a CSV file are text.

        Parameters
        ----------
        columns : sequence of str, optional
            All by default.
        verbatim : bool
            Whether words for a missing value stay text.
        """
        ...


class Bytes:
    """The bytes of a file; standard input is copied to a nameless temporary file, so that it can be read again.

    Parameters
    ----------
    path : str
        ``"-"`` is standard input.
    spool : file, optional
        A nameless file that has the bytes already; the path is then only a name.
    """

    def __init__(self, path: str, spool: Any = None) -> None:
        self.name = "standard input" if path == "-" else path
        self._spool: Any = spool
        self._path = path
        if spool is not None:
            pass
        elif path == "-":
            self._spool = _copied(sys.stdin.buffer)
        else:
            _check_readable(path)
            if not os.path.isfile(path):  # a pipe, such as <(...) of a shell, can be read only once
                with open(path, "rb") as pipe:
                    self._spool = _copied(pipe)
        with self.open() as file:
            self.head = bytes(file.read(65536))
        self.size = self._spool.seek(0, os.SEEK_END) if self._spool else os.path.getsize(path)

    def open(self) -> Any:
        """The bytes from the beginning, as an Arrow file."""
        import pyarrow as pa

        if self._spool is None:
            return pa.OSFile(self._path, "rb")
        return pa.PythonFile(_Reread(os.dup(self._spool.fileno())), mode="r")


class _Reread:
    """A reader with a position of its own on a file that is open already."""

    def __init__(self, number: int) -> None:
        self._number, self._at, self.closed = number, 0, False

    def read(self, n: int = -1) -> bytes:
        n = os.fstat(self._number).st_size - self._at if n is None or n < 0 else n
        found = os.pread(self._number, n, self._at)
        self._at += len(found)
        return found

    def seek(self, to: int, whence: int = 0) -> int:
        self._at = to + (0, self._at, os.fstat(self._number).st_size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def flush(self) -> None: ...

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            os.close(self._number)


def check_distinct_names(names: Sequence[str], path: str) -> tuple[str, ...]:
    """Raise an error if two columns have the same name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataFileError(f"{path} has {list(names).count(name)} columns named {name!r}; rename all but one.")
        seen.add(name)
    return tuple(names)


def check_same_columns(first: DataFile, file: DataFile) -> None:
    """Raise DataFileError if one of two files has a column that the other has not."""
    odd = [name for name in (*first.names, *file.names) if (name in first.names) != (name in file.names)]
    if odd:
        has, lacks = (first, file) if odd[0] in first.names else (file, first)
        raise DataFileError(
            f"{has.path} has a column {odd[0]!r}, and {lacks.path} has not; give files with the same columns."
        )


def batch_rows(n_columns: int) -> int:
    """Rows of a batch: many, but few enough that the batch of a wide table stays small.

    Examples
    --------
    >>> batch_rows(10), batch_rows(10_000)
    (65536, 419)
    """
    return max(1, min(_BATCH_ROWS, _BATCH_BYTES // (8 * max(1, n_columns))))


def lines_above(widths: Sequence[int]) -> int:
    """Rows above the header, given how many values the first rows have; 0 if the first one is as wide as the others.

    Examples
    --------
    >>> lines_above([1, 0, 3, 3, 3]), lines_above([3, 3, 3]), lines_above([1, 1, 2])
    (2, 0, 0)
    """
    if len(widths) < 3 or widths[-1] < 2 or widths[0] >= widths[-1]:
        return 0
    first = next(k for k, width in enumerate(widths) if width == widths[-1])
    same = all(width == widths[-1] for width in widths[first:])
    return first if same and len(widths) - first >= _TABLE_ROWS else 0


def refuse_title(n_above: int, path: str) -> None:
    """Raise DataFileError if rows stand above the header."""
    if n_above:
        what = "1 line stands" if n_above == 1 else f"{n_above} lines stand"
        raise DataFileError(f"{path}: {what} above the header; add --skip {n_above} to leave them out.")


def guess_delimiter(header: str) -> str:
    """The most frequent of comma, semicolon, tab and bar in the header.

    Examples
    --------
    >>> guess_delimiter("age;city"), guess_delimiter("age")
    (';', ',')
    """
    return max(_DELIMITERS, key=lambda one: (header.count(one), -_DELIMITERS.index(one)))


def _check_readable(path: str) -> None:
    if not os.path.exists(path):
        raise NoSuchFile(f"There is no file {path!r}.")
    if os.path.isdir(path):
        raise DataFileError(f"{path!r} is a folder; give a file.")
    if not os.access(path, os.R_OK):
        raise DataFileError(f"{path!r} may not be read; change its permissions.")


def _copied(stream: Any) -> Any:
    # it has no name, so nothing is left of it, however the process ends
    spool = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(stream, spool, 2**20)
    spool.flush()
    return spool
