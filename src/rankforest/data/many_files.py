"""Several files as one: a folder, or the files that match a pattern."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from .data_file import DataFile, DataFileError, Layout, check_same_columns
from .load import open_data
from .sources import data_paths, is_many

__all__ = ["ManyFiles", "open_files"]


def open_files(path: str | os.PathLike[str], layout: Layout | None = None) -> DataFile:
    """Open a file of data, or all files of a folder or of a pattern as one.

    Parameters
    ----------
    path : path
        ``"-"`` is standard input.
    layout : Layout, optional

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (1, 2):
    ...         _ = pathlib.Path(folder, f"part.{number}.csv").write_text(f"age,city\\n{number},Lyon\\n")
    ...     open_files(f"{folder}/part.*.csv").table()["age"].to_pylist()
    ['1', '2']
    """
    given = os.fspath(path)
    if not is_many(given):
        return open_data(given, layout)
    return ManyFiles(given, [open_data(one, layout) for one in data_paths(given)])


class ManyFiles:
    """Files with the same columns, one after the other; the first one says their order and how they are read.

    Parameters
    ----------
    path : str
        Their common name in messages.
    files : sequence of DataFile
    """

    def __init__(self, path: str, files: Sequence[DataFile]) -> None:
        self.path, self._files, self._n_read = path, list(files), 0
        first = self._files[0]
        self.names, self.types, self.layout = first.names, first.types, first.layout
        numbers = [file.n_rows for file in self._files]
        self.n_rows = None if None in numbers else sum(number for number in numbers if number is not None)
        for file in self._files[1:]:
            check_same_columns(first, file)
            self._check_types(first, file)

    @staticmethod
    def _check_types(first: DataFile, file: DataFile) -> None:
        for name in first.names:
            kinds = [None if one.types is None else one.types[name] for one in (first, file)]
            if kinds[0] != kinds[1]:
                one, other = ("text" if kind is None else str(kind) for kind in kinds)
                raise DataFileError(
                    f"Column {name!r} is {one} in {first.path} and {other} in {file.path}; give files of one type, or "
                    "one file at a time."
                )

    @property
    def share_read(self) -> float:
        current = self._files[self._n_read].share_read if self._n_read < len(self._files) else 0.0
        return (self._n_read + current) / len(self._files)

    def table(self) -> Any:
        import pyarrow as pa

        return pa.concat_tables([file.table().select(list(self.names)) for file in self._files])

    def batches(self, columns: Sequence[str] | None = None, *, verbatim: bool = False) -> Iterator[Any]:
        wanted = list(self.names if columns is None else columns)
        self._n_read = 0
        for file in self._files:
            for batch in file.batches(wanted, verbatim=verbatim):
                yield batch.select(wanted)
            self._n_read += 1
