"""Probabilities from scores: the rate of positives along the out-of-bag ranking, made monotone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import isotonic_regression

from ..data.equal_values import sums_of_equal
from ..data.hold_out import ANY_ROWS, HoldOut
from ..data.parts import Parts, check_finite, need
from ..data.rows import spaced_rows
from ..metrics.calibration import calibration_error

__all__ = [
    "Calibration",
    "calibrate",
    "carried_over",
    "cross_fitted",
    "cross_fitted_error",
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

    def signed(self, score: np.ndarray, *, rising: bool, span: tuple[float, float] | None = None) -> np.ndarray:
        """Distance of scores to the score where the probability passes 1/2.

        With ``rising=True`` the result is positive exactly where the probability is above 1/2, with ``rising=False``
        exactly where it is below 1/2. `span` has all scores; by default [0, 1].

        Examples
        --------
        >>> Calibration(np.array([0.0, 1.0]), np.array([0.0, 1.0])).signed(np.array([0.25, 0.5, 1.0]), rising=True)
        array([-0.25,  0.  ,  0.5 ])
        """
        at_most_half, at_least_half = self._half if span is None else self._half_in(*span)
        return score - at_most_half if rising else at_least_half - score

    def to_parts(self) -> dict[str, np.ndarray]:
        """The knots as plain data."""
        return {"score": self.score, "probability": self.probability}

    @classmethod
    def from_parts(cls, parts: Parts) -> Calibration:
        """The same again, checked: the map is monotone, and its values are probabilities."""
        score = parts.array("score", np.float64, None)
        probability = parts.array("probability", np.float64, len(score))
        check_finite(score, "calibration")
        check_finite(probability, "calibration", least=0.0)
        need(len(score) >= 1 and (probability <= 1.0).all(), "its calibration gives values that are not probabilities")
        rises = (score[1:] >= score[:-1]).all() and (probability[1:] >= probability[:-1]).all()
        need(rises, "its calibration falls")
        return cls(score, probability)

    @cached_property
    def _half(self) -> tuple[float, float]:
        return self._half_in(0.0, 1.0)

    def _half_in(self, low: float, high: float) -> tuple[float, float]:
        """The greatest score with a probability of at most 1/2, and the least with one of at least 1/2."""
        at_most = _last_score(lambda score: bool(self(score) <= 0.5), low, high)
        below = _last_score(lambda score: bool(self(score) < 0.5), low, high)
        return at_most, float(np.nextafter(below, np.inf))


def _last_score(condition: Callable[[np.ndarray], bool], low: float, high: float) -> float:
    """The greatest number in [low, high] for which a condition holds; the last number below if it holds for none.

    If the condition holds for a number, it must hold for all smaller ones. The search bisects the places of the numbers
    among all doubles.
    """
    holds, fails = _place(low) - 1, _place(high) + 1
    while fails - holds > 1:
        middle = (holds + fails) // 2
        if condition(np.array(_double(middle))):
            holds = middle
        else:
            fails = middle
    return _double(holds)


def _place(value: float) -> int:
    """The place of a double among all doubles, 0 for 0: the bit pattern, which for a negative number counts down."""
    return int(np.copysign(1.0, value)) * int(np.float64(abs(value)).view(np.int64))


def _double(place: int) -> float:
    """The double at a place."""
    value = float(np.int64(abs(place)).view(np.float64))
    return -value if place < 0 else value


def calibrate(score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> Calibration:
    """Pool adjacent violators, each pool smoothed by two pseudo-observations of the overall rate.

    Of very many rows, two million evenly spaced ones are used.

    Examples
    --------
    >>> found = calibrate(np.array([0.1, 0.2, 0.8, 0.9]), np.array([0, 0, 1, 1]), None)
    >>> found(np.array([0.0, 0.5, 1.0]))
    array([0.25, 0.5 , 0.75])
    """
    score, labels, weights = _enough(score, labels, weights)
    knots, rate, mass = _pooled(score, labels, weights)
    overall = float(np.average(labels, weights=weights))
    if weights is not None:
        mass = mass / weights.mean()  # now a typical row has the weight 1
    rate = isotonic_regression((rate * mass + 2.0 * overall) / (mass + 2.0), weights=mass).x
    return Calibration(knots, np.repeat(rate, 2))


def carried_over(score: np.ndarray, probability: np.ndarray, weights: np.ndarray | None) -> Calibration:
    """The monotone map from a score to probabilities that come from another score, by least squares.

    Examples
    --------
    >>> found = carried_over(np.array([1.0, 2.0, 3.0]), np.array([0.2, 0.1, 0.8]), None)
    >>> found(np.array([1.0, 2.0, 3.0]))
    array([0.15, 0.15, 0.8 ])
    """
    knots, rate, _ = _pooled(score, probability, weights)
    return Calibration(knots, np.repeat(rate, 2))


def _enough(
    score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    rows = spaced_rows(len(score))
    return score[rows], labels[rows], None if weights is None else weights[rows]


def _pooled(
    score: np.ndarray, target: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pool adjacent violators: first and last score of each pool in one array, mean target, weight."""
    # rows of the same score get the same probability, whatever their order
    distinct, (mass, mean) = sums_of_equal(score, weights, target if weights is None else weights * target)
    mean /= mass
    found = isotonic_regression(mean, weights=mass)
    ends = found.blocks
    knots = np.column_stack([distinct[ends[:-1]], distinct[ends[1:] - 1]]).ravel()
    return knots, found.x[ends[:-1]], found.weights


def cross_fitted_error(
    score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, seed: int, hold_out: HoldOut = ANY_ROWS
) -> float:
    """Calibration error of maps fitted on one half of the rows and evaluated on the other half.

    Of very many rows, two million evenly spaced ones are used.
    """
    hold_out = hold_out.take(spaced_rows(len(score)))
    score, labels, weights = _enough(score, labels, weights)
    probability = cross_fitted(score, labels, weights, seed, hold_out)
    return float("nan") if probability is None else calibration_error(probability, labels, weights)


def cross_fitted(
    score: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, seed: int, hold_out: HoldOut = ANY_ROWS
) -> np.ndarray | None:
    """Cross-fitted probabilities: each half is calibrated on the other one. None if a half has only one class."""
    half = hold_out.half(len(labels), seed)
    probability = np.empty(len(labels))
    for fit, read in ((half, ~half), (~half, half)):
        if len(np.unique(labels[fit])) < 2 or not read.any():
            return None
        probability[read] = calibrate(score[fit], labels[fit], None if weights is None else weights[fit])(score[read])
    return probability
