"""How fine the trees of a forest should be: learned from the data, by what they say of rows that they have not seen.

A few splitting rules, from coarse to fine and with best or random cuts, each grow a few trees; the rules whose trees
have the best out-of-bag AUC share the rest of the forest between them. A mixture of the best three is steadier than the
single best one, whose lead is often luck.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..data.sample import Sample
from ..growing.treerank import Growth
from ..splitting.leafrank import LeafRank
from .growing import Grove, grow_grove
from .out_of_bag import auc_of, out_of_bag_scores
from .sampling import Draw
from .training import TrainingRows

__all__ = ["CANDIDATES", "Trial", "choose_groves"]


def _rule(**parameters: object) -> LeafRank:
    return LeafRank(min_mass_leaf=0.0, **parameters)  # type: ignore[arg-type]


CANDIDATES = (
    _rule(cuts="random", max_features=None, max_depth=8, min_samples_leaf=3),
    _rule(cuts="random", max_features="sqrt", max_depth=8, min_samples_leaf=3),
    _rule(cuts="random", max_features="sqrt", max_depth=12),
    _rule(cuts="random", max_features=None, max_depth=12),
    _rule(max_features="sqrt", max_depth=8, min_samples_leaf=3),
    _rule(max_features=0.5, max_depth=8, min_samples_leaf=5),
)
KEPT = 3
_PILOT_ROWS = 10_000  # so many rows tell the rules apart


@dataclass(frozen=True)
class Trial:
    """One candidate: the rule, the out-of-bag AUC of its first trees, and whether it was kept."""

    splitter: LeafRank
    oob_auc: float
    kept: bool


def choose_groves(
    growth: Growth,
    sample: Sample,
    draw: Draw,
    aggregation: str,
    *,
    n_pilots: int,
    n_threads: int,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[Grove], list[Trial]]:
    """Groves of the best rules, without trees yet, the best first, and how the rules fared."""
    pilot, pilot_draw = sample, draw
    if sample.n_rows > _PILOT_ROWS:
        rows = np.random.default_rng(draw.seed).choice(sample.n_rows, _PILOT_ROWS, replace=False)
        pilot = sample.take(np.sort(rows))
        size = round(draw.size * pilot.n_rows / sample.n_rows)
        sizes = draw.class_sizes and tuple(
            max(1, min(round(c * pilot.n_rows / sample.n_rows), int((pilot.labels == k).sum())))
            for k, c in enumerate(draw.class_sizes)
        )
        pilot_draw = replace(draw, size=size, class_sizes=sizes)  # type: ignore[arg-type]
    training = TrainingRows.of(pilot)
    found: list[tuple[float, int]] = []
    for number, rule in enumerate(CANDIDATES):
        grove = Grove(replace(growth, splitter=rule), number)
        grove = grow_grove(grove, n_pilots, pilot, pilot_draw, n_threads=n_threads, progress=progress)
        scores, _ = out_of_bag_scores([grove], pilot_draw, training, aggregation, n_threads)
        found.append((auc_of(scores, training), number))
    best = sorted(found, key=lambda one: (-one[0], one[1]))[:KEPT]
    kept = {number for _, number in best}
    trials = [Trial(CANDIDATES[number], auc, number in kept) for auc, number in found]
    return [Grove(replace(growth, splitter=CANDIDATES[number]), number) for _, number in best], trials
