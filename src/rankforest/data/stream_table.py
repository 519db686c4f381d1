"""Rows of a stream to be scored, and their labels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from .columns import BLOCK_ROWS
from .errors import counted_from
from .row_values import as_vector
from .rows import n_rows_of
from .schema import Schema, check_width
from .sources import FileSource
from .stream import Stream, as_stream
from .table import Table, read_table

__all__ = ["StreamTable", "column_or_values"]


class StreamTable(Table):
    """The rows of a stream, read block by block each time they are asked for.

    Parameters
    ----------
    stream : Stream
        Columns that the model does not know are left out.
    schema : Schema
        Of the model.
    estimator_name : str
        Name of the model in error messages.
    """

    def __init__(self, stream: Stream, schema: Schema, estimator_name: str) -> None:
        self.schema, self.n_features = schema, schema.n_features
        self._stream, self._name = stream, estimator_name
        source = stream.source
        if isinstance(source, FileSource):
            from .match import check_columns, reading_of

            for file in source.files:
                check_columns(file, schema)
            self._reading = reading_of(schema, source.files[0])
        elif schema.named and source.names is not None:
            missing = [name for name in schema.names if name not in source.names]
            if missing:
                raise ValueError(f"{source.name} has no column {missing[0]!r}, which {estimator_name} was fitted on.")
            self._positions = [source.names.index(name) for name in schema.names]
        else:
            self._positions = stream.features()
            check_width(len(self._positions), source.names, schema, estimator_name)

    def __repr__(self) -> str:
        return f"StreamTable({self._stream.source.name}, {self.n_features} features)"

    @cached_property
    def n_rows(self) -> int:  # type: ignore[override]
        """Number of rows, which takes a pass over the stream."""
        return sum(map(n_rows_of, self._batches(1)))

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[np.ndarray]:
        first = 0
        for batch in self._batches():
            if n_rows_of(batch) == 0:
                continue
            with counted_from(first):
                table = read_table(self._features(batch), schema=self.schema, estimator_name=self._name)
            yield from table.blocks(n_rows)
            first += table.n_rows
        if not first:
            raise ValueError(f"{self._stream.source.name} has no rows; give rows to score.")

    def _batches(self, most: int | None = None) -> Iterator[Any]:
        """The batches with all, or only the first columns that are needed."""
        source = self._stream.source
        if isinstance(source, FileSource):
            return source.raw_batches(self._reading.sources[:most])
        return self._stream.batches(self._positions[:most])

    def _features(self, batch: Any) -> Any:
        if not isinstance(self._stream.source, FileSource):
            return batch
        from .match import features_of

        return features_of(batch, self.schema, self._reading)

    def column(self, j: int) -> NoReturn:
        raise TypeError("The table is read in batches; load it as a frame.")

    def take(self, rows: np.ndarray) -> NoReturn:
        raise TypeError("The table is read in batches; load it as a frame.")

    def matrix(self) -> None:
        return None


def column_or_values(X: Any, values: Any, role: str) -> Any:
    """Labels or weights of rows: as they are, or the values of the column of a stream that has this name."""
    stream = as_stream(X)
    if stream is None or not isinstance(values, str | int):
        return values
    position = stream.position(values, role)
    return np.concatenate([as_vector(column, role) for (column,) in stream.columns([position])])
