"""Choice of the kinds of trees of a forest, by out-of-bag scores.

Several kinds each grow a few trees. The kinds with the best out-of-bag figures share the rest of the forest. A mixture
of the best three is more stable than the best one alone, whose lead is often luck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.sample import Sample
from ..data.storable import storable
from ..data.training_rows import TrainingRows
from .groves import Grove, GrowTrees, Progress, grow_grove
from .sampling import Draw

__all__ = ["KEPT", "PILOT_ROWS", "Contest", "Trial", "choose_groves", "keeps_pilots", "pilots_for", "trees_to_choose"]

KEPT = 3
PILOT_ROWS = 10_000  # enough rows to compare the kinds

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
    figures : callable
        Given a grove, its draw, the training rows and the number of threads: out-of-bag figures of its trees.
    best : callable
        Given the numbers of the competing kinds, the figures of all kinds and a limit: the best kinds, the best first,
        at most as many as the limit.
    part : callable
        Given a large sample and a generator: a part of the rows, large enough to compare the kinds.
    finalists : int or None
        Number of kinds kept after a first round with fewer trees; None means one round only.
    """

    grow: GrowTrees
    figures: Callable[[Grove, Draw, TrainingRows, int], Figures]
    best: Callable[[Sequence[int], Sequence[Figures], int], list[int]]
    part: Callable[[Sample, np.random.Generator], np.ndarray]
    finalists: int | None = None

    def rounds(self, n_pilots: int) -> list[tuple[int, int]]:
        """Number of trees of a kind after each round, and the number of kinds kept then."""
        last = (n_pilots, KEPT)
        return [last] if self.finalists is None else [(min(n_pilots, max(10, n_pilots // 3)), self.finalists), last]


def pilots_for(n_trees: int, n_rows: int) -> int:
    """Number of trees that each finalist grows for the comparison; on a small sample they stay in the forest."""
    return min(80 if n_rows <= PILOT_ROWS else 20, max(10, n_trees // KEPT))


def keeps_pilots(sample: Sample) -> bool:
    """Whether the trees of the comparison are grown on all rows, so that they can stay in the forest."""
    return sample.n_rows <= PILOT_ROWS


def trees_to_choose(contest: Contest, n_kinds: int, n_pilots: int) -> int:
    """Number of all trees grown for the comparison."""
    grown, before = 0, 0
    for n_trees, n_left in contest.rounds(n_pilots):
        grown += (n_trees - before) * n_kinds
        before, n_kinds = n_trees, n_left
    return grown


def choose_groves(
    kinds: Sequence[Any],
    sample: Sample,
    draw: Draw,
    contest: Contest,
    *,
    n_pilots: int,
    n_threads: int,
    progress: Progress | None = None,
) -> tuple[list[Grove], list[Trial]]:
    """Groves of the best kinds, the best first, with the trees grown so far, and the results of all kinds."""
    pilot, pilot_draw = (sample, draw) if keeps_pilots(sample) else _part(sample, draw, contest)
    training = TrainingRows.of(pilot)
    groves = [Grove(kind, number) for number, kind in enumerate(kinds)]
    figures: list[Figures] = [{} for _ in kinds]
    best = list(range(len(kinds)))
    for n_trees, n_left in contest.rounds(n_pilots):
        for number in best:
            grove = grow_grove(
                groves[number], n_trees - len(groves[number].trees), pilot, pilot_draw, contest.grow,
                n_threads=n_threads, progress=progress,
            )  # fmt: skip
            groves[number] = grove
            figures[number] = _of_many_trees(grove, contest, pilot_draw, training, n_threads)
        best = contest.best(best, figures, n_left)
    trials = [
        Trial(grove.growth, len(grove.trees), dict(found), grove.number in best)
        for grove, found in zip(groves, figures)
    ]
    # trees grown on all rows stay in the forest; trees grown on a part of the rows do not
    return [groves[number] if pilot is sample else replace(groves[number], trees=()) for number in best], trials


def _of_many_trees(
    grove: Grove, contest: Contest, draw: Draw, training: TrainingRows, n_threads: int
) -> dict[str, float]:
    """Estimated out-of-bag figures of a large forest of this kind.

    The figure of m trees is worse than that of a large forest by about c / m, where c grows with the differences
    between the trees. Comparing small forests directly would therefore favour the kinds with good single trees. We
    estimate c by comparing all trees with half of them, and correct the figure.
    """
    half = replace(grove, trees=grove.trees[: len(grove.trees) // 2])
    whole, of_half = (contest.figures(some, draw, training, n_threads) for some in (grove, half))
    return {name: 2.0 * figure - of_half[name] for name, figure in whole.items()}


def _part(sample: Sample, draw: Draw, contest: Contest) -> tuple[Sample, Draw]:
    """A part of the rows, large enough to compare the kinds, and a draw of proportional size."""
    part = sample.take(np.sort(contest.part(sample, np.random.default_rng(draw.seed))))
    share = PILOT_ROWS / sample.n_rows
    sizes = None
    if draw.class_sizes is not None:
        most = np.full(2, part.n_rows) if draw.replace else np.bincount(part.labels, minlength=2)
        negatives, positives = (max(1, min(round(c * share), int(m))) for c, m in zip(draw.class_sizes, most))
        sizes = (negatives, positives)
    return part, replace(draw, size=max(1, round(draw.size * share)) if draw.size else 0, class_sizes=sizes)
