"""Choice of the kinds of trees of a forest of ordered labels, by the out-of-bag ranked probability score.

At most three kinds share the forest: those with the least score, if it is not much worse than the best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data.sample import Sample
from ..data.training_rows import TrainingRows
from ..growing.ordinal import OrdinalGrowth
from . import contest
from .contest import Contest, Figures
from .ordinal import grow_ordinal_on_draws, out_of_bag_votes, ranked_probability_score

__all__ = ["ORDINAL_CANDIDATES", "candidates_for", "ordinal_contest"]

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
_SCORE = "ranked_probability_score"
_TOLERANCE = 1.05  # a kind with a larger score, relative to the best, would make the forest worse


def candidates_for(growth: OrdinalGrowth) -> list[OrdinalGrowth]:
    """The kinds to compare: they vary the parameters that are "auto". The first kind is best most often."""
    found: list[OrdinalGrowth] = []
    for candidate in ORDINAL_CANDIDATES:
        chosen = {name: value for name, value in candidate.items() if getattr(growth, name) == "auto"}
        kind = replace(growth, **chosen)
        if kind not in found:
            found.append(kind)
    return found


def ordinal_contest(levels: np.ndarray) -> Contest:
    """Kinds of trees of ordered labels compared by the out-of-bag ranked probability score."""

    def figures(shares: np.ndarray, training: TrainingRows) -> Figures:
        return {_SCORE: ranked_probability_score(shares, training.labels, levels, training.weights)}

    return Contest(grow_ordinal_on_draws, out_of_bag_votes, figures, _order, _join, _rows)


def _order(numbers: Sequence[int], figures: Sequence[Figures]) -> list[int]:
    return sorted(numbers, key=lambda number: (np.nan_to_num(figures[number].get(_SCORE, np.nan), nan=np.inf), number))


def _join(best: Figures, other: Figures) -> bool:
    return other[_SCORE] <= _TOLERANCE * best[_SCORE]


def _rows(sample: Sample, rng: np.random.Generator) -> np.ndarray:
    return rng.choice(sample.n_rows, contest.SCORED_ROWS, replace=False)
