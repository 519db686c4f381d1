"""The AUC of very many rows by counting pairs: one sorted copy of the scores is all that is in memory."""

from __future__ import annotations

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray

__all__ = ["MANY_ROWS", "auc_by_counting"]

MANY_ROWS = 1 << 21
_AT_ONCE = 1 << 20


def auc_by_counting(is_positive: BoolArray, score: FloatArray, at_once: int = _AT_ONCE) -> float:
    """Share of the pairs of a positive and a negative in which the positive is above, ties counting one half.

    Examples
    --------
    >>> auc_by_counting(np.array([False, True, False, True]), np.array([1.0, 2.0, 3.0, 4.0]))
    0.75
    """
    positive, negative = score[is_positive], score[~is_positive]
    positive.sort()  # neighbours look up neighbouring places
    negative.sort()
    twice_above = 0  # whole numbers, so nothing is rounded before the division
    for start in range(0, len(positive), at_once):
        block = positive[start : start + at_once]
        for side in ("left", "right"):
            twice_above += int(np.searchsorted(negative, block, side=side).sum())
    return twice_above / (2 * len(positive) * len(negative))
