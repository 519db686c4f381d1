"""A bound on false alarms (2007, Remark 2): the classifier is a test of the hypothesis that a row is negative.

Its type I error alpha is the share of the negatives that it flags, its power beta the share of the positives. A
mass-constrained classifier flags a given share u of all rows. A false-alarm-constrained one flags as many positives as
possible with at most a share alpha of the negatives (Neyman and Pearson). Both cut the list at one score. With p the
share of positives and u = p beta + (1 - p) alpha the share of all flagged rows, the error is

    L = p (1 - beta) + (1 - p) alpha = p + u - 2 p beta = 2 (1 - p) alpha + p - u.

(The paper prints the last expression but one with -u, a misprint.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import check_ranking_inputs, check_share, checked_mass
from rankforest.metrics.interval import check_confidence
from rankforest.metrics.roc import curve_of

__all__ = ["FalseAlarmThreshold", "false_alarm_constrained_error", "false_alarm_threshold", "power_at"]

_MEANING = "it is the share of the negatives that may be flagged, such as 0.05"


class FalseAlarmThreshold(NamedTuple):
    """A cut of a list: flag the rows above the threshold, and the rows on it with a probability.

    Attributes
    ----------
    threshold : float
        The score of one of the negatives.
    chance : float
        Probability that a row with exactly this score is flagged; needed for ties, as in the strata of a tree.
    """

    threshold: float
    chance: float

    def chances(self, score: FloatArray) -> FloatArray:
        """Probability of each row to be flagged.

        Examples
        --------
        >>> FalseAlarmThreshold(2.0, 0.25).chances(np.array([1.0, 2.0, 3.0]))
        array([0.  , 0.25, 1.  ])
        """
        return np.where(score > self.threshold, 1.0, np.where(score == self.threshold, self.chance, 0.0))


def false_alarm_threshold(
    y_true: ArrayLike,
    y_score: ArrayLike,
    alpha: float,
    *,
    confidence: float | None = None,
    pos_label: object = None,
) -> FalseAlarmThreshold:
    """The threshold above which at most a share ``alpha`` of fresh negatives is expected.

    It is one of the negatives' scores, about their (1 - alpha)-quantile: the floor(alpha (m + 1))-th of m from the top.
    A fresh negative is equally likely to fall between any two of them, so it is flagged with a probability of at most
    ``alpha``, whatever the distribution of the scores; ties are in random order. This is a mean over samples. With
    ``confidence`` the threshold is so high that the share is at most ``alpha`` in that part of the samples, and rows on
    the threshold are not flagged.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`. The model must not be trained on these rows. Only the negatives are used, and there are
        no weights, because the negatives are counted.
    alpha : float
        Share of the negatives that may be flagged, in (0, 1).
    confidence : float, optional
        Such as 0.95.

    Returns
    -------
    FalseAlarmThreshold
        The tuple ``(threshold, chance)``.

    Examples
    --------
    >>> y, score = np.repeat([0, 1], [99, 20]), np.append(np.arange(99), np.arange(80, 100))
    >>> false_alarm_threshold(y, score, 0.05)  # four of the 99 negatives are above it
    FalseAlarmThreshold(threshold=94.0, chance=0.0)
    >>> false_alarm_threshold(y, score, 0.05, confidence=0.95)
    FalseAlarmThreshold(threshold=97.0, chance=0.0)
    """
    level = _check_level(alpha)
    delta = None if confidence is None else check_confidence(confidence)
    is_positive, score, _ = check_ranking_inputs(y_true, y_score, pos_label=pos_label)
    return threshold_of_negatives(score[~is_positive], level, delta)


def threshold_of_negatives(score: FloatArray, alpha: float, delta: float | None) -> FalseAlarmThreshold:
    """The result of :func:`false_alarm_threshold` from the negatives' scores; ``delta`` is 1 - confidence."""
    m = len(score)
    place = int(np.floor(alpha * (m + 1) * (1.0 + 1e-12))) if delta is None else _sure_place(m, alpha, delta)
    if place < 1:
        least = int(np.ceil((1.0 - alpha) / alpha * (1.0 - 1e-12)))
        if delta is not None:
            least = int(np.ceil(np.log(delta) / np.log1p(-alpha)))
        raise ValueError(
            f"{m} negatives are too few for a false alarm rate of {alpha:g}; hold out at least {least}, or raise alpha."
        )
    threshold = float(np.partition(score, m - place)[m - place])
    above, tied = int(np.sum(score > threshold)), int(np.sum(score == threshold))
    # A fresh row of this score is equally likely to come before, between or after the existing ones. The score of a
    # single row is not treated as a tie: no fresh row will have it.
    chance = (place - above) / (tied + 1.0) if delta is None and tied > 1 else 0.0
    return FalseAlarmThreshold(threshold, chance)


def _sure_place(m: int, alpha: float, delta: float) -> int:
    """The lowest position from the top above which a share of more than alpha lies with probability at most delta.

    The share above position j is beta distributed. It exceeds alpha if and only if fewer than j of m uniform numbers
    are below alpha (Clopper and Pearson's argument).
    """
    from scipy.special import bdtr

    places = np.arange(1, m + 1)
    return int(np.sum(bdtr(places - 1.0, m, alpha) <= delta))


def power_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    alpha: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Share of the positives that are flagged when a share ``alpha`` of the negatives is: the ROC curve at ``alpha``.

    Ties at the threshold are shared proportionally.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    alpha : float or array-like
        Share of the negatives, in (0, 1].

    Returns
    -------
    float or ndarray
        Of the shape of ``alpha``; higher is better.

    Examples
    --------
    >>> power_at([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.5, 1.0])
    array([0.5, 1. , 1. ])
    """
    level = check_share(alpha, "alpha", _MEANING)
    beta = curve_of(checked_mass(y_true, y_score, sample_weight, pos_label)).interpolate(level)
    return float(beta) if level.ndim == 0 else beta


def false_alarm_constrained_error(
    y_true: ArrayLike,
    y_score: ArrayLike,
    alpha: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Error of the classifier that flags a share ``alpha`` of the negatives: L = p (1 - beta) + (1 - p) alpha.

    Of all scores the probability of a positive has the least, at every ``alpha`` (Neyman-Pearson lemma). It is the
    mass-constrained error at u = p beta + (1 - p) alpha; ties at the threshold are shared proportionally.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    alpha : float or array-like
        Share of the negatives that is flagged, in (0, 1].

    Returns
    -------
    float or ndarray
        In [0, 1], of the shape of ``alpha``; lower is better.

    Examples
    --------
    >>> false_alarm_constrained_error([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.5, 1.0])
    array([0.375, 0.25 , 0.5  ])
    """
    level = check_share(alpha, "alpha", _MEANING)
    mass = checked_mass(y_true, y_score, sample_weight, pos_label)
    rate = float(mass.positive[-1] / mass.total[-1])
    error = rate * (1.0 - curve_of(mass).interpolate(level)) + (1.0 - rate) * level
    return float(error) if level.ndim == 0 else error


def _check_level(alpha: float) -> float:
    level = check_share(alpha, "alpha", _MEANING)
    if level.ndim or not float(level) < 1.0:
        raise ValueError(f"alpha must be one number in (0, 1), got {alpha!r}; {_MEANING}.")
    return float(level)
