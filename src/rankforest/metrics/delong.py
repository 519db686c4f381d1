"""Tests whether two AUCs differ, by the placements of the rows (DeLong, DeLong and Clarke-Pearson, 1988).

The difference of two AUCs is the mean difference of the placements, so its variance is that of a mean. The difference
divided by its standard error is compared with Student's t, because with few rows the normal distribution rejects too
often. The degrees of freedom are Welch's for two samples of the sizes of the classes.

If the standard error is 0, Hoeffding's bound for k = min(m, n) independent pairs is used. Weights, and classes of one
row, are treated as in :mod:`rankforest.metrics.score_interval`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray, as_numbers
from rankforest.metrics._inputs import check_ranking_inputs
from rankforest.metrics.interval import Interval, check_confidence
from rankforest.metrics.placements import (
    Placements,
    class_sizes,
    covariance_of_means,
    mean_and_error,
    mean_of,
    placements,
)
from rankforest.metrics.score_interval import degrees_of_freedom, interval_of_auc, student_quantile

# SciPy is imported inside functions to keep the import of the metrics fast.

__all__ = ["AucTest", "DeLong", "auc_test", "auc_test_unpaired", "delong_covariance"]


@dataclass(frozen=True)
class AucTest:
    """Result of a test whether two AUCs differ.

    Attributes
    ----------
    auc : pair of float
        The two AUCs.
    difference : Interval
        The first minus the second, with its interval.
    z : float
        Difference divided by its standard error; compared with Student's t, which for many rows is normal.
    p_value : float
        Probability, if the two true AUCs are equal, of a difference at least as far from 0 on either side.
    paired : bool
        Whether both scores are of the same rows.

    Examples
    --------
    >>> print(auc_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [2, 1, 6, 3, 4, 5]))
    AUC 0.8889 and 0.6667: difference 0.2222 [-0.4676, 0.9120] (95%, DeLong), z = 0.89, p = 0.422
    """

    auc: tuple[float, float]
    difference: Interval
    z: float
    p_value: float
    paired: bool

    def __str__(self) -> str:
        return (
            f"AUC {self.auc[0]:.4f} and {self.auc[1]:.4f}: difference {self.difference}, "
            f"z = {self.z:.2f}, p = {self.p_value:.3g}"
        )


class DeLong(NamedTuple):
    """AUCs of several scores of the same rows and the covariance of their errors.

    Attributes
    ----------
    auc : ndarray of shape (n_models,)
    covariance : ndarray of shape (n_models, n_models)
    """

    auc: FloatArray
    covariance: FloatArray


def auc_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    other_score: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> AucTest:
    """DeLong's paired two-sided test whether two scores of the same rows have the same AUC.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`auc_interval`.
    other_score : array-like of shape (n,)
        Scores of the same rows by the other model.
    confidence : float, default 0.95
        Of the interval of the difference.

    Returns
    -------
    AucTest
        Two scores that order all pairs alike have the p-value 1. A difference d other than 0 whose standard error is 0
        gets Hoeffding's bound p = 2 exp(-k d^2 / 2), with k the size of the smaller class, and its interval.

    Examples
    --------
    >>> found = auc_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [2, 1, 6, 3, 4, 5])
    >>> round(found.p_value, 3)
    0.422
    """
    delta = check_confidence(confidence)
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    other = check_ranking_inputs(y_true, other_score, sample_weight=sample_weight, pos_label=pos_label)
    return paired_test(placements(inputs, np.stack([inputs.score, other.score])), (0, 1), delta)


def paired_test(placed: Placements, models: tuple[int, int], delta: float) -> AucTest:
    """The test of :func:`auc_test` from placements, for two of the models."""
    one, other = models
    auc = tuple(mean_and_error(placed, placed.positive[k], placed.negative[k])[0] for k in models)
    difference, error = mean_and_error(
        placed, placed.positive[one] - placed.positive[other], placed.negative[one] - placed.negative[other]
    )
    if error > 0.0 or difference == 0.0:
        degrees = degrees_of_freedom(class_sizes(placed)) if error < np.inf else 1.0
        return _test((auc[0], auc[1]), difference, error, degrees, delta, paired=True)
    pairs = min(class_sizes(placed))
    reach = float(np.sqrt(2.0 * np.log(2.0 / delta) / pairs))
    p_value = min(1.0, 2.0 * float(np.exp(-0.5 * pairs * difference**2)))
    low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    found = Interval(difference, low, high, 0.0, 1.0 - delta, "Hoeffding")
    return AucTest((auc[0], auc[1]), found, float(np.copysign(np.inf, difference)), p_value, True)


def auc_test_unpaired(
    y_true: ArrayLike,
    y_score: ArrayLike,
    other_true: ArrayLike,
    other_score: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    other_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> AucTest:
    """Test whether the scores of two independent samples have the same AUC, for instance of one model in two years.

    Parameters
    ----------
    y_true, y_score, sample_weight
        The first sample, as in :func:`auc_interval`.
    other_true, other_score, other_weight
        The second sample, of other rows.
    confidence : float, default 0.95
        Of the interval of the difference.
    pos_label : label, optional
        The positive class of both samples.

    Returns
    -------
    AucTest
        If all pairs of a sample agree, its standard error is 0. It is then replaced by the one that corresponds to half
        of the length of its interval.

    Examples
    --------
    >>> auc_test_unpaired([0, 0, 1, 1], [1, 3, 2, 4], [1, 1, 0, 0], [1, 3, 2, 4]).difference.estimate
    0.5
    """
    delta = check_confidence(confidence)
    samples = [
        check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label),
        check_ranking_inputs(other_true, other_score, sample_weight=other_weight, pos_label=pos_label),
    ]
    placed = [placements(inputs, inputs.score[None, :]) for inputs in samples]
    found = [interval_of_auc(rows, delta) for rows in placed]
    variances = [_variance(interval, delta) for interval in found]
    variance = sum(variances)
    degrees = 1.0
    if variance < np.inf:
        of_samples = [degrees_of_freedom(class_sizes(rows)) for rows in placed]
        degrees = variance**2 / sum(part**2 / of_sample for part, of_sample in zip(variances, of_samples))
    auc = (found[0].estimate, found[1].estimate)
    return _test(auc, auc[0] - auc[1], float(np.sqrt(variance)), degrees, delta, paired=False)


def delong_covariance(
    y_true: ArrayLike, scores: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> DeLong:
    """AUCs of several models on the same rows, with the covariance of their errors.

    Parameters
    ----------
    y_true, sample_weight, pos_label
        As in :func:`auc_interval`.
    scores : array-like of shape (n, n_models)
        One column per model. Columns are sorted one by one: a table in column order saves a copy.

    Returns
    -------
    DeLong
        The tuple ``(auc, covariance)``; the covariance is NaN if a class has one row only.

    Examples
    --------
    >>> scores = [[1, 2], [2, 1], [4, 6], [3, 3], [5, 4], [6, 5]]
    >>> auc, covariance = delong_covariance([0, 0, 0, 1, 1, 1], scores)
    >>> auc.round(4)
    array([0.8889, 0.6667])
    >>> covariance.round(4)
    array([[0.0247, 0.037 ],
           [0.037 , 0.1111]])
    """
    table = np.asarray(scores)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(
            f"scores must be a table with one column per model, got shape {table.shape}; stack the scores."
        )
    inputs = check_ranking_inputs(y_true, table[:, 0], sample_weight=sample_weight, pos_label=pos_label)
    columns = [inputs.score]
    for model in range(1, table.shape[1]):
        column = as_numbers(table[:, model], f"scores[:, {model}]", "pass one score per row and model")
        if not np.isfinite(column).all():
            row = int(np.argmax(~np.isfinite(column)))
            raise ValueError(
                f"scores must be finite, got {column[row]} in row {row} of column {model}; "
                "replace or drop the rows without a usable score."
            )
        columns.append(column)
    return covariance_of(placements(inputs, columns))


def covariance_of(placed: Placements) -> DeLong:
    """The result of :func:`delong_covariance` from placements."""
    auc = mean_of(placed.positive, placed.positive_weight)
    covariance = np.zeros((len(auc), len(auc)))
    for values, weight in ((placed.positive, placed.positive_weight), (placed.negative, placed.negative_weight)):
        covariance += covariance_of_means(values, weight)
    return DeLong(np.atleast_1d(auc), covariance)


def _variance(interval: Interval, delta: float) -> float:
    """Variance of an AUC; if the standard error is 0, from half of the length of the interval."""
    from scipy.special import ndtri

    reach = max(interval.estimate - interval.low, interval.high - interval.estimate)
    return (interval.standard_error or reach / -float(ndtri(delta / 2.0))) ** 2


def _test(
    auc: tuple[float, float], difference: float, error: float, degrees: float, delta: float, *, paired: bool
) -> AucTest:
    from scipy.special import stdtr

    z = difference / error if error > 0.0 else 0.0
    reach = student_quantile(degrees, delta) * error
    low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    found = Interval(difference, low, high, error, 1.0 - delta, "DeLong")
    return AucTest(auc, found, z, float(2.0 * stdtr(degrees, -abs(z))), paired)
