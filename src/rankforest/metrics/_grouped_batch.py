"""Rows of a batch that stand out, where the batch has several rows of some groups.

Benjamini and Hochberg's rule needs rows that are exchangeable with the held-out ones given the other rows of the batch.
A row with a companion of its own group is not. So its threshold is found without its companions: T is the lowest one
with m (1 + c(T)) <= q (n + 1) (1 + r(T)), where c counts the held-out negatives and r the rows of other groups that
score at least T. Then (n + 1) / (1 + c(T)) if the row scores at least T, else 0, is an e-value: its mean, if the row is
negative, is at most 1, whatever its companions are. The e-value version of Benjamini and Hochberg's rule (Wang and
Ramdas, 2022) flags the r rows with the greatest e-values, for the greatest r with e(r) >= m / (q r), and its expected
share of false discoveries is at most q under any dependence. Without companions both rules flag the same rows.
"""

from __future__ import annotations

import numpy as np

from rankforest.data.numbers import BoolArray, FloatArray

__all__ = ["stand_out_in_groups"]

_ROUNDING = 1.0 + 1e-12


def stand_out_in_groups(
    negative: FloatArray, n: int, score: FloatArray, groups: np.ndarray, level: float, flagged: BoolArray
) -> BoolArray:
    """The rows that are flagged; they are some of those that Benjamini and Hochberg's rule flags.

    Parameters
    ----------
    negative : array
        Scores of the held-out negatives, ascending.
    n : int
        Number of held-out rows behind the p-values.
    score, groups : arrays of shape (m,)
        Scores of the batch, and the group of each row, from 0 on.
    level : float
    flagged : array of bool
        By Benjamini and Hochberg's rule for rows without companions: a threshold without companions is not lower.
    """
    rows = np.flatnonzero(flagged)
    if len(rows) == 0:
        return flagged
    m, own_score, own_group = len(score), score[rows], groups[rows]
    below = score[~flagged].max(initial=-np.inf)
    thresholds = np.unique(np.concatenate([own_score, negative[np.searchsorted(negative, below, side="right") :]]))
    higher = len(negative) - np.searchsorted(negative, thresholds)
    reached = len(rows) - np.searchsorted(np.sort(own_score), thresholds)
    # so many of the rows that reach a threshold may be companions
    spare = 1 + reached - m * (1 + higher) / (level * _ROUNDING * (n + 1))
    e_value = np.zeros(len(rows))
    order = np.lexsort((own_score, own_group))
    for members in np.split(order, np.flatnonzero(np.diff(own_group[order])) + 1):
        companions = len(members) - np.searchsorted(own_score[members], thresholds)
        passing = np.flatnonzero(spare >= companions)
        if len(passing):
            first = passing[0]
            above = members[own_score[members] >= thresholds[first]]
            e_value[above] = (n + 1) / (1 + higher[first])
    ordered = np.sort(e_value)[::-1]
    enough = np.flatnonzero(ordered * _ROUNDING >= m / (level * np.arange(1, len(rows) + 1)))
    found = np.zeros(m, dtype=bool)
    if len(enough):
        found[rows[e_value >= ordered[enough[-1]]]] = True
    return found
