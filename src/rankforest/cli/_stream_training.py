"""The training table of `fit`, read in batches."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.code_file import LOG
from ..data.label_batches import LabelBatch, label_batch
from ..data.match import file_rows
from ..data.sources import FileSource
from ..data.stream import Stream
from ._errors import note
from ._training import Choice, check_labels

__all__ = ["StreamTraining", "read_stream"]


@dataclass(frozen=True)
class StreamTraining:
    """The training data of a model, in batches; the same attributes as `TrainingFile`, with distinct labels only."""

    stream: Stream
    choice: Choice
    labels: np.ndarray
    pos_label: Any
    counts: dict[str, int]
    n_features: int

    @property
    def n_rows(self) -> int:
        return sum(self.counts.values())

    def fit(self, estimator: Any) -> None:
        """Fit a model; errors have the row numbers of the files, counted from 1 over all of them."""
        with file_rows(self.stream.source), _notes():  # type: ignore[arg-type]
            roles = {"sample_weight": self.choice.weight, "groups": self.choice.group, "time": self.choice.time}
            estimator.fit(self.stream, self.choice.target, **{name: at for name, at in roles.items() if at is not None})


def read_stream(source: FileSource, choice: Choice, memory: str | None) -> StreamTraining:
    """Look at the labels; the features are read by the fit."""
    special = choice.special()
    source.as_text = tuple(choice.categorical)
    stream = _TextLabels(source, ignore=choice.ignored, memory="2GB" if memory is None else memory)
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
    return StreamTraining(stream, choice, np.array(found), pos_label, by_name, len(features))


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
