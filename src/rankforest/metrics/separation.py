"""How far a score separates the two classes: the Gini coefficient and the Kolmogorov-Smirnov statistic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import CumulativeMass, checked_mass
from rankforest.metrics.interval import Interval
from rankforest.metrics.roc import roc_auc

__all__ = ["gini", "gini_of", "ks_of", "ks_statistic"]


def gini(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> float:
    """Gini coefficient of a score, also called accuracy ratio or Somers' D: 2 AUC - 1.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.

    Returns
    -------
    float
        1 if all positives are above all negatives, 0 for a constant score, -1 for the reverse order.

    Examples
    --------
    >>> gini([0, 1, 0, 1], [1, 2, 3, 4])
    0.5
    """
    return 2.0 * roc_auc(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label) - 1.0


def gini_of(auc: Interval) -> Interval:
    """The coefficient with its interval, from an AUC with its interval.

    Examples
    --------
    >>> print(gini_of(Interval(0.75, 0.625, 0.875, 0.0625, 0.95, "score")))
    0.5000 [0.2500, 0.7500] (95%, score)
    """
    low, high = 2.0 * auc.low - 1.0, 2.0 * auc.high - 1.0
    return Interval(2.0 * auc.estimate - 1.0, low, high, 2.0 * auc.standard_error, auc.confidence, auc.method)


def ks_statistic(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> float:
    """Kolmogorov-Smirnov statistic: the greatest distance between the score distributions of the two classes.

    It is the greatest `|beta - alpha|` on the ROC curve: the share of the positives minus the share of the negatives
    that are at or above a threshold, where the threshold separates them best.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.

    Returns
    -------
    float
        From 0 to 1; 1 if a threshold separates the classes.

    Examples
    --------
    >>> ks_statistic([0, 1, 0, 1], [1, 2, 3, 4])
    0.5
    """
    return ks_of(checked_mass(y_true, y_score, sample_weight, pos_label))


def ks_of(mass: CumulativeMass) -> float:
    """The statistic of a list that is known by its cumulative masses."""
    return float(np.max(np.abs(mass.positive / mass.positive[-1] - mass.negative / mass.negative[-1])))
