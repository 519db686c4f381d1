"""Intervals and paired tests of any ranking metric, by the stratified bootstrap (Efron).

The positives are drawn from the positives and the negatives from the negatives, so the share of positives is fixed. If
a metric does not vary in the sample, such as the hit ratio of a top without a negative, it does not vary in the
replicates either. Its interval is then a single point, which is too optimistic. For the AUC use
:func:`rankforest.metrics.score_interval` in this case.

Rows of a group are not independent. With groups, whole groups are drawn (the cluster bootstrap), and the share of
positives varies with them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.data.read_hold_out import read_hold_out
from rankforest.metrics._inputs import RankingInputs, check_ranking_inputs, check_share
from rankforest.metrics._resampling import MASS_METRICS, SortedList, draws
from rankforest.metrics.interval import Interval, check_confidence

# SciPy is imported inside functions to keep the import of the metrics fast.

__all__ = ["MetricTest", "bootstrap_interval", "bootstrap_test"]

Metric = str | Callable[..., float]
WHOLE_LIST = ("roc_auc", "gini", "ks_statistic", "average_precision")


@dataclass(frozen=True)
class MetricTest:
    """Result of a test whether two models differ in a metric.

    Attributes
    ----------
    values : pair of float
        The metric of both.
    difference : Interval
        The first minus the second, with its interval.
    p_value : float
        Two-sided: twice the share of draws in which the difference has the other sign, or is 0.
    """

    values: tuple[float, float]
    difference: Interval
    p_value: float

    def __str__(self) -> str:
        return f"{self.values[0]:.4f} and {self.values[1]:.4f}: difference {self.difference}, p = {self.p_value:.3g}"


def bootstrap_interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric: Metric = "roc_auc",
    u: float | None = None,
    *,
    confidence: float = 0.95,
    method: str = "percentile",
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> Interval:
    """Confidence interval of a metric on new rows, for a score that was not fitted on these rows.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    metric : str or callable
        "roc_auc", "gini", "ks_statistic", "average_precision", "local_auc", "relative_local_auc", "partial_auc",
        "hit_ratio" or "recall_at", or the function of that name; these need one sort in all. Or any
        function ``metric(y, score, sample_weight=...) -> float``, called with labels 0 and 1 and, if a
        ``u`` is given, as ``metric(y, score, u, sample_weight=...)``.
    u : float, optional
        Share of the list, in (0, 1], for the metrics of its top.
    confidence : float, default 0.95
    method : {"percentile", "bias-corrected"}
        Quantiles of the replicates, or quantiles shifted by twice the normal score of the share of replicates below the
        estimate. Both stay in the range of the metric.
    n_replicates : int, default 1000
    groups : array-like of shape (n,), optional
        Rows with equal values, such as those of one customer, are drawn together: they are not independent.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Interval
        Its standard error is that of the draws.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> print(bootstrap_interval(sample.y, sample.eta, "local_auc", 0.1))
    0.1616 [0.1420, 0.1776] (95%, percentile)
    """
    delta = check_confidence(confidence)
    if method not in ("percentile", "bias-corrected"):
        raise ValueError(f"method must be 'percentile' or 'bias-corrected', got {method!r}.")
    check_metric(metric, u)
    check_replicates(n_replicates)
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    rng = np.random.default_rng(random_state)
    drawn = check_groups(groups, inputs)
    measured = replicate(inputs, [inputs.score], [(metric, u)], n_replicates, rng, drawn)[0, 0]
    return interval_of_draws(float(measured[0]), measured[1:], delta, method)


def bootstrap_test(
    y_true: ArrayLike,
    y_score: ArrayLike,
    other_score: ArrayLike,
    metric: Metric = "roc_auc",
    u: float | None = None,
    *,
    confidence: float = 0.95,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> MetricTest:
    """Test whether two scores of the same rows have the same metric, on the same replicates.

    Parameters
    ----------
    y_true, y_score, metric, u, confidence, n_replicates, sample_weight, groups, pos_label, random_state
        As in :func:`bootstrap_interval`.
    other_score : array-like of shape (n,)
        Scores of the same rows by the other model.

    Returns
    -------
    MetricTest

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> bootstrap_test(sample.y, sample.eta, sample.X[:, 0], "local_auc", 0.1).p_value < 0.01
    True
    """
    delta = check_confidence(confidence)
    check_metric(metric, u)
    check_replicates(n_replicates)
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    other = check_ranking_inputs(y_true, other_score, sample_weight=sample_weight, pos_label=pos_label)
    rng = np.random.default_rng(random_state)
    drawn = check_groups(groups, inputs)
    measured = replicate(inputs, [inputs.score, other.score], [(metric, u)], n_replicates, rng, drawn)[:, 0]
    return paired_test_of_draws(measured[0], measured[1], delta)


def replicate(
    inputs: RankingInputs,
    scores: Sequence[FloatArray],
    metrics: Sequence[tuple[Metric, float | None]],
    n_replicates: int,
    rng: np.random.Generator,
    groups: np.ndarray | None = None,
) -> FloatArray:
    """Every metric of every score on the sample and on each draw: an array (scores, metrics, 1 + n_replicates)."""
    lists = [SortedList(inputs, score) for score in scores]
    names = [known_name(metric) for metric, _ in metrics]
    label = inputs.is_positive.astype(np.int64)
    itself = np.ones(len(label)) if inputs.weight is None else inputs.weight
    measured = np.empty((len(scores), len(metrics), 1 + n_replicates))
    for draw, weight in enumerate(itertools.chain([itself], draws(inputs, n_replicates, rng, groups))):
        for model, (ordered, score) in enumerate(zip(lists, scores)):
            mass = ordered.mass(weight) if any(names) else None
            for column, (name, (metric, u)) in enumerate(zip(names, metrics)):
                if name is not None and mass is not None:
                    value = MASS_METRICS[name](mass, 1.0 if u is None else u)
                else:
                    share = () if u is None else (u,)
                    value = _as_finite(metric(label, score, *share, sample_weight=weight))  # type: ignore[operator]
                measured[model, column, draw] = value
    return measured


def interval_of_draws(estimate: float, drawn: FloatArray, delta: float, method: str = "percentile") -> Interval:
    """The interval of :func:`bootstrap_interval` from the values on the draws."""
    from scipy.special import ndtr, ndtri

    tails = np.array([delta / 2.0, 1.0 - delta / 2.0])
    if method == "bias-corrected":
        below = (np.sum(drawn < estimate) + 0.5 * np.sum(drawn == estimate) + 0.5) / (len(drawn) + 1.0)
        tails = ndtr(2.0 * ndtri(below) + ndtri(tails))
    low, high = np.quantile(drawn, tails)
    # Quantiles of a skewed metric can lie beyond the estimate; the interval then ends at the estimate.
    low, high = min(float(low), estimate), max(float(high), estimate)
    error = float(np.std(drawn, ddof=1)) if len(drawn) > 1 else np.nan
    return Interval(estimate, low, high, error, 1.0 - delta, method)


def paired_test_of_draws(one: FloatArray, other: FloatArray, delta: float) -> MetricTest:
    """The test of :func:`bootstrap_test` from the values on the sample, which come first, and on the draws."""
    difference = one - other
    found = interval_of_draws(float(difference[0]), difference[1:], delta)
    # The sample itself counts as a replicate on both sides, so that the p-value is never 0.
    tails = [1.0 + np.sum(difference[1:] <= 0.0), 1.0 + np.sum(difference[1:] >= 0.0)]
    p_value = min(1.0, 2.0 * float(min(tails)) / len(difference))
    return MetricTest((float(one[0]), float(other[0])), found, p_value)


def check_metric(metric: Metric, u: float | None) -> None:
    """Raise ValueError for an unknown name, and for a share that is invalid, missing or not needed."""
    if not callable(metric) and metric not in MASS_METRICS:
        raise ValueError(f"metric must be a function or one of {', '.join(MASS_METRICS)}, got {metric!r}.")
    name = known_name(metric)
    if u is None:
        if name is not None and name not in WHOLE_LIST:
            raise ValueError(f"u is missing; metric {name} needs the best share u of the list, such as u=0.1.")
        return
    if name in WHOLE_LIST:
        raise ValueError(f"u is {u!r}, but metric {name} is for the whole list; leave u out, or use local_auc.")
    if check_share(u).ndim:
        raise ValueError(f"u must be one share of the list, got {u!r}; call once for each.")


def check_groups(groups: Any, inputs: RankingInputs) -> np.ndarray | None:
    """The group of each row as a number; None if there are none."""
    if groups is None:
        return None
    return read_hold_out(groups, None, n_rows=len(inputs.is_positive)).groups


def check_replicates(n_replicates: int) -> None:
    """Raise ValueError for a number of replicates that gives no interval."""
    if isinstance(n_replicates, bool) or not isinstance(n_replicates, Integral) or n_replicates < 2:
        raise ValueError(f"n_replicates must be an integer of at least 2, got {n_replicates!r}; use 1000.")


def known_name(metric: Metric) -> str | None:
    """The name of a metric computed from cumulative masses, given by name or as this package's function."""
    if isinstance(metric, str):
        return metric
    name = getattr(metric, "__name__", None)
    ours = str(getattr(metric, "__module__", "")).startswith("rankforest.metrics.")
    return name if ours and name in MASS_METRICS else None


def _as_finite(value: Any) -> float:
    if np.ndim(value) != 0 or not np.isfinite(value):
        raise ValueError(f"metric must return one finite number, got {value!r}; it is called with a sample_weight.")
    return float(value)
