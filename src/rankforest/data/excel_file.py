"""Excel files (.xlsx): one sheet, with its header in the first row that is not empty."""

from __future__ import annotations

import datetime
import io
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from ..extras import needed
from .data_file import (
    Bytes,
    DataFileError,
    Layout,
    batch_rows,
    check_distinct_names,
    lines_above,
    refuse_title,
)
from .errors import listed

__all__ = ["ExcelFile"]

_FIRST_ROWS = 30  # that are looked at for rows above the header


class ExcelFile:
    """An Excel file, see `rankforest.data.data_file.DataFile`. All of it is in memory.

    Cells keep their values, not their looks: a date is a date. A column of mixed values is text.

    Parameters
    ----------
    content : Bytes
    layout : Layout
    """

    def __init__(self, content: Bytes, layout: Layout) -> None:
        openpyxl = needed("openpyxl", "Reading Excel files needs", "excel")
        self.path, self.layout = content.name, layout
        self.types: dict[str, Any] | None = None  # a cell may hold anything
        self.share_read = 1.0
        try:
            with content.open() as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about looks that are not kept
                book = openpyxl.load_workbook(io.BytesIO(file.read()), read_only=True, data_only=True)
                sheets = [(sheet.title, list(sheet.iter_rows(values_only=True))) for sheet in book.worksheets]
        except Exception as error:
            raise DataFileError(f"{self.path} cannot be read as Excel ({' '.join(str(error).split())}).") from None
        title, rows = self._chosen(sheets)
        self.sheet = title
        self.sheets = {name: _words(rows) for name, rows in sheets if any(map(_is_filled, rows))}
        if layout.sheet is None and len(self.sheets) > 1:
            others = [name for name in self.sheets if name != title]
            warnings.warn(
                f"{self.path} has several sheets with values, of which {title!r}, the first, is read, and "
                f"{listed(others)} not; --sheet names another.",
                stacklevel=2,
            )
        rows = _trimmed(rows[layout.skip :])
        refuse_title(lines_above([_width(row) for row in rows[:_FIRST_ROWS]]), self.path)
        header, *rows = rows
        self.names = check_distinct_names([_name(one, k) for k, one in enumerate(header)], self.path)
        self.n_rows: int | None = len(rows)
        columns = list(zip(*rows)) if rows else [()] * len(header)
        self._verbatim = pa.table([_text(column, ()) for column in columns], names=list(self.names))
        self._table = pa.table([_typed(column, layout.missing) for column in columns], names=list(self.names))

    def _chosen(self, sheets: list[tuple[str, list[tuple[Any, ...]]]]) -> tuple[str, list[tuple[Any, ...]]]:
        """The sheet to read, and its rows."""
        wanted, skip = self.layout.sheet, self.layout.skip
        titles = [title for title, _ in sheets]
        if wanted is not None and wanted not in titles:
            raise DataFileError(f"{self.path} has no sheet {wanted!r}; it has {', '.join(map(repr, titles))}.")
        for title, rows in sheets:
            if wanted in (None, title) and any(_is_filled(row) for row in rows[skip:]):
                return title, rows
        raise DataFileError(f"{self.path} is empty; give a file with a header and rows.")

    def table(self) -> pa.Table:
        return self._table

    def batches(self, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> Iterator[pa.RecordBatch]:
        wanted = list(self.names if columns is None else columns)
        table = self._verbatim if verbatim else self._table
        yield from table.select(wanted).to_batches(max_chunksize=batch_rows(len(wanted)))


def _words(rows: Sequence[Sequence[Any]]) -> frozenset[str]:
    """What is written in the first rows, where the header is."""
    return frozenset(value for row in rows[:_FIRST_ROWS] for value in row if isinstance(value, str))


def _is_filled(row: Sequence[Any]) -> bool:
    return any(value is not None and value != "" for value in row)


def _width(row: Sequence[Any]) -> int:
    """1 for a title, which is one value beside empty cells; else the number of cells."""
    return len(row) if sum(value not in (None, "") for value in row) > 1 else 1


def _trimmed(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """From the header to the last row with a value; columns beyond the last name or value are cut off."""
    filled = [k for k, row in enumerate(rows) if _is_filled(row)]
    kept = rows[filled[0] : filled[-1] + 1]
    width = max(max((j + 1 for j, value in enumerate(row) if value not in (None, "")), default=0) for row in kept)
    return [(*row[:width], *[None] * (width - len(row))) for row in kept]


def _name(value: Any, position: int) -> str:
    return f"column {position + 1}" if value is None else _written(value)


def _typed(column: Sequence[Any], missing: Sequence[str]) -> Any:
    """The values of a column in the type that all of them have; else as text."""
    values = [None if isinstance(one, str) and one.strip() in missing else one for one in column]
    kinds = {type(one) for one in values if one is not None}
    if not kinds:
        return pa.nulls(len(values), pa.string())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    if kinds == {int}:
        return pa.array(values, pa.int64()) if all(abs(one or 0) < 2**63 for one in values) else _text(column, missing)
    if kinds <= {int, float}:
        return pa.array(values, pa.float64())
    if kinds <= {datetime.datetime, datetime.date}:
        whole = datetime.time()
        days = [
            one if one is None or isinstance(one, datetime.datetime) else datetime.datetime.combine(one, whole)
            for one in values
        ]
        return pa.array(days, pa.timestamp("us"))
    if kinds == {datetime.time}:
        return pa.array(values, pa.time64("us"))
    if kinds and kinds <= {datetime.time, datetime.timedelta}:  # a duration of less than a day is a time
        return pa.array([_duration(one) for one in values], pa.duration("us"))
    return _text(column, missing)


def _duration(value: Any) -> datetime.timedelta | None:
    if not isinstance(value, datetime.time):
        found: datetime.timedelta | None = value
        return found
    return datetime.datetime.combine(datetime.date.min, value) - datetime.datetime.min


def _text(column: Sequence[Any], missing: Sequence[str]) -> Any:
    words = [None if one is None else _written(one) for one in column]
    return pa.array([None if word is not None and word.strip() in missing else word for word in words], pa.string())


def _written(value: Any) -> str:
    """A value as a person would write it."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return str(value.date() if value.time() == datetime.time() else value)
    return str(value)
