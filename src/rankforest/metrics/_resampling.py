"""Stratified resampling of a list that is sorted once.

A bootstrap sample is given by how often each row was drawn. On the sorted list this takes two cumulative sums, and
every metric is computed from them; nothing is sorted or copied again. The classes are drawn separately, so the number
of positives does not change. With groups, whole groups are drawn, and both classes with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import CumulativeMass, RankingInputs
from rankforest.metrics._top import Top, top_of_mass
from rankforest.metrics.roc import area_under
from rankforest.metrics.separation import ks_of

__all__ = ["MASS_METRICS", "MassMetric", "SortedList", "draws"]

MassMetric = Callable[[CumulativeMass, float], float]


class SortedList:
    """The rows of each class by descending score; new weights of the rows give new cumulative masses."""

    def __init__(self, inputs: RankingInputs, score: FloatArray) -> None:
        order = np.argsort(-score, kind="stable")
        descending = score[order]
        end = np.flatnonzero(np.append(descending[1:] != descending[:-1], True))
        self._threshold = np.append(np.inf, descending[end])
        is_positive = inputs.is_positive[order]
        # of each class: its rows, best first, and how many of them are at or above each threshold
        self._classes = [
            (order[of_class], np.append(0, np.cumsum(of_class)[end])) for of_class in (is_positive, ~is_positive)
        ]

    def mass(self, weight: Any) -> CumulativeMass:
        """Cumulative masses for these weights; thresholds of weight 0 are kept and add nothing."""
        positive, negative = (_cumulative(weight[rows])[upto] for rows, upto in self._classes)
        return CumulativeMass(positive, negative, self._threshold)


def _cumulative(weight: Any) -> FloatArray:
    sums = np.zeros(len(weight) + 1)
    np.cumsum(weight, out=sums[1:])
    return sums


def draws(
    inputs: RankingInputs, n_replicates: int, rng: np.random.Generator, groups: np.ndarray | None = None
) -> Iterator[Any]:
    """Weights of the rows in each bootstrap sample: how often the row was drawn, times its own weight."""
    if groups is not None:
        yield from _draws_of_groups(inputs, n_replicates, rng, groups)
        return
    classes = [np.flatnonzero(rows) for rows in (inputs.is_positive, ~inputs.is_positive)]
    if inputs.weight is not None:
        # Rows of weight 0 are ignored, so they are not drawn.
        classes = [rows[inputs.weight[rows] > 0] for rows in classes]
    for _ in range(n_replicates):
        times = np.zeros(len(inputs.is_positive))
        for rows in classes:
            drawn = rng.integers(len(rows), size=len(rows), dtype=np.int32)
            times[rows] = np.bincount(drawn, minlength=len(rows))
        yield times if inputs.weight is None else times * inputs.weight


def _draws_of_groups(
    inputs: RankingInputs, n_replicates: int, rng: np.random.Generator, groups: np.ndarray
) -> Iterator[Any]:
    """The same for whole groups, as many as there are; a sample with rows of one class only is drawn again."""
    weight = np.ones(len(groups)) if inputs.weight is None else inputs.weight
    distinct, places = np.unique(groups[weight > 0], return_inverse=True)
    of_row = np.full(len(groups), len(distinct))
    of_row[weight > 0] = places
    for _ in range(n_replicates):
        while True:
            drawn = rng.integers(len(distinct), size=len(distinct), dtype=np.int32)
            times = np.append(np.bincount(drawn, minlength=len(distinct)), 0.0)[of_row]
            if times[inputs.is_positive].any() and times[~inputs.is_positive].any():
                break
        yield times * weight


def _auc(mass: CumulativeMass, u: float) -> float:
    return min(area_under(mass.negative, mass.positive / mass.positive[-1]) / float(mass.negative[-1]), 1.0)


def _average_precision(mass: CumulativeMass, u: float) -> float:
    total = mass.total[1:]
    precision = np.divide(mass.positive[1:], total, out=np.zeros_like(total), where=total > 0)
    return min(float(np.diff(mass.positive) @ precision) / float(mass.positive[-1]), 1.0)


def _gini(mass: CumulativeMass, u: float) -> float:
    return 2.0 * _auc(mass, u) - 1.0


def _ks(mass: CumulativeMass, u: float) -> float:
    return ks_of(mass)


def _of_top(read: Callable[[Top], FloatArray]) -> MassMetric:
    return lambda mass, u: float(read(top_of_mass(mass, np.asarray(u)))[0])


MASS_METRICS: Mapping[str, MassMetric] = {
    "roc_auc": _auc,
    "gini": _gini,
    "ks_statistic": _ks,
    "average_precision": _average_precision,
    "local_auc": _of_top(lambda top: top.local_auc),
    "relative_local_auc": _of_top(lambda top: top.relative_local_auc),
    "partial_auc": _of_top(lambda top: top.partial),
    "hit_ratio": _of_top(lambda top: np.minimum(top.positives / top.mass, 1.0)),
    "recall_at": _of_top(lambda top: np.minimum(top.beta, 1.0)),
}
"""The metrics that are read off cumulative masses; those of the whole list do not look at u."""
