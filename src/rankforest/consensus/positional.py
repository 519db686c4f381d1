"""Rankings by a score of each item: Borda, Copeland, the median rank; and the best footrule by assignment."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment

from rankforest import _core
from rankforest.consensus._inputs import FloatArray, Levels
from rankforest.consensus.ranks import levels_of, mass_ranks

__all__ = ["borda", "copeland", "footrule_assignment", "median_rank"]


def borda(profile: FloatArray, ranking_weights: FloatArray | None, weights: FloatArray | None) -> Levels:
    """Order by the mean rank. Ties broken, no strict ranking has a smaller sum of squared rank differences.

    Examples
    --------
    >>> borda(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), None, None)
    array([0, 1, 1], dtype=int32)
    """
    ranks = mass_ranks(profile, weights)
    return levels_of(ranks.sum(axis=0) if ranking_weights is None else ranking_weights @ ranks)


def copeland(
    profile: FloatArray, ranking_weights: FloatArray | None, weights: FloatArray | None, n_threads: int
) -> Levels:
    """Order by the mass of the items beaten by majority, a draw counting one half.

    Examples
    --------
    >>> copeland(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0]]), None, None, 1)
    array([0, 1, 1], dtype=int32)
    """
    return levels_of(-_core.copeland_scores(profile, ranking_weights, weights, n_threads))


def median_rank(
    profile: FloatArray, ranking_weights: FloatArray | None, weights: FloatArray | None
) -> tuple[Levels, float]:
    """Order by the median rank, and the footrule cost of the medians, a lower bound for all rankings.

    The medians minimise the footrule over all score vectors. If they are not the ranks of a ranking, a ranking in
    another order may cost less than the ranking by medians.

    Examples
    --------
    >>> median_rank(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]), None, None)
    (array([0, 1, 2], dtype=int32), 2.0)
    """
    ranks = mass_ranks(profile, weights)
    votes = np.ones(len(ranks)) if ranking_weights is None else ranking_weights
    order = np.argsort(ranks, axis=0, kind="stable")
    ascending = np.take_along_axis(ranks, order, axis=0)
    reached = np.cumsum(votes[order], axis=0)
    half = votes.sum() / 2
    slack = 1e-12 * half
    # The middle of the interval of medians: from where half of the mass is reached to where it is exceeded.
    columns = np.arange(ranks.shape[1])
    low = ascending[np.argmax(reached >= half - slack, axis=0), columns]
    high = ascending[np.argmax(reached > half + slack, axis=0), columns]
    median = (low + high) / 2
    gap = votes @ np.abs(ranks - median)
    return levels_of(median), float(gap.sum() if weights is None else np.dot(weights, gap))


def footrule_assignment(profile: FloatArray, ranking_weights: FloatArray | None) -> Levels:
    """The strict ranking of least footrule cost: items are assigned to places (Dwork et al., 2001).

    Examples
    --------
    >>> footrule_assignment(np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]), None)
    array([0, 1, 2], dtype=int32)
    """
    ranks = mass_ranks(profile, None)
    places = np.arange(ranks.shape[1]) + 0.5
    cost = np.zeros((ranks.shape[1], ranks.shape[1]))
    for b, row in enumerate(ranks):
        gap = np.abs(row[:, None] - places)
        cost += gap if ranking_weights is None else ranking_weights[b] * gap
    _, place = linear_sum_assignment(cost)
    return place.astype(np.int32)
