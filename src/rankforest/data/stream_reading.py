"""Reading a stream for `fit`: labels and weights, then the survey of the features, then their codes.

Three passes over the rows, of which the first one reads two columns only where the source can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NoReturn

import numpy as np

from .batch import give_back, one_column, take_columns
from .binning import USUAL_BINS, BinnedTable, Bins
from .code_file import LOG, room_for_codes
from .coding import Neighbours, code_batch, with_digits
from .hold_out import ANY_ROWS
from .label_batches import LabelBatch, label_batch, merge_labels, weight_batch
from .ordered_labels import MAX_LEVELS
from .read_hold_out import read_hold_out, refuse_both
from .read_weights import read_weights
from .row_values import as_vector
from .rows import n_rows_of
from .schema import Schema
from .sources import BatchSource
from .stream import Stream
from .survey import merge_surveys, rows_for_cuts, rows_within, survey_batch

__all__ = ["StreamReading"]

COPIED_BYTES = 2**26  # more codes than this are not copied as a whole when trees are grown
CELL_BYTES = 2**25  # two copies of the rows of a cell, in each thread

ReadLabels = Callable[[Any, int, Any], Any]  # labels, rows, own order of the labels


class StreamReading:
    """The passes over a stream, one after the other.

    Parameters
    ----------
    stream : Stream
    y, sample_weight, groups, time
        Of `fit`: the name of a column, or one value per row; all but `y` may be None.
    """

    def __init__(self, stream: Stream, y: Any, sample_weight: Any, groups: Any = None, time: Any = None) -> None:
        refuse_both(groups, time)
        self._stream = stream
        given = {"y": y, "sample_weight": sample_weight, "groups": groups, "time": time}
        self._roles = {role: at for role, values in given.items() if (at := _role(stream, values, role)) is not None}
        for role, other in combinations(self._roles, 2):
            if self._roles[role] == self._roles[other]:
                raise ValueError(f"{role} and {other} are the same column, {given[role]!r}; name another one.")
        self._y = self._roles.get("y")
        self._features = stream.features(*self._roles.values())
        self._given = given
        self._batches: list[LabelBatch] = []
        self.n_rows = 0
        self.weights: np.ndarray | None = None
        self.kept: np.ndarray | None = None
        self.hold_out = ANY_ROWS

    @property
    def n_counted(self) -> int:
        """Rows with a weight above 0."""
        return self.n_rows if self.kept is None else int(np.count_nonzero(self.kept))

    # ---- the first pass: labels and weights

    def labels(self, read: ReadLabels) -> Any:
        """The labels of all rows; `n_rows`, `weights`, `kept` and `hold_out` are known then."""
        found: dict[str, list[np.ndarray]] = {role: [] for role in self._roles}
        for columns in self._stream.columns([*self._roles.values()] or self._features[:1]):
            n_rows = len(columns[0])
            of_role = dict(zip(self._roles, columns)) if n_rows else {}
            if "y" in of_role:
                self._batches.append(label_batch(of_role["y"], first_row=self.n_rows))
                if len(self._batches[-1].labels) > MAX_LEVELS:  # so many are refused, and at once
                    self._merged(read)
            if "sample_weight" in of_role:
                found["sample_weight"].append(weight_batch(of_role["sample_weight"], first_row=self.n_rows))
            for role in ("groups", "time"):
                if role in of_role:
                    found[role].append(as_vector(of_role[role], role))
            self.n_rows += n_rows
        if not self.n_rows:
            raise ValueError(f"{self._stream.source.name} has no rows; give rows of both labels.")
        given = {role: np.concatenate(found[role]) if found.get(role) else self._given[role] for role in self._given}
        labels = read(given["y"], self.n_rows, None) if self._y is None else self._merged(read)
        self._batches.clear()
        self._codes, self._names = labels.codes, labels.names
        self.weights = read_weights(given["sample_weight"], n_rows=self.n_rows)
        hold_out = read_hold_out(given["groups"], given["time"], n_rows=self.n_rows, labels=labels.codes)
        named = [self._given[role] for role in ("groups", "time") if role in self._roles]
        self.hold_out = hold_out.called(str(named[0])) if named else hold_out
        if self.weights is not None and not self.weights.all():
            self.kept = self.weights > 0
        LOG.debug("%s has %d rows and %d features.", self._stream.source.name, self.n_rows, len(self._features))
        return labels

    def _merged(self, read: ReadLabels) -> Any:
        return merge_labels(self._batches, lambda labels, order: read(labels, len(labels), order))

    # ---- the second pass: the survey

    def survey(self, categorical: Any, *, max_bins: int = USUAL_BINS, n_threads: int = 1) -> tuple[Schema, Bins]:
        """Schema and bins of the features."""
        drawn = rows_for_cuts(self.n_rows, self.kept)
        surveys = (
            survey_batch(batch, rows_within(drawn, first, n_rows_of(batch)), categorical=categorical, first_row=first)
            for first, batch in self._numbered()
        )
        merged = merge_surveys(surveys)
        schema = merged.schema()
        return schema, merged.bins(schema, max_bins=max_bins, n_threads=n_threads)

    # ---- the third pass: the codes

    def codes(self, schema: Schema, bins: Bins, n_threads: int = 1) -> BinnedTable:
        """Codes of the rows with a weight above 0."""
        shape = (self.n_counted, schema.n_features)
        codes = room_for_codes(shape, bins.code_dtype, self._stream.memory, self._stream.folder)
        near: Neighbours | None = None
        done = 0
        for first, batch in self._numbered(again=True):
            kept = None if self.kept is None else self.kept[first : first + n_rows_of(batch)]
            coded = code_batch(
                batch, schema, bins, n_counted=self.n_counted, kept=kept, first_row=first, n_threads=n_threads
            )
            codes[done : done + len(coded.codes)] = coded.codes
            done += len(coded.codes)
            if coded.neighbours is not None:
                near = coded.neighbours if near is None else near.merged(coded.neighbours)
        return BinnedTable(
            codes, with_digits(bins, [near]), cell_bytes=CELL_BYTES if codes.nbytes > COPIED_BYTES else 0
        )

    def _numbered(self, *, again: bool = False) -> Iterator[tuple[int, Any]]:
        """(first row, features) of each batch; a source that does not give the same rows again is refused."""
        first = 0
        compared = self._y if again and isinstance(self._stream.source, BatchSource) else None
        wanted = self._features if compared is None else [*self._features, compared]
        for batch in self._stream.batches(wanted):
            n_rows = n_rows_of(batch)
            if n_rows == 0:
                continue
            if first + n_rows > self.n_rows:
                self._refuse_change()
            if compared is not None:
                labels = self._names[self._codes[first : first + n_rows]]
                if not np.array_equal(labels, as_vector(one_column(batch, len(self._features)), "y")):
                    self._refuse_change()
                batch = take_columns(batch, range(len(self._features)))
            yield first, batch
            first += n_rows
        if first != self.n_rows:
            self._refuse_change()
        give_back()

    def _refuse_change(self) -> NoReturn:
        raise ValueError(
            f"{self._stream.source.name} gives other rows when it is read again; give the same rows in the same order "
            "each time."
        )


def _role(stream: Stream, given: Any, role: str) -> int | None:
    """The position of the column of the labels or weights; None if they are given as they are."""
    is_name = isinstance(given, str | int) or (isinstance(given, tuple) and given in (stream.source.names or ()))
    return stream.position(given, role) if is_name else None
