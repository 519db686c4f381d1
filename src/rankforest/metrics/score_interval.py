"""Confidence intervals of the AUC: valid also with few rows, and equal to DeLong's with many.

**The standard error** is that of DeLong, DeLong and Clarke-Pearson (1988): Var = S10 / m + S01 / n, with S10 and S01
the sample variances of the placements of m positives and n negatives.

**The score interval** contains every AUC t that a test does not reject: |AUC - t| <= q sqrt(V(t)). The variance at t
has the form H of Hanley and McNeil (1982), made symmetric in the two classes by Newcombe (2006, method 5), and the
observed size: V(t) = r H(t), r = Var / H(AUC). With few rows r is uncertain, in particular if nearly all pairs are in
order, so it is shrunk towards 1 as if there were four more rows. q is a quantile of Student's t with Welch's degrees of
freedom for two samples of m and n rows. With many rows the result is DeLong's interval.

**Weights** are sampling weights: each row is still one observation. The variance is that of weighted means, with w_i^2
in place of 1 / m^2, and m and n are Kish's effective sample sizes. A row that stands for several rows must be repeated.

**Variance 0.** The variance of an AUC is 0 if and only if all pairs agree: a perfect, a reversed, or a constant list.
The AUC is not certain then. k = min(m, n) pairs without a common row are independent, and they agree as well. If a
share t of all pairs agrees in the population, this has a probability of at most t^k. So t is at least (delta / 2)^(1 /
k) at confidence 1 - delta (Clopper and Pearson's bound), and nothing is known about the other pairs.

**One row of a class**: the variance within the class is unknown, so the standard error is infinite.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import check_ranking_inputs
from rankforest.metrics.interval import Interval, check_confidence
from rankforest.metrics.placements import Placements, class_sizes, mean_and_error, placements

# SciPy is imported inside functions to keep the import of the metrics fast.

__all__ = ["auc_interval", "degrees_of_freedom", "interval_of_auc", "student_quantile"]

_METHODS = ("score", "logit", "normal")
_PRIOR_ROWS = 4.0


def auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    confidence: float = 0.95,
    method: str = "score",
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Interval:
    """Confidence interval of the AUC on new rows, for a score that was not fitted on these rows.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`; weights as described at the head of this module.
    confidence : float, default 0.95
    method : {"score", "logit", "normal"}, default "score"
        "score": the score interval described at the head of this module, for five rows of a class or more. "logit":
        DeLong's normal interval of the logit of the AUC. "normal": that of the AUC itself, clipped to [0, 1]. They
        agree for many rows. With ten positives the last two have less than their nominal coverage.

    Returns
    -------
    Interval
        Its `method` is "pairs" if all pairs agree, and "none" if a class has one row only.

    Examples
    --------
    >>> print(auc_interval([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 5, 4, 6, 7, 8]))
    0.9375 [0.4272, 0.9961] (95%, score)
    >>> print(auc_interval([0, 0, 0, 0, 1, 1, 1, 1], range(8)))
    1.0000 [0.3976, 1.0000] (95%, pairs)
    """
    delta = check_confidence(confidence)
    if method not in _METHODS:
        raise ValueError(
            f"method must be 'score', 'logit' or 'normal', got {method!r}; 'score' holds for few rows as well."
        )
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return interval_of_auc(placements(inputs, inputs.score[None, :]), delta, method)


def interval_of_auc(placed: Placements, delta: float, method: str = "score", model: int = 0) -> Interval:
    """The interval of :func:`auc_interval` from placements; ``delta`` is 1 - confidence."""
    auc, error = mean_and_error(placed, placed.positive[model], placed.negative[model])
    if error == 0.0:
        share = (delta / 2.0) ** (1.0 / min(class_sizes(placed)))
        return Interval(auc, share * auc, share * auc + (1.0 - share), 0.0, 1.0 - delta, "pairs")
    if error == np.inf:
        return Interval(auc, 0.0, 1.0, error, 1.0 - delta, "none")
    ends = {"score": _score_ends, "logit": _logit_ends, "normal": _normal_ends}[method]
    return Interval(auc, *ends(auc, error, class_sizes(placed), delta), error, 1.0 - delta, method)


def degrees_of_freedom(sizes: tuple[float, float]) -> float:
    """Welch's degrees of freedom of two samples of equal variance: m + n - 2 if they are equally large.

    Examples
    --------
    >>> round(degrees_of_freedom((10.0, 10.0)), 2), round(degrees_of_freedom((10.0, 1000.0)), 2)
    (18.0, 9.18)
    """
    m, n = sizes
    return (1.0 / m + 1.0 / n) ** 2 / (m**-2 / (m - 1.0) + n**-2 / (n - 1.0))


def student_quantile(degrees: float, delta: float) -> float:
    """Half-width of an interval of confidence 1 - delta, in standard errors.

    Examples
    --------
    >>> round(student_quantile(18.0, 0.05), 3), round(student_quantile(1e9, 0.05), 3)
    (2.101, 1.96)
    """
    from scipy.special import stdtrit

    return -float(stdtrit(degrees, delta / 2.0))


def _score_ends(auc: float, error: float, sizes: tuple[float, float], delta: float) -> tuple[float, float]:
    degrees = degrees_of_freedom(sizes)
    seen = degrees * 4.0 * auc * (1.0 - auc)
    ratio = (seen * error**2 / _form(auc, sizes) + _PRIOR_ROWS) / (seen + _PRIOR_ROWS)
    factor = student_quantile(degrees, delta) ** 2 * ratio

    def contradicted(t: float) -> bool:
        return (t - auc) ** 2 > factor * _form(t, sizes)

    return _edge(contradicted, auc, 0.0), _edge(contradicted, auc, 1.0)


def _form(auc: float, sizes: tuple[float, float]) -> float:
    """H: the variance of an AUC of exponential scores, with the mean size in place of either (Newcombe's method 5)."""
    m, n = sizes
    others = (m + n) / 2.0 - 1.0
    return auc * (1.0 - auc) * (1.0 + others * ((1.0 - auc) / (2.0 - auc) + auc / (1.0 + auc))) / (m * n)


def _edge(contradicted: Callable[[float], bool], inside: float, outside: float) -> float:
    """End of an interval between a point inside of it and a point outside, by bisection."""
    for _ in range(60):
        middle = 0.5 * (inside + outside)
        if contradicted(middle):
            outside = middle
        else:
            inside = middle
    return inside


def _logit_ends(auc: float, error: float, sizes: tuple[float, float], delta: float) -> tuple[float, float]:
    from scipy.special import expit, logit, ndtri

    middle, half = logit(auc), -ndtri(delta / 2.0) * error / (auc * (1.0 - auc))
    return float(expit(middle - half)), float(expit(middle + half))


def _normal_ends(auc: float, error: float, sizes: tuple[float, float], delta: float) -> tuple[float, float]:
    from scipy.special import ndtri

    reach = -float(ndtri(delta / 2.0)) * error
    return max(auc - reach, 0.0), min(auc + reach, 1.0)
