"""How fine the trees of a ranking forest should be: kinds of trees compared by their out-of-bag AUC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.sample import Sample
from ..data.training_rows import TrainingRows
from ..growing.treerank import Growth
from ..splitting.leafrank import LeafRank
from ..tree.ranking_tree import RankingTree
from . import contest
from .contest import Contest, Figures
from .groves import grow_ranking_trees
from .out_of_bag import auc_of, out_of_bag_votes
from .top import local_auc_of, order_by_both
from .votes import Votes

__all__ = [
    "CANDIDATES",
    "DEPTH",
    "FINE",
    "RANDOM",
    "RANDOM_FINE",
    "USUAL",
    "Candidate",
    "candidates_for",
    "kinds_of",
    "ranking_contest",
]

DEPTH = 5  # of the master trees of a rule that is given


@dataclass(frozen=True)
class Candidate:
    """A rule, the depth of its master trees, and the number of rows from which on it is worth a trial."""

    rule: LeafRank
    max_depth: int
    from_rows: int = 0


def _rule(**parameters: object) -> LeafRank:
    return LeafRank(min_mass_leaf=0.0, **parameters)  # type: ignore[arg-type]


FINE = Candidate(_rule(max_depth=20), 3, from_rows=10_000)
# Random cuts make trees that differ most from boosted ones: one kind for noisy labels, one for clean ones.
RANDOM = Candidate(_rule(cuts="random", max_depth=8, min_samples_leaf=20), 5)
RANDOM_FINE = Candidate(_rule(cuts="random", max_depth=None), 3)

# With best cuts and with random cuts, each from coarse to fine. Few large cells suit noisy labels, many small ones suit
# labels that the features determine. A fine inner tree leaves little to the next level, so three levels are enough.
CANDIDATES = (
    Candidate(_rule(max_features="sqrt", max_depth=8, min_samples_leaf=5), 3),
    Candidate(_rule(max_features="sqrt", max_depth=6, min_samples_leaf=20), 5),
    Candidate(_rule(max_features=0.5, max_depth=6, min_samples_leaf=20), 3),
    Candidate(_rule(max_features=0.5, max_depth=12, min_samples_leaf=5), 3),
    FINE,
    RANDOM,
    Candidate(_rule(cuts="random", max_depth=12, min_samples_leaf=5), 3),
    Candidate(_rule(cuts="random", max_depth=12), 5),
    RANDOM_FINE,
)
USUAL = 0  # the candidate that is best most often
_ROWS_OF_A_CLASS = 500


def candidates_for(n_rows: int) -> list[Candidate]:
    """The candidates for a sample of this size."""
    return [candidate for candidate in CANDIDATES if candidate.from_rows <= n_rows]


def kinds_of(growth: Growth, n_rows: int, *, own_depth: bool) -> list[Growth]:
    """The same growth by each of the candidate rules, at the depth of the growth or at the candidate's own."""
    return [
        replace(growth, splitter=candidate.rule, max_depth=candidate.max_depth if own_depth else growth.max_depth)
        for candidate in candidates_for(n_rows)
    ]


def ranking_contest(top: float = 1.0) -> Contest:
    """Kinds of ranking trees compared by out-of-bag AUC, and where `top` is less than 1 by local AUC too."""

    def figures(scores: np.ndarray, training: TrainingRows) -> Figures:
        found = {"auc": auc_of(scores, training)}
        return found if top == 1.0 else found | {"local_auc": local_auc_of(scores, training, top)}

    return Contest(grow_ranking_trees, _votes, figures, _order, _join, _rows_of_both_classes)


def _votes(trees: Sequence[RankingTree], bits: np.ndarray, training: TrainingRows, n_threads: int) -> Votes:
    return out_of_bag_votes(trees, bits, training, "proba", n_threads)


def _order(numbers: Sequence[int], figures: Sequence[Figures]) -> list[int]:
    # with too few rows of a class the AUC is NaN: then the first rules are kept
    aucs = [found.get("auc", np.nan) for found in figures]
    return order_by_both(numbers, aucs, [found.get("local_auc", auc) for found, auc in zip(figures, aucs)])


def _join(best: Figures, other: Figures) -> bool:
    return True


def _rows_of_both_classes(sample: Sample, rng: np.random.Generator) -> np.ndarray:
    """Rows for the comparison. A rare class gets more than its share, because few rows would give a noisy AUC."""
    share = contest.SCORED_ROWS / sample.n_rows
    drawn = []
    for k in (0, 1):
        rows = np.flatnonzero(sample.labels == k)
        size = min(len(rows), max(round(share * len(rows)), _ROWS_OF_A_CLASS))
        drawn.append(rng.choice(rows, size, replace=False))
    return np.concatenate(drawn)
