"""What `fit` is given, as pieces: the features, labels and weights of each partition, none of them loaded here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client

from ..data.errors import listed
from ..data.sources import data_paths
from ._collections import is_array, is_frame, rows_of, split_like

__all__ = ["ParquetPiece", "Pieces", "column_of", "pieces_of", "table_of"]

_MOST_BYTES = 2**27  # of a piece of a file, as doubles
_ENDINGS = (".parquet", ".pq")


@dataclass(frozen=True)
class Pieces:
    """The partitions in the order of the rows.

    Attributes
    ----------
    X, y : list
        Tasks of Dask (`Delayed`), or `ParquetPiece`.
    weight, groups : list or None
    """

    X: list[Any]
    y: list[Any]
    weight: list[Any] | None
    groups: list[Any] | None = None


@dataclass(frozen=True)
class ParquetPiece:
    """Some row groups of a Parquet file, and some of its columns; the worker that needs them reads them."""

    path: str
    groups: tuple[int, ...]
    columns: tuple[str, ...]

    def read(self) -> pa.Table:
        with pq.ParquetFile(self.path) as file:
            return file.read_row_groups(list(self.groups), columns=list(self.columns), use_threads=False)


def table_of(piece: Any) -> Any:
    """The rows of a piece, on the worker."""
    return piece.read() if isinstance(piece, ParquetPiece) else piece


def column_of(piece: Any) -> Any:
    """The only column of a piece, on the worker."""
    return piece.read().column(0) if isinstance(piece, ParquetPiece) else piece


def pieces_of(X: Any, y: Any, sample_weight: Any, client: Client, groups: Any = None) -> Pieces:
    """The partitions of what `fit` is given.

    Parameters
    ----------
    X : Dask array or frame, path, or list of paths
        A path is a Parquet file, a folder of them, or a pattern; the workers must see the files under the same paths.
    y, sample_weight, groups : Dask array or series with the partitions of `X`, or name of a column of `X`
    client : distributed.Client
    """
    if isinstance(X, str | os.PathLike) or (isinstance(X, list | tuple) and X and isinstance(X[0], str | os.PathLike)):
        return _pieces_of_files(X, y, sample_weight, groups, client)
    if y is None:
        raise ValueError("A ranking model requires y to be passed, but the target y is None; pass one label per row.")
    if is_frame(X):
        named = [name for name in (y, sample_weight, groups) if _is_name(name)]
        _check_names(named, list(X.columns), "X")
        features = X.drop(columns=named) if named else X
        y = X[y] if _is_name(y) else y
        sample_weight = X[sample_weight] if _is_name(sample_weight) else sample_weight
        groups = X[groups] if _is_name(groups) else groups
        X = features
    elif not is_array(X):
        raise TypeError(
            f"X must be a Dask array, a Dask frame or a path of Parquet files, got {type(X).__name__}; for rows in "
            "memory use the estimator of the same name in rankforest."
        )
    weights = None if sample_weight is None else split_like(sample_weight, "sample_weight", X, "X")
    of_groups = None if groups is None else split_like(groups, "groups", X, "X")
    return Pieces(rows_of(X, "X"), split_like(y, "y", X, "X"), weights, of_groups)


def _is_name(given: Any) -> bool:
    return isinstance(given, str | int)


def _check_names(named: Sequence[Any], columns: Sequence[Any], where: str) -> None:
    for name in named:
        if name not in columns:
            raise ValueError(f"{where} has no column {name!r}; its columns are {listed(columns)}.")
    if len(set(named)) < len(named):
        twice = next(name for name in named if named.count(name) > 1)
        raise ValueError(f"The column {twice!r} cannot be two of y, sample_weight and groups; name another one.")
    if len(columns) == len(named):
        raise ValueError(f"{where} has no columns besides labels, weights and groups; add features.")


def _pieces_of_files(given: Any, y: Any, sample_weight: Any, of_groups: Any, client: Client) -> Pieces:
    paths = [path for one in ([given] if isinstance(given, str | os.PathLike) else given) for path in data_paths(one)]
    for path in paths:
        if not path.lower().endswith(_ENDINGS):
            raise ValueError(
                f"{path!r} is no Parquet file, and workers read only those by themselves; read it with dask.dataframe."
            )
    named = [name for name in (y, sample_weight, of_groups) if name is not None]
    if y is None or not all(isinstance(name, str) for name in named):
        raise ValueError("With files, y, sample_weight and groups must be names of their columns.")
    outlines = client.gather(client.map(_outline, paths, pure=False))
    columns = outlines[0][0]
    _check_names(named, columns, f"{paths[0]!r}")
    features = tuple(name for name in columns if name not in named)
    pieces = [
        (path, groups)
        for path, (_, bytes_of_groups) in zip(paths, outlines)
        for groups in _runs(bytes_of_groups, len(columns))
    ]

    def of(columns: tuple[str, ...]) -> list[ParquetPiece]:
        return [ParquetPiece(path, groups, columns) for path, groups in pieces]

    weights, found = (None if name is None else of((name,)) for name in (sample_weight, of_groups))
    return Pieces(of(features), of((y,)), weights, found)


def _outline(path: str) -> tuple[list[str], list[int]]:
    """Columns of a file, and the rows of its row groups."""
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        return file.schema_arrow.names, groups


def _runs(rows: Sequence[int], n_columns: int) -> list[tuple[int, ...]]:
    """Row groups of a file put together, so that a piece is neither tiny nor larger than a worker bears.

    Examples
    --------
    >>> _runs([10_000_000, 10_000_000, 10, 10], 1)
    [(0,), (1, 2, 3)]
    """
    runs: list[list[int]] = []
    size = 0
    for group, n in enumerate(rows):
        if not runs or size + 8 * n * n_columns > _MOST_BYTES:
            runs.append([])
            size = 0
        runs[-1].append(group)
        size += 8 * n * n_columns
    return [tuple(run) for run in runs]
