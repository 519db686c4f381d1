"""Median ranking by Kendall distance: local search in each component of the majority graph, proof if possible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankforest import _core
from rankforest.consensus._inputs import FloatArray, Levels
from rankforest.consensus.exact import solve_exact
from rankforest.consensus.pair_gains import PairGains
from rankforest.consensus.positional import borda
from rankforest.consensus.ranks import break_ties

__all__ = ["KemenySearch", "KemenySolution", "kemeny"]


class KemenySearch(NamedTuple):
    """Parameters of the search for the median ranking.

    Attributes
    ----------
    strict : bool
        Are ties excluded?
    exact_items : int
        Largest component for the integer program.
    deadline : float
        When the integer program stops, as a value of ``time.monotonic()``.
    n_restarts, seed, n_threads : int
        Of the local search.
    """

    strict: bool
    exact_items: int
    deadline: float
    n_restarts: int
    seed: int
    n_threads: int


class KemenySolution(NamedTuple):
    """The buckets of the items, a bound on the gain of any ranking, and how they were found."""

    levels: Levels
    best_gain: float
    proved: bool
    component_sizes: tuple[int, ...]


def kemeny(
    profile: FloatArray, ranking_weights: FloatArray | None, weights: FloatArray | None, search: KemenySearch
) -> KemenySolution:
    """Rank each component of the majority graph on its own and list them one after the other.

    Examples
    --------
    >>> profile = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [1.0, 2.0, 3.0]])
    >>> kemeny(profile, None, None, KemenySearch(False, 40, np.inf, 1, 0, 1)).levels
    array([0, 1, 2], dtype=int32)
    """
    start = borda(profile, ranking_weights, weights)
    # Items in Borda's order: memory access is nearly sequential, and the result does not depend on the order of items.
    items = np.argsort(start, kind="stable")
    start = start[items]
    masses = None if weights is None else weights[items]
    gains = PairGains.of_profile(np.ascontiguousarray(profile[:, items]), ranking_weights, masses, search.n_threads)
    components = gains.components(search.strict)
    best_gain = gains.best(search.strict)
    solved: list[Levels] = [np.zeros(len(component), dtype=np.int32) for component in components]
    proved = True
    for at in sorted(range(len(components)), key=lambda at: len(components[at])):  # small components first
        component = components[at]
        if len(component) == 1:
            continue
        part = gains.take(component) if len(component) < gains.n_items else gains
        solved[at], bound, reached = _solve(part, start[component], search)
        best_gain -= part.best(search.strict) - bound
        proved &= reached
    levels = np.empty(gains.n_items, dtype=np.int32)
    first = 0
    for component, inside in zip(components, solved):
        levels[items[component]] = first + inside
        first += int(inside.max()) + 1
    return KemenySolution(levels, best_gain, proved, tuple(map(len, components)))


def _solve(gains: PairGains, start: Levels, search: KemenySearch) -> tuple[Levels, float, bool]:
    """The buckets inside one component, a bound on the gain, and whether they reach it."""
    bound = gains.best(search.strict)
    if not search.strict and (gains.tied >= np.abs(gains.margin)).all():
        return np.zeros(gains.n_items, dtype=np.int32), bound, True
    if search.strict:
        start = break_ties(start)
    n_kicks = 100 + 2 * gains.n_items
    levels, _ = _core.insertion_search(
        gains.margin, gains.tied, start, search.strict, search.n_restarts, n_kicks, search.seed, search.n_threads
    )
    gain = gains.of(levels)
    if gain < bound and gains.n_items <= search.exact_items:
        levels, bound = solve_exact(gains, levels, search.strict, search.deadline)
        gain = gains.of(levels)
    slack = 0.0 if gains.whole else 1e-9 * (abs(bound) + float(gains.tied.sum()))
    return levels, bound, bound <= gain + slack
