"""Tables in files, opened: CSV (also gzipped), Excel, Parquet and Arrow, from disk or standard input."""

from __future__ import annotations

import os
import re
import zipfile
from dataclasses import replace

from ..extras import needed
from .data_file import Bytes, DataFile, DataFileError, Layout, NotData, OtherFormat
from .errors import listed

__all__ = ["looks_like", "open_data"]

_WORDS = {"csv": "a CSV file", "parquet": "a Parquet file", "arrow": "an Arrow file", "xlsx": "an Excel file"}
_JSON = re.compile(rb"\[\s*[\[{]|\{\s*\"")  # a header may begin with [age]
_NAMED = 3  # files of an archive that are named
_OLD_EXCEL = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MODEL = b'{"__metadata__":{"rankforest":'
FORMATS = ("csv", "parquet", "arrow", "xlsx")


def open_data(path: str | os.PathLike[str], layout: Layout | None = None) -> DataFile:
    """Open a file of data and look at its columns.

    Parameters
    ----------
    path : path
        ``"-"`` is standard input.
    layout : Layout, optional

    Raises
    ------
    DataFileError
        One sentence about a file that cannot be read, is empty or has two columns of one name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(f"{folder}/a.csv", "w") as file:
    ...         _ = file.write("age;city\\n30;Lyon\\n?;Paris\\n")
    ...     data = open_data(f"{folder}/a.csv")
    ...     data.names, data.table()["age"].to_pylist()
    (('age', 'city'), ['30', None])
    """
    needed("pyarrow", "Reading files needs", "cli")
    layout = Layout() if layout is None else layout
    if layout.format is not None and layout.format not in FORMATS:
        raise DataFileError(f"The format is {layout.format!r}; give one of {', '.join(FORMATS)}.")
    content = Bytes(os.fspath(path))
    if content.size == 0:
        raise DataFileError(f"{content.name} is empty; give a file with a header and rows.")
    kind = layout.format or _format_of(content)
    if kind == "csv":
        from .csv_file import CsvFile

        if layout.delimiter is None:
            ending = content.name.removesuffix(".gz").lower().endswith(".tsv")
            layout = replace(layout, delimiter="\t" if ending else None)
        return CsvFile(content, layout)
    if kind == "xlsx":
        from .excel_file import ExcelFile

        return ExcelFile(content, layout)
    from .arrow_file import ArrowFile, ParquetDataFile

    return ParquetDataFile(content, layout) if kind == "parquet" else ArrowFile(content, layout)


def looks_like(path: str | os.PathLike[str]) -> str | None:
    """What a file of data is, such as "a CSV file", by its first bytes; None if it is not such a file.

    Examples
    --------
    >>> looks_like(__file__ + ".missing") is None
    True
    """
    try:
        content = Bytes(os.fspath(path))
        kind = _format_of(content)
    except (OSError, ValueError):
        return None
    if kind == "csv" and not content.name.lower().endswith((".csv.gz", ".tsv.gz")):
        first = content.head.partition(b"\n")[0]
        if b"\0" in content.head or not any(mark in first for mark in (b",", b";", b"\t", b"|")):
            return None
    return _WORDS[kind]


def _format_of(content: Bytes) -> str:
    head = content.head
    if head[:4] == b"PAR1":
        return "parquet"
    if head[:6] == b"ARROW1" or head[:4] == b"\xff\xff\xff\xff":
        return "arrow"
    if head[:4] == b"PK\x03\x04":
        _refuse_archive(content)
        return "xlsx"
    if head[8:].startswith(_MODEL):
        raise NotData(f"{content.name} is a model of rankforest, not data; give a file of rows.")
    if head[:8] == _OLD_EXCEL:
        raise OtherFormat(f"{content.name} is an Excel file of the old kind (.xls); save it as .xlsx or CSV.")
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:512].lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<table")):
        raise OtherFormat(
            f"{content.name} is a page of HTML or XML, whatever its name; open it in a spreadsheet, and save it as "
            ".xlsx or CSV."
        )
    if _JSON.match(start):
        raise OtherFormat(f"{content.name} is JSON, not a table; give CSV, Excel, Parquet or Arrow.")
    return "csv"


def _refuse_archive(content: Bytes) -> None:
    """Raise an error for an archive without sheets; what cannot be opened is left to the reader of Excel files."""
    try:
        with content.open() as file, zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
    except (OSError, ValueError, zipfile.BadZipFile):
        return
    if not any(name.startswith("xl/") for name in names):
        inside = listed(names[:_NAMED]) + (" and more" if len(names) > _NAMED else "")
        raise OtherFormat(
            f"{content.name} is an archive with {inside or 'no file'}; unpack it, and give a file of rows."
        )
