"""A table that is read in batches, because it is larger than memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from .batch import one_column
from .code_file import bytes_of
from .data_file import Layout
from .errors import listed
from .sources import Source, is_source, open_source

__all__ = ["Stream", "as_stream", "refuse_stream"]


class Stream:
    """A table that is read in batches: `fit` keeps one byte per value of it, in memory or in a file.

    Estimators make one of any path, list of paths, pyarrow dataset, or function that returns batches; it is needed
    only to change the options. The names of the columns of the labels and weights are given to `fit`.

    Parameters
    ----------
    source : path, list of paths, pyarrow dataset, Arrow reader, DuckDB relation, list of batches, or callable that
        returns an iterable of batches
        A path is a file (Parquet, Arrow, CSV), a folder of files, or a pattern such as ``"folder/*.parquet"``; files
        are read in the order of their names, with part.2 before part.10. Batches are data frames, Arrow tables or
        record batches, or arrays, and must be the same each time. A reader or relation is read once, and its rows are
        kept in a nameless temporary file.
    ignore : sequence of column names, or of positions where columns have no names
        Columns that are no features.
    memory : str or int
        Memory for the codes, for instance ``"2GB"``. If they need more, they are in a file.
    folder : path or None
        Where that file is made; None is the system's place for temporary files. It has no name and is gone when the
        model that was fitted is, however the process ends.
    layout : Layout or None
        How CSV files are read.
    as_text : sequence of str
        Columns of files whose whole numbers are text, such as codes of places.

    Examples
    --------
    >>> import numpy as np
    >>> from rankforest import Stream, TreeRank
    >>> rows = np.random.default_rng(0).normal(size=(300, 3))
    >>> rows[:, 2] = rows[:, 0] > rows[:, 1]  # the labels
    >>> model = TreeRank(max_depth=3).fit(Stream([rows[:100], rows[100:]], memory="1MB"), 2)
    >>> model.n_features_in_
    2
    """

    def __init__(
        self,
        source: Any,
        *,
        ignore: Sequence[Any] = (),
        memory: str | int = "2GB",
        folder: str | os.PathLike[str] | None = None,
        layout: Layout | None = None,
        as_text: Sequence[str] = (),
    ) -> None:
        bytes_of(memory)  # a wrong size is said before any work
        if folder is not None and not os.path.isdir(folder):
            raise ValueError(f"folder is {os.fspath(folder)!r}, which is no folder; give one that exists.")
        self.source: Source = open_source(source, layout, as_text)
        self.ignore = [self.position(name, "ignore") for name in ignore]
        self.memory, self.folder = memory, folder

    def __repr__(self) -> str:
        return f"Stream({self.source.name}, {self.source.n_columns} columns)"

    def position(self, name: Any, role: str) -> int:
        """The position of a column, given by its name, or by its position where columns have no names.

        Parameters
        ----------
        name : object
        role : str
            Name of the parameter, for error messages.
        """
        names, n = self.source.names, self.source.n_columns
        if names is not None:
            if name not in names:
                raise ValueError(
                    f"{role} is {name!r}, and {self.source.name} has no such column; its columns are {listed(names)}."
                )
            return names.index(name)
        if isinstance(name, bool) or not isinstance(name, int) or not -n <= name < n:
            raise ValueError(
                f"{role} is {name!r}, and the {n} columns of the batches have no names; give a position below {n}."
            )
        return name % n

    def features(self, *others: int | None) -> list[int]:
        """Positions of the features: all columns but those that are ignored, and these others."""
        left = [j for j in range(self.source.n_columns) if j not in self.ignore and j not in others]
        if not left:
            raise ValueError(f"{self.source.name} has no columns besides labels and weights; add features.")
        return left

    def batches(self, positions: Sequence[int]) -> Iterator[Any]:
        """The rows in order; of each batch these columns."""
        return self.source.batches(positions)

    def columns(self, positions: Sequence[int]) -> Iterator[list[Any]]:
        """The same, each column as a series or an array."""
        for batch in self.batches(positions):
            yield [one_column(batch, k) for k in range(len(positions))]


def as_stream(X: Any) -> Stream | None:
    """The stream of what `fit` is given; None if it is a table."""
    if isinstance(X, Stream):
        return X
    return Stream(X) if is_source(X) else None


def refuse_stream(X: Any, estimator_name: str) -> None:
    """Refuse a stream, for a model that needs the values of all rows at once."""
    if isinstance(X, Stream) or is_source(X):
        raise TypeError(
            f"{estimator_name} needs the values of all rows at once, and not only their bins; load the table as a "
            "frame, or use a model of trees."
        )
