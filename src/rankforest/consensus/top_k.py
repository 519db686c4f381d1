"""Distances between the tops of two rankings (Fagin, Kumar and Sivakumar, Comparing top k lists, 2003).

The top k of a ranking are the items with fewer than k items strictly better, so that a tie at the border is kept whole.
All other items of the two lists count as tied at the bottom.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

from rankforest import _core
from rankforest.consensus._inputs import FloatArray, check_count, check_pair, check_penalty

__all__ = ["top_k_footrule_distance", "top_k_kendall_distance"]


def top_k_kendall_distance(
    a: ArrayLike, b: ArrayLike, k: int, *, penalty: float = 0.5, normalize: bool = True
) -> float:
    """Kendall distance ``K^(p)`` of two top-k lists.

    Pairs are of items that are in one of the lists. A pair costs 1 if the lists order it in opposite ways, where a
    listed item comes before an unlisted one, and p if both items are in one list and neither is in the other. A tie
    inside the top k costs p when the other list orders it.

    Parameters
    ----------
    a, b : array-like of shape (n_items,)
        Two rankings of the same items, smaller is better; only the top k matter.
    k : int
        Length of the lists.
    penalty : float, default 0.5
        The parameter p: 0 is the optimistic choice, 1/2 the neutral one.
    normalize : bool, default True
        Divide by the distance of two disjoint lists of the same lengths, ``k^2 + p k (k - 1)`` without ties.

    Returns
    -------
    float

    Examples
    --------
    >>> top_k_kendall_distance([1, 2, 3, 4], [3, 4, 1, 2], k=2)
    1.0
    >>> top_k_kendall_distance([1, 2, 3, 4], [1, 2, 4, 3], k=2)
    0.0
    >>> top_k_kendall_distance([1, 2, 3, 4], [1, 4, 2, 3], k=2, normalize=False)
    1.0
    """
    first, second = check_pair(a, b)
    p = check_penalty(penalty)
    size = check_count(k, "k", 1, len(first))
    (top_a, listed_a), (top_b, listed_b) = _top(first, size), _top(second, size)
    either = listed_a | listed_b  # an item in neither list makes no pair
    discordant, tied_a, tied_b = _core.kendall_masses(top_a[either], top_b[either], None)
    distance = discordant + p * (tied_a + tied_b)
    if not normalize:
        return distance
    n_a, n_b = int(listed_a.sum()), int(listed_b.sum())
    return distance / (n_a * n_b + p * (math.comb(n_a, 2) + math.comb(n_b, 2)))


def top_k_footrule_distance(
    a: ArrayLike, b: ArrayLike, k: int, *, location: float | None = None, normalize: bool = True
) -> float:
    """Footrule ``F^(l)`` of two top-k lists: items outside a list stand at the place ``l``.

    Parameters
    ----------
    a, b : array-like of shape (n_items,)
        Two rankings of the same items, smaller is better; only the top k matter.
    k : int
        Length of the lists.
    location : float, optional
        The parameter l, beyond the end of both lists; one place beyond it, k + 1 without ties, is the default.
    normalize : bool, default True
        Divide by the distance of two disjoint lists of the same lengths, ``k (k + 1)`` without ties: at most 1.

    Returns
    -------
    float

    Examples
    --------
    >>> top_k_footrule_distance([1, 2, 3, 4], [3, 4, 1, 2], k=2)
    1.0
    >>> top_k_footrule_distance([1, 2, 3, 4], [1, 4, 2, 3], k=2, normalize=False)
    2.0
    """
    first, second = check_pair(a, b)
    size = check_count(k, "k", 1, len(first))
    (_, listed_a), (_, listed_b) = _top(first, size), _top(second, size)
    longest = int(max(listed_a.sum(), listed_b.sum()))
    outside = longest + 1.0 if location is None else float(location)
    if not (math.isfinite(outside) and outside > longest):
        raise ValueError(
            f"location must lie beyond the end of the lists ({longest}), got {location!r}; use {size + 1}."
        )
    place_a = np.where(listed_a, rankdata(first), outside)
    place_b = np.where(listed_b, rankdata(second), outside)
    distance = float(np.abs(place_a - place_b).sum())
    return distance / float((outside - place_a).sum() + (outside - place_b).sum()) if normalize else distance


def _top(ranking: FloatArray, k: int) -> tuple[FloatArray, NDArray[np.bool_]]:
    """The ranking with everything below the top k tied at the bottom, and what is listed."""
    place = rankdata(ranking, method="min")
    listed = place <= k
    return np.where(listed, place, len(ranking) + 1.0), listed
