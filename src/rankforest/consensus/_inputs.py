"""Inputs of rank aggregation: every input error of the package is raised here."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.data.numbers import FloatArray, as_numbers

__all__ = [
    "FloatArray",
    "Levels",
    "check_count",
    "check_pair",
    "check_penalty",
    "check_profile",
    "check_ranking",
    "check_weights",
    "pair_mass",
]

# The bucket of each item: 0 is the best.
Levels = NDArray[np.int32]

_REMEDY = "pass one finite rank per item, such as its rank from scipy.stats.rankdata, or use ranks_from_scores"


def check_ranking(values: ArrayLike, name: str = "ranking") -> FloatArray:
    """One ranking: a finite number per item, smaller is better, equal is tied.

    Examples
    --------
    >>> check_ranking([1, 3, 2])
    array([1., 3., 2.])
    """
    ranking = as_numbers(values, name, "pass one rank per item")
    if len(ranking) == 0:
        raise ValueError(f"{name} is empty; pass the ranks of at least one item.")
    bad = ~np.isfinite(ranking)
    if bad.any():
        item = int(np.argmax(bad))
        raise ValueError(f"{name} must be finite, got {ranking[item]} for item {item}; {_REMEDY}.")
    return ranking


def check_pair(a: ArrayLike, b: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Two rankings of the same items.

    Examples
    --------
    >>> check_pair([1, 2], [2, 1])
    (array([1., 2.]), array([2., 1.]))
    """
    first, second = check_ranking(a, "a"), check_ranking(b, "b")
    if len(first) != len(second):
        raise ValueError(f"a ranks {len(first)} items and b ranks {len(second)}; pass two rankings of the same items.")
    return first, second


def check_profile(profile: ArrayLike) -> FloatArray:
    """Some rankings of the same items, one per row.

    Examples
    --------
    >>> check_profile([[1, 2, 3], [1, 3, 2]]).shape
    (2, 3)
    """
    try:
        array = np.asarray(profile)
    except ValueError as error:
        raise ValueError(f"profile is not a table ({error}); pass one ranking per row, of the same items.") from None
    if array.ndim != 2:
        raise ValueError(
            f"profile must have the shape (n_rankings, n_items), got {array.shape}; pass one ranking per row."
        )
    if 0 in array.shape:
        raise ValueError(f"profile is empty, its shape is {array.shape}; pass at least one ranking of one item.")
    if array.dtype.kind not in "biufO":
        raise ValueError(f"profile must hold real numbers, got {array.dtype} values; pass one rank per item.")
    try:
        ranks = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"profile must hold real numbers ({error}); pass one rank per item.") from None
    bad = ~np.isfinite(ranks)
    if bad.any():
        row, item = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"profile must be finite, got {ranks[row, item]} for item {item} in ranking {row}; {_REMEDY}.")
    return ranks


def check_weights(weights: ArrayLike | None, size: int, name: str = "weights", unit: str = "item") -> FloatArray | None:
    """Non-negative weights with a positive sum, one per item (or per ranking), or none.

    Examples
    --------
    >>> check_weights([1, 2], 2)
    array([1., 2.])
    """
    if weights is None:
        return None
    values = as_numbers(weights, name, f"pass one weight per {unit}")
    if len(values) != size:
        raise ValueError(f"{name} has {len(values)} values for {size} {unit}s; pass one weight per {unit}.")
    for bad, wanted in ((~np.isfinite(values), "finite"), (values < 0, "non-negative")):
        if bad.any():
            at = int(np.argmax(bad))
            raise ValueError(
                f"{name} must be {wanted}, got {values[at]} for {unit} {at}; use 0 for {unit}s that do not count."
            )
    if not values.any():
        raise ValueError(f"{name} are all 0; give at least one {unit} a weight above 0, or leave {name} out.")
    return values


def check_count(value: Any, name: str, least: int, most: int | None = None) -> int:
    """A whole number between two bounds.

    Examples
    --------
    >>> check_count(3, "k", 1, 5)
    3
    """
    wanted = f"at least {least}" if most is None else f"between {least} and {most}"
    try:
        count = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = -1
    if count < least or (most is not None and count > most):
        raise ValueError(f"{name} must be a whole number {wanted}, got {value!r}; change {name}.")
    return count


def check_penalty(penalty: float) -> float:
    """The cost of a pair that is tied in exactly one of two rankings, in [0, 1].

    Examples
    --------
    >>> check_penalty(0.5)
    0.5
    """
    if not 0 <= penalty <= 1:
        raise ValueError(f"penalty must lie in [0, 1], got {penalty!r}; use 0.5 for the distance that is a metric.")
    return float(penalty)


def pair_mass(weights: FloatArray | None, n_items: int) -> float:
    """Sum of the products of weights over the pairs of distinct items; their number without weights.

    Examples
    --------
    >>> pair_mass(None, 4), pair_mass(np.array([1.0, 2.0, 3.0]), 3)
    (6.0, 11.0)
    """
    if weights is None:
        return n_items * (n_items - 1) / 2
    return float(np.dot(weights[1:], np.cumsum(weights)[:-1]))  # not a difference of squares, to avoid cancellation
