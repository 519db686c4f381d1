"""Placements: the position of each row among the rows of the other class.

The placement of a positive is the share of the negatives that it beats, that of a negative the share of the positives
that beat it; ties count one half. The mean of either is the AUC. One sort gives all placements, without a loop over
pairs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray
from rankforest.metrics._inputs import RankingInputs

__all__ = [
    "Placements",
    "class_sizes",
    "covariance_of_means",
    "kish_size",
    "mean_and_error",
    "mean_of",
    "placements",
]


class Placements(NamedTuple):
    """Placements of the rows under several scores, one row of the arrays per score, and the weights of the rows."""

    positive: FloatArray
    negative: FloatArray
    positive_weight: FloatArray | None
    negative_weight: FloatArray | None


def placements(inputs: RankingInputs, scores: Any) -> Placements:
    """Placements of the rows of weight above 0 under each of the scores (checked arrays, one per model)."""
    is_positive, _, weight = inputs
    present = None
    if weight is not None and not weight.all():
        present = weight > 0
        is_positive, weight = is_positive[present], weight[present]
    of_positive, of_negative = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    positive = np.empty((len(scores), len(of_positive)))
    negative = np.empty((len(scores), len(of_negative)))
    for model, score in enumerate(scores):
        placed = _place(is_positive, score if present is None else score[present], weight)
        np.take(placed, of_positive, out=positive[model])
        np.take(placed, of_negative, out=negative[model])
    if weight is None:
        return Placements(positive, negative, None, None)
    return Placements(positive, negative, weight[of_positive], weight[of_negative])


def _place(is_positive: BoolArray, score: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Placement of every row: the share of the other class below a positive, or above a negative; ties one half."""
    # The rounding of weighted sums depends on their order, so only counts may be summed in any order of the ties.
    order = np.argsort(score, kind="stable" if weight is not None else "quicksort")
    ascending, positive_row = score[order], is_positive[order]
    n = len(order)
    positive: Any
    negative: Any
    if weight is None:
        below = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(positive_row, out=below[1:])
        positive, negative = below, np.arange(n + 1) - below
    else:
        sorted_weight = weight[order]
        positive, negative = np.zeros(n + 1), np.zeros(n + 1)
        np.cumsum(np.where(positive_row, sorted_weight, 0.0), out=positive[1:])
        np.cumsum(np.where(positive_row, 0.0, sorted_weight), out=negative[1:])
    step = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    start: Any
    end: Any
    group: Any
    if len(step) == n - 1:  # no ties: slices need no copy
        start, end, group = slice(0, n), slice(1, n + 1), slice(0, n)
    else:
        start, end = np.append(0, step), np.append(step, n)
        group = np.repeat(np.arange(len(start)), end - start)
    beaten = (negative[start] + negative[end]) / (2.0 * negative[-1])
    beaten_by = 1.0 - (positive[start] + positive[end]) / (2.0 * positive[-1])
    placed = np.empty(n)
    placed[order] = np.where(positive_row, beaten[group], beaten_by[group])
    return placed


def mean_of(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    """(Weighted) means of the rows of an array."""
    return np.asarray(np.average(values, axis=-1, weights=weight))


def covariance_of_means(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Covariance of the (weighted) means of the rows of an array; NaN for a single column."""
    count = values.shape[1]
    if count < 2:
        return np.full((len(values), len(values)), np.nan)
    share = np.full(count, 1.0 / count) if weight is None else weight / weight.sum()
    centred = values - mean_of(values, weight)[:, None]
    centred *= share
    return np.asarray(centred @ centred.T) * (count / (count - 1.0))


def mean_and_error(placed: Placements, positive: FloatArray, negative: FloatArray) -> tuple[float, float]:
    """Mean of the placements, or of their differences, and its standard error: 0 exactly when all pairs agree."""
    if positive.min() == positive.max() and negative.min() == negative.max():
        return float(positive[0]), 0.0
    mean = float(mean_of(positive, placed.positive_weight))
    if min(len(positive), len(negative)) < 2:
        return mean, np.inf
    variance = covariance_of_means(positive[None, :], placed.positive_weight)
    variance += covariance_of_means(negative[None, :], placed.negative_weight)
    return mean, float(np.sqrt(variance[0, 0]))


def class_sizes(placed: Placements) -> tuple[float, float]:
    """Rows of the positives and of the negatives; with weights, Kish's effective sample sizes."""
    return _size(placed.positive, placed.positive_weight), _size(placed.negative, placed.negative_weight)


def _size(values: FloatArray, weight: FloatArray | None) -> float:
    return float(values.shape[1]) if weight is None else kish_size(weight)


def kish_size(weight: FloatArray) -> float:
    """Kish's effective sample size: the number of equally weighted rows whose mean has the same variance.

    Examples
    --------
    >>> kish_size(np.array([1.0, 1.0, 2.0]))
    2.6666666666666665
    """
    # Divide by the greatest weight: squares of very large or very small weights would overflow or underflow.
    share = weight / weight.max()
    return float(share.sum() ** 2 / np.square(share).sum())
