"""ROC and precision-recall curves, their areas, and what the top of the list catches.

Everything here stands on one sort of the list: :func:`rankforest.metrics._inputs.cumulative_mass`.
Ties count one half in every area, that is, the knots of a curve are joined by straight lines.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.metrics._inputs import (
    CumulativeMass,
    FloatArray,
    as_numbers,
    check_ranking_inputs,
    check_share,
    cumulative_mass,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "GainsTable",
    "PrecisionRecallCurve",
    "RocCurve",
    "average_precision",
    "concave_hull",
    "gains_table",
    "hit_ratio",
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
        The positive class. Without it, the greater of the two labels: 1 of {0, 1}, 1 of {-1, 1}, ``True`` of
        booleans, and the last in sorted order of any other two ("yes" of {"no", "yes"}).

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
    mass = _mass(y_true, y_score, sample_weight, pos_label)
    return RocCurve(mass.negative / mass.negative[-1], mass.positive / mass.positive[-1], mass.threshold)


def roc_auc(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: object = None
) -> float:
    """Area under the ROC curve: the chance that a positive is scored above a negative, ties counting one half.

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
    mass = _mass(y_true, y_score, sample_weight, pos_label)
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
    mass = _mass(y_true, y_score, sample_weight, pos_label)
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

    Any order of the points will do; the two corners are added where they are absent. Points on a straight part of
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


