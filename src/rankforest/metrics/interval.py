"""An estimate with its confidence interval: the result type of all intervals of the metrics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankforest.data.numbers import FloatArray

__all__ = ["Interval", "check_confidence", "mean_interval", "wilson"]


@dataclass(frozen=True)
class Interval:
    """An estimate with its confidence interval.

    Attributes
    ----------
    estimate, low, high : float
        The estimate and the ends of the interval.
    standard_error : float
        Of the estimate.
    confidence : float
        Nominal coverage.
    method : str
        How it was computed.

    Examples
    --------
    >>> print(Interval(0.75, 0.6, 0.85, 0.06, 0.95, "score"))
    0.7500 [0.6000, 0.8500] (95%, score)
    """

    estimate: float
    low: float
    high: float
    standard_error: float
    confidence: float
    method: str

    def __str__(self) -> str:
        ends = f"[{self.low:.4f}, {self.high:.4f}]"
        return f"{self.estimate:.4f} {ends} ({self.confidence * 100:g}%, {self.method})"

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def check_confidence(confidence: float) -> float:
    """1 - confidence, for a confidence between 0 and 1.

    Examples
    --------
    >>> check_confidence(0.75)
    0.25
    """
    try:
        level = float(confidence)
    except (TypeError, ValueError):
        level = np.nan
    if not 0.0 < level < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, got {confidence!r}; use 0.95 for 95%.")
    return 1.0 - level


def mean_interval(values: FloatArray, weights: FloatArray | None, confidence: float) -> Interval:
    """A mean of numbers of 0 or more, with its interval by the central limit theorem.

    Examples
    --------
    >>> print(mean_interval(np.array([0.0, 1.0, 1.0, 2.0]), None, 0.95))
    1.0000 [0.3070, 1.6930] (95%, normal)
    """
    from scipy.special import ndtri

    w = np.ones(len(values)) if weights is None else weights
    mean = float(np.average(values, weights=w))
    error = float(np.sqrt(np.sum((w * (values - mean)) ** 2)) / w.sum())
    reach = float(ndtri(0.5 + confidence / 2.0)) * error
    return Interval(mean, max(0.0, mean - reach), mean + reach, error, confidence, "normal")


def wilson(rate: FloatArray, rows: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Ends of Wilson's intervals of rates: all p that a score test accepts, (rate - p)^2 <= z^2 p (1 - p) / rows.

    Examples
    --------
    >>> low, high = wilson(np.array([0.5]), np.array([10]), 0.95)
    >>> low.round(4), high.round(4)
    (array([0.2366]), array([0.7634]))
    """
    from scipy.special import ndtri

    z = ndtri(0.5 + confidence / 2)
    centre = (rate + z**2 / (2 * rows)) / (1 + z**2 / rows)
    half = z * np.sqrt(rate * (1 - rate) / rows + (z / (2 * rows)) ** 2) / (1 + z**2 / rows)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
