"""A race of kinds of trees from coarse to fine, on one fold and all other rows, for large tables.

How fine the trees must be depends on the data and on the number of rows. So kinds are compared at the full number of
rows, or 100 000, for a few rounds. A finer kind learns faster in its first rounds and may stop earlier: the kinds are
compared by the AUC that their curves promise, not by the AUC that they have reached. If two kinds are close, they run
twice as far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.sample import Sample
from .kinds import FINE_LEAVES
from .rounds import Boosters, Boosting, has_many_categories
from .table_tree import has_tables

__all__ = ["RACE_ROUNDS", "Runner", "partner", "promise", "race"]

RACE_ROUNDS = 64  # of a close race; the others are half as long
# Of a larger table so many rows run and as many judge; more, if they would have fewer rows of the rarer class.
RACE_ROWS, RACE_ROWS_OF_A_CLASS = 100_000, 5_000
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


class _Track:
    """Kinds that run, each on all rows but one fold; a kind runs as far as a comparison needs it."""

    def __init__(
        self,
        sample: Sample,
        held_out: np.ndarray,
        n_rounds: int,
        seed: int,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> None:
        self.kinds: list[Boosting] = []
        self.runners: dict[int, Runner] = {}
        self._long = min(RACE_ROUNDS, n_rounds)
        self.sample, self._held_out = _part(sample, held_out[:1], seed)
        self._seed, self._n_threads, self._progress = seed, n_threads, progress

    def add(self, kinds: Sequence[Boosting]) -> int:
        """The rung of the first of these kinds, which are above all others."""
        self.kinds += kinds
        return len(self.kinds) - len(kinds)

    def run(self, rung: int, to: int) -> Runner:
        if rung not in self.runners:
            boosters = Boosters(
                self.sample, self.kinds[rung], self._held_out, seed=self._seed, n_threads=self._n_threads
            )
            self.runners[rung] = Runner(rung, boosters)
        boosters = self.runners[rung].boosters
        if boosters.n_rounds < to:
            boosters.advance(to - boosters.n_rounds)
        if self._progress is not None:
            self._progress(sum(runner.boosters.n_rounds for runner in self.runners.values()))
        return self.runners[rung]

    def lead(self, one: int, other: int) -> float:
        """How much more AUC the one kind promises."""
        for to in (max(1, self._long // 2), self._long):
            ahead = self.run(one, to).promise - self.run(other, to).promise
            if abs(ahead) >= _CLOSE:
                break
        return ahead

    def climb(self, start: int, lowest: int, highest: int) -> int:
        """The rung that is reached: finer as long as the finer kind wins; if the first one does not, maybe coarser."""
        at = start
        while at < highest and self.lead(at + 1, at) > _LEAD:
            at += 1
        if at == start > lowest and self.lead(at, at - 1) < 0.0:
            at -= 1
        return at


def race(
    sample: Sample,
    candidates: Sequence[Boosting],
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
    If the best kind is coarse, symmetric trees run, which stand after the ladder. At last the best kind of the ladder
    runs with tables of categories; if it wins, so do coarser kinds.
    """
    track = _Track(sample, held_out, n_rounds, seed, n_threads, progress)
    ladder = [kind for kind in candidates if not kind.symmetric]
    first = track.add(ladder)
    best = plain = track.climb(min(_START, len(ladder) - 1), 0, len(ladder) - 1)
    for change, least in _changes(track.sample, ladder):
        before = track.kinds[first : first + len(ladder)]
        changed = [replace(kind, **change) for kind in before]
        lowest = next(k for k, kind in enumerate(changed) if kind != before[k])
        at, beside = max(best - first, lowest), track.add(changed)
        if track.lead(beside + at, best) > least:
            first = beside
            best = track.climb(first + at, first + lowest, first + len(ladder) - 1)
    of_ladder = track.kinds[first : best + 1]
    if of_ladder[-1].max_leaf_nodes is not None and of_ladder[-1].max_leaf_nodes < FINE_LEAVES:
        for kind in candidates[len(ladder) :]:
            beside = track.add([replace(kind, category_discount=of_ladder[-1].category_discount)])
            if track.lead(beside, best) > _LEAD:
                best = beside
    if ladder[0].loss == "log_loss" and has_tables(track.sample, ladder[0].constraints):
        beside = track.add([replace(kind, tables=True) for kind in reversed(of_ladder)])
        if track.lead(beside, best) > _LEAD:  # coarser trees are enough for what the tables leave
            best = beside
            while best + 1 < len(track.kinds) and track.lead(best, best + 1) <= 0.0:
                best += 1
    return sorted(track.runners.values(), key=lambda r: (r.rung != best, _LEAD * (r.rung > plain) - r.promise, r.rung))


def _part(sample: Sample, held_out: np.ndarray, seed: int) -> tuple[Sample, np.ndarray]:
    """The rows of the race, and which of them judge it: of a very large table a part of both."""
    if held_out.shape[1] <= RACE_ROWS:
        return sample, held_out
    rng = np.random.default_rng(seed)
    kept = []
    for rows in (np.flatnonzero(held_out[0] == 0), np.flatnonzero(held_out[0])):
        n_rarer = int(np.bincount(sample.labels[rows], minlength=2).min())
        share = max(RACE_ROWS / len(rows), RACE_ROWS_OF_A_CLASS / max(1, n_rarer))
        kept.append(rng.permutation(rows)[: round(min(1.0, share) * len(rows))])
    chosen = np.sort(np.concatenate(kept))
    return sample.local(chosen), held_out[:, chosen]


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
