"""Stratified resampling of a list that is sorted once.

A bootstrap sample is how often each row was drawn. On the sorted list it is two cumulative sums, and every metric of
the list can be read off them; nothing is sorted or copied again. Each class is drawn from itself: the number of
positives stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from rankforest.metrics._inputs import CumulativeMass, FloatArray, RankingInputs
from rankforest.metrics.roc import area_under

__all__ = ["MASS_METRICS", "MassMetric", "SortedList", "draws"]

MassMetric = Callable[[CumulativeMass, float], float]


class SortedList:
    """The rows by descending score, class by class; a new weight of every row gives new cumulative masses."""

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
        """Cumulative masses of rows of these weights; thresholds of weight 0 stay, and add nothing."""
        positive, negative = (_cumulative(weight[rows])[upto] for rows, upto in self._classes)
        return CumulativeMass(positive, negative, self._threshold)


def _cumulative(weight: Any) -> FloatArray:
    sums = np.zeros(len(weight) + 1)
    np.cumsum(weight, out=sums[1:])
    return sums


def draws(inputs: RankingInputs, n_replicates: int, rng: np.random.Generator) -> Iterator[Any]:
    """Weights of the rows in each bootstrap sample: how often the row was drawn, times its own weight."""
    classes = [np.flatnonzero(rows) for rows in (inputs.is_positive, ~inputs.is_positive)]
    if inputs.weight is not None:
        # A row of weight 0 is absent, so it cannot be drawn.
        classes = [rows[inputs.weight[rows] > 0] for rows in classes]
    for _ in range(n_replicates):
        times = np.zeros(len(inputs.is_positive))
        for rows in classes:
            drawn = rng.integers(len(rows), size=len(rows), dtype=np.int32)
            times[rows] = np.bincount(drawn, minlength=len(rows))
        yield times if inputs.weight is None else times * inputs.weight


def _auc(mass: CumulativeMass, u: float) -> float:
    return min(area_under(mass.negative, mass.positive / mass.positive[-1]) / float(mass.negative[-1]), 1.0)


def _average_precision(mass: CumulativeMass, u: float) -> float:
    total = mass.total[1:]
    precision = np.divide(mass.positive[1:], total, out=np.zeros_like(total), where=total > 0)
    return min(float(np.diff(mass.positive) @ precision) / float(mass.positive[-1]), 1.0)


def _hit_ratio(mass: CumulativeMass, u: float) -> float:
    _, beta, _ = _top(mass, u)
    return min(beta * float(mass.positive[-1] / mass.total[-1]) / u, 1.0)


def _recall(mass: CumulativeMass, u: float) -> float:
    return _top(mass, u)[1]


def _partial_auc(mass: CumulativeMass, u: float) -> float:
    return _top(mass, u)[2]


def _local_auc(mass: CumulativeMass, u: float) -> float:
    alpha, beta, partial = _top(mass, u)
    return min(partial + beta * (1.0 - alpha), 1.0)


def _top(mass: CumulativeMass, u: float) -> tuple[float, float, float]:
    """Where the curve meets the control line of the best share u, (alpha, beta), and the area left of that point."""
    total = mass.total
    wanted = u * float(total[-1])
    after = min(max(int(np.searchsorted(total, wanted, side="left")), 1), len(total) - 1)
    part = min((wanted - total[after - 1]) / (total[after] - total[after - 1]), 1.0)
    negative, positive = mass.negative[: after + 1].copy(), mass.positive[: after + 1].copy()
    negative[-1] = negative[-2] + part * (negative[-1] - negative[-2])
    positive[-1] = positive[-2] + part * (positive[-1] - positive[-2])
    alpha, beta = negative / mass.negative[-1], positive / mass.positive[-1]
    return min(float(alpha[-1]), 1.0), min(float(beta[-1]), 1.0), area_under(alpha, beta)


MASS_METRICS: Mapping[str, MassMetric] = {
    "roc_auc": _auc,
    "average_precision": _average_precision,
    "local_auc": _local_auc,
    "partial_auc": _partial_auc,
    "hit_ratio": _hit_ratio,
    "recall_at": _recall,
}
"""The metrics that are read off cumulative masses; those of the whole list do not look at u."""
