"""Scoring in two passes: the first one computes the scores, the second one writes them with the rows.

The rank of a row needs all scores. So the first pass keeps one float64 per row, and a second array has the sorted
scores, in which ranks are looked up. With four bytes for the cell, that makes 20 bytes per row; nothing else grows with
the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa

from ..consensus.ranks import mid_ranks_among
from ..data.data_file import DataFile, DataFileError
from ..data.match import file_rows
from ..data.sink import write_batches
from ._decision import Decision
from ._errors import WrongUsage
from ._kept import KeptColumns
from ._model import Loaded
from ._scoring import Unseen, score_batches

if TYPE_CHECKING:
    from ..data.database import Database

__all__ = ["FilePlace", "Place", "TablePlace", "Wanted", "stream_scores"]


class Place(Protocol):
    """Where the scored rows go."""

    @property
    def path(self) -> str: ...

    @property
    def as_text(self) -> bool:
        """Whether the values of a CSV file keep their text."""
        ...

    def write(self, schema: pa.Schema, batches: Iterable[Any]) -> None: ...


@dataclass(frozen=True)
class FilePlace:
    """A file, or standard output."""

    path: str
    format: str

    @property
    def as_text(self) -> bool:
        return self.format.startswith("csv")

    def write(self, schema: pa.Schema, batches: Iterable[Any]) -> None:
        write_batches(self.path, self.format, schema, batches)


@dataclass(frozen=True)
class TablePlace:
    """A new table of a database."""

    table: str
    database: Database
    as_text: bool = False

    @property
    def path(self) -> str:
        return f"table {self.table} of {self.database.name}"

    def write(self, schema: pa.Schema, batches: Iterable[Any]) -> None:
        self.database.write(self.table, schema, batches)


@dataclass(frozen=True)
class Wanted:
    """Columns of the output."""

    place: Place
    kept: list[str]  # columns of the input
    prefix: str  # of the new columns
    decision: Decision | None  # which rows are flagged
    new_categories: bool = False  # whether a column may have no known category

    @property
    def names(self) -> tuple[str, ...]:
        flags = () if self.decision is None else self.decision.names
        return tuple(f"{self.prefix}{name}" for name in ("score", "rank", "cell", "probability", *flags))


def stream_scores(loaded: Loaded, data: DataFile, wanted: Wanted, tell: Callable[[float], None]) -> dict[str, Any]:
    """Score a file, write the result, and return a few figures.

    Parameters
    ----------
    loaded : Loaded
    data : DataFile
    wanted : Wanted
    tell : callable
        Called with the finished share of the work.
    """
    taken = [name for name in wanted.names if name in wanted.kept]
    if taken:
        raise WrongUsage(
            f"{data.path} already has a column {taken[0]!r}; rename the new columns with --prefix, or leave it out "
            "with --keep."
        )
    scores, cells = _first_pass(loaded, data, wanted, lambda share: tell(0.7 * share))
    kept = KeptColumns(loaded, data, wanted.kept, as_text=wanted.place.as_text)
    fields = kept.fields
    fields += [pa.field(wanted.names[0], pa.float64()), pa.field(wanted.names[1], pa.float64())]
    if cells is not None:
        fields.append(pa.field(wanted.names[2], pa.int32()))
    if loaded.model.probability_of(scores[:1]) is not None:
        fields.append(pa.field(wanted.names[3], pa.float64()))
    chosen = None if wanted.decision is None else wanted.decision.of(scores)
    flags = [] if chosen is None else list(chosen.columns().values())
    fields += [pa.field(name, pa.from_numpy_dtype(values.dtype)) for name, values in zip(wanted.names[4:], flags)]
    schema = pa.schema(fields)
    ordered = np.sort(scores)

    def rows() -> Iterator[Any]:
        start = stop = 0
        for batch in _second_pass(data, wanted, len(scores)):
            stop = start + batch.num_rows
            if stop > len(scores):
                break
            added = [scores[start:stop], mid_ranks_among(ordered, scores[start:stop])]
            if cells is not None:
                added.append(cells[start:stop] + np.int32(1))
            chances = loaded.model.probability_of(scores[start:stop])
            if chances is not None:
                added.append(chances)
            added += [values[start:stop] for values in flags]
            columns = [*kept.of(batch), *map(pa.array, added)]
            yield pa.record_batch(columns, schema=schema)
            start = stop
            tell(0.7 + 0.3 * start / len(scores))
        if stop != len(scores):
            raise DataFileError(f"{data.path} changed while it was read; score it again.")

    wanted.place.write(schema, rows())
    found: dict[str, Any] = {
        "output": wanted.place.path,
        "rows": len(scores),
        "columns": schema.names,
        "score": {"least": ordered[0], "median": float(np.median(ordered)), "greatest": ordered[-1]},
    }
    if wanted.decision is not None and chosen is not None:
        found["decision"] = wanted.decision.figures(chosen, loaded.model.positive_words.of_rows)
    return found


def _first_pass(
    loaded: Loaded, data: DataFile, wanted: Wanted, tell: Callable[[float], None]
) -> tuple[np.ndarray, np.ndarray | None]:
    summary = loaded.model.summary_
    tenths = None if summary is None else summary.scores  # used as cells for models of many trees
    unseen = Unseen(loaded.schema, allowed=wanted.new_categories)
    scores, cells = Growing(np.float64), Growing(np.int32)
    for _, features, before in score_batches(loaded, data):
        with file_rows(data, before):
            of_batch, strata = loaded.model.place(features)
        if strata is None and tenths is not None:
            strata = tenths.bands(of_batch)
        scores.add(of_batch)
        if strata is not None:
            cells.add(strata)
        unseen.see(features)
        tell(data.share_read)
    if not scores.n:
        raise DataFileError(f"{data.path} has a header but no rows; give rows to score.")
    unseen.tell(data.path)
    return scores.values(), cells.values() if cells.n else None


def _second_pass(data: DataFile, wanted: Wanted, n_rows: int) -> Iterator[Any]:
    if wanted.kept:
        return (batch for batch in data.batches(wanted.kept, verbatim=True) if batch.num_rows)
    empty = pa.schema([])
    sizes = (min(65536, n_rows - start) for start in range(0, n_rows, 65536))
    return (pa.RecordBatch.from_struct_array(pa.array([{}] * size, pa.struct(empty))) for size in sizes)


class Growing:
    """A NumPy array that grows by batches, with at most 50% unused memory."""

    def __init__(self, dtype: Any) -> None:
        self._array, self.n = np.empty(65536, dtype), 0

    def add(self, values: np.ndarray) -> None:
        """Append some values."""
        need = self.n + len(values)
        if need > len(self._array):
            self._array.resize(need + need // 2, refcheck=False)
        self._array[self.n : need] = values
        self.n = need

    def values(self) -> np.ndarray:
        """The appended values, without the unused memory."""
        self._array.resize(self.n, refcheck=False)
        return self._array
