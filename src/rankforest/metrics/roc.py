"""ROC and precision-recall curves and their areas.

All curves are computed from one sort of the list, :func:`rankforest.metrics._inputs.cumulative_mass`.
Ties count one half in every area, because the knots of a curve are joined by straight lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.data.numbers import FloatArray, as_numbers
from rankforest.metrics._counted_pairs import MANY_ROWS, auc_by_counting
from rankforest.metrics._inputs import CumulativeMass, check_ranking_inputs, checked_mass, cumulative_mass

__all__ = [
    "PrecisionRecallCurve",
    "RocCurve",
    "average_precision",
    "concave_hull",
    "precision_recall_curve",
    "roc_auc",
    "roc_curve",
]


class RocCurve(NamedTuple):
    """A ROC curve: the knots from (0, 0) to (1, 1), joined by straight lines.

    It unpacks as ``alpha, beta, thresholds``, in the order of :func:`sklearn.metrics.roc_curve`.

    Attributes
    ----------
    alpha : ndarray
        Share of the negatives scored at or above the threshold (false positive rate).
    beta : ndarray
        Share of the positives scored at or above the threshold (true positive rate).
    thresholds : ndarray
        ``inf``, then scores in descending order.

    Examples
    --------
    >>> curve = roc_curve([0, 1, 0, 1], [1, 2, 3, 4])
    >>> curve.auc
    0.75
    >>> curve.hull().alpha
    array([0. , 0. , 0.5, 1. ])
    """

    alpha: FloatArray
    beta: FloatArray
    thresholds: FloatArray

    @property
    def auc(self) -> float:
        """Area under the curve."""
        return area_under(self.alpha, self.beta)

    def hull(self) -> RocCurve:
        """The least concave curve above this one, with the thresholds of the knots that it keeps.

        Examples
        --------
        >>> roc_curve([0, 1, 0, 1], [1, 2, 3, 4]).hull().thresholds
        array([inf,  4.,  2.,  1.])
        """
        vertices = _hull_vertices(self.alpha, self.beta)
        return RocCurve(self.alpha[vertices], self.beta[vertices], self.thresholds[vertices])

    @overload
    def interpolate(self, alpha: float) -> float: ...

    @overload
    def interpolate(self, alpha: Sequence[float] | NDArray[Any]) -> FloatArray: ...

    def interpolate(self, alpha: float | Sequence[float] | NDArray[Any]) -> float | FloatArray:
        """The height of the curve at any share of the negatives; on a vertical segment, its upper end.

        Parameters
        ----------
        alpha : float or array-like
            Shares of the negatives, in [0, 1].

        Returns
        -------
        float or ndarray
            The share of the positives at ``alpha``, of the same shape.

        Examples
        --------
        >>> curve = roc_curve([0, 1, 0, 1], [1, 2, 3, 4])
        >>> curve.interpolate(0.25)
        0.5
        >>> curve.interpolate([0.0, 0.5, 1.0])
        array([0.5, 1. , 1. ])
        """
        at = np.asarray(alpha, dtype=np.float64)
        outside = ~((at >= 0) & (at <= 1))
        if outside.any():
            raise ValueError(f"alpha must lie in [0, 1], got {at[outside].flat[0]}; it is a share of the negatives.")
        beta = _interpolate(at, self.alpha, self.beta)
        return float(beta) if at.ndim == 0 else beta


class PrecisionRecallCurve(NamedTuple):
    """A precision-recall curve, in the order of :func:`sklearn.metrics.precision_recall_curve`.

    Attributes
    ----------
    precision : ndarray of shape (k + 1,)
        Share of positives among what is scored at or above the threshold; the last entry is 1.
    recall : ndarray of shape (k + 1,)
        Share of the positives scored at or above the threshold; the last entry is 0.
    thresholds : ndarray of shape (k,)
        The distinct scores, ascending; the last point of the curve has none.

    Examples
    --------
    >>> round(precision_recall_curve([0, 1, 0, 1], [1, 2, 3, 4]).average_precision, 4)
    0.8333
    """

    precision: FloatArray
    recall: FloatArray
    thresholds: FloatArray

    @property
    def average_precision(self) -> float:
        """Mean of the precision over the steps of the recall, without interpolation."""
        return float(-np.dot(np.diff(self.recall), self.precision[:-1]))


def roc_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> RocCurve:
    """ROC curve of a score, with one knot per distinct score.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of exactly two classes.
    y_score : array-like of shape (n,)
        Finite scores, higher is better.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights. A row of weight 0 counts as absent.
    pos_label : label, optional
        The positive class. Without it, the greater of two numbers or booleans; the word that says yes, of two such
        as "ja" and "nein"; and the last in sorted order of any other two.

    Returns
    -------
    RocCurve
        The knots ``(alpha, beta, thresholds)``, from (0, 0) at threshold ``inf``. Collinear knots are kept.

    Examples
    --------
    >>> alpha, beta, thresholds = roc_curve([0, 1, 0, 1, 1], [1, 2, 2, 3, 4])
    >>> alpha
    array([0. , 0. , 0. , 0.5, 1. ])
    >>> thresholds
    array([inf,  4.,  3.,  2.,  1.])
    """
    return curve_of(checked_mass(y_true, y_score, sample_weight, pos_label))


def curve_of(mass: CumulativeMass) -> RocCurve:
    """ROC curve of a list that is known by its cumulative masses."""
    return RocCurve(mass.negative / mass.negative[-1], mass.positive / mass.positive[-1], mass.threshold)


def roc_auc(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> float:
    """Area under the ROC curve: the probability that a positive is scored above a negative, ties counting one half.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`. A pair weighs the product of the weights of its two rows.

    Returns
    -------
    float
        In [0, 1]: 1 for a perfect list, 1/2 for a constant score.

    Examples
    --------
    >>> roc_auc([0, 1, 0, 1], [1, 2, 3, 4])
    0.75
    >>> roc_auc(["bad", "good"], [0.3, 0.3])
    0.5
    """
    checked = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    if checked.weight is None and len(checked.score) > MANY_ROWS:
        return auc_by_counting(checked.is_positive, checked.score)
    return auc_of(cumulative_mass(*checked))


def auc_of(mass: CumulativeMass) -> float:
    """Area under the ROC curve of a list that is known by its cumulative masses."""
    # Counts are summed before they are divided, so that a perfect list gives exactly 1.
    area = area_under(mass.negative, mass.positive / mass.positive[-1]) / mass.negative[-1]
    return min(float(area), 1.0)


def precision_recall_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> PrecisionRecallCurve:
    """Precision and recall at every distinct score.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.

    Returns
    -------
    PrecisionRecallCurve
        ``(precision, recall, thresholds)`` by ascending threshold, closed by the point (1, 0).

    Examples
    --------
    >>> precision, recall, thresholds = precision_recall_curve([0, 1, 0, 1], [1, 2, 3, 4])
    >>> recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    >>> thresholds
    array([1., 2., 3., 4.])
    """
    mass = checked_mass(y_true, y_score, sample_weight, pos_label)
    precision = np.append(1.0, mass.positive[1:] / mass.total[1:])
    recall = mass.positive / mass.positive[-1]
    return PrecisionRecallCurve(precision[::-1], recall[::-1], mass.threshold[:0:-1])


def average_precision(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> float:
    """Average precision: the precision at each step of the recall, weighted by the step.

    Tied rows enter together, as in :func:`sklearn.metrics.average_precision_score`.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.

    Returns
    -------
    float
        In (0, 1]: 1 for a perfect list, the share of positives for a constant score.

    Examples
    --------
    >>> average_precision([0, 1, 0, 1], [3, 2, 1, 4])
    0.8333333333333333
    """
    return precision_recall_curve(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label).average_precision


def concave_hull(alpha: ArrayLike, beta: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Least concave curve from (0, 0) to (1, 1) above points of the ROC square.

    The points may be in any order; the two corners are added if they are missing. Points on a straight part of
    the hull (up to rounding) are not vertices and are left out.

    Parameters
    ----------
    alpha, beta : array-like of shape (k,)
        Shares of the negatives and of the positives, in [0, 1].

    Returns
    -------
    alpha, beta : ndarray
        The vertices of the hull, from (0, 0) to (1, 1).

    Examples
    --------
    >>> concave_hull([0.5, 0.2, 0.4], [0.9, 0.6, 0.5])
    (array([0. , 0.2, 0.5, 1. ]), array([0. , 0.6, 0.9, 1. ]))
    """
    xs = as_numbers(alpha, "alpha", "pass one value per point")
    ys = as_numbers(beta, "beta", "pass one value per point")
    if len(xs) != len(ys):
        raise ValueError(f"alpha has {len(xs)} values and beta has {len(ys)}; pass one pair per point.")
    for name, values in (("alpha", xs), ("beta", ys)):
        outside = ~((values >= 0) & (values <= 1))
        if outside.any():
            raise ValueError(f"{name} must lie in [0, 1], got {values[outside][0]}; pass shares of the class.")
    xs = np.concatenate([[0.0], xs, [1.0]])
    ys = np.concatenate([[0.0], ys, [1.0]])
    order = np.lexsort((ys, xs))
    xs, ys = xs[order], ys[order]
    vertices = _hull_vertices(xs, ys)
    return xs[vertices], ys[vertices]


def area_under(x: FloatArray, y: FloatArray) -> float:
    """Area under the straight lines that join the points; by the trapezoidal rule ties count one half.

    Examples
    --------
    >>> area_under(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0]))
    0.75
    """
    return float(np.dot(np.diff(x), 0.5 * (y[1:] + y[:-1])))


def _interpolate(at: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Height at ``at`` of the straight lines through points of non-decreasing ``x``; the upper end of a vertical."""
    left = np.searchsorted(x, at, side="right") - 1
    right = np.minimum(left + 1, len(x) - 1)
    # x[left] <= at < x[right], so the run is positive, except at the last point, which has nothing to its right.
    run = np.where(right > left, x[right] - x[left], 1.0)
    return np.asarray(y[left] + (at - x[left]) / run * (y[right] - y[left]))


def _hull_vertices(alpha: FloatArray, beta: FloatArray) -> list[int]:
    """Indices of the vertices of the upper hull of points sorted by (alpha, beta), the first and last included.

    A knot is dropped when the turn there is not to the right. The slack is the rounding error of the turn: the
    coordinates are ratios, known to within one unit in the last place, and so are their differences.
    """
    slack = 4 * np.finfo(np.float64).eps
    xs, ys = alpha.tolist(), beta.tolist()
    vertices: list[int] = []
    for new, (x, y) in enumerate(zip(xs, ys)):
        while len(vertices) > 1:
            before, last = vertices[-2], vertices[-1]
            dx_in, dy_in = xs[last] - xs[before], ys[last] - ys[before]
            dx_out, dy_out = x - xs[last], y - ys[last]
            turn = dx_in * dy_out - dy_in * dx_out
            if turn < -slack * (dx_in + abs(dy_in) + dx_out + abs(dy_out)):
                break
            vertices.pop()
        vertices.append(new)
    return vertices
