"""The median ranking of the trees by Kendall distance, over the training rows (inductive) or over given rows.

The paper minimises over all rankings with ties ("kemeny_ties"). Trees tie most pairs of rows, and so does that optimum:
it has a few large buckets. The best ranking without ties between cells ("kemeny") orders more pairs correctly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import rankdata

from ..consensus import MedianRanking, median_ranking
from ..data.parts import Parts, check_finite, need
from ..data.training_rows import TrainingRows
from ..tree.master_tree import MasterTree
from .aggregation import tree_score_block
from .cell_order import between_neighbours, raised

__all__ = ["Consensus", "common_subpartition", "inductive_consensus", "transductive_ranks"]

# Attributes of a median ranking besides the ranking itself.
_TYPES: dict[str, type] = {
    "cost": float, "lower_bound": float, "optimal": bool, "mean_distance": float, "distance": str, "method": str,
    "solver": str, "strict": bool, "n_restarts": int, "component_sizes": tuple,
}  # fmt: skip

MOST_CELLS = 3000  # the search needs matrices of cells x cells


@dataclass(frozen=True)
class Consensus:
    """A median ranking of the cells of the common subpartition.

    Attributes
    ----------
    mean_score : array
        Mean score of the trees in each cell, increasing.
    score : array
        One minus the relative mid-rank of the cell in the consensus, weighted by training mass.
    keys : dict
        Position of each cell, by its strata in all trees.
    found : MedianRanking
        The solution: cost, lower bound, whether it is proved optimal.
    directed : bool
        Whether features have directions: then no row is below one that no tree ranks above it.
    """

    mean_score: np.ndarray
    score: np.ndarray
    keys: dict[bytes, int]
    found: MedianRanking
    directed: bool = False

    def place(self, strata: np.ndarray, mean_score: np.ndarray) -> np.ndarray:
        """Scores of rows by their cells; an unknown cell is placed by its mean score.

        It gets the score of the cell with the nearest mean score; with directions as high a place among the scores as
        its mean score has among those of the cells, if this keeps the order of the trees.
        """
        at = np.array([self.keys.get(row.tobytes(), -1) for row in strata], dtype=np.int64)
        placed = np.where(at >= 0, self.score[at], self._by_mean[self._nearest(mean_score)])
        unknown = np.flatnonzero(at < 0)
        if self.directed and len(unknown):
            placed[unknown] = between_neighbours(self.score, self._cells, placed[unknown], strata[unknown])
        return placed

    def place_unseen(self, mean_score: np.ndarray) -> np.ndarray:
        """Scores of rows in unknown cells, by their mean scores alone; NaN stays NaN."""
        return np.where(np.isnan(mean_score), np.nan, self._by_mean[self._nearest(mean_score)])

    @cached_property
    def _by_mean(self) -> np.ndarray:
        """What an unknown cell gets if its mean score is that of each known cell."""
        return np.sort(self.score) if self.directed else self.score

    @cached_property
    def _cells(self) -> np.ndarray:
        """Stratum of each cell in each tree."""
        return np.frombuffer(b"".join(self.keys), dtype=np.int32).reshape(len(self.keys), -1)

    def to_parts(self) -> dict[str, Any]:
        """The cells in the order of their mean scores, their places, and the solution, as plain data."""
        return {
            "mean_score": self.mean_score,
            "score": self.score,
            "strata": self._cells,
            "ranking": np.asarray(self.found.ranking, dtype=np.float64),
            **{name: kind(getattr(self.found, name)) for name, kind in _TYPES.items()},
        }

    @classmethod
    def from_parts(cls, parts: Parts, trees: Sequence[MasterTree], *, directed: bool) -> Consensus:
        """The same again, checked against the trees."""
        facts: dict[str, Any] = {name: parts.object(name, kind) for name, kind in _TYPES.items()}
        mean_score = parts.array("mean_score", np.float64, None)
        n = len(mean_score)
        score, ranking = parts.array("score", np.float64, n), parts.array("ranking", np.float64, n)
        strata = parts.array("strata", np.int32, n, len(trees))
        for array in (mean_score, score, ranking):
            check_finite(array, "consensus")
        need(n >= 1 and (np.diff(mean_score) >= 0).all(), "the scores of its consensus are not sorted")
        n_leaves = np.array([tree.n_leaves for tree in trees])
        need(((strata >= 0) & (strata < n_leaves)).all(), "a cell of its consensus is not in the trees")
        in_order = not directed or np.array_equal(raised(score, strata), score)
        need(in_order, "a cell of its consensus is below one that no tree ranks above it")
        keys = {cell.tobytes(): i for i, cell in enumerate(strata)}
        need(len(keys) == n, "its consensus contains a cell twice")
        return cls(mean_score, score, keys, MedianRanking(ranking=ranking, **facts), directed)

    def _nearest(self, mean_score: np.ndarray) -> np.ndarray:
        right = np.clip(np.searchsorted(self.mean_score, mean_score), 1, max(1, len(self.mean_score) - 1))
        right = np.minimum(right, len(self.mean_score) - 1)
        left = np.maximum(right - 1, 0)
        nearer = np.abs(mean_score - self.mean_score[left]) <= np.abs(self.mean_score[right] - mean_score)
        return np.where(nearer, left, right)


def strata_of(trees: Sequence[MasterTree], X: np.ndarray, n_threads: int) -> np.ndarray:
    """Stratum of each row in each tree."""
    return np.column_stack([tree.apply(X, n_threads) for tree in trees]).astype(np.int32)


def common_subpartition(strata: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct combinations of strata, and the index of each row's combination."""
    cells, of_row = np.unique(strata, axis=0, return_inverse=True)
    return cells, of_row.ravel()


