"""Distances between two rankings with ties and item weights, and the coefficients 1 - 2 d that go with them.

Rankings are arrays in which smaller is better and equal is tied. Weights ``w`` are masses of the items, and count like
repetition: an item of weight 2 counts as two tied items of weight 1. Every distance has three normalisations:

``normalize="distinct"`` (the default)
    over pairs of distinct items; two strict rankings that are the reverse of each other have tau = rho = -1;
``normalize="mass"``
    over two independent draws from the masses ``mu = w / sum(w)``, which may be the same item: the version for the
    cells of a partition, ``d = 2 sum_{k<l} mu_k mu_l U_kl`` for Kendall;
``normalize=None``
    the plain sum.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rankforest import _core
from rankforest.consensus._inputs import FloatArray, check_pair, check_penalty, check_weights, pair_mass
from rankforest.consensus.ranks import mass_ranks

__all__ = [
    "footrule_coefficient",
    "footrule_distance",
    "kendall_distance",
    "kendall_tau",
    "spearman_distance",
    "spearman_rho",
]

Normalize = Literal["distinct", "mass"] | None


def kendall_distance(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    normalize: Normalize = "distinct",
    penalty: float = 0.5,
) -> float:
    """Share of pairs that are discordant, plus half the share of pairs that are tied in exactly one ranking.

    Takes O(n log n).

    Parameters
    ----------
    a, b : array-like of shape (n_items,)
        Two rankings of the same items, smaller is better, equal is tied.
    weights : array-like of shape (n_items,), optional
        Masses of the items; a pair weighs the product of its two.
    normalize : {"distinct", "mass", None}, default "distinct"
        "distinct" divides by the mass of all pairs of distinct items (n (n - 1) / 2 without weights), "mass" by half
        the square of the whole mass (n^2 / 2 without weights), None by nothing.
    penalty : float, default 0.5
        Cost of a pair that is tied in exactly one of the two; from 1/2 on, the triangle inequality holds.

    Returns
    -------
    float
        0 for equal rankings; in [0, 1] unless ``normalize`` is None.

    Examples
    --------
    >>> kendall_distance([1, 2, 3], [3, 2, 1])
    1.0
    >>> kendall_distance([1, 2, 3, 4], [1, 2, 2, 4], normalize=None)
    0.5
    >>> kendall_distance([1, 2], [2, 1], weights=[3, 1], normalize="mass")
    0.375
    """
    first, second = check_pair(a, b)
    masses = check_weights(weights, len(first))
    cost = check_penalty(penalty)
    discordant, tied_a, tied_b = _core.kendall_masses(first, second, masses)
    return (discordant + cost * (tied_a + tied_b)) / kendall_unit(masses, len(first), normalize)


def kendall_tau(
    a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None, normalize: Normalize = "distinct"
) -> float:
    """Agreement tau = 1 - 2 d with the Kendall distance d: 1 for equal rankings, -1 for reversed strict ones.

    A pair that is tied in both rankings agrees. Without such pairs this is the tau-a of the textbooks.

    Parameters
    ----------
    a, b, weights, normalize
        As in :func:`kendall_distance`.

    Examples
    --------
    >>> kendall_tau([1, 2, 3, 4], [1, 2, 4, 3]) == 1 - 2 / 6
    True
    """
    _refuse_plain_sum(normalize, "kendall_distance")
    return 1 - 2 * kendall_distance(a, b, weights=weights, normalize=normalize)


def footrule_distance(
    a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None, normalize: Normalize = "distinct"
) -> float:
    """Spearman's footrule: sum of ``|R - R'|`` over the items, with mid-ranks.

    Parameters
    ----------
    a, b : array-like of shape (n_items,)
        Two rankings of the same items, smaller is better, equal is tied.
    weights : array-like of shape (n_items,), optional
        Masses of the items. Ranks are then mid-ranks in mass: the mass ranked better plus half that of the bucket.
    normalize : {"distinct", "mass", None}, default "distinct"
        "distinct" multiplies the sum by ``3 / (2 (K^2 - 1))`` for K items, so that ``F = 1 - 2 d`` has mean 0 over
        random orders; in general K^2 - 1 is ``W^2 (1 - sum mu^3)`` with the whole mass W. "mass" has ``W^2`` there.

    Returns
    -------
    float

    Examples
    --------
    >>> footrule_distance([1, 2, 3], [3, 2, 1], normalize=None)
    4.0
    >>> footrule_distance([1, 2, 3], [3, 2, 1])
    0.75
    """
    first, second = check_pair(a, b)
    masses = check_weights(weights, len(first))
    return footrule_sum(first, second, masses) * rank_unit(masses, len(first), normalize, power=1)


def footrule_coefficient(
    a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None, normalize: Normalize = "distinct"
) -> float:
    """``F = 1 - 3 / (K^2 - 1) sum |R - R'|`` with mid-ranks: 1 for equal rankings, mean 0 over random orders.

    Parameters
    ----------
    a, b, weights, normalize
        As in :func:`footrule_distance`.

    Examples
    --------
    >>> footrule_coefficient([1, 2, 3], [3, 2, 1])
    -0.5
    """
    _refuse_plain_sum(normalize, "footrule_distance")
    return 1 - 2 * footrule_distance(a, b, weights=weights, normalize=normalize)


def spearman_distance(
    a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None, normalize: Normalize = "distinct"
) -> float:
    """Sum of ``(R - R')^2`` over the items, with mid-ranks: the distance behind Spearman's rho.

    It is the square of a metric, not one itself.

    Parameters
    ----------
    a, b : array-like of shape (n_items,)
        Two rankings of the same items, smaller is better, equal is tied.
    weights : array-like of shape (n_items,), optional
        Masses of the items, with mid-ranks in mass as in :func:`footrule_distance`.
    normalize : {"distinct", "mass", None}, default "distinct"
        "distinct" multiplies the sum by ``3 / (K (K^2 - 1))`` for K items, so that reversed strict rankings are at
        distance 1; in general it is ``3 / (W^3 (1 - sum mu^3))`` with the whole mass W, and "mass" has ``3 / W^3``.

    Returns
    -------
    float

    Examples
    --------
    >>> spearman_distance([1, 2, 3], [3, 2, 1], normalize=None)
    8.0
    >>> spearman_distance([1, 2, 3], [3, 2, 1])
    1.0
    """
    first, second = check_pair(a, b)
    masses = check_weights(weights, len(first))
    return spearman_sum(first, second, masses) * rank_unit(masses, len(first), normalize, power=2)


def spearman_rho(
    a: ArrayLike, b: ArrayLike, *, weights: ArrayLike | None = None, normalize: Normalize = "distinct"
) -> float:
    """``rho = 1 - 6 / (K (K^2 - 1)) sum (R - R')^2`` with mid-ranks.

    Without ties this is the correlation of the ranks; with ties the two differ, and equal rankings have rho = 1 here.

    Parameters
    ----------
    a, b, weights, normalize
        As in :func:`spearman_distance`.

    Examples
    --------
    >>> spearman_rho([1, 2, 3], [1, 3, 2])
    0.5
    """
    _refuse_plain_sum(normalize, "spearman_distance")
    return 1 - 2 * spearman_distance(a, b, weights=weights, normalize=normalize)


def footrule_sum(a: FloatArray, b: FloatArray, weights: FloatArray | None) -> float:
    """The plain sum of the footrule, of checked arrays.

    Examples
    --------
    >>> footrule_sum(np.array([1.0, 2.0]), np.array([2.0, 1.0]), None)
    2.0
    """
    gap = np.abs(mass_ranks(a, weights) - mass_ranks(b, weights))
    return float(gap.sum() if weights is None else np.dot(weights, gap))


def spearman_sum(a: FloatArray, b: FloatArray, weights: FloatArray | None) -> float:
    """The plain sum of the squared differences, of checked arrays.

    Examples
    --------
    >>> spearman_sum(np.array([1.0, 2.0]), np.array([2.0, 1.0]), None)
    2.0
    """
    square = (mass_ranks(a, weights) - mass_ranks(b, weights)) ** 2
    return float(square.sum() if weights is None else np.dot(weights, square))


def kendall_unit(weights: FloatArray | None, n_items: int, normalize: Normalize) -> float:
    """Divisor of the plain Kendall sum; 1 if there are no pairs.

    Examples
    --------
    >>> kendall_unit(None, 4, "distinct"), kendall_unit(None, 4, "mass"), kendall_unit(None, 4, None)
    (6.0, 8.0, 1.0)
    """
    _check_normalize(normalize)
    if normalize is None:
        return 1.0
    if normalize == "mass":
        return (n_items if weights is None else float(weights.sum())) ** 2 / 2
    return pair_mass(weights, n_items) or 1.0


def rank_unit(weights: FloatArray | None, n_items: int, normalize: Normalize, power: int) -> float:
    """Factor of the plain sum of ``|R - R'|^power``; 0 if one item has all the mass.

    Examples
    --------
    >>> rank_unit(None, 2, "distinct", power=1), rank_unit(None, 2, "mass", power=2)
    (0.5, 0.375)
    """
    _check_normalize(normalize)
    if normalize is None:
        return 1.0
    whole = float(n_items if weights is None else weights.sum())
    if weights is None:
        own = 1 / n_items**2
    else:
        own = float(((weights / whole) ** 3).sum())
    spread = 1.0 if normalize == "mass" else 1 - own
    return 0.0 if spread <= 0 else (1.5 if power == 1 else 3.0) / (whole ** (power + 1) * spread)


def _check_normalize(normalize: object) -> None:
    if normalize not in ("distinct", "mass", None):
        raise ValueError(f'normalize must be "distinct", "mass" or None, got {normalize!r}; "distinct" is the default.')


def _refuse_plain_sum(normalize: object, distance: str) -> None:
    if normalize is None:
        raise ValueError(
            f"A coefficient needs a normalised distance, got normalize=None; use {distance} for the plain sum."
        )
