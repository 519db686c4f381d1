"""Boosters on rows that stay in their partitions: histograms are added up, trees are grown on the client.

The client asks all partitions the same questions in the same order (`core/booster_question.hpp`). A partition keeps the
scores and the segments of its rows; where they are gone, it gets the questions again that led to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .. import _core
from ..data.binning import BinnedTable, Bins
from .boosters import SpreadBoosters, bits_of, flags_of
from .rows import PartRows
from .spread import Spread

__all__ = ["BoostersByHistogram"]


@dataclass(frozen=True)
class History:
    """What the state of a booster in a partition is made of, besides its held-out rows."""

    bins: Bins
    start: float
    questions: list[bytes]  # of finished trees the last one only


@dataclass(frozen=True)
class Asked:
    """A question of a booster; `living` as in `Spread.names_of_living`."""

    key: tuple[str, int]
    living: tuple[str, ...]
    question: bytes
    history: History | None


@dataclass(frozen=True)
class Words:
    """Words of histograms of several boosters; None if a partition has lost its state."""

    words: list[np.ndarray] | None

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(words.nbytes for words in self.words or ())

    def __add__(self, other: Words) -> Words:
        if self.words is None or other.words is None:
            return Words(None)
        return Words([ours + theirs for ours, theirs in zip(self.words, other.words)])


class BoostersByHistogram(SpreadBoosters):
    """The way where the codes of all rows fit no worker."""

    def __init__(self, spread: Spread, held_out: np.ndarray, params: Sequence[_core.BoostParams]) -> None:
        super().__init__(spread, held_out, params)
        self._core = _core.FarBoosters(self.head, spread.labels, spread.weights, held_out, params)
        self._starts = self._core.starts()
        self._log: list[list[bytes]] = [[] for _ in params]
        self._n_ended = [0] * len(params)  # questions of the log that ended a tree

    def resume(self, grown: Sequence[Sequence[_core.BoostedTree]]) -> None:
        super().resume(grown)
        self._core.resume(grown)

    def advance(self, n_rounds: int, n_threads: int) -> None:
        self._core.begin(self.n_rounds + n_rounds)
        try:
            waiting: dict[int, bytes] = {}  # boosters wait for each other at the end of a round: fewer calls
            while (questions := self._core.questions()) or waiting:
                waiting |= {b: question for b, ends, question in questions if ends}
                growing = {b: question for b, ends, question in questions if not ends}
                self._answer(growing or waiting, ends=not growing)
                if not growing:
                    waiting = {}
        finally:
            self._core.stop()
        self.n_rounds += n_rounds
        self._curves = self._core.curves()
        self._trees = [self._core.grown(b, 0) for b in range(len(self.params))]

    def _answer(self, asked: dict[int, bytes], ends: bool) -> None:
        """Ask the partitions, and once more with the whole history if one of them has lost a state."""
        ask = self._ask_ends if ends else self._ask_sums
        if not ask(asked, whole=not all(self._log[b] for b in asked)):
            ask(asked, whole=True)
        for b, question in asked.items():
            if ends:  # the tree says all that the questions about it have led to
                del self._log[b][self._n_ended[b] :]
                self._n_ended[b] += 1
            self._log[b].append(question)

    def _ask_sums(self, asked: dict[int, bytes], whole: bool) -> bool:
        found = self.spread.total(add_up, self._asked(asked, whole), own=self._held_out_bits(asked, whole)).words
        for b, words in zip(asked, found or ()):
            self._core.answer_words(b, words)
        return found is not None

    def _ask_ends(self, asked: dict[int, bytes], whole: bool) -> bool:
        found = self.spread.each(end_trees, self._asked(asked, whole), own=self._held_out_bits(asked, whole))
        if any(leaves is None for leaves in found):
            return False
        for b, of_booster in zip(asked, zip(*found)):
            self._core.answer_parts(b, of_booster)
        return True

    def _asked(self, asked: dict[int, bytes], whole: bool) -> list[Asked]:
        living, bins = self.spread.names_of_living(), self.spread.bins
        return [
            Asked((self.name, b), living, question, History(bins, self._starts[b], self._log[b]) if whole else None)
            for b, question in asked.items()
        ]

    def _held_out_bits(self, asked: dict[int, bytes], whole: bool) -> list[list[np.ndarray] | None]:
        """Held-out rows of each partition, where the whole history is sent."""
        return [[bits_of(self.held_out[b], part) for b in asked] if whole else None for part in self.spread.parts]


# ---- what a partition does


def add_up(rows: PartRows, held_out: list[np.ndarray] | None, asked: list[Asked]) -> Words:
    """Words of the questions about a growing tree of each booster."""
    states = states_of(rows, held_out, asked)
    if states is None:
        return Words(None)
    found = [state.words(each.question) for state, each in zip(states, asked)]
    put_back(rows, states, asked)
    return Words(found)


def end_trees(rows: PartRows, held_out: list[np.ndarray] | None, asked: list[Asked]) -> list[np.ndarray] | None:
    """Add a finished tree of each booster to the scores; its answer as bytes. None if a state is gone."""
    states = states_of(rows, held_out, asked)
    if states is None:
        return None
    found = [state.leaves(each.question) for state, each in zip(states, asked)]
    put_back(rows, states, asked)
    return found


def states_of(rows: PartRows, held_out: list[np.ndarray] | None, asked: list[Asked]) -> list[_core.BoosterPart] | None:
    """States of the boosters, before their questions or after them; None if one is gone and has no history."""
    states: list[_core.BoosterPart] = []
    for i, each in enumerate(asked):
        rows.live.keep_only(each.living)
        state = rows.live.take(each.key)
        if state is None or not state.knows(each.question):
            if each.history is None or held_out is None:
                put_back(rows, states, asked)
                return None
            table = BinnedTable(rows.codes, each.history.bins).core
            flags = flags_of(held_out[i], rows.n_rows)
            state = _core.BoosterPart(table, rows.labels, rows.weights, flags, rows.first, each.history.start)
            for question in each.history.questions:
                state.follow(question)
        states.append(state)
    return states


def put_back(rows: PartRows, states: list[_core.BoosterPart], asked: list[Asked]) -> None:
    """Keep the states for the next questions."""
    for state, each in zip(states, asked):
        rows.live.put(each.key, state)
