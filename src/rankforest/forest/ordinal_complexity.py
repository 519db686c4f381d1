"""How the trees of a forest of ordered labels should grow: learned from the data, as in `complexity`.

A few kinds of trees, with best or random cuts, from fine to coarse, each grow a few trees; the kinds whose trees have
the least out-of-bag ranked probability score, at most three and none much worse than the best, share the rest of the
forest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.ordered_sample import OrderedSample
from ..data.storable import storable
from ..data.training_rows import TrainingRows
from ..growing.ordinal import OrdinalGrowth
from .complexity import KEPT, PILOT_ROWS, keeps_pilots
from .ordinal import OrdinalGrove, grow_ordinal_grove, out_of_bag_shares, ranked_probability_score
from .sampling import Draw

__all__ = ["ORDINAL_CANDIDATES", "OrdinalTrial", "candidates_for", "choose_ordinal_groves"]

ORDINAL_CANDIDATES: tuple[dict[str, Any], ...] = (
    {"cuts": "random", "max_features": None, "min_samples_leaf": 3},
    {"cuts": "random", "max_features": None, "min_samples_leaf": 1},
    {"cuts": "random", "max_features": None, "min_samples_leaf": 8},
    {"cuts": "random", "max_features": 0.5, "min_samples_leaf": 1},
    {"cuts": "best", "max_features": 0.5, "min_samples_leaf": 1},
    {"cuts": "best", "max_features": None, "min_samples_leaf": 1},
    {"cuts": "best", "max_features": 0.5, "min_samples_leaf": 8},
    {"cuts": "best", "max_features": 0.5, "min_samples_leaf": 25},
)
_TOLERANCE = 1.05  # a kind whose score is larger than that of the best by more would make the forest worse


@storable
@dataclass(frozen=True)
class OrdinalTrial:
    """One kind of trees, the out-of-bag ranked probability score of its first ones, and whether it was kept."""

    growth: OrdinalGrowth
    score: float
    kept: bool


def candidates_for(growth: OrdinalGrowth) -> list[OrdinalGrowth]:
    """The kinds that differ in what is "auto" in the given one; the first is what is best most often."""
    found: list[OrdinalGrowth] = []
    for candidate in ORDINAL_CANDIDATES:
        chosen = {name: value for name, value in candidate.items() if getattr(growth, name) == "auto"}
        kind = replace(growth, **chosen)
        if kind not in found:
            found.append(kind)
    return found


def choose_ordinal_groves(
    kinds: Sequence[OrdinalGrowth],
    sample: OrderedSample,
    draw: Draw,
    *,
    n_pilots: int,
    n_threads: int,
    progress: Callable[[int], None] | None = None,
) -> tuple[list[OrdinalGrove], list[OrdinalTrial]]:
    """Groves of the best kinds, the best first, with the trees that are already grown, and how the kinds fared."""
    whole = keeps_pilots(sample)
    pilot, pilot_draw = (sample, draw) if whole else _part(sample, draw)
    training = TrainingRows.of(pilot)
    groves: list[OrdinalGrove] = []
    scores: list[float] = []
    for number, kind in enumerate(kinds):
        grove = OrdinalGrove(kind, number)
        grove = grow_ordinal_grove(grove, n_pilots, pilot, pilot_draw, n_threads=n_threads, progress=progress)
        groves.append(grove)
        scores.append(_of_many_trees(grove, pilot_draw, training, sample.levels, n_threads))
    order = sorted(range(len(groves)), key=lambda number: (np.nan_to_num(scores[number], nan=np.inf), number))
    best = [number for number in order[:KEPT] if number == order[0] or scores[number] <= _TOLERANCE * scores[order[0]]]
    trials = [OrdinalTrial(kind, score, i in best) for i, (kind, score) in enumerate(zip(kinds, scores))]
    # trees grown on all rows belong to the forest; those of a part do not
    return [groves[i] if whole else replace(groves[i], trees=()) for i in best], trials


def _of_many_trees(
    grove: OrdinalGrove, draw: Draw, training: TrainingRows, levels: np.ndarray, n_threads: int
) -> float:
    """Out-of-bag score that a large forest of such trees would have: with m trees it is larger by about c / m."""
    half = replace(grove, trees=grove.trees[: len(grove.trees) // 2])
    whole, of_half = (
        ranked_probability_score(
            out_of_bag_shares([some], draw, training, n_threads), training.labels, levels, training.weights
        )
        for some in (grove, half)
    )
    return 2.0 * whole - of_half


def _part(sample: OrderedSample, draw: Draw) -> tuple[OrderedSample, Draw]:
    """A part of the rows that is large enough to tell the kinds apart, and samples as large in proportion."""
    rng = np.random.default_rng(draw.seed)
    part = sample.take(np.sort(rng.choice(sample.n_rows, PILOT_ROWS, replace=False)))
    return part, replace(draw, size=max(1, round(draw.size * PILOT_ROWS / sample.n_rows)) if draw.size else 0)
