"""Boosters one by one: all codes are on every worker, and each booster is a job of its own.

A job runs the rounds that the client asks for. The worker keeps the booster, and a later job goes on with it; where it
is gone, the job gets the trees so far and adds up their values, which takes a fraction of growing them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..data.binning import BinnedTable, Bins
from .boosters import SpreadBoosters, flags_of
from .rows import PartRows

__all__ = ["BoostersByJob"]


@dataclass(frozen=True)
class History:
    """What a booster is made of.

    Attributes
    ----------
    bins, params
    held_out : array
        Bits of the held-out rows.
    trees : list of BoostedTree
        Trees so far.
    """

    bins: Bins
    params: _core.BoostParams
    held_out: np.ndarray
    trees: list[_core.BoostedTree]

    def resumed(self, rows: PartRows) -> _core.Boosters:
        """The booster after these trees."""
        held_out = flags_of(self.held_out, rows.n_rows)[None, :]
        table = BinnedTable(rows.codes, self.bins).core
        boosters = _core.Boosters(table, rows.labels, rows.weights, held_out, [self.params])
        if self.trees:
            boosters.resume([self.trees])
        return boosters


@dataclass(frozen=True)
class Step:
    """Rounds `first` to `last` - 1 of a booster.

    Attributes
    ----------
    key : tuple
        Of its state.
    living : tuple of str
        As in `Spread.names_of_living`.
    first, last : int
    n_known : int
        AUCs that the client knows.
    n_threads : int
    history : History or None
    """

    key: tuple[str, int]
    living: tuple[str, ...]
    first: int
    last: int
    n_known: int
    n_threads: int
    history: History | None


@dataclass(frozen=True)
class Grown:
    """Trees of some rounds, held-out AUCs that are new to the client, and the margin before the first round."""

    trees: list[_core.BoostedTree]
    curve: np.ndarray
    start: float


class BoostersByJob(SpreadBoosters):
    """The way where the codes of all rows fit a worker."""

    _begun = False

    def advance(self, n_rounds: int, n_threads: int) -> None:
        last = self.n_rounds + n_rounds
        found = self._run(range(len(self.params)), last, n_threads, whole=not self._begun)
        gone = [b for b, grown in found.items() if grown is None]
        if gone:
            found |= self._run(gone, last, n_threads, whole=True)
        for b, grown in found.items():
            assert grown is not None
            self._trees[b] += grown.trees
            self._curves[b] = np.concatenate([self._curves[b], grown.curve])
            self._starts[b] = grown.start
        self.n_rounds, self._begun = last, True

    def _run(self, which: range | list[int], last: int, n_threads: int, whole: bool) -> dict[int, Grown | None]:
        """Rounds up to `last` of some boosters; `whole` sends their history."""
        living, first = self.spread.names_of_living(), self.n_rounds
        steps = []
        for b in which:
            history = self._history(b) if whole else None
            steps.append(Step((self.name, b), living, first, last, len(self._curves[b]), n_threads, history))
        return dict(zip(which, self.spread.jobs(run_rounds, [(step,) for step in steps], [step.key for step in steps])))

    def _history(self, b: int) -> History:
        return History(self.spread.bins, self.params[b], np.packbits(self.held_out[b]), self._trees[b])


def run_rounds(rows: PartRows, step: Step) -> Grown | None:
    """Rounds of a booster; None if its state is gone and the step has no history."""
    rows.live.keep_only(step.living)
    boosters = rows.live.take(step.key)
    if boosters is None or boosters.n_rounds != step.first:
        if step.history is None:
            return None
        boosters = step.history.resumed(rows)
    boosters.advance(step.last - step.first, step.n_threads)
    grown = Grown(boosters.grown(0, step.first), boosters.curves()[0][step.n_known :], boosters.starts()[0])
    rows.live.put(step.key, boosters)
    return grown
