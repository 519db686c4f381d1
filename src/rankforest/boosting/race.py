"""A race of kinds of trees from coarse to fine, on one fold and all other rows, for large tables.

How fine the trees must be depends on the data and on the number of rows. So kinds are compared at the full number of
rows, for a few rounds. A finer kind learns faster in its first rounds and may stop earlier: the kinds are compared by
the AUC that their curves promise, not by the AUC that they have reached. If two kinds are close, they run twice as far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.sample import Sample
from .rounds import Boosters, Boosting, has_many_categories
from .table_tree import has_tables

__all__ = ["RACE_ROUNDS", "Runner", "partner", "promise", "race"]

RACE_ROUNDS = 64  # of a close race; the others are half as long
_START = 1  # the rung that the race begins at
_CLOSE = 0.01
# A finer kind costs more, so it must promise this much more AUC.
_LEAD = 0.0005
# The runner-up shares the folds if it promises about as much AUC as the winner.
_BEHIND = 0.003


@dataclass(frozen=True)
class Runner:
    """A kind in the race: its place on the ladder (changed kinds are above it), and its booster."""

    rung: int
    boosters: Boosters

    @property
    def promise(self) -> float:
        """The AUC that its curve promises."""
        return promise(self.boosters.curve)


def promise(curve: np.ndarray) -> float:
    """The AUC that a curve promises: its greatest AUC, plus the gain of the next doubling of the rounds.

    The gain of a doubling is taken to shrink at the rate of the last two doublings.

    Examples
    --------
    >>> curve = np.zeros(32)
    >>> curve[[7, 15, 31]] = 0.5, 0.7, 0.8
    >>> round(promise(curve), 3)
    0.85
    """
    n = len(curve)
    if n < 4:
        return float(curve.max())
    gain, before = (float(curve[n // a - 1] - curve[n // (2 * a) - 1]) for a in (1, 2))
    shrinks = min(gain / before, 1.0) if before > 0.0 else 0.0
    return float(curve.max()) + max(gain, 0.0) * max(shrinks, 0.0)


def race(
    sample: Sample,
    ladder: Sequence[Boosting],
    held_out: np.ndarray,
    *,
    n_rounds: int,
    seed: int,
    n_threads: int,
    progress: Callable[[int], None] | None = None,
) -> list[Runner]:
    """The kinds that ran, the best first. Finer kinds run as long as they win; a coarser one, if a finer one lost.

    Where kinds draw features, the best of them, or the next finer one, also runs with all features; where categories
    have many values, the best kind runs with discounted cuts of categories. If it wins so, its neighbours run so too.
    At last the best kind runs with tables of categories; if it wins, so do coarser kinds.
    """
    runners: dict[int, Runner] = {}
    long = min(RACE_ROUNDS, n_rounds)
    kinds = list(ladder)

    def run(rung: int, to: int) -> Runner:
        if rung not in runners:
            boosters = Boosters(sample, kinds[rung], held_out[:1], seed=seed, n_threads=n_threads)
            runners[rung] = Runner(rung, boosters)
        boosters = runners[rung].boosters
        if boosters.n_rounds < to:
            boosters.advance(to - boosters.n_rounds)
        if progress is not None:
            progress(sum(runner.boosters.n_rounds for runner in runners.values()))
        return runners[rung]

    def lead(finer: int, coarser: int) -> float:
        """How much more AUC the finer kind promises."""
        for to in (max(1, long // 2), long):
            ahead = run(finer, to).promise - run(coarser, to).promise
            if abs(ahead) >= _CLOSE:
                break
        return ahead

    def climb(start: int, lowest: int, highest: int) -> int:
        """The rung that is reached: finer as long as the finer kind wins; if the first one does not, maybe coarser."""
        at = start
        while at < highest and lead(at + 1, at) > _LEAD:
            at += 1
        if at == start > lowest and lead(at, at - 1) < 0.0:
            at -= 1
        return at

    first, at = 0, min(_START, len(ladder) - 1)  # of the ladder, the rung
    run(at, max(1, long // 2))
    best = plain = climb(at, 0, len(ladder) - 1)
    for change, least in _changes(sample, ladder):
        others = [replace(kind, **change) for kind in kinds[first : first + len(ladder)]]
        lowest = next(k for k, kind in enumerate(others) if kind != kinds[first + k])
        beside, at = len(kinds), max(best - first, lowest)
        kinds += others
        if lead(beside + at, best) > least:
            best, first = climb(beside + at, beside + lowest, len(kinds) - 1), beside
    if kinds[best].loss == "log_loss" and has_tables(sample, kinds[best].constraints):
        beside = len(kinds)
        kinds += [replace(kind, tables=True) for kind in kinds[best : first - 1 if first else None : -1]]
        if lead(beside, best) > _LEAD:  # coarser trees are enough for what the tables leave
            best = beside
            while best + 1 < len(kinds) and lead(best, best + 1) <= 0.0:
                best += 1
    return sorted(runners.values(), key=lambda r: (r.rung != best, _LEAD * (r.rung > plain) - r.promise, r.rung))


def _changes(sample: Sample, ladder: Sequence[Boosting]) -> list[tuple[dict[str, Any], float]]:
    """What may make the kinds better, one after the other, and how much more AUC it must promise."""
    found: list[tuple[dict[str, Any], float]] = []
    if any(kind.tree_features is not None for kind in ladder):
        found.append(({"tree_features": None}, _LEAD))
    if ladder[0].loss == "log_loss" and has_many_categories(sample):
        found.append(({"category_discount": True}, 0.0))  # it costs no more
    return found


def partner(runners: Sequence[Runner]) -> Runner | None:
    """The kind that shares the folds with the winner; None if all others are far behind."""
    return next((runner for runner in runners[1:] if runner.promise > runners[0].promise - _BEHIND), None)
