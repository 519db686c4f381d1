"""How much the rankings of a profile agree with each other."""

from __future__ import annotations

import math

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike

from rankforest import _core
from rankforest.consensus._inputs import FloatArray, check_profile, check_weights
from rankforest.consensus.distances import Normalize, kendall_unit

__all__ = ["distance_matrix", "mean_pairwise_distance", "preference_matrix"]


def distance_matrix(
    profile: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    normalize: Normalize = "distinct",
    n_jobs: int | None = None,
) -> FloatArray:
    """Kendall distances between all rankings of a profile.

    Parameters
    ----------
    profile : array-like of shape (n_rankings, n_items)
        One ranking per row, smaller is better, equal is tied.
    weights : array-like of shape (n_items,), optional
        Masses of the items.
    normalize : {"distinct", "mass", None}, default "distinct"
        As in :func:`kendall_distance`.
    n_jobs : int, optional
        Threads, -1 for all cores; the result is the same.

    Returns
    -------
    ndarray of shape (n_rankings, n_rankings)

    Examples
    --------
    >>> distance_matrix([[1, 2, 3], [3, 2, 1], [1, 2, 2]])
    array([[0.        , 1.        , 0.16666667],
           [1.        , 0.        , 0.83333333],
           [0.16666667, 0.83333333, 0.        ]])
    """
    ranks = check_profile(profile)
    masses = check_weights(weights, ranks.shape[1])
    unit = kendall_unit(masses, ranks.shape[1], normalize)
    return np.asarray(_core.kendall_matrix(ranks, masses, 0.5, effective_n_jobs(n_jobs)) / unit)


def mean_pairwise_distance(
    profile: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    normalize: Normalize = "distinct",
    n_jobs: int | None = None,
) -> float:
    """Mean Kendall distance over the pairs of distinct rankings of a profile: 0 when they all agree.

    With many rankings of few items it is computed from the pairwise preferences, without comparing pairs of rankings.

    Parameters
    ----------
    profile, weights, normalize, n_jobs
        As in :func:`distance_matrix`.

    Returns
    -------
    float
        0 for a single ranking.

    Examples
    --------
    >>> mean_pairwise_distance([[1, 2, 3], [1, 2, 3], [3, 2, 1]])
    0.6666666666666666
    """
    ranks = check_profile(profile)
    n_rankings, n_items = ranks.shape
    masses = check_weights(weights, n_items)
    unit = kendall_unit(masses, n_items, normalize)
    if n_rankings == 1:
        return 0.0
    n_threads = effective_n_jobs(n_jobs)
    # For a pair of items, x rankings put one first, y the other, and t tie them: x y pairs of rankings are discordant
    # and (x + y) t are tied in exactly one. Counting takes n^2 B cheap steps, merging B^2 n log n expensive ones.
    if n_items < 32 * n_rankings * math.log2(n_items + 1):
        total = _core.pair_totals(ranks, None, masses, n_threads)[2]
    else:
        total = float(_core.kendall_matrix(ranks, masses, 0.5, n_threads).sum()) / 2
    return total / (math.comb(n_rankings, 2) * unit)


def preference_matrix(
    profile: ArrayLike, *, ranking_weights: ArrayLike | None = None, n_jobs: int | None = None
) -> FloatArray:
    """How many rankings put each item strictly before each other one.

    Parameters
    ----------
    profile : array-like of shape (n_rankings, n_items)
        One ranking per row, smaller is better, equal is tied.
    ranking_weights : array-like of shape (n_rankings,), optional
        A ranking of weight 2 counts twice.
    n_jobs : int, optional
        Threads, -1 for all cores; the result is the same.

    Returns
    -------
    ndarray of shape (n_items, n_items)
        ``P[i, j]`` is the mass of the rankings with i before j; those with a tie are the total less
        ``P[i, j] + P[j, i]``.

    Examples
    --------
    >>> preference_matrix([[1, 2, 3], [2, 1, 3], [1, 1, 2]])
    array([[0., 1., 3.],
           [1., 0., 3.],
           [0., 0., 0.]])
    """
    ranks = check_profile(profile)
    masses = check_weights(ranking_weights, ranks.shape[0], "ranking_weights", "ranking")
    return _core.preference_counts(ranks, masses, effective_n_jobs(n_jobs))
