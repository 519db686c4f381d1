"""Student's quantile, with which a page computes the interval of an AUC."""

from __future__ import annotations

import numpy as np

from ..metrics.placements import kish_size
from ..metrics.score_interval import degrees_of_freedom, student_quantile

__all__ = ["auc_quantile"]


def auc_quantile(labels: np.ndarray, weights: np.ndarray | None) -> float | None:
    """Student's quantile for the interval of the AUC; None if a class has one row."""
    classes = [labels == 0, labels == 1]
    if min(int(rows.sum()) for rows in classes) < 2:
        return None
    sizes = [float(rows.sum()) if weights is None else kish_size(weights[rows]) for rows in classes]
    return student_quantile(degrees_of_freedom((sizes[0], sizes[1])), 0.05)
