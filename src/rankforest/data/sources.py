"""Where the batches of a stream come from: files, a pyarrow dataset, or the user's own iterable.

A source gives its batches any number of times, always the same ones in the same order. Sources with named columns read
only those that are asked for.
"""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import narwhals as nw
import numpy as np
from scipy import sparse

from .batch import as_batch, column_names, take_columns
from .data_file import DataFile, DataFileError, Layout, batch_rows, check_same_columns
from .load import open_data
from .reading.recipe import Reading

if TYPE_CHECKING:  # needs pyarrow
    from .reading.file import Look

__all__ = ["BatchSource", "DatasetSource", "FileSource", "Source", "is_many", "is_source", "open_source"]

_ENDINGS = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".csv", ".csv.gz", ".tsv", ".tsv.gz")
_MAGIC = re.compile(r"[*?\[]")


class Source(Protocol):
    """Interface of a source of batches.

    Attributes
    ----------
    name : str
        Its name in messages.
    names : list or None
        Names of the columns; None if they go by position.
    n_columns : int
    """

    name: str

    @property
    def names(self) -> list[Any] | None: ...

    @property
    def n_columns(self) -> int: ...

    def batches(self, positions: Sequence[int]) -> Iterator[Any]:
        """The rows in order; of each batch the columns at these positions, in this order."""
        ...


def is_source(X: Any) -> bool:
    """Whether the table that `fit` is given comes in batches."""
    if type(X) is np.ndarray:  # what most services score, row by row
        return False
    if isinstance(X, str | os.PathLike):
        return True
    if isinstance(X, list | tuple):
        return bool(X) and (all(isinstance(one, str | os.PathLike) for one in X) or _is_batch(X[0]))
    if _is_dataset(X) or _is_reader(X):
        return True
    is_table = hasattr(X, "__array__") or hasattr(X, "__dataframe__") or hasattr(X, "shape")
    return not is_table and (callable(X) or isinstance(X, Iterator))


def open_source(X: Any, layout: Layout | None = None, as_text: Sequence[str] = ()) -> Source:
    """The batches of what a user gave.

    Parameters
    ----------
    X : path, list of paths, pyarrow dataset, Arrow reader, DuckDB relation, list of batches, or callable that returns
        an iterable of batches
    layout : Layout, optional
        How files are read.
    as_text : sequence of str
        Columns of files whose whole numbers are read as text.
    """
    if isinstance(X, FileSource):
        return X
    if isinstance(X, str | os.PathLike):
        return FileSource(data_paths(X), layout, as_text)
    if isinstance(X, list | tuple) and X and all(isinstance(one, str | os.PathLike) for one in X):
        return FileSource([path for one in X for path in data_paths(one)], layout, as_text)
    if _is_dataset(X):
        return DatasetSource(X)
    if _is_reader(X):
        from .spool import relation_reader, spooled

        reader = relation_reader(X) if _is_relation(X) else X
        return FileSource([spooled(reader, "the Arrow stream")], layout, as_text)
    if isinstance(X, Iterator):
        raise TypeError(
            f"X is a {type(X).__name__}, which can be read only once, and the rows are read several times; pass a "
            "function that returns it anew, for instance lambda: batches()."
        )
    if callable(X):
        return BatchSource(X)
    if isinstance(X, Iterable) and not hasattr(X, "shape"):
        return BatchSource(lambda: X)
    raise TypeError(
        f"X is a {type(X).__name__}; a stream is a path, a list of paths, a pyarrow dataset, a list of batches, or a "
        "function that returns batches."
    )


# ---- files


def is_many(path: str) -> bool:
    """Whether a path is a folder or a pattern."""
    return os.path.isdir(path) or bool(_MAGIC.search(path) and not os.path.exists(path))