@overload
def hit_ratio(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: float,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> float: ...


@overload
def hit_ratio(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: Sequence[float] | NDArray[Any],
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> FloatArray: ...


def hit_ratio(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: float | Sequence[float] | NDArray[Any],
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> float | FloatArray:
    """Share of positives among the top share ``u`` of the list (HR@u).

    Ties at the quantile are shared proportionally, which is the expected value when they are broken at random.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        The hit ratio at each ``u``, of the same shape; at ``u = 1`` it is the share of positives.

    Examples
    --------
    >>> hit_ratio([0, 1, 0, 1], [1, 2, 3, 4], 0.25)
    1.0
    >>> hit_ratio([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0])
    array([0.5, 0.5])
    """
    share = check_share(u)
    mass = _mass(y_true, y_score, sample_weight, pos_label)
    top = share * mass.total[-1]
    ratio = np.minimum(_interpolate(top, mass.total, mass.positive) / top, 1.0)
    return float(ratio) if share.ndim == 0 else ratio


@dataclass(frozen=True, eq=False)
class GainsTable:
    """What each part of the list catches, from the best group to the worst.

    Attributes
    ----------
    group : ndarray of int
        1 for the best group.
    mass, positives : ndarray
        Mass of all rows and of the positives in the group.
    rate : ndarray
        Share of positives in the group.
    lift : ndarray
        ``rate`` over the share of positives in the whole list.
    cumulative_share : ndarray
        Share of the list down to and including the group.
    cumulative_capture : ndarray
        Share of all positives down to and including the group.
    cumulative_lift : ndarray
        ``cumulative_capture`` over ``cumulative_share``.

    Examples
    --------
    >>> print(gains_table([0, 1, 0, 1], [1, 2, 3, 4], n_groups=2))
    2 groups, mass 4, positives 2, rate 0.5000
    group  mass  positives    rate  lift  cum. share  cum. capture  cum. lift
        1     2          1  0.5000  1.00       50.0%         50.0%       1.00
        2     2          1  0.5000  1.00      100.0%        100.0%       1.00
    """

    group: NDArray[np.int64]
    mass: FloatArray
    positives: FloatArray
    rate: FloatArray
    lift: FloatArray
    cumulative_share: FloatArray
    cumulative_capture: FloatArray
    cumulative_lift: FloatArray

    def to_dict(self) -> dict[str, list[float]]:
        """The columns as plain lists, ready for JSON.

        Examples
        --------
        >>> gains_table([0, 1, 0, 1], [1, 2, 3, 4], n_groups=2).to_dict()["cumulative_capture"]
        [0.5, 1.0]
        """
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}

    def to_frame(self) -> pd.DataFrame:
        """The table as a pandas data frame, indexed by group.

        Examples
        --------
        >>> gains_table([0, 1, 0, 1], [1, 2, 3, 4], n_groups=2).to_frame().loc[1, "rate"]
        np.float64(0.5)
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "GainsTable.to_frame needs pandas, which is not installed; run `pip install pandas` or use to_dict()."
            ) from None
        return pd.DataFrame({field.name: getattr(self, field.name) for field in fields(self)}).set_index("group")

    def __str__(self) -> str:
        mass, positives = float(self.mass.sum()), float(self.positives.sum())
        style = _mass_style(np.append(self.mass, self.positives))
        columns = {
            "group": [f"{value}" for value in self.group],
            "mass": [format(value, style) for value in self.mass],
            "positives": [format(value, style) for value in self.positives],
            "rate": [f"{value:.4f}" for value in self.rate],
            "lift": [f"{value:.2f}" for value in self.lift],
            "cum. share": [f"{value:.1%}" for value in self.cumulative_share],
            "cum. capture": [f"{value:.1%}" for value in self.cumulative_capture],
            "cum. lift": [f"{value:.2f}" for value in self.cumulative_lift],
        }
        widths = {name: max(map(len, [name, *cells])) for name, cells in columns.items()}
        head = "  ".join(name.rjust(width) for name, width in widths.items())
        rows = [
            "  ".join(cell.rjust(width) for cell, width in zip(cells, widths.values()))
            for cells in zip(*columns.values())
        ]
        title = (
            f"{len(self.group)} groups, mass {mass:{style}}, positives {positives:{style}}, rate {positives / mass:.4f}"
        )
        return "\n".join([title, head, *rows])


def gains_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_groups: int = 10,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> GainsTable:
    """Cut the list into groups of equal mass, from best to worst, and count the positives that each one holds.

    Tied rows that straddle a border are shared proportionally between the groups, so that all groups have exactly
    the same mass whatever the ties.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    n_groups : int, default 10
        Number of groups; 10 gives deciles.

    Returns
    -------
    GainsTable
        One entry per group; print it, or take ``to_dict()`` or ``to_frame()``.

    Examples
    --------
    >>> table = gains_table([0, 0, 0, 1, 0, 1, 1, 1], range(8), n_groups=4)
    >>> table.positives
    array([2., 1., 1., 0.])
    >>> table.cumulative_capture
    array([0.5 , 0.75, 1.  , 1.  ])
    """
    try:
        groups = operator.index(n_groups)
    except TypeError:
        groups = 0
    if groups < 1 or isinstance(n_groups, bool):
        raise ValueError(f"n_groups must be an integer of at least 1, got {n_groups!r}; use 10 for deciles.")
    mass = _mass(y_true, y_score, sample_weight, pos_label)
    total, total_positive = float(mass.total[-1]), float(mass.positive[-1])
    border = np.linspace(0.0, total, groups + 1)
    caught = _interpolate(border, mass.total, mass.positive)
    group_mass = np.full(groups, total / groups)
    # Interpolation can overshoot by one rounding; a group without positives should say 0, a pure one 1.
    positives = np.clip(np.diff(caught), 0.0, group_mass)
    share = border[1:] / total
    capture = caught[1:] / total_positive
    rate = positives / group_mass
    return GainsTable(
        group=np.arange(1, groups + 1),
        mass=group_mass,
        positives=positives,
        rate=rate,
        lift=rate / (total_positive / total),
        cumulative_share=share,
        cumulative_capture=capture,
        cumulative_lift=capture / share,
    )


def _mass(y_true: ArrayLike, y_score: ArrayLike, sample_weight: ArrayLike | None, pos_label: object) -> CumulativeMass:
    return cumulative_mass(*check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label))


def area_under(x: FloatArray, y: FloatArray) -> float:
    """Area under the straight lines that join the points; the trapezium is what gives ties one half.

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


def _mass_style(values: FloatArray) -> str:
    """Format of masses: whole numbers as such, others with about three digits."""
    largest = float(values.max())
    if not 1e-6 <= largest < 1e15:
        return ".3e"
    if np.allclose(values, np.round(values), rtol=0, atol=1e-9):
        return ".0f"
    return f".{max(1, 2 - int(np.floor(np.log10(largest))))}f"
