"""The training table of `fit`, read in batches."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.code_file import LOG
from ..data.data_file import DataFileError
from ..data.errors import listed
from ..data.label_batches import LabelBatch, label_batch
from ..data.match import file_rows
from ..data.reading.file import look_at
from ..data.reading.findings import Finding
from ..data.reading.labels import label_reading
from ..data.reading.recipe import Reading
from ..data.reading.suspects import in_rows, suspicious_columns, without_identifiers
from ..data.row_prints import MOST_ROWS, PrintsOfRows, RowPrints
from ..data.sources import FileSource
from ..data.stream import Stream
from ..words import count
from ._errors import note
from ._training import Choice, check_labels, refuse_types

__all__ = ["StreamTraining", "read_stream"]

LOOKED_ROWS = 100_000  # of a stream that are looked at together
_STRETCHES = 100  # that they come from: neighbours, since copies are often neighbours


@dataclass(frozen=True)
class StreamTraining:
    """The training data of a model, in batches; the same attributes as `TrainingFile`, with distinct labels only."""

    stream: Stream
    choice: Choice
    labels: np.ndarray
    pos_label: Any
    counts: dict[str, int]
    n_features: int
    findings: list[Finding]
    dropped: list[str]

    def all_findings(self) -> list[Finding]:
        """The findings, with those that show in rows with their labels: so many rows are read for that."""
        parts, first = [], 0
        for batch in self._batches():
            rows = pa.table(batch)
            parts.append(rows.take(_looked_at(self.n_rows, first, rows.num_rows)))  # a slice would keep the batch
            first += rows.num_rows
        looked = pa.concat_tables(parts, promote_options="permissive")
        labels = looked.column(looked.num_columns - 1)
        found = in_rows(looked.select(range(looked.num_columns - 1)), np.array(labels.to_pylist()), self.findings)
        if looked.num_rows < self.n_rows:
            value = f"{count(looked.num_rows)} of {count(self.n_rows)} rows, from all parts of the table"
            found.append(Finding("looked", value=value))
        return [*self.findings, *found]

    def _batches(self) -> Iterator[Any]:
        """The rows: features, and last the label."""
        positions = [self.stream.position(name, "The column") for name in self.choice.special()]
        return self.stream.batches([*self.stream.features(*positions), positions[0]])

    def row_prints(self) -> dict[str, Any] | None:
        """The prints of the rows, as plain data; None for very many rows."""
        if self.n_rows > MOST_ROWS:
            return None
        prints = PrintsOfRows()
        labels: list[Any] = []
        for batch in self._batches():
            rows = pa.table(batch)
            last = rows.num_columns - 1
            prints.see(rows.select(range(last)))
            labels += rows.column(last).to_pylist()
        return RowPrints.of(prints.of(np.array(labels))).to_dict()

    def categorical(self, choice: Choice) -> list[str] | None:
        """Features that the user calls categories."""
        return [name for name in choice.categorical if name not in self.dropped] or None

    @property
    def n_rows(self) -> int:
        return sum(self.counts.values())

    def fit(self, learner: Any) -> Any:
        """The fitted model; errors have the row numbers of the files, counted from 1 over all of them."""
        with file_rows(self.stream.source), _notes():  # type: ignore[arg-type]
            roles = {"sample_weight": self.choice.weight, "groups": self.choice.group, "time": self.choice.time}
            given = {name: at for name, at in roles.items() if at is not None}
            return learner.fit(self.stream, self.choice.target, **given)


def _looked_at(n_rows: int, first: int, n_batch: int) -> np.ndarray:
    """Rows of a batch that are looked at: all, or short stretches that are evenly spaced in the whole table.

    The labels may be sorted, and the same rows may be in two files.
    """
    if n_rows <= LOOKED_ROWS:
        return np.arange(n_batch)
    length = max(1, LOOKED_ROWS // _STRETCHES)
    starts = np.arange(LOOKED_ROWS // length) * n_rows // (LOOKED_ROWS // length) - first
    rows = (starts[:, None] + np.arange(length)).ravel()
    return rows[(rows >= 0) & (rows < n_batch)]


def read_stream(source: FileSource, choice: Choice, memory: str | None) -> StreamTraining:
    """Look at the labels; the features are read by the fit."""
    special = choice.special()
    if choice.drop_unlabelled:
        source.drop_without(choice.target)
    names = [name for name in source.raw_names if name not in choice.ignored]
    wanted = [name for name in names if name not in special]
    if not wanted:
        raise DataFileError(f"{source.path} has no column besides {listed(special + choice.ignored)}; add features.")
    look = look_at(source.files, names, choice.hints(source.files[0]))
    if not look.seen[choice.target].n_rows:
        raise DataFileError(f"{source.path} has no rows; give rows of both labels.")
    as_text = choice.target in choice.categorical
    label, findings = label_reading(
        look.seen[choice.target], look.reading.of(choice.target), ordered=choice.ordinal, as_text=as_text
    )
    refuse_types(look, wanted, source)  # type: ignore[arg-type]
    spoiled = suspicious_columns([look.seen[name] for name in wanted])
    told = without_identifiers(look.findings, spoiled)
    dropped = [one.column for one in spoiled if one.kind in ("empty", "constant")]
    columns = (how for how in look.reading.columns if how.name not in dropped)
    columns = (replace(how, parts=()) if how.name in special else how for how in columns)
    kept = tuple(label if how.name == choice.target else how for how in columns)
    source.use(replace(look, reading=Reading(kept, label)))
    findings += [*(one for one in told if one.column in wanted and one.column not in dropped), *spoiled]
    stream = _TextLabels(source, memory="2GB" if memory is None else memory)
    positions = [stream.position(name, "The column") for name in special]
    features = stream.features(*positions)
    n_rows, counts = 0, dict[Any, int]()
    with file_rows(source):  # type: ignore[arg-type]
        for (column,) in stream.columns(positions[:1]):
            batch: LabelBatch = label_batch(column, first_row=n_rows)
            n_rows += batch.n_rows
            for label, n in zip(batch.labels.tolist(), np.bincount(batch.codes, minlength=len(batch.labels)).tolist()):
                counts[label] = counts.get(label, 0) + n
    found = sorted(counts)
    if not found:
        raise ValueError(f"{source.path} has no rows; give rows of both labels.")
    pos_label = check_labels(found, n_rows, choice, source.path)
    by_name = {str(label): counts[label] for label in found}
    return StreamTraining(stream, choice, np.array(found), pos_label, by_name, len(features), findings, dropped)


class _TextLabels(Stream):
    """A stream whose labels of text are NumPy strings, as those of a file that is read at once."""

    def columns(self, positions: Sequence[int]) -> Iterator[list[Any]]:
        for columns in super().columns(positions):
            yield [_strings(column) for column in columns]


def _strings(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return column.to_numpy().astype(str) if text and not column.null_count and len(column) else column


class _Notes(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note(record.getMessage())


@contextmanager
def _notes() -> Iterator[None]:
    """Print what the log says of the place of the codes."""
    handler, level = _Notes(logging.INFO), LOG.level
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(level)
