"""From scores to ranks, and from ranks to mid-ranks and buckets. Rank 1 is the best; ties share their mean rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from rankforest.consensus._inputs import FloatArray, Levels, check_profile, check_ranking

__all__ = ["mid_ranks", "mid_ranks_among", "ranks_from_scores"]


def mid_ranks(values: ArrayLike) -> FloatArray:
    """Ranks from 1 (best), where tied items share the mean of the places that they take.

    Parameters
    ----------
    values : array-like of shape (n_items,) or (n_rankings, n_items)
        Any numbers in which smaller is better.

    Returns
    -------
    ndarray of the same shape

    Examples
    --------
    >>> mid_ranks([10, 30, 10, 70])
    array([1.5, 3. , 1.5, 4. ])
    """
    array = check_profile(values) if np.ndim(values) == 2 else check_ranking(values, "values")
    return np.asarray(rankdata(array, axis=-1), dtype=np.float64)


def mid_ranks_among(ordered: FloatArray, scores: FloatArray) -> FloatArray:
    """Ranks of some scores among all scores, which are sorted ascending: 1 is the greatest, ties share the mean.

    Examples
    --------
    >>> mid_ranks_among(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0.5, 0.9]))
    array([2.5, 1. ])
    """
    order = np.argsort(scores)  # sorted searches are cache-friendly, and many times as fast
    sought = scores[order]
    below = np.searchsorted(ordered, sought, side="left")
    upto = np.searchsorted(ordered, sought, side="right")
    ranks = np.empty(len(scores))
    ranks[order] = len(ordered) - upto + (upto - below + 1) / 2.0
    return ranks


def ranks_from_scores(scores: ArrayLike) -> FloatArray:
    """Mid-ranks of scores in which larger is better; turns scores into a profile.

    Parameters
    ----------
    scores : array-like of shape (n_items,) or (n_rankings, n_items)
        Scores, larger is better.

    Returns
    -------
    ndarray of the same shape
        Ranks, 1 for the largest score of each row.

    Examples
    --------
    >>> ranks_from_scores([0.9, 0.1, 0.5, 0.5])
    array([1. , 4. , 2.5, 2.5])
    """
    array = check_profile(scores) if np.ndim(scores) == 2 else check_ranking(scores, "scores")
    return mid_ranks(-array)


def mass_ranks(ranks: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Mid-ranks in mass along the last axis: the mass ranked better, plus half the mass of the bucket.

    Without weights they are the mid-ranks less 1/2. An item of weight 2 counts as two tied items of weight 1.

    Examples
    --------
    >>> mass_ranks(np.array([1.0, 2.0, 2.0]), np.array([2.0, 1.0, 1.0]))
    array([1., 3., 3.])
    """
    if weights is None:
        return np.asarray(rankdata(ranks, axis=-1) - 0.5, dtype=np.float64)
    if ranks.ndim == 2:
        return np.stack([mass_ranks(row, weights) for row in ranks])
    _, bucket = np.unique(ranks, return_inverse=True)
    mass = np.bincount(bucket, weights)
    middle = np.cumsum(mass) - mass / 2
    return np.asarray(middle[bucket])


def levels_of(values: FloatArray) -> Levels:
    """Bucket of each item: 0 for the smallest value, 1 for the next. Values within rounding of each other are tied.

    Examples
    --------
    >>> levels_of(np.array([0.1 + 0.2, 0.3, 7.0]))
    array([0, 0, 1], dtype=int32)
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    slack = 1e-12 * max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    steps = np.append(0, np.cumsum(np.diff(ascending) > slack))
    levels = np.empty(len(values), dtype=np.int32)
    levels[order] = steps
    return levels


def break_ties(levels: Levels) -> Levels:
    """The same order without ties: tied items in the order of their index.

    Examples
    --------
    >>> break_ties(np.array([1, 0, 1], dtype=np.int32))
    array([1, 0, 2], dtype=int32)
    """
    strict = np.empty(len(levels), dtype=np.int32)
    strict[np.argsort(levels, kind="stable")] = np.arange(len(levels), dtype=np.int32)
    return strict
