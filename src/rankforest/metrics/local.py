"""Metrics of the top of the list (Ranking the best instances, 2007): is its best share ``u`` found and well ordered?

Every metric takes one share or an array of shares and sorts the list once. With p the share of positives in the list
and (alpha, beta) the point in which the ROC curve meets the control line u = p beta + (1 - p) alpha::

    L      = p + u - 2 p beta                       mass_constrained_error
    R      = 2 p (1 - p) (alpha beta - PartAUC)     local_ranking_error
    LocAUC = PartAUC + beta (1 - alpha)             local_auc
           = beta - R / (2 p (1 - p))
    M      = R + (1 - p) L                          local_risk
           = (1 - p) (p + u) - 2 p (1 - p) LocAUC
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import check_share, checked_mass
from rankforest.metrics._top import areas_at_knots, top_of_list
from rankforest.metrics.roc import curve_of

__all__ = [
    "ControlPoint",
    "control_point",
    "hit_ratio",
    "local_auc",
    "local_ranking_error",
    "local_risk",
    "mass_constrained_error",
    "partial_auc",
    "recall_at",
    "relative_local_auc",
]


class ControlPoint(NamedTuple):
    """Where the ROC curve meets the control line u = p beta + (1 - p) alpha.

    Attributes
    ----------
    alpha : float or ndarray
        Share of the negatives that are in the top.
    beta : float or ndarray
        Share of the positives that are in the top: the capture, or recall, at ``u``.
    """

    alpha: Any
    beta: Any


def control_point(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> ControlPoint:
    """The point of the ROC curve at which the best share ``u`` of the list ends.

    Ties at the quantile are shared proportionally, so that the top has exactly the mass ``u``.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    ControlPoint
        The tuple ``(alpha, beta)``; floats for one share, arrays of the shape of ``u`` for several.

    Examples
    --------
    >>> control_point([0, 1, 0, 1], [1, 2, 3, 4], 0.5)
    ControlPoint(alpha=0.5, beta=0.5)
    >>> control_point([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.75]).beta
    array([0.5, 1. ])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return ControlPoint(top.as_given(top.alpha), top.as_given(top.beta))


