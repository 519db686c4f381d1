"""AUC of pairs within blocks: of held-out scores that come from one model per block.

Models that are judged forward in time learn from more and more rows, and each has a level of its own. So their scores
are compared within the rows that the same model judges.
"""

from __future__ import annotations

import math

import numpy as np

from .delong import delong_covariance
from .roc import roc_auc

__all__ = ["auc_within", "auc_within_error"]


def auc_within(
    labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None, blocks: np.ndarray | None = None
) -> float:
    """AUC of the rows that have a score: of all pairs, or, with blocks, the mean of the blocks.

    Parameters
    ----------
    labels : array of 0 and 1
    scores : array
        NaN for rows without a score.
    weights : array or None
    blocks : array of int or None
        Block of each row. A block with rows of one class only does not count.

    Examples
    --------
    >>> labels, scores = np.array([0, 1, 0, 1]), np.array([0.1, 0.2, 0.8, 0.9])
    >>> auc_within(labels, scores), auc_within(labels, scores, blocks=np.array([0, 0, 1, 1]))
    (0.75, 1.0)
    """
    return float(
        np.mean([roc_auc(*rows[:2], sample_weight=rows[2]) for rows in _each(labels, scores, weights, blocks)])
    )


def auc_within_error(
    labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None, blocks: np.ndarray | None = None
) -> float:
    """Standard error of `auc_within` (DeLong)."""
    found = _each(labels, scores, weights, blocks)
    variances = [delong_covariance(y, s[:, None], sample_weight=w).covariance[0, 0] for y, s, w in found]
    return math.sqrt(sum(map(float, variances))) / len(found)


def _each(
    labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None, blocks: np.ndarray | None
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """Labels, scores and weights of each block."""
    known = np.flatnonzero(~np.isnan(scores))
    parts = [known] if blocks is None else [known[blocks[known] == block] for block in np.unique(blocks[known])]
    parts = [rows for rows in parts if blocks is None or len(np.unique(labels[rows])) == 2]
    return [(labels[rows], scores[rows], None if weights is None else weights[rows]) for rows in parts]
