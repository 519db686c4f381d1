"""Measures in the tables of the Ranking Forests paper (2013, section 6).

Of one list: AUC, DCG, average precision and HR (hit ratio), as in `rankforest.metrics`; DCG and average precision also
as the linear rank statistics of the paper, the sums over the positives of 1 / ln(1 + x) and of 1 / x, where
x is the position from the top. The column AVE is called average precision in the paper; its figures are those of
another one, the mean precision. Of the lists that replications give of the same test rows: how far their ROC curves lie
apart, and how often they order two rows differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from ..consensus import mean_pairwise_distance
from ..metrics import average_precision, dcg, hit_ratio, linear_rank_statistic, roc_auc, roc_curve

__all__ = [
    "LIST_FIGURES",
    "Envelope",
    "delta_env",
    "double_ranks",
    "envelope",
    "instab",
    "list_figures",
    "mean_precision",
]

LIST_FIGURES = ("auc", "dcg", "average_precision", "mean_precision", "hr10", "hr20", "dcg_sum", "ave_sum")


def list_figures(y: ArrayLike, score: ArrayLike) -> dict[str, float]:
    """The indicators of one list, by the names of `LIST_FIGURES`; "dcg_sum" and "ave_sum" are the rank statistics.

    Examples
    --------
    >>> found = list_figures([0, 1, 0, 1, 0, 0, 0, 1, 1, 1], range(10))
    >>> found["auc"], found["hr20"]
    (0.72, 1.0)
    """
    hit = hit_ratio(y, score, [0.1, 0.2])
    return {
        "auc": float(roc_auc(y, score)),
        "dcg": float(dcg(y, score)),
        "average_precision": float(average_precision(y, score)),
        "mean_precision": mean_precision(y, score),
        "hr10": float(hit[0]),
        "hr20": float(hit[1]),
        "dcg_sum": linear_rank_statistic(y, score, "dcg"),
        "ave_sum": linear_rank_statistic(y, score, "reciprocal"),
    }


def mean_precision(y: ArrayLike, score: ArrayLike) -> float:
    """Mean over all lengths k of the list of the precision among its first k rows.

    Average precision is the mean over the positions of the positives only, which are closer to the top. In a random
    order both equal the share of positives.

    Examples
    --------
    >>> round(mean_precision([0, 1, 0, 1], [1, 2, 3, 4]), 4)  # (1 + 1/2 + 2/3 + 2/4) / 4
    0.6667
    """
    n = np.size(score)
    return float(np.mean(hit_ratio(y, score, np.arange(1, n + 1) / n)))


def double_ranks(score: ArrayLike) -> NDArray[np.uint16]:
    """Twice the mid-ranks of a score: whole numbers from which all measures here can be computed.

    Examples
    --------
    >>> double_ranks([0.5, 0.1, 0.5])
    array([5, 2, 5], dtype=uint16)
    """
    ranks = 2 * rankdata(score)
    if len(ranks) > np.iinfo(np.uint16).max // 2:
        raise ValueError(f"score has {len(ranks)} rows; ranks are kept for up to 32767.")
    return ranks.astype(np.uint16)


class Envelope(NamedTuple):
    """The band between the lowest and the highest of several ROC curves.

    Attributes
    ----------
    alpha : array
        Where the curves are evaluated: between two neighbouring negatives, where no curve has a knot.
    low, high : array
        The lowest and the highest curve, point by point.
    """

    alpha: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def area(self) -> float:
        """Area of the band."""
        return float(np.mean(self.high - self.low))


def envelope(y: ArrayLike, scores: Sequence[ArrayLike]) -> Envelope:
    """Pointwise lowest and highest ROC curve of several scores of the same rows.

    All knots lie at multiples of one over the number of negatives. The curves are read half-way between these, so the
    area is exact but for pieces within which two extreme curves cross.

    Parameters
    ----------
    y : array of two labels
    scores : list of arrays
        One score of all rows per replication.

    Examples
    --------
    >>> round(envelope([0, 1, 0, 1], [[1, 2, 3, 4], [4, 3, 2, 1]]).area, 3)
    0.5
    """
    labels = np.asarray(y)
    n_negative = int(np.sum(labels != labels.max()))
    alpha = (np.arange(n_negative) + 0.5) / n_negative
    curves = np.array([roc_curve(labels, score).interpolate(alpha) for score in scores])
    return Envelope(alpha, curves.min(axis=0), curves.max(axis=0))


def delta_env(ours: Envelope, plain: Envelope) -> float:
    """Relative change of the area of the band against that of plain TreeRank: -0.3 is 30% narrower.

    Examples
    --------
    >>> y = [0, 1, 0, 1]
    >>> narrow, wide = envelope(y, [[1, 2, 3, 4], [1, 3, 2, 4]]), envelope(y, [[1, 2, 3, 4], [4, 3, 2, 1]])
    >>> delta_env(narrow, wide)
    -0.5
    """
    return ours.area / plain.area - 1 if plain.area > 0 else float("nan")


def instab(scores: Sequence[ArrayLike]) -> float:
    """Mean Kendall distance between the lists of two replications: the share of pairs that they order differently.

    A pair that one of them ties counts one half.

    Examples
    --------
    >>> instab([[1, 2, 3], [1, 2, 3], [1, 3, 2]])
    0.2222222222222222
    """
    return float(mean_pairwise_distance(np.array(scores, dtype=np.float64)))
