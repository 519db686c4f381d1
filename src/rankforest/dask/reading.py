"""Reading the training rows on a cluster: labels and weights, then the survey of the features, then their codes.

Three passes of tasks over the partitions, with the functions of `rankforest.data`. Labels and weights come to the
client. The features stay: each partition is read where its codes are made, and then only the codes are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import Delayed
from distributed import Client, Future

from ..data.binning import Bins
from ..data.coding import Neighbours, code_batch, with_digits
from ..data.errors import InputError, Row
from ..data.hold_out import ANY_ROWS, HoldOut
from ..data.label_batches import LabelBatch, label_batch, merge_labels, weight_batch
from ..data.read_hold_out import read_hold_out
from ..data.read_weights import read_weights
from ..data.row_values import as_vector
from ..data.rows import n_rows_of
from ..data.schema import Schema
from ..data.survey import TableSurvey, merge_surveys, rows_for_cuts, rows_within, survey_batch
from ..partitions.engine import Part
from ..partitions.rows import PartRows, assemble
from ._collections import in_partition
from ._graph import Graph
from .engine import DaskEngine
from .pieces import Pieces, column_of, table_of

__all__ = ["ClusterReading"]

_PARTS_PER_THREAD = 4  # small partitions are put together, because every task costs a millisecond


class _Told(NamedTuple):
    """Labels and weights of a partition; an error is told too, because its row is known only with all partitions."""

    labels: LabelBatch | None
    weights: np.ndarray | None
    error: InputError | None


@dataclass(frozen=True)
class _Coding:
    """How every partition is coded."""

    schema: Schema
    bins: Bins
    n_counted: int
    weight_scale: float


class ClusterReading:
    """The passes over the partitions, one after the other.

    Parameters
    ----------
    client : distributed.Client
    engine : DaskEngine
        It holds the codes.
    pieces : Pieces
    """

    def __init__(self, client: Client, engine: DaskEngine, pieces: Pieces) -> None:
        self._client, self._engine, self._pieces = client, engine, pieces
        self.n_rows = 0
        self.weights: np.ndarray | None = None
        self._scale = 1.0
        self.kept: np.ndarray | None = None

    # ---- the first pass: labels and weights

    def labels(self, read: Callable[[Any, int, Any], Any]) -> Any:
        """The labels of all rows in the order of the partitions; `n_rows`, `weights` and `kept` are known then."""
        weights = self._pieces.weight or [None] * len(self._pieces.y)
        told = self._gather(_tell, self._pieces.y, weights)
        self._firsts = [0]
        for number, (labels, _, error) in enumerate(told):
            if error is not None:
                _raise_in_partition(error, number, self._firsts[-1])
            self._firsts.append(self._firsts[-1] + labels.n_rows)
        self.n_rows = self._firsts[-1]
        batches = [
            replace(each.labels, first_rows=each.labels.first_rows + first) for each, first in zip(told, self._firsts)
        ]
        found = merge_labels(batches, lambda labels, order: read(labels, len(labels), order))
        # the code of each distinct label of a partition, from the first row that has it
        self._label_codes = [found.codes[batch.first_rows] for batch in batches]
        if self._pieces.weight is not None:
            self._keep_weights(np.concatenate([each.weights for each in told]))
        return found

    def groups(self) -> HoldOut:
        """The groups of all rows, after the labels are known; any rows if there are no groups."""
        if self._pieces.groups is None:
            return ANY_ROWS
        told = [each for each in self._gather(_tell_groups, self._pieces.groups) if len(each)]
        return read_hold_out(np.concatenate(told) if told else np.empty(0), None, n_rows=self.n_rows)

    def _keep_weights(self, given: np.ndarray) -> None:
        weights = read_weights(given, n_rows=self.n_rows)
        assert weights is not None
        self.weights, self._scale = weights, float(weights.max() / given.max())  # a power of two
        if not weights.all():
            self.kept = weights > 0

    # ---- the second pass: the survey

    def survey(self, categorical: Any, *, max_bins: int) -> tuple[Schema, Bins]:
        """Schema and bins of the features."""
        drawn = rows_for_cuts(self.n_rows, self.kept)
        spans = list(zip(self._firsts, np.diff(self._firsts).tolist()))
        surveys = self._gather(
            _survey,
            self._pieces.X,
            [_Survey(first, n, rows_within(drawn, first, n), categorical) for first, n in spans],
        )
        merged = merge_surveys(surveys)
        schema = merged.schema()
        return schema, merged.bins(schema, max_bins=max_bins)

    # ---- the third pass: the codes

    def parts(self, schema: Schema, bins: Bins) -> tuple[list[Part], Bins]:
        """The partitions as codes, which stay on the workers, and the bins with their digits."""
        counted = np.append(0, np.cumsum(np.ones(self.n_rows, dtype=bool) if self.kept is None else self.kept))
        starts = counted[self._firsts].tolist()  # rows of weight 0 are left out before rows are numbered
        n_counted = starts[-1]
        graph = Graph(self._delayed())
        how = graph.add(_Coding, schema, bins, n_counted, self._scale)
        weights = self._pieces.weight or [None] * len(self._pieces.X)
        coded = [
            graph.add(_code, number, X, y, weight, how, codes, first, start)
            for number, (X, y, weight, codes, first, start) in enumerate(
                zip(self._pieces.X, self._pieces.y, weights, self._label_codes, self._firsts, starts)
            )
        ]
        groups = _together(starts, _PARTS_PER_THREAD * self._engine.n_workers)
        rows = [graph.add(_rows_of_coded, [coded[i] for i in group]) for group in groups]
        near = [graph.add(_neighbours_of_coded, [coded[i] for i in group]) for group in groups]
        futures = self._compute(graph.tasks([*rows, *near]))
        found = self._engine.results(futures[len(groups) :])
        parts = [
            Part(future, starts[group[0]], starts[group[-1] + 1] - starts[group[0]])
            for future, group in zip(futures, groups)
        ]
        return parts, with_digits(bins, found)

    # ---- tasks

    def _delayed(self) -> list[Delayed]:
        columns = (self._pieces.X, self._pieces.y, self._pieces.weight or [], self._pieces.groups or [])
        return [piece for column in columns for piece in column if isinstance(piece, Delayed)]

    def _gather(self, function: Callable[..., Any], *columns: Sequence[Any]) -> list[Any]:
        """``function(number, ...)`` of every partition."""
        graph = Graph(self._delayed())
        keys = [graph.add(function, number, *row) for number, row in enumerate(zip(*columns))]
        return self._engine.results(self._compute(graph.tasks(keys)))

    def _compute(self, tasks: list[Delayed]) -> list[Future]:
        futures = list(self._client.compute(tasks))
        self._engine.keep(futures)
        return futures


def _together(starts: Sequence[int], most: int) -> list[list[int]]:
    """Runs of consecutive partitions with about equally many rows, at most so many runs.

    Examples
    --------
    >>> _together([0, 10, 20, 20, 30, 40], 2)
    [[0, 1], [2, 3, 4]]
    >>> _together([0, 10, 20], 8)
    [[0], [1]]
    """
    n_parts = len(starts) - 1
    if n_parts <= most:
        return [[i] for i in range(n_parts)]
    runs: dict[int, list[int]] = {}
    for i, start in enumerate(starts[:-1]):
        runs.setdefault(start * most // max(starts[-1], 1), []).append(i)
    return list(runs.values())


def _raise_in_partition(error: InputError, number: int, first: int) -> None:
    facts = {name: Row(fact + first) if isinstance(fact, Row) else fact for name, fact in error.facts.items()}
    with in_partition(number, first):
        raise InputError(error.template, **facts)


def _tell_groups(number: int, groups: Any) -> np.ndarray:
    """The groups of a partition."""
    return as_vector(column_of(groups), "groups")


def _tell(number: int, y: Any, weight: Any) -> _Told:
    """The first task of a partition."""
    try:
        with_labels = label_batch(column_of(y))
        weights = None if weight is None else weight_batch(column_of(weight))
    except InputError as error:
        return _Told(None, None, error)
    if weights is not None and len(weights) != with_labels.n_rows:
        with in_partition(number):
            raise ValueError(f"sample_weight has {len(weights)} rows and y has {with_labels.n_rows}.")
    return _Told(with_labels, weights, None)


@dataclass(frozen=True)
class _Survey:
    """The survey of one partition: its first row, its number of rows, the drawn rows, the categorical columns."""

    first: int
    n_rows: int
    drawn: np.ndarray
    categorical: Any


def _survey(number: int, X: Any, asked: _Survey) -> TableSurvey:
    """The second task of a partition."""
    table = table_of(X)
    with in_partition(number, asked.first):
        if n_rows_of(table) != asked.n_rows:
            raise ValueError(f"X has {n_rows_of(table)} rows and y has {asked.n_rows}; pass one label per row.")
        return survey_batch(table, asked.drawn, categorical=asked.categorical, first_row=asked.first)


def _code(
    number: int, X: Any, y: Any, weight: Any, how: _Coding, label_codes: np.ndarray, first: int, start: int
) -> tuple[PartRows, Neighbours | None]:
    """The third task of a partition: the rows with a weight above 0, as codes."""
    labels = label_codes[label_batch(column_of(y)).codes] if len(label_codes) else np.empty(0, dtype=np.uint8)
    weights, kept = None, None
    if weight is not None:
        weights = weight_batch(column_of(weight)) * how.weight_scale
        kept = weights > 0
        labels, weights = labels[kept], weights[kept]
    with in_partition(number, first):
        batch = code_batch(table_of(X), how.schema, how.bins, n_counted=how.n_counted, kept=kept, first_row=first)
    return PartRows(batch.codes, labels, weights, start), batch.neighbours


def _rows_of_coded(coded: list[tuple[PartRows, Any]]) -> PartRows:
    return assemble([rows for rows, _ in coded])


def _neighbours_of_coded(coded: list[tuple[Any, Neighbours | None]]) -> Neighbours | None:
    merged = None
    for _, near in coded:
        if near is not None:
            merged = near if merged is None else merged.merged(near)
    return merged
