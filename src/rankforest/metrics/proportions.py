"""Proportions of two independent samples: Wilson's intervals, and the test and interval of their difference."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray
from rankforest.metrics.interval import Interval, wilson
from rankforest.metrics.placements import kish_size

__all__ = ["Proportion", "compare_proportions", "proportion"]


class Proportion(NamedTuple):
    """A share with its interval, and the number of rows behind it (Kish's effective one with weights)."""

    interval: Interval
    n_rows: float


def proportion(successes: BoolArray, weight: FloatArray | None, confidence: float) -> Proportion:
    """The share of successes with Wilson's interval; NaN without rows.

    Examples
    --------
    >>> print(proportion(np.arange(10) < 8, None, 0.95).interval)
    0.8000 [0.4902, 0.9433] (95%, Wilson)
    """
    w = np.ones(len(successes)) if weight is None else weight
    if not w.any():
        return Proportion(Interval(np.nan, 0.0, 1.0, np.inf, confidence, "none"), 0.0)
    n, share = kish_size(w[w > 0.0]), float(np.average(successes, weights=w))
    low, high = (float(end) for end in wilson(np.array(share), np.array(n), confidence))
    error = float(np.sqrt(share * (1.0 - share) / n))
    return Proportion(Interval(share, low, high, error, confidence, "Wilson"), n)


def compare_proportions(one: Proportion, other: Proportion) -> tuple[Interval, float]:
    """Difference of two proportions with Newcombe's (1998) interval, and the p-value of the score test.

    Examples
    --------
    >>> difference, p = compare_proportions(*(proportion(np.arange(50) < k, None, 0.95) for k in (40, 28)))
    >>> print(difference), round(p, 4)
    0.2400 [0.0570, 0.4025] (95%, Newcombe)
    (None, 0.0101)
    """
    from scipy.special import ndtr

    (a, n), (b, m) = one, other
    confidence = a.confidence
    if n == 0.0 or m == 0.0:
        return Interval(np.nan, -1.0, 1.0, np.inf, confidence, "none"), np.nan
    gap = a.estimate - b.estimate
    low = gap - np.hypot(a.estimate - a.low, b.high - b.estimate)
    high = gap + np.hypot(a.high - a.estimate, b.estimate - b.low)
    pooled = (n * a.estimate + m * b.estimate) / (n + m)
    error = float(np.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)))
    p_value = float(2.0 * ndtr(-abs(gap) / error)) if error > 0.0 else 1.0
    return Interval(gap, float(low), float(high), error, confidence, "Newcombe"), p_value
