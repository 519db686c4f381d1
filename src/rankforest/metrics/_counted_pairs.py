"""The AUC of very many rows by counting pairs: a sorted copy of some scores of the rarer class is all that it needs."""

from __future__ import annotations

import math

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray

__all__ = ["MANY_ROWS", "auc_by_counting"]

MANY_ROWS = 1 << 21
_AT_ONCE = 1 << 20
_PARTS = 4  # of the rows, whose rarer class is sorted one after the other


def auc_by_counting(is_positive: BoolArray | np.ndarray, score: FloatArray, at_once: int = _AT_ONCE) -> float:
    """Share of the pairs of a positive and a negative in which the positive is above, ties counting one half.

    Rows without a score, NaN, are left out; the result is NaN if the others are all of one class. It needs about
    two bytes per row.

    Parameters
    ----------
    is_positive : array of bool, or of 0 and 1
    score : array of float
    at_once : int
        Rows of the other class that are looked up together.

    Examples
    --------
    >>> auc_by_counting(np.array([False, True, False, True, True]), np.array([1.0, 2.0, 3.0, 4.0, np.nan]))
    0.75
    """
    n = len(score)
    rarer = 2 * int(np.count_nonzero(is_positive)) <= n  # the class whose scores are sorted
    n_rarer = n_others = 0
    twice_below = 0  # twice the pairs in which the rarer class is below; nothing is rounded before the division
    bounds = [n * k // _PARTS for k in range(_PARTS + 1)]
    for rows in map(slice, bounds[:-1], bounds[1:]):
        scores = _in_order(score[rows][is_positive[rows] == rarer])
        n_rarer, n_others = n_rarer + len(scores), 0
        for start in range(0, n, at_once):
            part = slice(start, start + at_once)
            others = _in_order(score[part][is_positive[part] != rarer])  # neighbours look up neighbouring places
            n_others += len(others)
            twice_below += sum(int(np.searchsorted(scores, others, side=side).sum()) for side in ("left", "right"))
        del scores  # before the next ones are taken
    twice = 2 * n_rarer * n_others
    return (twice - twice_below if rarer else twice_below) / twice if twice else math.nan


def _in_order(score: FloatArray) -> FloatArray:
    """The scores in their own memory, sorted, without NaN."""
    score.sort()
    return score[: np.searchsorted(score, np.nan)]
