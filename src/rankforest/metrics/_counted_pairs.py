"""The AUC of very many rows by counting pairs: a sorted copy of the scores of the rarer class is all that it needs."""

from __future__ import annotations

import math

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray

__all__ = ["MANY_ROWS", "auc_by_counting"]

MANY_ROWS = 1 << 21
_AT_ONCE = 1 << 20


def auc_by_counting(is_positive: BoolArray, score: FloatArray, at_once: int = _AT_ONCE) -> float:
    """Share of the pairs of a positive and a negative in which the positive is above, ties counting one half.

    Rows without a score, NaN, are left out; the result is NaN if the others are all of one class.

    Examples
    --------
    >>> auc_by_counting(np.array([False, True, False, True, True]), np.array([1.0, 2.0, 3.0, 4.0, np.nan]))
    0.75
    """
    rarer = 2 * int(np.count_nonzero(is_positive)) <= len(score)  # the class whose scores are sorted
    scores = _in_order(score[is_positive == rarer])
    n_others = 0
    twice_below = 0  # twice the pairs in which the rarer class is below; nothing is rounded before the division
    for start in range(0, len(score), at_once):
        part = slice(start, start + at_once)
        others = _in_order(score[part][is_positive[part] != rarer])  # neighbours look up neighbouring places
        n_others += len(others)
        twice_below += sum(int(np.searchsorted(scores, others, side=side).sum()) for side in ("left", "right"))
    twice = 2 * len(scores) * n_others
    return (twice - twice_below if rarer else twice_below) / twice if twice else math.nan


def _in_order(score: FloatArray) -> FloatArray:
    """The scores in their own memory, sorted, without NaN."""
    score.sort()
    return score[: np.searchsorted(score, np.nan)]
