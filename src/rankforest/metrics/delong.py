"""How sure is an AUC? Intervals and tests by the placements of the rows (DeLong, DeLong and Clarke-Pearson, 1988).

The placement of a positive is the share of the negatives that it beats, that of a negative the share of the positives
that beat it; ties count one half. Both have the AUC as their mean, and the spread of their means is the spread of the
AUC: Var = S10 / m + S01 / n, with S10 and S01 the sample variances of the placements of m positives and n negatives.
One sort gives all placements, so nothing here looks at pairs.

**Weights** are those of a sample that represents a population unevenly: each row is still one observation. The variance
is that of weighted means, w_i^2 in place of 1 / m^2. Rows that stand for several rows have to be repeated.

**No spread.** The variance of an AUC is 0 just when all pairs agree: a perfect, a reversed, or a constant list. That is
not certainty. Then k = min(m, n) pairs without a common row, which are independent, agree as well; this has a
probability of at most t^k when a share t of all pairs does. So t is at least (delta / 2)^(1 / k) at confidence
1 - delta, Clopper and Pearson's bound, and the other pairs may say anything. A difference of two AUCs without spread
falls back on Hoeffding's bound for k independent pairs.

**One row of a class** says nothing about how rows of its class differ: the standard error is infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import BoolArray, FloatArray, RankingInputs, as_numbers, check_ranking_inputs

# SciPy is imported where it is needed: the metrics stay light.

__all__ = ["AucTest", "DeLong", "Interval", "auc_interval", "auc_test", "auc_test_unpaired", "delong_covariance"]


@dataclass(frozen=True)
class Interval:
    """An estimate and what it could also be.

    Attributes
    ----------
    estimate, low, high : float
        The estimate and the ends of the interval.
    standard_error : float
        Of the estimate.
    confidence : float
        Share of such intervals that hold the truth.
    method : str
        How it was computed.

    Examples
    --------
    >>> print(Interval(0.75, 0.6, 0.85, 0.06, 0.95, "logit"))
    0.7500 [0.6000, 0.8500] (95%, logit)
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence: float
    method: str

    def __str__(self) -> str:
        ends = f"[{self.low:.4f}, {self.high:.4f}]"
        return f"{self.estimate:.4f} {ends} ({self.confidence * 100:g}%, {self.method})"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class AucTest:
    """Do two AUCs differ?

    Attributes
    ----------
    auc : pair of float
        The two AUCs.
    difference : Interval
        The first minus the second, with its interval.
    z : float
        Difference over its standard error.
    p_value : float
        Probability, if the two true AUCs are equal, of a difference at least as far from 0 on either side.
    paired : bool
        Whether both scores are of the same rows.

    Examples
    --------
    >>> print(auc_test([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], [2, 1, 6, 3, 4, 5]))
    AUC 0.8889 and 0.6667: difference 0.2222 [-0.2647, 0.7092] (95%, DeLong), z = 0.89, p = 0.371
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


class Placements(NamedTuple):
    """Placements of the rows under several scores, one row of the arrays per score, and the weights of the rows."""

    positive: FloatArray
    negative: FloatArray
    positive_weight: FloatArray | None
    negative_weight: FloatArray | None


def auc_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    confidence: float = 0.95,
    method: str = "logit",
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Interval:
    """Confidence interval of the AUC on new rows, for a score that did not see these rows.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`; weights as described at the head of this module.
    confidence : float, default 0.95
    method : {"logit", "normal"}
        The normal interval of the logit of the AUC, which stays in (0, 1) and leans towards 1/2, as it should; or that
        of the AUC itself, cut off at 0 and 1.

    Returns
    -------
    Interval
        Its `method` is "pairs" if all pairs agree, and "none" if a class has one row only.

    Examples
    --------
    >>> print(auc_interval([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 5, 4, 6, 7, 8]))
    0.9375 [0.4382, 0.9965] (95%, logit)
    >>> print(auc_interval([0, 0, 0, 0, 1, 1, 1, 1], range(8)))
    1.0000 [0.3976, 1.0000] (95%, pairs)
    """
    delta = check_confidence(confidence)
    if method not in ("logit", "normal"):
        raise ValueError(f"method must be 'logit' or 'normal', got {method!r}; 'logit' stays between 0 and 1.")
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    return interval_of_auc(placements(inputs, inputs.score[None, :]), delta, method)


def interval_of_auc(placed: Placements, delta: float, method: str = "logit", model: int = 0) -> Interval:
    """The interval of :func:`auc_interval` from placements; ``delta`` is 1 - confidence."""
    from scipy.special import expit, logit, ndtri

    auc, error = _mean_and_error(placed, placed.positive[model], placed.negative[model])
    if error == 0.0:
        share = (delta / 2.0) ** (1.0 / _independent_pairs(placed))
        return Interval(auc, share * auc, share * auc + (1.0 - share), 0.0, 1.0 - delta, "pairs")
    if error == np.inf:
        return Interval(auc, 0.0, 1.0, error, 1.0 - delta, "none")
    reach = -float(ndtri(delta / 2.0)) * error
    if method == "normal":
        return Interval(auc, max(auc - reach, 0.0), min(auc + reach, 1.0), error, 1.0 - delta, method)
    middle, half = logit(auc), reach / (auc * (1.0 - auc))
    return Interval(auc, float(expit(middle - half)), float(expit(middle + half)), error, 1.0 - delta, method)


def auc_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    other_score: ArrayLike,
    *,
    confidence: float = 0.95,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> AucTest:
    """Do two scores of the same rows have the same AUC? DeLong's paired two-sided test.

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
    0.371
    """
    delta = check_confidence(confidence)
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    other = check_ranking_inputs(y_true, other_score, sample_weight=sample_weight, pos_label=pos_label)
    return paired_test(placements(inputs, np.stack([inputs.score, other.score])), (0, 1), delta)


def paired_test(placed: Placements, models: tuple[int, int], delta: float) -> AucTest:
    """The test of :func:`auc_test` from placements, for two of the models."""
    one, other = models
    auc = tuple(_mean_and_error(placed, placed.positive[k], placed.negative[k])[0] for k in models)
    difference, error = _mean_and_error(
        placed, placed.positive[one] - placed.positive[other], placed.negative[one] - placed.negative[other]
    )
    if error > 0.0 or difference == 0.0:
        return _test((auc[0], auc[1]), difference, error, delta, paired=True)
    pairs = _independent_pairs(placed)
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
    """Do the scores of two independent samples have the same AUC? For instance of one model in two years.

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
        A sample in which all pairs agree enters with the standard error that half the length of its interval would
        give, since its own is 0.

    Examples
    --------
    >>> auc_test_unpaired([0, 0, 1, 1], [1, 3, 2, 4], [1, 1, 0, 0], [1, 3, 2, 4]).difference.estimate
    0.5
    """
    from scipy.special import ndtri

    delta = check_confidence(confidence)
    samples = [
        check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label),
        check_ranking_inputs(other_true, other_score, sample_weight=other_weight, pos_label=pos_label),
    ]
    found = [interval_of_auc(placements(inputs, inputs.score[None, :]), delta) for inputs in samples]
    errors = [
        interval.standard_error
        or max(interval.estimate - interval.low, interval.high - interval.estimate) / -float(ndtri(delta / 2.0))
        for interval in found
    ]
    auc = (found[0].estimate, found[1].estimate)
    return _test(auc, auc[0] - auc[1], float(np.hypot(errors[0], errors[1])), delta, paired=False)


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
    auc = _mean(placed.positive, placed.positive_weight)
    covariance = np.zeros((len(auc), len(auc)))
    for values, weight in ((placed.positive, placed.positive_weight), (placed.negative, placed.negative_weight)):
        covariance += _covariance_of_means(values, weight)
    return DeLong(np.atleast_1d(auc), covariance)


def placements(inputs: RankingInputs, scores: Any) -> Placements:
    """Placements of the rows of weight above 0 under each of the scores (checked arrays, one per model)."""
    is_positive, _, weight = inputs
    present = None
    if weight is not None and not weight.all():
        present = weight > 0
        is_positive, weight = is_positive[present], weight[present]
    of_positive, of_negative = np.flatnonzero(is_positive), np.flatnonzero(~is_positive)
    positive = np.empty((len(scores), len(of_positive)))
    negative = np.empty((len(scores), len(of_negative)))
    for model, score in enumerate(scores):
        placed = _place(is_positive, score if present is None else score[present], weight)
        np.take(placed, of_positive, out=positive[model])
        np.take(placed, of_negative, out=negative[model])
    if weight is None:
        return Placements(positive, negative, None, None)
    return Placements(positive, negative, weight[of_positive], weight[of_negative])


def _place(is_positive: BoolArray, score: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Placement of every row: the share of the other class below a positive, or above a negative; ties one half."""
    # Weighted sums round by their order, so only counts may be added up in any order of the ties.
    order = np.argsort(score, kind="stable" if weight is not None else "quicksort")
    ascending, positive_row = score[order], is_positive[order]
    n = len(order)
    positive: Any
    negative: Any
    if weight is None:
        below = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(positive_row, out=below[1:])
        positive, negative = below, np.arange(n + 1) - below
    else:
        sorted_weight = weight[order]
        positive, negative = np.zeros(n + 1), np.zeros(n + 1)
        np.cumsum(np.where(positive_row, sorted_weight, 0.0), out=positive[1:])
        np.cumsum(np.where(positive_row, 0.0, sorted_weight), out=negative[1:])
    step = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    start: Any
    end: Any
    group: Any
    if len(step) == n - 1:  # no ties: slices cost nothing
        start, end, group = slice(0, n), slice(1, n + 1), slice(0, n)
    else:
        start, end = np.append(0, step), np.append(step, n)
        group = np.repeat(np.arange(len(start)), end - start)
    beaten = (negative[start] + negative[end]) / (2.0 * negative[-1])
    beaten_by = 1.0 - (positive[start] + positive[end]) / (2.0 * positive[-1])
    placed = np.empty(n)
    placed[order] = np.where(positive_row, beaten[group], beaten_by[group])
    return placed


def _mean(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    return np.asarray(np.average(values, axis=-1, weights=weight))


def _covariance_of_means(values: FloatArray, weight: FloatArray | None) -> FloatArray:
    """Covariance of the (weighted) means of the rows of an array; NaN for a single column."""
    count = values.shape[1]
    if count < 2:
        return np.full((len(values), len(values)), np.nan)
    share = np.full(count, 1.0 / count) if weight is None else weight / weight.sum()
    centred = values - _mean(values, weight)[:, None]
    centred *= share
    return np.asarray(centred @ centred.T) * (count / (count - 1.0))


def _mean_and_error(placed: Placements, positive: FloatArray, negative: FloatArray) -> tuple[float, float]:
    """Mean of the placements, or of their differences, and its standard error: 0 exactly when all pairs agree."""
    if positive.min() == positive.max() and negative.min() == negative.max():
        return float(positive[0]), 0.0
    mean = float(_mean(positive, placed.positive_weight))
    if min(len(positive), len(negative)) < 2:
        return mean, np.inf
    variance = _covariance_of_means(positive[None, :], placed.positive_weight)
    variance += _covariance_of_means(negative[None, :], placed.negative_weight)
    return mean, float(np.sqrt(variance[0, 0]))


def _independent_pairs(placed: Placements) -> float:
    """The size of the smaller class, or with weights the number of equal weights that are as good (Kish)."""
    sizes = []
    for values, weight in ((placed.positive, placed.positive_weight), (placed.negative, placed.negative_weight)):
        sizes.append(float(values.shape[1]) if weight is None else float(weight.sum() ** 2 / np.square(weight).sum()))
    return min(sizes)


def _test(auc: tuple[float, float], difference: float, error: float, delta: float, *, paired: bool) -> AucTest:
    from scipy.special import ndtr, ndtri

    z = difference / error if error > 0.0 else 0.0
    reach = -float(ndtri(delta / 2.0)) * error
    low, high = max(difference - reach, -1.0), min(difference + reach, 1.0)
    found = Interval(difference, low, high, error, 1.0 - delta, "DeLong")
    return AucTest(auc, found, z, float(2.0 * ndtr(-abs(z))), paired)


def check_confidence(confidence: float) -> float:
    """1 - confidence, for a confidence between 0 and 1.

    Examples
    --------
    >>> check_confidence(0.75)
    0.25
    """
    try:
        level = float(confidence)
    except (TypeError, ValueError):
        level = np.nan
    if not 0.0 < level < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}; use 0.95 for 95%.")
    return 1.0 - level
