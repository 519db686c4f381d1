"""Calibration: predicted against observed rates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Reliability", "calibration_error", "reliability"]


class Reliability(NamedTuple):
    """Groups of equally many rows, by probability.

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
    """Predicted against observed rates, in groups of equally many rows.

    Examples
    --------
    >>> reliability(np.array([0.1, 0.3, 0.7, 0.9]), np.array([0, 0, 1, 1]), None, n_groups=2).observed
    array([0., 1.])
    """
    weights = np.ones(len(labels)) if weights is None else weights
    order = np.argsort(probability, kind="stable")
    groups = [group for group in np.array_split(order, min(n_groups, len(order))) if weights[group].any()]

    def means(values: np.ndarray) -> np.ndarray:
        return np.array([float(np.average(values[group], weights=weights[group])) for group in groups])

    return Reliability(means(probability), means(labels), np.array([float(weights[group].sum()) for group in groups]))


def calibration_error(probability: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> float:
    """Mean distance between predicted and observed rates over ten groups of equally many rows, by probability."""
    found = reliability(probability, labels, weights)
    return float(np.average(np.abs(found.predicted - found.observed), weights=found.mass))
