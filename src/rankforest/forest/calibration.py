"""Probabilities from scores: the rate of positives along the out-of-bag ranking, made monotone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import isotonic_regression

__all__ = [
    "Calibration",
    "Reliability",
    "calibrate",
    "calibration_error",
    "cross_fitted",
    "cross_fitted_error",
    "reliability",
]


@dataclass(frozen=True)
class Calibration:
    """A monotone map from scores to probabilities, linear between its knots.

    Attributes
    ----------
    score, probability : arrays
        Knots, both non-decreasing.
    """

    score: np.ndarray
    probability: np.ndarray

    def __call__(self, score: np.ndarray) -> np.ndarray:
        return np.interp(score, self.score, self.probability)


def calibrate(score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> Calibration:
    """Pool adjacent violators, each pool smoothed by two pseudo-observations of the overall rate.

    Examples
    --------
    >>> found = calibrate(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1]), None)
    >>> found(np.array([0.0, 0.5, 1.0]))
    array([0.25, 0.5 , 0.75])
    """
    weights = np.ones(len(score)) if weights is None else weights
    # rows of the same score have the same probability, in whatever order they stand
    distinct, place = np.unique(score, return_inverse=True)
    mass = np.bincount(place, weights=weights)
    found = isotonic_regression(np.bincount(place, weights=weights * labels) / mass, weights=mass)
    overall = float(np.average(labels, weights=weights))
    # a typical row weighs one
    pool_mass = found.weights / weights.mean()
    rate = (found.x[found.blocks[:-1]] * pool_mass + 2.0 * overall) / (pool_mass + 2.0)
    rate = isotonic_regression(rate, weights=pool_mass).x
    ends = found.blocks
    low, high = distinct[ends[:-1]], distinct[ends[1:] - 1]
    knots = np.column_stack([low, high]).ravel()
    return Calibration(knots, np.repeat(rate, 2))


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


def cross_fitted_error(score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, seed: int) -> float:
    """Calibration error of maps learned on one half of the rows and read on the other."""
    probability = cross_fitted(score, labels, weights, seed)
    return float("nan") if probability is None else calibration_error(probability, labels, weights)


def cross_fitted(score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, seed: int) -> np.ndarray | None:
    """Probabilities by such maps, so that no row was calibrated on; None where a half has one class only."""
    rng = np.random.default_rng(seed)
    half = rng.permutation(len(labels)) % 2 == 0
    probability = np.empty(len(labels))
    for fit, read in ((half, ~half), (~half, half)):
        if len(np.unique(labels[fit])) < 2 or not read.any():
            return None
        probability[read] = calibrate(score[fit], labels[fit], None if weights is None else weights[fit])(score[read])
    return probability
