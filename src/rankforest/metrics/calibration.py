"""Calibration: predicted against observed rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Reliability", "calibration_error", "reliability"]


class Reliability(NamedTuple):
    """Groups of about equally many rows, by probability; rows of one probability are in one group.

    Attributes
    ----------
    predicted, observed : arrays
        Mean probability and rate of positives of each group.
    mass : array
        Its weight.
    """

    predicted: np.ndarray
    observed: np.ndarray
    mass: np.ndarray


def reliability(
    probability: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, *, n_groups: int = 10
) -> Reliability:
    """Predicted against observed rates, in groups of about equally many rows.

    Rows of one probability stay together, in the group of the middle one of them. At most `n_groups` different
    probabilities, such as those of a tree, have a group each.

    Examples
    --------
    >>> reliability(np.array([0.1, 0.3, 0.7, 0.9]), np.array([0, 0, 1, 1]), None, n_groups=2).observed
    array([0., 1.])
    >>> reliability(np.array([0.2, 0.8, 0.8, 0.8]), np.array([0, 0, 1, 1]), None, n_groups=2).mass
    array([1., 3.])
    """
    values, own, rows = np.unique(probability, return_inverse=True, return_counts=True)
    of_value = np.arange(len(values)) if len(values) <= n_groups else _groups_of(rows, n_groups)
    lowest, group = values[np.searchsorted(of_value, of_value)], of_value[own]
    weights = np.ones(len(own)) if weights is None else weights
    mass = np.bincount(group, weights)
    kept = mass > 0

    def means(of: np.ndarray) -> np.ndarray:
        return np.bincount(group, weights * of)[kept] / mass[kept]

    # measured from the lowest probability, the mean of equal ones is exact
    above = means(probability - lowest[own])
    first = np.searchsorted(of_value, np.flatnonzero(kept))
    return Reliability(values[first] + above, means(labels), mass[kept])


def _groups_of(rows: np.ndarray, n_groups: int) -> np.ndarray:
    """The group of each probability, in ascending order, given its number of rows."""
    twice_the_middle = 2 * np.cumsum(rows) - rows
    return np.asarray(n_groups * twice_the_middle // (2 * rows.sum()))


def calibration_error(probability: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> float:
    """Mean distance between predicted and observed rates over the ten groups of `reliability`."""
    found = reliability(probability, labels, weights)
    return float(np.average(np.abs(found.predicted - found.observed), weights=found.mass))
