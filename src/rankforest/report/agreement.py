"""The trees of a forest, compared with each other and with the forest."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..consensus import distance_matrix
from ..estimators.fitted_model import FittedModel, Voters
from ..forest.aggregation import tree_score_block
from ..metrics.roc import roc_auc
from .judged import Judged
from .plain import plain, rounded
from .rows import spread

__all__ = ["agreement_facts"]

_MOST_TREES = 100
_MOST_ROWS = 1000
_BINS = 24


def agreement_facts(model: FittedModel, judged: Judged) -> dict[str, Any]:
    """AUC of single trees and of the forest, and the distances between their rankings.

    On the training rows each tree is evaluated on its out-of-bag rows.
    """
    nothing = {"single": None, "stability": None}
    voters = model.voters()
    if voters is None or len(voters.trees) < 2:
        return nothing
    trees = voters.trees
    chosen = spread(np.arange(len(trees)), _MOST_TREES)
    rows = spread(np.arange(len(judged.labels)), _MOST_ROWS)
    labels, weights = judged.labels[rows], judged.weights_of(rows)
    if len(np.unique(labels)) < 2:
        return nothing
    scores = tree_score_block([trees[b] for b in chosen], judged.values(rows), "mean_rank", 1)
    together = judged.score[rows]
    distance = distance_matrix(-np.vstack([scores.T, together]))
    between = distance[:-1, :-1][np.triu_indices(len(chosen), 1)]
    counts, edges = np.histogram(between, bins=_BINS, range=(0.0, max(0.5, float(between.max()))))
    unseen = _unseen(voters, judged, rows)[:, chosen]
    aucs = [_auc(labels, score, weights, new) for score, new in zip(scores.T, unseen.T)]
    return {
        "single": {
            "auc": plain(aucs),
            "distance": rounded(distance[:-1, -1]),
            "together": roc_auc(labels, together, sample_weight=weights),
            "n_trees": len(trees),
            "n_rows": len(rows),
        },
        "stability": {
            "mean": float(between.mean()),
            "counts": counts.tolist(),
            "edges": rounded(edges),
            "n_trees": len(chosen),
            "n_rows": len(rows),
        },
    }


def _unseen(voters: Voters, judged: Judged, rows: np.ndarray) -> np.ndarray:
    """Whether each row (first axis) is out of bag for each tree (second)."""
    if judged.training is None:
        return np.ones((len(rows), len(voters.trees)), dtype=bool)
    labels, places = judged.training
    return voters.unseen(labels, places[rows])


def _auc(labels: np.ndarray, score: np.ndarray, weights: np.ndarray | None, new: np.ndarray) -> float:
    if len(np.unique(labels[new])) < 2:
        return np.nan
    return roc_auc(labels[new], score[new], sample_weight=None if weights is None else weights[new])
