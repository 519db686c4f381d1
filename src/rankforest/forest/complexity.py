"""How fine the trees of a forest should be: learned from the data, by what they say of rows that they have not seen.

A few splitting rules, from coarse to fine and with best or random cuts, each grow a few trees; the better half grow
more, and the rules whose trees then have the best out-of-bag AUC share the rest of the forest between them. A mixture
of the best three is steadier than the single best one, whose lead is often luck.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..data.sample import Sample
from ..data.storable import storable
from ..data.training_rows import TrainingRows
from ..growing.treerank import Growth
from ..splitting.leafrank import LeafRank
from .growing import Grove, grow_grove
from .out_of_bag import auc_of, out_of_bag_scores
from .sampling import Draw
from .top import local_auc_of, order_by_both

__all__ = [
    "CANDIDATES",
    "FINALISTS",
    "KEPT",
    "PILOT_ROWS",
    "Trial",
    "choose_groves",
    "keeps_pilots",
    "pilots_for",
    "trees_to_choose",
]


def _rule(**parameters: object) -> LeafRank:
    return LeafRank(min_mass_leaf=0.0, **parameters)  # type: ignore[arg-type]


CANDIDATES = (
    _rule(cuts="random", max_features=None, max_depth=8, min_samples_leaf=3),
    _rule(cuts="random", max_features="sqrt", max_depth=8, min_samples_leaf=3),
    _rule(cuts="random", max_features="sqrt", max_depth=12),
    _rule(cuts="random", max_features=None, max_depth=12),
    _rule(max_features="sqrt", max_depth=8, min_samples_leaf=3),
    _rule(max_features="sqrt", max_depth=12),
    _rule(cuts="random", max_features="sqrt", max_depth=8, min_samples_leaf=6),
    _rule(cuts="random", max_features="sqrt", max_depth=6, min_samples_leaf=5),
)
FINALISTS = 5
KEPT = 3
PILOT_ROWS = 10_000  # so many rows tell the rules apart
_PILOT_ROWS_OF_A_CLASS = 500


def pilots_for(n_trees: int, n_rows: int) -> int:
    """Trees that each finalist grows before they are compared; those of a small sample stay in the forest."""
    return min(80 if n_rows <= PILOT_ROWS else 20, max(10, n_trees // KEPT))


def _of_first_round(n_pilots: int) -> int:
    """Trees that tell which rules are worth more of them."""
    return max(10, n_pilots // 3)


def trees_to_choose(n_pilots: int) -> int:
    """Trees that are grown before the choice."""
    first = min(n_pilots, _of_first_round(n_pilots))
    return first * len(CANDIDATES) + (n_pilots - first) * FINALISTS


@storable
@dataclass(frozen=True)
class Trial:
    """One candidate: the rule, the trees it grew, their out-of-bag AUC and local AUC, and whether it was kept."""

    splitter: LeafRank
    n_trees: int
    oob_auc: float
    oob_local_auc: float  # NaN where the whole list matters
    kept: bool


def keeps_pilots(sample: Sample) -> bool:
    """Whether the first trees of a rule are grown on all rows, so that they belong to the forest."""
    return sample.n_rows <= PILOT_ROWS


def choose_groves(
    growth: Growth,
    sample: Sample,
    draw: Draw,
    aggregation: str,
    *,
    n_pilots: int,
    n_threads: int,
    top: float = 1.0,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Grove], list[Trial]]:
    """Groves of the best rules, the best first, with the trees that are already grown, and how the rules fared."""
    pilot, pilot_draw = (sample, draw) if keeps_pilots(sample) else _part(sample, draw)
    training = TrainingRows.of(pilot)
    groves = [Grove(replace(growth, splitter=rule), number) for number, rule in enumerate(CANDIDATES)]
    aucs, locals_ = [math.nan] * len(groves), [math.nan] * len(groves)
    best = list(range(len(groves)))
    for n_trees, n_left in ((min(n_pilots, _of_first_round(n_pilots)), FINALISTS), (n_pilots, KEPT)):
        for number in best:
            grove, n_more = groves[number], n_trees - len(groves[number].trees)
            grove = grow_grove(grove, n_more, pilot, pilot_draw, n_threads=n_threads, progress=progress)
            groves[number] = grove
            aucs[number], locals_[number] = _of_many_trees(grove, pilot_draw, training, aggregation, n_threads, top)
        # with too few rows of a class there may be no AUC to choose by: the first rules, then
        best = order_by_both(best, aucs, aucs if top == 1.0 else locals_)[:n_left]
    trials = [
        Trial(rule, len(grove.trees), auc, local, grove.number in best)
        for rule, grove, auc, local in zip(CANDIDATES, groves, aucs, locals_)
    ]
    # trees grown on all rows belong to the forest; those of a part do not
    return [groves[number] if pilot is sample else replace(groves[number], trees=()) for number in best], trials


def _of_many_trees(
    grove: Grove, draw: Draw, training: TrainingRows, aggregation: str, n_threads: int, top: float
) -> tuple[float, float]:
    """Out-of-bag AUC, and where `top` is less than 1 local AUC, that a large forest of such trees would have.

    With m trees it falls short by about c / m, and by more the more the trees differ: a comparison of small forests
    would favour the rules whose single trees are good. Half of the trees tell c.
    """
    half = replace(grove, trees=grove.trees[: len(grove.trees) // 2])
    whole, of_half = (out_of_bag_scores([some], draw, training, aggregation, n_threads)[0] for some in (grove, half))
    auc = 2.0 * auc_of(whole, training) - auc_of(of_half, training)
    if top == 1.0:
        return auc, math.nan
    return auc, 2.0 * local_auc_of(whole, training, top) - local_auc_of(of_half, training, top)


def _part(sample: Sample, draw: Draw) -> tuple[Sample, Draw]:
    """A part of the rows that is large enough to tell the rules apart, and samples as large in proportion."""
    rng = np.random.default_rng(draw.seed)
    share = PILOT_ROWS / sample.n_rows
    drawn = []
    for k in (0, 1):  # of a rare class more than its share, or nothing could be told by it
        rows = np.flatnonzero(sample.labels == k)
        size = min(len(rows), max(round(share * len(rows)), _PILOT_ROWS_OF_A_CLASS))
        drawn.append(rng.choice(rows, size, replace=False))
    part = sample.take(np.sort(np.concatenate(drawn)))
    sizes = None
    if draw.class_sizes is not None:
        most = np.full(2, part.n_rows) if draw.replace else np.bincount(part.labels, minlength=2)
        negatives, positives = (max(1, min(round(c * share), int(m))) for c, m in zip(draw.class_sizes, most))
        sizes = (negatives, positives)
    return part, replace(draw, size=max(1, round(draw.size * share)) if draw.size else 0, class_sizes=sizes)
