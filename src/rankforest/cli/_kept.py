"""Columns of the input that are kept in the output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from ..data.data_file import DataFile
from ..data.match import reading_of
from ..data.reading.apply import is_text, read_column, without
from ._model import Loaded

__all__ = ["KeptColumns"]


class KeptColumns:
    """What the kept columns are in the output.

    Columns of a format with types stay as they are. Those of CSV and Excel stay text, as it is written; only features
    that are numbers or truth values get their types, if the output has types.

    Parameters
    ----------
    loaded : Loaded
    data : DataFile
    names : sequence of str
    as_text : bool
        Whether the output is text too.
    """

    def __init__(self, loaded: Loaded, data: DataFile, names: Sequence[str], *, as_text: bool) -> None:
        self.names = list(names)
        self._data, self._as_text = data, as_text
        columns = () if as_text or data.types is not None else reading_of(loaded.schema, data).columns
        self._typed = {how.name: how for how in columns if how.kind in ("number", "boolean")}

    @property
    def fields(self) -> list[Any]:
        """Names and types."""
        return [pa.field(name, self._type(name)) for name in self.names]

    def of(self, batch: Any) -> list[Any]:
        """The columns of a batch."""
        return [self._column(batch.column(name), name) for name in self.names]

    def _type(self, name: str) -> pa.DataType:
        if self._data.types is not None:
            return self._data.types[name]
        how = self._typed.get(name)
        return pa.string() if how is None else pa.float64() if how.kind == "number" else pa.bool_()

    def _column(self, column: Any, name: str) -> Any:
        if self._data.types is not None:
            return column
        how = self._typed.get(name)
        if how is None:
            text = column if is_text(column.type) else column.cast(pa.string())
            return text if self._as_text else without(text, [""])
        made = read_column(without(column, self._data.layout.missing), how)[0]
        return made.cast(pa.float64()) if how.kind == "number" else made
