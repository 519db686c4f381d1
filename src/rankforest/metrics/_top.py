"""The best share of the list: where the ROC curve meets the control line, and the area left of that point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import CumulativeMass, check_share, checked_mass

__all__ = ["Knots", "Top", "areas_at_knots", "top_between", "top_of_list", "top_of_mass"]


class Top(NamedTuple):
    """Masses and areas of the best share ``u`` of the list; every array has one entry per share.

    The ROC curve meets the control line u = p beta + (1 - p) alpha in the point (``alpha``, ``beta``). Ties at the
    quantile are shared proportionally: the knots of the curve are joined by straight lines.

    Attributes
    ----------
    u : ndarray
        The shares, in the shape in which they were given.
    rate : float
        Share p of the positives in the whole list.
    alpha, beta : ndarray
        Share of the negatives and of the positives in the top.
    positives, mass : ndarray
        Mass of the positives and of all rows in the top.
    partial : ndarray
        Area under the ROC curve from 0 to ``alpha``.
    """

    u: FloatArray
    rate: float
    alpha: FloatArray
    beta: FloatArray
    positives: FloatArray
    mass: FloatArray
    partial: FloatArray

    @property
    def local_auc(self) -> FloatArray:
        """PartAUC + beta (1 - alpha)."""
        return np.minimum(self.partial + self.beta * (1.0 - self.alpha), 1.0)

    @property
    def relative_local_auc(self) -> FloatArray:
        """The local AUC divided by that of a perfect list, min(u / p, 1)."""
        best = np.minimum(np.atleast_1d(self.u).ravel() / self.rate, 1.0)
        return np.minimum(self.local_auc / best, 1.0)

    @property
    def ranking_error(self) -> FloatArray:
        """Share of all n^2 pairs that lie in the top in the wrong order, ties counting one half."""
        # alpha beta is the share of the (positive, negative) pairs in the top, the partial area of those in order.
        wrong = np.maximum(self.alpha * self.beta - self.partial, 0.0)
        return 2.0 * self.rate * (1.0 - self.rate) * wrong

    @property
    def classification_error(self) -> FloatArray:
        """Share of the rows on the wrong side when the top is called positive and the rest negative."""
        return self.rate * (1.0 - self.beta) + (1.0 - self.rate) * self.alpha

    def as_given(self, values: FloatArray) -> Any:
        """The values in the shape of the shares; a float for a single share."""
        return float(values[0]) if self.u.ndim == 0 else values.reshape(self.u.shape)


def top_of_list(
    y_true: ArrayLike, y_score: ArrayLike, u: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> Top:
    """Check the arguments of a metric of the top, sort the list once, and cut it at every share.

    Examples
    --------
    >>> top = top_of_list([0, 1, 0, 1], [1, 2, 3, 4], [0.25, 0.5], None, None)
    >>> top.alpha, top.beta
    (array([0. , 0.5]), array([0.5, 0.5]))
    """
    return top_of_mass(checked_mass(y_true, y_score, sample_weight, pos_label), check_share(u))


class Knots(NamedTuple):
    """Masses of both classes at or above one threshold for each share, and the area under the curve up to there."""

    positive: FloatArray
    negative: FloatArray
    area: FloatArray


def top_of_mass(mass: CumulativeMass, u: FloatArray) -> Top:
    """Cut a list, known by its cumulative masses, at every share."""
    total = mass.total
    wanted = np.atleast_1d(u).ravel() * total[-1]
    after = np.clip(np.searchsorted(total, wanted, side="left"), 1, len(total) - 1)
    areas = areas_at_knots(mass)
    before, after = (Knots(mass.positive[at], mass.negative[at], areas[at]) for at in (after - 1, after))
    return top_between(before, after, u, float(mass.positive[-1]), float(mass.negative[-1]))


def top_between(before: Knots, after: Knots, u: FloatArray, n_positive: float, n_negative: float) -> Top:
    """Cut a list at every share, given the knots of the ROC curve on both sides of each cut.

    Parameters
    ----------
    before, after : Knots
        The last knot with less than the wanted mass, and the one that follows.
    u : ndarray
        The shares.
    n_positive, n_negative : float
        Mass of each class in the whole list.
    """
    everything = n_positive + n_negative
    wanted = np.atleast_1d(u).ravel() * everything
    start = before.positive + before.negative
    part = np.minimum((wanted - start) / (after.positive + after.negative - start), 1.0)

    def along(first: FloatArray, last: FloatArray) -> FloatArray:
        # Exact at both ends of the segment, where the list is cut between two scores.
        return np.where(part < 1.0, first + part * (last - first), last)

    positives, negatives = along(before.positive, after.positive), along(before.negative, after.negative)
    height = (before.positive + positives) / (2.0 * n_positive)
    return Top(
        u=u,
        rate=n_positive / everything,
        alpha=negatives / n_negative,
        beta=positives / n_positive,
        positives=positives,
        mass=wanted,
        partial=before.area + (negatives - before.negative) / n_negative * height,
    )


def areas_at_knots(mass: CumulativeMass) -> FloatArray:
    """Area under the ROC curve from 0 to each of its knots.

    Examples
    --------
    >>> areas_at_knots(checked_mass([0, 1, 0, 1], [1, 2, 3, 4], None, None))
    array([0.  , 0.  , 0.25, 0.25, 0.75])
    """
    beta = mass.positive / mass.positive[-1]
    strips = np.diff(mass.negative) * (0.5 * (beta[1:] + beta[:-1]))
    return np.append(0.0, np.cumsum(strips)) / mass.negative[-1]