def recall_at(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Share of all positives that are among the best share ``u`` of the list: capture, beta(s, u).

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        In [0, 1], of the shape of ``u``; at most ``u / p``, and 1 at ``u = 1``.

    Examples
    --------
    >>> recall_at([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.75])
    array([0.5, 1. ])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(top.beta)


def hit_ratio(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Share of positives among the top share ``u`` of the list (HR@u): p beta / u.

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
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(np.minimum(top.positives / top.mass, 1.0))


def mass_constrained_error(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Error of the classifier that calls exactly the best share ``u`` of the list positive: L = p + u - 2 p beta.

    It measures how well the top is found, not the order inside it.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        In [0, 1], of the shape of ``u``; lower is better.

    Examples
    --------
    >>> mass_constrained_error([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.5, 1.0])
    array([0.25, 0.5 , 0.5 ])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(top.classification_error)


def partial_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike | None = None,
    *,
    max_fpr: ArrayLike | None = None,
    standardized: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Area under the first part of the ROC curve: up to the control line at ``u``, or up to ``max_fpr``.

    With ``u``, it is the integral of beta from 0 to alpha(s, u). **A better score can have a smaller area**: it has
    fewer negatives in the top, so the area has a shorter base. To choose between scores use :func:`local_auc`, which
    adds the missing rectangle beta (1 - alpha).

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like, optional
        Share of the (weighted) list, in (0, 1]. Give either ``u`` or ``max_fpr``.
    max_fpr : float or array-like, optional
        Share of the negatives at which the area ends, in (0, 1].
    standardized : bool, default False
        With ``max_fpr``: McClish's scale, on which chance is 1/2 and a perfect list 1, as in
        :func:`sklearn.metrics.roc_auc_score`.

    Returns
    -------
    float or ndarray
        Of the shape of ``u`` or ``max_fpr``.

    Examples
    --------
    >>> y, score = [0, 1, 0, 1], [1, 2, 3, 4]
    >>> partial_auc(y, score, 0.5)
    0.25
    >>> partial_auc(y, score, max_fpr=[0.5, 1.0])
    array([0.25, 0.75])
    >>> round(partial_auc(y, score, max_fpr=0.5, standardized=True), 4)
    0.6667
    """
    if u is not None:
        if max_fpr is not None:
            raise ValueError("partial_auc ends at u or at max_fpr, got both; pass exactly one of them.")
        if standardized:
            raise ValueError(
                "standardized=True needs max_fpr; with u the base of the area depends on the score, so use local_auc."
            )
        top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
        return top.as_given(top.partial)

    if max_fpr is None:
        raise ValueError("partial_auc ends at u or at max_fpr, got neither; pass exactly one of them.")
    end = check_share(max_fpr, "max_fpr", "it is a share of the negatives")
    mass = checked_mass(y_true, y_score, sample_weight, pos_label)
    curve = curve_of(mass)
    left = np.searchsorted(curve.alpha, end, side="right") - 1
    height = 0.5 * (curve.beta[left] + curve.interpolate(end))
    area = areas_at_knots(mass)[left] + (end - curve.alpha[left]) * height
    if standardized:
        chance = 0.5 * end**2
        area = 0.5 * (1.0 + (area - chance) / (end - chance))
    return float(area) if end.ndim == 0 else area


def local_ranking_error(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Probability that two rows drawn from the list are both in the top share ``u``, and in the wrong order.

    R = P{(s - s')(Y - Y') < 0, both in the top} over all n^2 pairs, ties counting one half. It is also small for a top
    without positives, so it is not a criterion by itself; use :func:`local_risk`.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        In [0, 1/2], of the shape of ``u``; lower is better. At ``u = 1`` it is 2 p (1 - p) (1 - AUC).

    Examples
    --------
    >>> local_ranking_error([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0])
    array([0.   , 0.125])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(top.ranking_error)


def local_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Probability that a positive is above a negative and among the best share ``u`` of the list.

    LocAUC = PartAUC + beta (1 - alpha), where (alpha, beta) is the point in which the ROC curve meets the control line
    u = p beta + (1 - p) alpha, and PartAUC is the area under the curve up to alpha. Ties at the quantile are shared
    proportionally. With ``u = 1`` it is the AUC. The regression function eta maximises it at every ``u``.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        Of the shape of ``u``; min(u / p, 1) for a perfect list, u - u^2 / 2 for a constant score.

    Examples
    --------
    >>> local_auc([0, 1, 0, 1], [1, 2, 3, 4], 0.25)
    0.5
    >>> local_auc([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0])
    array([0.5 , 0.75])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(top.local_auc)


def relative_local_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """The local AUC as a share of the best possible: :func:`local_auc` divided by that of a perfect list.

    The local AUC of a perfect list is min(u / p, 1), with p the share of positives. So lists with different shares of
    positives can be compared, and the scale is from 0 (no positive in the top) to 1 (the best possible list).

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        Of the shape of ``u``, from 0 to 1. With ``u = 1`` it is the AUC.

    Examples
    --------
    >>> relative_local_auc([0, 1, 0, 1], [1, 2, 3, 4], 0.25)
    1.0
    >>> relative_local_auc([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0])
    array([0.5 , 0.75])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(top.relative_local_auc)


def local_risk(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """The criterion M = R + (1 - p) L of empirical risk minimisation (2007, section 4).

    It adds both kinds of errors: wrong order in the top (R) and wrong rows in the top (L). On one sample it orders
    scores exactly as :func:`local_auc` does, in reverse: 2 p (1 - p) LocAUC = (1 - p)(p + u) - M.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Returns
    -------
    float or ndarray
        Of the shape of ``u``; lower is better.

    Examples
    --------
    >>> local_risk([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0])
    array([0.25 , 0.375])
    """
    top = top_of_list(y_true, y_score, u, sample_weight, pos_label)
    return top.as_given(top.ranking_error + (1.0 - top.rate) * top.classification_error)
