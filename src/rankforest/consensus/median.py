"""Median rankings: the ranking that is nearest to all rankings of a profile."""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.utils import check_random_state

from rankforest import _core
from rankforest.consensus._inputs import (
    FloatArray,
    Levels,
    check_count,
    check_profile,
    check_ranking,
    check_weights,
    pair_mass,
)
from rankforest.consensus.distances import footrule_sum, kendall_unit, rank_unit, spearman_sum
from rankforest.consensus.kemeny import KemenySearch, kemeny
from rankforest.consensus.positional import borda, copeland, footrule_assignment, median_rank
from rankforest.consensus.ranks import break_ties
from rankforest.consensus.result import MedianRanking

__all__ = ["median_ranking", "ranking_cost"]

Method = Literal["kemeny", "exact", "heuristic", "borda", "copeland", "footrule", "median_rank"]
METHODS = ("kemeny", "exact", "heuristic", "borda", "copeland", "footrule", "median_rank")
# Limits of the integer program for method="kemeny": components that it mostly solves in seconds, and a time limit.
EXACT_ITEMS = 100
EXACT_SECONDS = 10.0


def median_ranking(
    profile: ArrayLike,
    method: Method = "kemeny",
    weights: ArrayLike | None = None,
    *,
    ranking_weights: ArrayLike | None = None,
    strict: bool = False,
    n_restarts: int = 4,
    time_limit: float | None = None,
    random_state: Any = 0,
    n_jobs: int | None = None,
) -> MedianRanking:
    """The ranking with the least sum of distances to the rankings of a profile, or a good one with a bound.

    Parameters
    ----------
    profile : array-like of shape (n_rankings, n_items)
        One ranking per row, smaller is better, equal is tied. For scores use :func:`ranks_from_scores`.
    method : str, default "kemeny"
        For the Kendall distance:

        - "kemeny": proved optimal if that is quick, else by local search; the result tells which.
        - "exact": the integer program on every component, however long it takes, or until ``time_limit``.
        - "heuristic": local search only, with the pairwise lower bound.
        - "borda": by the mean rank. "copeland": by the number of items beaten by majority.

        For the footrule:

        - "footrule": the best strict ranking, by assignment; not with item weights.
        - "median_rank": by the median rank; good, but not always the best; compare its cost with ``lower_bound``.
    weights : array-like of shape (n_items,), optional
        Masses of the items; a pair weighs the product of its two. An item of weight 0 costs nothing anywhere.
    ranking_weights : array-like of shape (n_rankings,), optional
        A ranking of weight 2 counts twice.
    strict : bool, default False
        Exclude ties from the result. By rule methods, tied items are then ordered by their index.
    n_restarts : int, default 4
        Local searches in each component, the first from Borda's ranking, the others from shaken ones.
    time_limit : float, optional
        Seconds for the integer programs; 10 for "kemeny" and no limit for "exact" by default. A limit that is reached
        makes the result depend on the machine: it is then not ``optimal``, and its bound is the one proved so far.
    random_state : int, RandomState or None, default 0
        Seed of the local search.
    n_jobs : int, optional
        Threads, -1 for all cores; the result is the same.

    Returns
    -------
    MedianRanking
        ``ranking`` (mid-ranks), ``cost``, ``lower_bound``, ``optimal`` and how they were found.

    Notes
    -----
    The components are those of the majority graph; see ``core/components.hpp`` for why they can be ranked one by one,
    with ties too. Memory is two numbers per pair of items for the first three methods.

    Examples
    --------
    >>> result = median_ranking([[1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 4, 3]])
    >>> result
    MedianRanking(4 items, kendall cost 2, proved optimal, method='kemeny', exact)
    >>> result.ranking
    array([1., 2., 3., 4.])
    >>> median_ranking([[1, 1, 3], [1, 1, 3], [1, 2, 3]]).buckets
    [[0, 1], [2]]
    >>> median_ranking([[1, 2, 3], [2, 3, 1], [3, 1, 2]], method="borda")
    MedianRanking(3 items in 1 bucket, kendall cost 4.5, lower bound 3 (gap 33.33%), method='borda', rule)
    """
    ranks = check_profile(profile)
    n_rankings, n_items = ranks.shape
    masses = check_weights(weights, n_items)
    votes = check_weights(ranking_weights, n_rankings, "ranking_weights", "ranking")
    restarts = check_count(n_restarts, "n_restarts", 1)
    n_threads = effective_n_jobs(n_jobs)
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}; pass one of them.")
    if time_limit is not None and not time_limit >= 0:
        raise ValueError(
            f"time_limit must be a number of seconds, got {time_limit!r}; use None for the default of the method."
        )
    if method == "footrule" and masses is not None:
        raise ValueError('method="footrule" takes no item weights; use method="median_rank", or leave weights out.')

    total = float(n_rankings if votes is None else votes.sum())
    if method in ("footrule", "median_rank"):
        levels, bound = median_rank(ranks, votes, masses)
        if method == "footrule":
            levels = footrule_assignment(ranks, votes)
        elif strict:
            levels = break_ties(levels)
        cost = ranking_cost(ranks, levels, distance="footrule", weights=masses, ranking_weights=votes)
        assigned = method == "footrule"
        return _result(
            levels,
            cost,
            cost if assigned else bound,
            mean_distance=cost / total * rank_unit(masses, n_items, "distinct", power=1),
            distance="footrule",
            method=method,
            solver="assignment" if assigned else "rule",
            strict=strict or assigned,
            component_sizes=(n_items,),
        )

    sizes: tuple[int, ...] = (n_items,)
    proved = False
    if method in ("borda", "copeland"):
        levels = borda(ranks, votes, masses) if method == "borda" else copeland(ranks, votes, masses, n_threads)
        if strict:
            levels = break_ties(levels)
        gain = _core.pair_totals(ranks, votes, masses, n_threads)[1 if strict else 0]
    else:
        limit = EXACT_SECONDS if method == "kemeny" and time_limit is None else time_limit
        search = KemenySearch(
            strict=strict,
            exact_items={"kemeny": EXACT_ITEMS, "exact": n_items, "heuristic": 0}[method],
            deadline=np.inf if limit is None else time.monotonic() + limit,
            n_restarts=restarts,
            seed=int(check_random_state(random_state).randint(np.iinfo(np.int32).max)),
            n_threads=n_threads,
        )
        levels, gain, proved, sizes = kemeny(ranks, votes, masses, search)
    cost = ranking_cost(ranks, levels, weights=masses, ranking_weights=votes)
    searched = method not in ("borda", "copeland")
    return _result(
        levels,
        cost,
        cost if proved else (total * pair_mass(masses, n_items) - gain) / 2,
        mean_distance=cost / total / kendall_unit(masses, n_items, "distinct"),
        distance="kendall",
        method=method,
        solver="rule" if not searched else "exact" if proved else "local search",
        strict=strict,
        n_restarts=restarts if searched and max(sizes) > 1 else 0,
        component_sizes=sizes,
    )


