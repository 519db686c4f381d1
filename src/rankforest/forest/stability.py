"""How much the rankings of a forest's trees differ from each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..consensus import mean_pairwise_distance
from ..tree.master_tree import MasterTree
from .aggregation import tree_score_block
from .training import TrainingRows

__all__ = ["tree_instability"]

_MOST_ROWS, _MOST_TREES = 2000, 500


def tree_instability(trees: Sequence[MasterTree], training: TrainingRows, *, seed: int, n_threads: int) -> float:
    """Mean Kendall distance between the rankings of two trees, on the training rows or a sample of 2000 of them."""
    if len(trees) < 2:
        return 0.0
    rng = np.random.default_rng(seed)
    rows = np.arange(training.n_rows)
    if len(rows) > _MOST_ROWS:
        rows = np.sort(rng.choice(rows, _MOST_ROWS, replace=False))
    if len(trees) > _MOST_TREES:
        trees = [trees[b] for b in np.sort(rng.choice(len(trees), _MOST_TREES, replace=False))]
    scores = tree_score_block(trees, training.values(rows), "mean_rank", n_threads)
    return float(mean_pairwise_distance(-scores.T, n_jobs=n_threads))
