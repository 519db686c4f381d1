"""How fine the trees of a ranking forest should be: splitting rules compared by their out-of-bag AUC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data.sample import Sample
from ..data.training_rows import TrainingRows
from ..growing.treerank import Growth
from ..splitting.leafrank import LeafRank
from . import contest
from .contest import Contest, Figures
from .groves import Grove, grow_ranking_trees
from .out_of_bag import auc_of, out_of_bag_scores
from .sampling import Draw
from .top import local_auc_of, order_by_both

__all__ = ["CANDIDATES", "FINALISTS", "USUAL", "kinds_of", "ranking_contest"]


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
USUAL = 1  # the candidate that is best most often
FINALISTS = 5
_PILOT_ROWS_OF_A_CLASS = 500


def kinds_of(growth: Growth) -> list[Growth]:
    """The same growth by each of the candidate rules."""
    return [replace(growth, splitter=rule) for rule in CANDIDATES]


def ranking_contest(aggregation: str, top: float = 1.0) -> Contest:
    """Kinds of ranking trees compared by out-of-bag AUC, and where `top` is less than 1 by local AUC too."""

    def figures(grove: Grove, draw: Draw, training: TrainingRows, n_threads: int) -> Figures:
        scores, _ = out_of_bag_scores([grove], draw, training, aggregation, n_threads)
        found = {"auc": auc_of(scores, training)}
        return found if top == 1.0 else found | {"local_auc": local_auc_of(scores, training, top)}

    return Contest(grow_ranking_trees, figures, _best, _rows_of_both_classes, FINALISTS)


def _best(numbers: Sequence[int], figures: Sequence[Figures], most: int) -> list[int]:
    # with too few rows of a class the AUC is NaN: then the first rules are kept
    aucs = [found.get("auc", np.nan) for found in figures]
    return order_by_both(numbers, aucs, [found.get("local_auc", auc) for found, auc in zip(figures, aucs)])[:most]


def _rows_of_both_classes(sample: Sample, rng: np.random.Generator) -> np.ndarray:
    """Rows for the comparison. A rare class gets more than its share, because few rows would give a noisy AUC."""
    share = contest.PILOT_ROWS / sample.n_rows
    drawn = []
    for k in (0, 1):
        rows = np.flatnonzero(sample.labels == k)
        size = min(len(rows), max(round(share * len(rows)), _PILOT_ROWS_OF_A_CLASS))
        drawn.append(rng.choice(rows, size, replace=False))
    return np.concatenate(drawn)
