"""Permutation importance on rows that the trees have not seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..interpret.importance import PermutationImportance
from .growing import Grove
from .kemeny import Consensus
from .out_of_bag import auc_of, out_of_bag_scores
from .sampling import Draw
from .training import TrainingRows

__all__ = ["out_of_bag_importance", "shuffled_drops"]


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
    consensus: Consensus | None = None,
) -> PermutationImportance:
    """Drop of the out-of-bag AUC when a feature is shuffled among the training rows."""

    def measure(X: np.ndarray | None) -> float:
        scores, _ = out_of_bag_scores(groves, draw, training, aggregation, n_threads, X, consensus=consensus)
        return auc_of(scores, training)

    return shuffled_drops(measure, training, names, n_repeats=n_repeats, seed=seed)


def shuffled_drops(
    measure: Callable[[np.ndarray | None], float],
    training: TrainingRows,
    names: Sequence[str],
    *,
    n_repeats: int,
    seed: int,
) -> PermutationImportance:
    """Drop of a measure of the training rows when a feature is shuffled among them.

    Parameters
    ----------
    measure : callable
        Given the values of all training rows, with one feature shuffled; given None, of the rows as they are.
    """
    rng = np.random.default_rng(seed)
    X = training.values(slice(None))
    baseline = measure(None)
    drops = np.empty((len(names), n_repeats))
    for j in range(len(names)):
        kept = X[:, j].copy()
        for repeat in range(n_repeats):
            X[:, j] = rng.permutation(kept)
            drops[j, repeat] = baseline - measure(X)
        X[:, j] = kept
    return PermutationImportance(tuple(names), drops.mean(axis=1), drops.std(axis=1), drops, baseline)
