"""Signed rank statistics: all rows count by their ranks, positives for and negatives against (2007, section 2.4).

A linear signed rank statistic of Z_1, ..., Z_n is the sum of Phi(R_i / (n + 1)) sgn(Z_i), R_i the rank of |Z_i|
(Definition 13). With Z_i = Y_i s(X_i) and Phi(x) = 1{x <= v} it is n times (Proposition 14)

    K-hat(s, v) = (1 / n) sum of Y_i 1{s(X_i) <= Q-hat(s, v)},

the share of positives minus the share of negatives below the v-quantile of the score. The mass-constrained error is
L-hat(s, u) = n- / n + K-hat(s, 1 - u).

K-hat is not a mean of independent terms, since the quantile is estimated too. To the first order it is one
(Proposition 15), with K' the derivative of K in v and I = 1{s(X) <= Q(s, v)}: the terms are (Y - K') I, so that

    n Var(K-hat) -> sigma^2 = v - K^2 + v (1 - v) K'^2 - 2 (1 - v) K' K.

In the paper the remainder is of order 1 / n. For this Phi, which jumps, it is n^(-3/4); the variance is the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import CumulativeMass, checked_mass
from rankforest.metrics._top import top_of_mass
from rankforest.metrics.generators import Generator, check_generator
from rankforest.metrics.linear_rank import blocks_of

__all__ = ["SignedRankProcess", "signed_rank_process", "signed_rank_statistic"]


class SignedRankProcess(NamedTuple):
    """K-hat(s, v) and its variance; floats for one v, arrays of the shape of ``v`` for several.

    Attributes
    ----------
    value : float or ndarray
        K-hat: share of all rows that are positives below the v-quantile, minus the share of negatives there.
    slope : float or ndarray
        Estimate of K', the mean of Y (-1 or +1) at the quantile.
    variance : float or ndarray
        Estimate of the variance of ``value``: sigma^2 / n.
    """

    value: Any
    slope: Any
    variance: Any

    @property
    def standard_error(self) -> Any:
        """Square root of the variance."""
        return np.sqrt(self.variance) if isinstance(self.variance, np.ndarray) else float(np.sqrt(self.variance))


def signed_rank_statistic(
    y_true: ArrayLike,
    y_score: ArrayLike,
    phi: str | Generator = "wilcoxon",
    *,
    ranks: str = "n+1",
    mean: bool = False,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> float:
    """Sum over all rows of phi(rank / (n + 1)), with a minus for the negatives (2007, Definition 13).

    Tied rows share their mid-rank; a row of weight 2 counts as two tied rows. Of numbers z, none of them 0, it is
    ``signed_rank_statistic(z > 0, abs(z))``; with ``"wilcoxon"`` this is Wilcoxon's signed rank sum over n + 1.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    phi, ranks
        As in :func:`linear_rank_statistic`.
    mean : bool, default False
        Divide by the number of rows.

    Returns
    -------
    float

    Examples
    --------
    >>> y, score = [0, 1, 0, 1], [1, 2, 3, 4]
    >>> round(signed_rank_statistic(y, score), 4)  # (-1 + 2 - 3 + 4) / 5
    0.4
    >>> signed_rank_statistic(y, score, lambda v: v <= 0.7, mean=True)  # K-hat at v = 3/4: (-1 + 1 - 1) / 4
    -0.25
    """
    check_generator(phi)
    blocks = blocks_of(checked_mass(y_true, y_score, sample_weight, pos_label))
    total = float(np.dot(blocks.positives - blocks.negatives, blocks.generated(phi, ranks)))
    return total / blocks.n if mean else total


def signed_rank_process(
    y_true: ArrayLike,
    y_score: ArrayLike,
    v: ArrayLike,
    *,
    bandwidth: float | None = None,
    pos_label: object = None,
) -> SignedRankProcess:
    """K-hat(s, v), the signed rank statistic behind the mass-constrained error, with its variance (Proposition 15).

    Ties at the quantile are shared proportionally. With ``u = 1 - v``,
    ``mass_constrained_error(y, s, u)`` is ``value + (share of negatives)``.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`. There are no weights, because rows are counted.
    v : float or array-like
        Share of the list below the quantile, in [0, 1).
    bandwidth : float, optional
        K' is the mean of Y over the rows whose relative rank is at most this far from ``v``; without it n^(-1/5) / 2.

    Returns
    -------
    SignedRankProcess
        The tuple ``(value, slope, variance)``.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.uniform_mixture(2000, random_state=0)
    >>> found = signed_rank_process(sample.y, sample.eta, 0.9)
    >>> round(found.value, 3), round(found.standard_error, 3)
    (-0.016, 0.022)
    """
    below = _check_below(v)
    mass = checked_mass(y_true, y_score, None, pos_label)
    top = top_of_mass(mass, 1.0 - below)
    n = float(mass.total[-1])
    value = top.rate * (1.0 - top.beta) - (1.0 - top.rate) * (1.0 - top.alpha)
    at = np.atleast_1d(below).ravel()
    slope = _slope(mass, at, 0.5 * n**-0.2 if bandwidth is None else _check_bandwidth(bandwidth))
    variance = at - value**2 + at * (1.0 - at) * slope**2 - 2.0 * (1.0 - at) * slope * value
    variance = np.maximum(variance, 0.0) / n
    return SignedRankProcess(top.as_given(value), top.as_given(slope), top.as_given(variance))


def _slope(mass: CumulativeMass, at: FloatArray, bandwidth: float) -> FloatArray:
    """Mean of Y over the rows whose relative rank is near each v: the increase of K across the window."""
    n = float(mass.total[-1])
    low, high = np.maximum(at - bandwidth, 0.0), np.minimum(at + bandwidth, 1.0)
    # From the top down: positives minus negatives by mass, linear within a tied block.
    gained = [np.interp(n * (1.0 - end), mass.total, mass.positive - mass.negative) for end in (low, high)]
    return np.asarray((gained[0] - gained[1]) / (n * (high - low)))


def _check_below(v: ArrayLike) -> FloatArray:
    try:
        below = np.asarray(v, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"v must be a number or an array of numbers, got {v!r}; it is 1 - u.") from None
    outside = ~((below >= 0) & (below < 1))
    if outside.any():
        raise ValueError(f"v must lie in [0, 1), got {below[outside].flat[0]}; it is 1 - u, the share below the top.")
    return below


def _check_bandwidth(bandwidth: float) -> float:
    try:
        width = float(bandwidth)
    except (TypeError, ValueError):
        width = np.nan
    if not 0.0 < width <= 1.0:
        raise ValueError(f"bandwidth must lie in (0, 1], got {bandwidth!r}; it is a distance of relative ranks.")
    return width