def inductive_consensus(
    trees: Sequence[MasterTree],
    training: TrainingRows,
    *,
    strict: bool,
    directed: bool = False,
    seed: int,
    n_threads: int,
) -> Consensus:
    """Consensus of the trees over the common subpartition of the training rows, or of a sample of 3000 of them.

    Parameters
    ----------
    strict : bool
        Whether ties between cells are forbidden.
    directed : bool
        Whether features have directions.
    """
    rows = np.arange(training.n_rows)
    if len(rows) > MOST_CELLS:
        rows = np.sort(np.random.default_rng(seed).choice(rows, MOST_CELLS, replace=False))
    X = training.values(rows)
    cells, of_row = common_subpartition(strata_of(trees, X, n_threads))
    weights = np.ones(len(rows)) if training.weights is None else training.weights[rows]
    mass = np.bincount(of_row, weights=weights)
    scores = np.column_stack([tree.leaf_score[cells[:, b]] for b, tree in enumerate(trees)])
    found = _median(scores, mass, strict=strict, seed=seed, n_threads=n_threads)
    order = np.lexsort((found.ranking, -scores.mean(axis=1)))[::-1]
    rank = found.ranking[order]
    mass, cells = mass[order], np.ascontiguousarray(cells[order])
    better = np.array([mass[rank < r].sum() for r in rank])
    equal = np.array([mass[rank == r].sum() for r in rank])
    score = 1.0 - (better + 0.5 * equal) / mass.sum()
    return Consensus(
        mean_score=scores.mean(axis=1)[order],
        score=raised(score, cells) if directed else score,
        keys={cell.tobytes(): i for i, cell in enumerate(cells)},
        found=found,
        directed=directed,
    )


def transductive_ranks(
    trees: Sequence[MasterTree], X: np.ndarray, *, strict: bool, directed: bool = False, seed: int, n_threads: int
) -> np.ndarray:
    """Mid-ranks (1 = best) of the given rows in the median ranking of the trees' rankings of them."""
    cells, of_row = common_subpartition(strata_of(trees, X, n_threads))
    if len(cells) > MOST_CELLS:
        raise ValueError(
            f"The {len(X)} rows fall into {len(cells)} different combinations of cells, and the limit for a Kemeny "
            f"consensus is {MOST_CELLS}; rank fewer rows at a time, or use another aggregation."
        )
    scores = np.column_stack([tree.leaf_score[cells[:, b]] for b, tree in enumerate(trees)])
    mass = np.bincount(of_row).astype(np.float64)
    found = _median(scores, mass, strict=strict, seed=seed, n_threads=n_threads)
    places = -raised(-found.ranking, cells) if directed else found.ranking
    return rankdata(places[of_row])


def _median(scores: np.ndarray, mass: np.ndarray, *, strict: bool, seed: int, n_threads: int) -> MedianRanking:
    """The median ranking of cells (first axis) scored by trees (second)."""
    return median_ranking(-scores.T, weights=mass, strict=strict, n_restarts=1, random_state=seed, n_jobs=n_threads)


def mean_scores(trees: Sequence[MasterTree], X: np.ndarray, n_threads: int) -> np.ndarray:
    return tree_score_block(trees, X, "mean_rank", n_threads).mean(axis=1)