def data_paths(given: str | os.PathLike[str]) -> list[str]:
    """The files of a path: itself, those in a folder, or those that match a pattern, in the order of their numbers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("part.10.csv", "part.2.csv", "_SUCCESS", "notes.txt"):
    ...         pathlib.Path(folder, name).touch()
    ...     [os.path.basename(path) for path in data_paths(folder)]
    ['part.2.csv', 'part.10.csv']
    """
    path = os.fspath(given)
    if os.path.isdir(path):
        found = _in_folder(path)
        if not found:
            raise DataFileError(f"{path!r} has no Parquet, Arrow or CSV file; give a folder with files of data.")
    elif _MAGIC.search(path) and not os.path.exists(path):
        found = [one for one in glob.glob(path, recursive=True) if os.path.isfile(one)]
        if not found:
            raise DataFileError(f"No file matches {path!r}.")
    else:
        return [path]
    return sorted(found, key=_by_number)


def _in_folder(folder: str) -> list[str]:
    found = []
    for root, below, names in os.walk(folder):
        below[:] = [name for name in below if not name.startswith((".", "_"))]
        for name in below:
            if "=" in name:
                raise DataFileError(
                    f"{os.path.join(root, name)!r} is a folder whose name is a column; pass pyarrow.dataset.dataset("
                    f"{folder!r}, partitioning='hive')."
                )
        data = (name for name in names if name.lower().endswith(_ENDINGS) and not name.startswith((".", "_")))
        found += [os.path.join(root, name) for name in data]
    return found


