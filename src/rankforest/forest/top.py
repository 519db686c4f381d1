"""Choices of a forest when only the top of the list matters.

The out-of-bag local AUC of a small share has a large error, so a choice by it alone is often luck. Therefore kinds of
trees are compared by local AUC and AUC together, and the default aggregation is only replaced by one that is clearly
better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.training_rows import TrainingRows
from ..metrics.bootstrap import bootstrap_test
from ..metrics.local import local_auc
from .groves import Grove
from .out_of_bag import out_of_bag_scores
from .sampling import Draw

__all__ = ["MARGIN", "best_aggregation", "local_auc_of", "order_by_both"]

# Cells are split up to this multiple of the share, because a row near the top of the forest's list may be further down
# in the list of one tree.
MARGIN = 4.0
_REPLICATES = 100
# The default aggregation, and those that may replace it. "plugin" is left out: "negative_rank", which counts half of
# the row's own cell instead of all of it, ranks better (benchmarks/aggregation.py).
_CONSIDERED = ("proba", "mean_rank", "negative_rank")


def local_auc_of(scores: np.ndarray, training: TrainingRows, top: float) -> float:
    """Local AUC of out-of-bag scores, without the rows that have none; NaN if the other rows are all of one class."""
    known = ~np.isnan(scores)
    if len(np.unique(training.labels[known])) < 2:
        return np.nan
    weights = None if training.weights is None else training.weights[known]
    return float(local_auc(training.labels[known], scores[known], top, sample_weight=weights))


def order_by_both(numbers: Sequence[int], aucs: Sequence[float], locals_: Sequence[float]) -> list[int]:
    """Sort numbers by the sum of their ranks by AUC and by local AUC; ties are broken by local AUC.

    Examples
    --------
    >>> order_by_both([0, 1, 2], [0.7, 0.8, 0.6], [0.2, 0.3, 0.1])
    [1, 0, 2]
    """

    def places(values: Sequence[float]) -> dict[int, int]:
        best_first = sorted(numbers, key=lambda number: (-np.nan_to_num(values[number], nan=-np.inf), number))
        return {number: place for place, number in enumerate(best_first)}

    by_auc, by_local = places(aucs), places(locals_)
    return sorted(numbers, key=lambda number: (by_auc[number] + by_local[number], by_local[number]))


def best_aggregation(groves: Sequence[Grove], draw: Draw, training: TrainingRows, top: float, n_threads: int) -> str:
    """The aggregation with the best out-of-bag local AUC, if it beats the default by more than one standard error."""
    scores = {how: out_of_bag_scores(groves, draw, training, how, n_threads)[0] for how in _CONSIDERED}
    usual, *others = _CONSIDERED
    known = ~np.isnan(scores[usual])
    labels = training.labels[known]
    if len(np.unique(labels)) < 2:
        return usual
    weights = None if training.weights is None else training.weights[known]
    best, lead = usual, 0.0
    for how in others:
        found = bootstrap_test(
            labels, scores[how][known], scores[usual][known], "local_auc", top,
            n_replicates=_REPLICATES, sample_weight=weights, random_state=draw.seed,
        ).difference  # fmt: skip
        if found.estimate > max(lead, found.standard_error):
            best, lead = how, found.estimate
    return best