def ranking_cost(
    profile: ArrayLike,
    ranking: ArrayLike,
    *,
    distance: Literal["kendall", "footrule", "spearman"] = "kendall",
    weights: ArrayLike | None = None,
    ranking_weights: ArrayLike | None = None,
) -> float:
    """Sum of the plain distances from a ranking to those of a profile, which a median ranking minimises.

    Parameters
    ----------
    profile : array-like of shape (n_rankings, n_items)
        One ranking per row, smaller is better, equal is tied.
    ranking : array-like of shape (n_items,)
        The ranking to evaluate.
    distance : {"kendall", "footrule", "spearman"}, default "kendall"
        The distance, with ``normalize=None``.
    weights, ranking_weights : array-like, optional
        Masses of the items and of the rankings.

    Returns
    -------
    float

    Examples
    --------
    >>> ranking_cost([[1, 2, 3], [3, 2, 1]], [1, 2, 3])
    3.0
    """
    ranks, judged = check_profile(profile), check_ranking(ranking)
    n_rankings, n_items = ranks.shape
    if len(judged) != n_items:
        raise ValueError(f"ranking ranks {len(judged)} items and the profile {n_items}; pass one rank per item.")
    masses = check_weights(weights, n_items)
    votes = check_weights(ranking_weights, n_rankings, "ranking_weights", "ranking")
    if distance == "kendall":
        costs = [_kendall_sum(row, judged, masses) for row in ranks]
    elif distance in ("footrule", "spearman"):
        plain = footrule_sum if distance == "footrule" else spearman_sum
        costs = [plain(row, judged, masses) for row in ranks]
    else:
        raise ValueError(f'distance must be "kendall", "footrule" or "spearman", got {distance!r}; pass one of them.')
    return float(np.sum(costs) if votes is None else np.dot(votes, costs))


def _kendall_sum(a: FloatArray, b: FloatArray, weights: FloatArray | None) -> float:
    discordant, tied_a, tied_b = _core.kendall_masses(a, b, weights)
    return discordant + 0.5 * (tied_a + tied_b)


def _result(levels: Levels, cost: float, bound: float, **how: Any) -> MedianRanking:
    # With weights cost and bound are rounded, so they are compared up to rounding.
    optimal = cost <= bound * (1 + 1e-9)
    return MedianRanking(
        ranking=np.asarray(rankdata(levels), dtype=np.float64),
        cost=cost,
        lower_bound=cost if optimal else max(bound, 0.0),
        optimal=optimal,
        **how,
    )