def _by_number(path: str) -> list[tuple[int, int, str]]:
    """Key that sorts part.2 before part.10."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", path) if part]


class FileSource:
    """Rows of files, one after the other.

    CSV and Excel files say little about their columns, so a pass over all rows recognises what they are, the same for
    all files; `reading` is the result. Columns of other formats are taken as they are, unless a reading is given.

    Parameters
    ----------
    paths : sequence of str, or of data files that are open
    layout : Layout, optional
    as_text : sequence of str
        Columns whose whole numbers are read as text.

    Attributes
    ----------
    raw_names : list of str
        The columns of the files.
    """

    def __init__(
        self, paths: Sequence[str | DataFile], layout: Layout | None = None, as_text: Sequence[str] = ()
    ) -> None:
        self.files: list[DataFile] = [open_data(one, layout) if isinstance(one, str) else one for one in paths]
        first = self.files[0]
        self.name = first.path if len(paths) == 1 else f"{first.path} and {len(paths) - 1} more"
        self.as_text = tuple(as_text)
        index = _index_columns(first)
        self.raw_names: list[str] = [name for name in first.names if name not in index]
        self._dropped: str | None = None
        self._whole: set[str] = set()  # columns of whole numbers
        for file in self.files[1:]:
            check_same_columns(first, file)

    @property
    def path(self) -> str:
        return self.name

    @property
    def names(self) -> list[Any] | None:
        """The columns of the batches: those of the files, and what the reading makes of them."""
        return list(self.raw_names) if self.reading is None else list(self.reading.features)

    @property
    def n_columns(self) -> int:
        return len(self.names or ())

    @cached_property
    def reading(self) -> Reading | None:
        """How the columns are read; None if they are taken as they are."""
        if all(file.types is not None for file in self.files):
            return None
        from .reading.file import look_at
        from .reading.recognise import Hints

        hints = Hints(decimal=self.files[0].layout.decimal, text=frozenset(self.as_text))
        return self.use(look_at(self.files, self.raw_names, hints))

    def use(self, look: Look) -> Reading:
        """Read the columns by what was found in them."""
        self.reading = look.reading
        self._whole = {name for name, seen in look.seen.items() if seen.whole}
        return look.reading

    def drop_without(self, name: str) -> None:
        """Leave out the rows without a value in this column."""
        self._dropped = name

    def batches(self, positions: Sequence[int]) -> Iterator[Any]:
        from .reading.file import made_table, whole_numbers

        names = self.names or []
        columns = [names[j] for j in positions]
        reading = self.reading
        for rows in self.raw_batches(self._sources(columns)):
            if reading is None:
                yield self._as_text(rows.select(columns))
                continue
            made = made_table(rows, reading, columns)
            for j, name in enumerate(columns):
                if name in self._whole:
                    made = made.set_column(j, name, whole_numbers(made.column(j)))
            yield made

    def raw_batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """The rows in order, these columns of the files as they are."""
        for file in self.files:
            for batch in file.batches(columns):
                yield self._labelled(batch)

    def _sources(self, columns: Sequence[str]) -> list[str]:
        """The columns of the files that are needed for these."""
        made = {} if self.reading is None else {name: how.name for how in self.reading.columns for name in how.features}
        wanted = [made.get(name, name) for name in columns]
        return list(dict.fromkeys([*wanted, *([] if self._dropped is None else [self._dropped])]))

    def _labelled(self, batch: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        rows = pa.Table.from_batches([batch])
        return rows if self._dropped is None else rows.filter(pc.is_valid(rows.column(self._dropped)))

    def _as_text(self, table: Any) -> Any:
        import pyarrow as pa

        for j, (name, kind) in enumerate(zip(table.schema.names, table.schema.types)):
            decimal = pa.types.is_decimal(kind)
            if name in self.as_text and (pa.types.is_integer(kind) or decimal):
                table = table.set_column(j, name, table.column(j).cast(pa.string()))
            elif decimal:  # trees cut at float64
                table = table.set_column(j, name, table.column(j).cast(pa.float64()))
        return table


def _index_columns(file: DataFile) -> set[str]:
    """Columns in which pandas has stored the index of a frame, which is no feature."""
    schema = getattr(file, "schema", None)
    known = (schema.pandas_metadata or {}) if schema is not None else {}
    return {name for name in known.get("index_columns", ()) if isinstance(name, str)}


# ---- other sources


class DatasetSource:
    """Rows of a pyarrow dataset.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    """

    def __init__(self, dataset: Any) -> None:
        self.name = "the dataset"
        self.names: list[Any] | None = list(dataset.schema.names)
        self.n_columns = len(self.names)
        self._dataset = dataset

    def batches(self, positions: Sequence[int]) -> Iterator[Any]:
        import pyarrow as pa

        assert self.names is not None
        columns = [self.names[j] for j in positions]
        # little is read ahead, so that little memory is needed
        ahead = {"batch_readahead": 2, "fragment_readahead": 1}
        for batch in self._dataset.to_batches(columns=columns, batch_size=batch_rows(len(columns)), **ahead):
            yield pa.Table.from_batches([batch])


class BatchSource:
    """Batches of the user.

    Parameters
    ----------
    make : callable
        Returns an iterable of batches: frames, Arrow tables or record batches, arrays.
    """

    def __init__(self, make: Callable[[], Iterable[Any]]) -> None:
        self.name = "the stream"
        self._make = make
        first = next(self._all(), None)
        if first is None:
            raise ValueError("The stream has no batches; give at least one.")
        self.names = column_names(first)
        self.n_columns = first.shape[1]

    def _all(self) -> Iterator[Any]:
        return map(as_batch, self._make())

    def batches(self, positions: Sequence[int]) -> Iterator[Any]:
        for batch in self._all():
            names = column_names(batch)
            if names is None or names == self.names:
                if batch.shape[1] != self.n_columns:
                    raise ValueError(
                        f"A batch has {batch.shape[1]} columns, and the first one {self.n_columns}; give all the same."
                    )
                yield take_columns(batch, positions)
                continue
            known = self.names or []
            lacking = [name for name in known if name not in names]
            if lacking or len(names) != len(known):
                odd = lacking or [name for name in names if name not in known]
                raise ValueError(
                    f"The batches differ in columns: {odd[0]!r} is in some of them only; give all the same."
                )
            yield take_columns(batch, [names.index(known[j]) for j in positions])


def _is_batch(one: Any) -> bool:
    if isinstance(one, np.ndarray):
        return one.ndim == 2
    return sparse.issparse(one) or hasattr(one, "num_rows") or nw.dependencies.is_into_dataframe(one)


def _is_dataset(X: Any) -> bool:
    module = sys.modules.get("pyarrow.dataset")
    return module is not None and isinstance(X, module.Dataset)


def _is_reader(X: Any) -> bool:
    """Whether it is an Arrow reader, or a DuckDB relation, which gives one."""
    module = sys.modules.get("pyarrow")
    return (module is not None and isinstance(X, module.RecordBatchReader)) or _is_relation(X)


def _is_relation(X: Any) -> bool:
    module = sys.modules.get("duckdb")
    return module is not None and isinstance(X, module.DuckDBPyRelation)
