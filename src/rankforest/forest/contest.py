"""Choice of the kinds of trees of a forest, by out-of-bag scores.

Every kind grows a few trees on samples of all rows, because on a part of the rows coarse kinds would win. The best
kinds grow more trees, and the best three of them share the forest. Their trees stay in it. A mixture of three is more
stable than the best kind alone, whose lead is often luck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.sample import Sample
from ..data.storable import storable
from ..data.training_rows import TrainingRows
from .groves import Grove, GrowTrees, Progress, grow_grove
from .sampling import Draw
from .votes import Votes, bits_of_rows

__all__ = [
    "FINALISTS",
    "KEPT",
    "SCORED_ROWS",
    "Contest",
    "Round",
    "Trial",
    "choose_groves",
    "first_trees",
    "rounds_of",
    "trees_to_choose",
]

FINALISTS, KEPT = 5, 3
MOST_FIRST = 16  # trees of a kind before the last round
STEP_ROWS = 2000  # with fewer rows a few trees say little, and cost little
SCORED_ROWS = 10_000  # enough rows to compare the kinds by their out-of-bag scores

Figures = Mapping[str, float]


@storable
@dataclass(frozen=True)
class Trial:
    """Result of one kind of trees.

    Attributes
    ----------
    growth : Growth or OrdinalGrowth
        The kind.
    n_trees : int
        Number of trees grown before the choice.
    figures : dict of float
        Estimated out-of-bag figures of a large forest of this kind, by name: "auc" and, for the top of the list,
        "local_auc"; for ordered labels "ranked_probability_score".
    kept : bool
        Whether the forest contains trees of this kind.
    """

    growth: Any
    n_trees: int
    figures: dict[str, float]
    kept: bool


@dataclass(frozen=True)
class Contest:
    """What differs between forests when they compare kinds of trees.

    Attributes
    ----------
    grow : callable
        Grows trees of one kind.
    votes : callable
        Given trees, their out-of-bag bits, training rows and the number of threads: the votes of the trees.
    figures : callable
        Given the mean votes and the training rows: out-of-bag figures.
    order : callable
        Given the numbers of the competing kinds and the figures of all kinds: the competing kinds, the best first.
    joins : callable
        Given the figures of the best kind and of another one: whether the other may share the forest.
    part : callable
        Given a large sample and a generator: row numbers, enough to compare the kinds by their scores of these rows.
    """

    grow: GrowTrees
    votes: Callable[[Sequence[Any], np.ndarray, TrainingRows, int], Votes]
    figures: Callable[[np.ndarray, TrainingRows], Figures]
    order: Callable[[Sequence[int], Sequence[Figures]], list[int]]
    joins: Callable[[Figures, Figures], bool]
    part: Callable[[Sample, np.random.Generator], np.ndarray]


def first_trees(n_trees: int, n_rows: int) -> int:
    """Number of trees of a kind before the last round, an even number.

    A tree on many rows takes long and says much, so eight are enough there.
    """
    return 8 if n_rows > SCORED_ROWS else min(max(n_trees // 32, 4), MOST_FIRST // 2) * 2


@dataclass(frozen=True)
class Round:
    """A round of the comparison: every kind that is left grows these batches of trees, and the best stay.

    After a round, the last batch of a kind is half of its trees.
    """

    batches: tuple[int, ...]
    n_left: int


def rounds_of(n_first: int, n_rows: int) -> tuple[Round, ...]:
    """The rounds of a comparison with `n_first` trees of a kind before the last one.

    Sixteen trees on many rows are grown in two steps: six kinds are left after eight trees, four after sixteen.
    """
    half = n_first // 2
    last = Round((half, 3 * half), KEPT)
    if n_first < MOST_FIRST or n_rows < STEP_ROWS:
        return Round((half, half), FINALISTS), last
    return Round((half // 2, half // 2), FINALISTS + 1), Round((half,), FINALISTS - 1), last


def trees_to_choose(n_kinds: int, rounds: Sequence[Round]) -> int:
    """Number of all trees grown for the comparison."""
    n_trees = 0
    for step in rounds:
        n_trees += n_kinds * sum(step.batches)
        n_kinds = min(n_kinds, step.n_left)
    return n_trees


@dataclass(frozen=True)
class _Entry:
    """A kind in the comparison: its trees, and the votes of each half of them."""

    grove: Grove
    halves: tuple[Votes, ...] = ()

    def figures(self, contest: Contest, training: TrainingRows) -> dict[str, float]:
        """Estimated out-of-bag figures of a large forest of this kind.

        The figure of m trees is worse than that of a large forest by about c / m, where c grows with the differences
        between the trees. Comparing small forests directly would therefore favour the kinds with good single trees. We
        estimate c by comparing all trees with each half of them, and correct the figure.
        """
        one, other = self.halves
        whole, *halves = (contest.figures(votes.means, training) for votes in (one + other, one, other))
        return {name: 2.0 * figure - sum(half[name] for half in halves) / 2.0 for name, figure in whole.items()}


def choose_groves(
    kinds: Sequence[Any],
    sample: Sample,
    draw: Draw,
    contest: Contest,
    *,
    rounds: Sequence[Round],
    n_threads: int,
    progress: Progress | None = None,
) -> tuple[list[Grove], list[Trial]]:
    """Groves of the best kinds, the best first, with the trees grown so far, and the results of all kinds."""
    rows, training = None, sample.training_rows()
    if sample.n_rows > SCORED_ROWS:
        rows = np.sort(contest.part(sample, np.random.default_rng(draw.seed)))
        training = training.take(rows)

    def grown(entry: _Entry, n_more: int) -> _Entry:
        n_before = len(entry.grove.trees)
        grove = grow_grove(entry.grove, n_more, sample, draw, contest.grow, n_threads=n_threads, progress=progress)
        bits = draw.out_of_bag(sample.labels, grove.first_tree + n_before, n_more, n_threads)
        bits = bits if rows is None else bits_of_rows(bits, rows)
        more = contest.votes(grove.trees[n_before:], bits, training, n_threads)
        first = (entry.halves[0] + entry.halves[1],) if len(entry.halves) == 2 else entry.halves
        return _Entry(grove, (*first, more))

    entries = [_Entry(Grove(kind, number)) for number, kind in enumerate(kinds)]
    figures: list[Figures] = [{} for _ in kinds]
    best = list(range(len(kinds)))
    for step in rounds:
        for number in best:
            for n_more in step.batches:
                entries[number] = grown(entries[number], n_more)
            figures[number] = entries[number].figures(contest, training)
        best = contest.order(best, figures)[: step.n_left]
    best = [number for number in best if number == best[0] or contest.joins(figures[best[0]], figures[number])]
    trials = [
        Trial(entry.grove.growth, len(entry.grove.trees), dict(found), number in best)
        for number, (entry, found) in enumerate(zip(entries, figures))
    ]
    return [entries[number].grove for number in best], trials
