"""Permutation importance on rows that the trees have not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..interpret.importance import PermutationImportance
from .growing import Grove
from .out_of_bag import auc_of, out_of_bag_scores
from .sampling import Draw
from .training import TrainingRows

__all__ = ["out_of_bag_importance"]


def out_of_bag_importance(
    groves: Sequence[Grove],
    draw: Draw,
    training: TrainingRows,
    aggregation: str,
    names: Sequence[str],
    *,
    n_repeats: int,
    seed: int,
    n_threads: int,
) -> PermutationImportance:
    """Drop of the out-of-bag AUC when a feature is shuffled among the training rows."""
    rng = np.random.default_rng(seed)
    X = training.values(slice(None))
    baseline = auc_of(out_of_bag_scores(groves, draw, training, aggregation, n_threads)[0], training)
    drops = np.empty((len(names), n_repeats))
    for j in range(len(names)):
        kept = X[:, j].copy()
        for repeat in range(n_repeats):
            X[:, j] = rng.permutation(kept)
            scores, _ = out_of_bag_scores(groves, draw, training, aggregation, n_threads, X)
            drops[j, repeat] = baseline - auc_of(scores, training)
        X[:, j] = kept
    return PermutationImportance(tuple(names), drops.mean(axis=1), drops.std(axis=1), drops, baseline)
