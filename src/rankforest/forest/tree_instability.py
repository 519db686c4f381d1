"""How much the rankings of a forest's trees differ from each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..consensus import mean_pairwise_distance
from ..data.training_rows import TrainingRows

__all__ = ["tree_instability"]

_MOST_ROWS, _MOST_TREES = 2000, 500


def tree_instability(
    trees: Sequence[Any],
    training: TrainingRows,
    *,
    seed: int,
    n_threads: int,
    scores_of: Callable[[Any, np.ndarray, int], np.ndarray],
) -> float:
    """Mean Kendall distance between the rankings of two trees, on the training rows or a sample of 2000 of them.

    Parameters
    ----------
    scores_of : callable
        Given trees, rows and threads, the score of every row (first axis) by every tree (second).
    """
    if len(trees) < 2:
        return 0.0
    rng = np.random.default_rng(seed)
    rows = np.arange(training.n_rows)
    if len(rows) > _MOST_ROWS:
        rows = np.sort(rng.choice(rows, _MOST_ROWS, replace=False))
    if len(trees) > _MOST_TREES:
        trees = [trees[b] for b in np.sort(rng.choice(len(trees), _MOST_TREES, replace=False))]
    scores = scores_of(trees, training.values(rows), n_threads)
    return float(mean_pairwise_distance(-scores.T, n_jobs=n_threads))
