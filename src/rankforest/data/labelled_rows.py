"""The rows of a file that have a label, as a file of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .data_file import DataFile
from .reading.apply import without

__all__ = ["LabelledRows"]


class LabelledRows:
    """The rows of a file without those that have no value in a column; see `rankforest.data.data_file.DataFile`.

    Parameters
    ----------
    file : DataFile
    column : str
        Of the labels.
    missing : sequence of str
        Further words for a missing value in the column.
    """

    def __init__(self, file: DataFile, column: str, missing: Sequence[str] = ()) -> None:
        self._file, self._column, self._missing = file, column, tuple(missing)
        self.path, self.names, self.types, self.layout = file.path, file.names, file.types, file.layout
        self.n_rows: int | None = None  # it is known when all are read

    @property
    def share_read(self) -> float:
        return self._file.share_read

    def table(self) -> Any:
        parts = list(self.batches())
        return pa.Table.from_batches(parts) if parts else self._file.table().slice(0, 0)

    def batches(self, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> Iterator[Any]:
        wanted = list(self.names if columns is None else columns)
        for batch in self._file.batches(list(dict.fromkeys([*wanted, self._column])), verbatim=verbatim):
            words = (*self._file.layout.missing, *self._missing) if verbatim else self._missing
            known = pc.is_valid(without(batch.column(self._column), words))
            yield batch.select(wanted).filter(known)
