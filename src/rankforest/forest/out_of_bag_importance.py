"""Permutation importance on rows that the trees have not seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.training_rows import TrainingRows
from ..fitting.permutation import PermutationImportance, shuffled_drops
from .growing import Grove
from .out_of_bag import auc_of, out_of_bag_scores
from .sampling import Draw
from .subpartition import Consensus

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
    consensus: Consensus | None = None,
) -> PermutationImportance:
    """Drop of the out-of-bag AUC when a feature is shuffled among the training rows."""

    def measure(X: np.ndarray | None) -> float:
        scores, _ = out_of_bag_scores(groves, draw, training, aggregation, n_threads, X, consensus=consensus)
        return auc_of(scores, training)

    return shuffled_drops(measure, training, names, n_repeats=n_repeats, seed=seed)
