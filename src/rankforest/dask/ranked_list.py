"""A ranked list in partitions, and its exact metrics: counts are merged, never metrics of parts averaged."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask.delayed import Delayed
from numpy.typing import ArrayLike

from ..data.numbers import FloatArray, one_dimensional
from ..metrics import ordinal, roc
from ..metrics._inputs import (
    CumulativeMass,
    check_scores,
    check_share,
    checked_mass,
    distinct_labels,
    positive_class,
    weights_as_given,
)
from ..metrics._top import Knots, Top, top_between, top_of_mass
from ..metrics.gains import GainsTable, gains_of, group_shares
from ._collections import in_partition, rows_of, split_like
from ._graph import Graph, Runner
from ._steps import Sketch, Steps, merge_sketches, merge_steps, steps_of

__all__ = ["RankedList", "concordance_index", "ranked_list"]

_log = logging.getLogger("rankforest.dask")
_MOST_STEPS = 4_000_000  # distinct scores that the client takes: 96 MB
_MOST_RANGES = 64  # every partition has a task for each


_Sums = tuple[Any, Any, Any]  # positives, negatives, and twice the pairs in order: int, or float if rows have weights


class _Part(NamedTuple):
    """What the client learns of one partition."""

    labels: list[Any]
    n_rows: int
    sketch: Sketch


class _Cut(NamedTuple):
    """The knots on both sides of a cut in a range: masses above, and twice the pairs in order, up to each."""

    before: _Sums
    after: _Sums


def ranked_list(
    y_true: Any,
    y_score: Any,
    *,
    sample_weight: Any = None,
    pos_label: object = None,
    client: Any = None,
    most_steps: int = _MOST_STEPS,
) -> RankedList:
    """Prepare a list in partitions for any number of metrics; the rows are read once.

    Parameters
    ----------
    y_true, y_score : Dask array or series
        Labels of two classes and finite scores, in the same partitions. A partition may be empty, or of one class.
    sample_weight : Dask array or series, optional
        Non-negative weights.
    pos_label : label, optional
        The positive class, as in `rankforest.metrics`.
    client : distributed.Client, optional
        Where the tasks are run; by default Dask's current scheduler.
    most_steps : int
        Most distinct scores that are brought to this machine. Longer lists stay on the cluster, in ranges of scores.

    Returns
    -------
    RankedList

    Examples
    --------
    >>> import dask.array as da
    >>> y = da.from_array(np.array([0, 1, 0, 1]), chunks=2)
    >>> score = da.from_array(np.array([1.0, 2.0, 3.0, 4.0]), chunks=2)
    >>> ranked_list(y, score).roc_auc()
    0.75
    """
    run = Runner(client)
    parts, counted = _count(run, y_true, y_score, sample_weight)
    positive = positive_class(classes := _classes(parts), pos_label)
    graph, lined_up = _line_up(parts, counted, [classes[1 - positive], classes[positive]])
    sketch = merge_sketches([part.sketch for part in parts])
    sent = sum(part.sketch.hashes.nbytes + part.sketch.scores.nbytes for part in parts)
    if sketch.n_distinct <= most_steps:
        [whole] = run.compute(graph.tasks([graph.add_reduction(merge_steps, lined_up)]))
        return RankedList(run, sent + whole.sent + whole.nbytes, whole=whole)
    borders = sketch.borders(min(-(-sketch.n_distinct // most_steps), _MOST_RANGES))
    split = [graph.add_each(graph.add(Steps.split, steps, borders), len(borders) + 1) for steps in lined_up]
    ranges = [graph.add_reduction(merge_steps, pieces) for pieces in zip(*split)]
    return RankedList(run, sent, ranges=run.persist(graph.tasks(ranges[::-1])))


class RankedList:
    """The list of a score on a cluster, best first; made by :func:`ranked_list`.

    Attributes
    ----------
    bytes_sent : int
        Bytes of counts that tasks and this machine sent to each other so far.
    """

    def __init__(self, run: Runner, sent: int, *, whole: Steps | None = None, ranges: Sequence[Delayed] = ()) -> None:
        self._run = run
        self._mass = None if whole is None else _mass_of(whole)
        self._ranges = ranges
        self.bytes_sent = sent
        if whole is None:
            self._starts = self._above_ranges()
        _log.info("Metrics: %d bytes of counts were sent.", self.bytes_sent)

    def _ask(self, function: Callable[..., Any], ranges: Iterable[int], *arguments: Sequence[Any]) -> list[Any]:
        """What a function says of some of the ranges."""
        graph = Graph(self._ranges)
        return self._run.compute(
            graph.tasks([graph.add(function, self._ranges[r], *rest) for r, *rest in zip(ranges, *arguments)])
        )

    def _above_ranges(self) -> list[_Sums]:
        """What is above each range, and the whole list at the end."""
        found = self._ask(_totals, range(len(self._ranges)))
        self.bytes_sent += sum(sent for _, sent in found)
        starts: list[_Sums] = [(0, 0, 0)]
        for sums, _ in found:
            starts.append(_joined(starts[-1], sums))
        for name, mass in zip(("positive", "negative"), starts[-1]):
            if mass == 0:
                raise ValueError(
                    f"sample_weight sums to 0 over the {name} class; give at least one {name} row a weight above 0."
                )
        return starts

    def roc_auc(self) -> float:
        """Area under the ROC curve, ties counting one half."""
        if self._mass is not None:
            return roc.auc_of(self._mass)
        positives, negatives, pairs = self._starts[-1]
        return min(pairs / (2 * positives * negatives), 1.0)

    def roc_curve(self) -> roc.RocCurve:
        """ROC curve with one knot per distinct score; all knots are brought to this machine."""
        if self._mass is not None:
            return roc.curve_of(self._mass)
        steps = self._run.compute(self._ranges)[::-1]
        self.bytes_sent += sum(step.nbytes for step in steps)
        joined = Steps(np.concatenate([step.score for step in steps]), np.concatenate([step.mass for step in steps]))
        return roc.curve_of(_mass_of(joined))

    def local_auc(self, u: ArrayLike) -> Any:
        """Probability that a positive is above a negative and among the best share ``u`` of the list."""
        top = self._top(check_share(u))
        return top.as_given(top.local_auc)

    def gains_table(self, n_groups: int = 10) -> GainsTable:
        """Positives, lift and capture of groups of equal mass, from best to worst."""
        return gains_of(self._top(group_shares(n_groups)))

    def _top(self, u: FloatArray) -> Top:
        if self._mass is not None:
            return top_of_mass(self._mass, u)
        positives, negatives, _ = self._starts[-1]
        ends = np.array([start[0] + start[1] for start in self._starts], dtype=np.float64)
        wanted = np.atleast_1d(u).ravel() * float(positives + negatives)
        places = np.clip(np.searchsorted(ends, wanted, side="left"), 1, len(ends) - 1) - 1
        asked = np.unique(places)
        knots: list[Any] = [None] * len(wanted)
        for r, cuts in zip(asked, self._ask(_cut, asked, [wanted[places == r] - ends[r] for r in asked])):
            for i, found in zip(np.flatnonzero(places == r), cuts):
                knots[i] = [_joined(self._starts[r], side) for side in found]
        self.bytes_sent += 48 * len(wanted)

        def at(side: int) -> Knots:
            masses = np.array([pair[side] for pair in knots], dtype=np.float64).T
            return Knots(masses[0], masses[1], masses[2] / (2.0 * float(positives) * float(negatives)))

        return top_between(at(0), at(1), u, float(positives), float(negatives))


def concordance_index(
    y_true: Any, y_score: Any, *, order: Sequence[Any] | None = None, sample_weight: Any = None, client: Any = None
) -> float:
    """C-index of ordered labels; arguments as in :func:`rankforest.metrics.concordance_index`.

    Counts of all distinct scores are brought to this machine.

    Examples
    --------
    >>> import dask.array as da
    >>> concordance_index(da.from_array([1, 2, 3, 3], chunks=2), da.from_array([0.1, 0.4, 0.3, 0.9], chunks=2))
    0.8
    """
    run = Runner(client)
    parts, counted = _count(run, y_true, y_score, sample_weight)
    labels = _classes(parts, None if order is None else list(order))
    graph, lined_up = _line_up(parts, counted, list(labels))
    [whole] = run.compute(graph.tasks([graph.add_reduction(merge_steps, lined_up)]))
    k = len(whole.score)
    return ordinal.concordance_index(
        np.repeat(labels, k), np.tile(whole.score, len(labels)), order=order, sample_weight=whole.mass.T.ravel()
    )


def _count(run: Runner, y_true: Any, y_score: Any, sample_weight: Any) -> tuple[list[_Part], list[Delayed]]:
    """What the client knows of each partition, and the steps of each, which stay on the cluster."""
    scores = rows_of(y_score, "y_score")
    labels = split_like(y_true, "y_true", y_score, "y_score")
    weights = None if sample_weight is None else split_like(sample_weight, "sample_weight", y_score, "y_score")
    graph = Graph([*scores, *labels, *(weights or [])])
    pairs = [
        graph.add(_counted, number, label, score, None if weights is None else weights[number])
        for number, (label, score) in enumerate(zip(labels, scores))
    ]
    told = run.persist(graph.tasks(key for pair in pairs for key in graph.add_each(pair, 2)))
    return run.compute(told[::2]), told[1::2]


def _line_up(parts: list[_Part], counted: list[Delayed], names: list[Any]) -> tuple[Graph, list[Any]]:
    """Tasks that give the steps of all partitions the same labels; partitions without rows are left out."""
    graph = Graph(counted)
    lined_up = [
        graph.add(partial(_lined_up, labels=part.labels, names=names), steps)
        for steps, part in zip(counted, parts)
        if part.n_rows
    ]
    return graph, lined_up


def _counted(number: int, y: Any, score: Any, weight: Any) -> tuple[_Part, Steps]:
    """Steps of a partition by its own labels, and what the client has to know."""
    with in_partition(number):
        labels = one_dimensional(y, "y_true", "pass one label per row")
        scores = check_scores(score, len(labels))
        weights = None if weight is None else weights_as_given(weight, len(labels))
        classes = distinct_labels(labels) if len(labels) else labels
        codes = np.searchsorted(classes, labels)
    steps = steps_of(scores, codes, max(len(classes), 1), weights)
    return _Part(classes.tolist(), len(labels), steps.sketch()), steps


def _classes(parts: list[_Part], order: list[Any] | None = None) -> np.ndarray:
    """The labels of all partitions, in sorted order or in the given one."""
    found = {label for part in parts for label in part.labels}
    if not found:
        raise ValueError("y_true is empty; pass at least one row of each class.")
    try:
        return np.array(sorted(found, key=None if order is None else order.index))
    except TypeError:
        kinds = " and ".join(sorted({type(label).__name__ for label in found}))
        raise ValueError(f"y_true mixes labels of type {kinds}; use labels of one type.") from None


def _lined_up(steps: Steps, labels: list[Any], names: list[Any]) -> Steps:
    """The same steps with the labels of all partitions."""
    mass = np.zeros((len(steps.score), len(names)))
    for place, name in enumerate(names):
        if name in labels:
            mass[:, place] = steps.mass[:, labels.index(name)]
    return Steps(steps.score, mass)


def _mass_of(steps: Steps) -> CumulativeMass:
    """Cumulative masses: one row per label and score, which weighs as much as all rows that it stands for."""
    k = len(steps.score)
    return checked_mass(np.repeat([0, 1], k), np.tile(steps.score, 2), steps.mass.T.ravel(), 1)


def _sums(steps: Steps) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positives, negatives and twice the pairs in order, at and above each score of a range, the greatest first."""
    mass = steps.mass[::-1]
    if (mass == np.floor(mass)).all() and mass.sum() < 2**31:
        mass = mass.astype(np.int64)  # so that products of counts are exact
    negative, positive = np.cumsum(mass, axis=0).T
    pairs = np.cumsum(mass[:, 0] * (2 * positive - mass[:, 1]))
    return positive, negative, pairs


def _totals(steps: Steps) -> tuple[_Sums, int]:
    if not len(steps.score):
        return (0, 0, 0), steps.sent
    positive, negative, pairs = _sums(steps)
    return (positive[-1].item(), negative[-1].item(), pairs[-1].item()), steps.sent


def _joined(above: _Sums, below: _Sums) -> _Sums:
    """Positives, negatives and twice the pairs in order of two stretches of the list, one after the other."""
    return above[0] + below[0], above[1] + below[1], above[2] + below[2] + 2 * above[0] * below[1]


def _cut(steps: Steps, wanted: np.ndarray) -> list[_Cut]:
    """The steps of a range on both sides of each wanted mass."""
    positive, negative, pairs = (np.append(0, sums) for sums in _sums(steps))
    after = np.clip(np.searchsorted(positive + negative, wanted, side="left"), 1, len(pairs) - 1)
    sides = (zip(positive[at].tolist(), negative[at].tolist(), pairs[at].tolist()) for at in (after - 1, after))
    return [_Cut(before, later) for before, later in zip(*sides)]
