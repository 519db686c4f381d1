"""Simultaneous confidence bands of the ROC curve: they contain the whole true curve with a given confidence.

The curve is that of a fixed score on new rows. At a rate alpha its height is beta = G(s), the share of all positives
above the threshold s, where s is the threshold with a share alpha of all negatives above it. Of n negatives in the
sample a binomial number i is above s. Given i, the position of s in the sorted sample is known: the positives above s
are at least those above the i-th negative, and at most those above the next one. So two binomial bounds of level c,
applied one after the other, contain beta at this alpha::

    i from the c-quantile to the (1 - c)-quantile of Bin(n, alpha)        (the threshold)
    beta between the Clopper-Pearson bounds of these numbers of positives  (the height above it)

The bounds are also valid in the corners, where an observed share of 0 or 1 has no standard error, and they need no
density. The level c at which they hold for all alpha together is found by simulation: samples of the same size are
drawn from the observed curve, and c is the largest level whose bands contain that curve in the wanted share of the
samples. It is at most delta / 2, the level of a single alpha, because a perfect list has no variation to simulate.
Between the points of the grid the band is a step function, which contains the curve because the curve is monotone.

Ties are spread evenly, as by the straight lines of the curve. Scores with few distinct values, such as those of one
tree, are simulated with their ties; other scores are simulated from a smoothed curve, with straight lines between about
2 n^(1/3) knots.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import CumulativeMass, check_ranking_inputs, cumulative_mass
from rankforest.metrics.interval import check_confidence
from rankforest.metrics.roc import RocCurve

# SciPy is imported inside functions to keep the import of the metrics fast.

__all__ = ["RocBands", "roc_bands"]

_POINTS = 256  # points of the grid, without its ends
_LEVELS = 64
_CHUNK = 100  # simulated samples in memory at once
_MOST_ROWS = 2000  # most simulated rows of the smaller class; for larger samples the level hardly changes
_MOST_ROWS_LARGER = 20_000


@dataclass(frozen=True, eq=False)
class RocBands:
    """A ROC curve and the confidence band of the true one.

    Attributes
    ----------
    alpha : ndarray
        Grid of false positive rates from 0 to 1, dense at both ends.
    low, high : ndarray
        The band on the grid. Between two points the lower end keeps its value from the left, the upper end takes that
        from the right.
    curve : RocCurve
        The curve of the sample.
    confidence : float
        Share of samples whose band contains the whole true curve.
    level : float
        The level c of the binomial bounds.
    """

    alpha: FloatArray
    low: FloatArray
    high: FloatArray
    curve: RocCurve
    confidence: float
    level: float

    @property
    def auc(self) -> tuple[float, float]:
        """Areas under the two ends of the band: the true AUC is between them, with at least the confidence.

        Examples
        --------
        >>> bands = roc_bands([0, 1] * 50, range(100))
        >>> low, high = bands.auc
        >>> bool(low < bands.curve.auc < high)
        True
        """
        step = np.diff(self.alpha)
        return float(step @ self.low[:-1]), float(step @ self.high[1:])

    def contains(self, roc: Callable[[FloatArray], ArrayLike]) -> bool:
        """Whether a curve, given as a function from ``alpha`` to ``beta``, stays in the band.

        The curve is checked on the grid; if it is monotone and inside there, it is inside everywhere.

        Examples
        --------
        >>> roc_bands([0, 1] * 50, range(100)).contains(lambda alpha: alpha)
        True
        """
        beta = np.asarray(roc(self.alpha), dtype=np.float64)
        return bool(np.all((self.low <= beta) & (beta <= self.high)))


def roc_bands(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    confidence: float = 0.95,
    n_simulations: int = 1000,
    pos_label: object = None,
    random_state: Any = 0,
) -> RocBands:
    """Simultaneous confidence band of the ROC curve on new rows, for a score that was not fitted on these rows.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`. There are no weights, because the band is based on counts of rows.
    confidence : float, default 0.95
    n_simulations : int, default 1000
        Samples drawn to find the level.
    random_state : int, Generator or None, default 0
        Their seed: by default the same data give the same band.

    Returns
    -------
    RocBands

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(1000, random_state=0)
    >>> bands = roc_bands(sample.y, sample.eta)
    >>> bands.contains(sample.roc_star)
    True
    >>> middle = np.searchsorted(bands.alpha, 0.2)
    >>> bands.low[middle].round(2), bands.high[middle].round(2)
    (np.float64(0.5), np.float64(0.7))
    """
    delta = check_confidence(confidence)
    if not isinstance(n_simulations, Integral) or n_simulations < 1.0 / delta:
        raise ValueError(
            f"n_simulations must be an integer of at least {int(np.ceil(1.0 / delta))} at this confidence, got "
            f"{n_simulations!r}; use 1000."
        )
    inputs = check_ranking_inputs(y_true, y_score, pos_label=pos_label)
    mass = cumulative_mass(inputs.is_positive, inputs.score)
    # sin^2: dense at the ends, where a binomial share has a small variance
    alpha = np.sin(np.linspace(0.0, np.pi / 2.0, _POINTS + 2)) ** 2
    level = _calibrated_level(mass, alpha[1:-1], delta, n_simulations, np.random.default_rng(random_state))
    low, high = _band(mass, alpha[1:-1], level)
    curve = RocCurve(mass.negative / mass.negative[-1], mass.positive / mass.positive[-1], mass.threshold)
    # Every curve starts at 0 or above and ends in 1; at 0 it is not above its height at the next point.
    low = np.concatenate([[0.0], low, [1.0]])
    high = np.concatenate([high[:1], high, [1.0]])
    return RocBands(alpha, low, high, curve, 1.0 - delta, level)


def positives_above(negative: FloatArray, positive: FloatArray, i: Any) -> FloatArray:
    """How many positives are above the i-th negative, from the cumulative counts of both classes.

    The 0-th negative is above everything, the one after the last below. In a tie of n negatives and p positives, p / (n
    + 1) positives lie between two neighbours.

    Examples
    --------
    >>> positives_above(np.array([0.0, 0.0, 2.0]), np.array([0.0, 1.0, 4.0]), np.arange(4))
    array([0., 2., 3., 4.])
    """
    last = len(negative) - 1
    group = np.clip(np.searchsorted(negative, i, side="left"), 1, last)
    tied = negative[group] - negative[group - 1]
    inside = (positive[group] - positive[group - 1]) * (i - negative[group - 1]) / (tied + 1.0)
    above = np.where(i > negative[-1], positive[-1], positive[group - 1] + inside)
    return np.where(i > 0, above, 0.0)


def _band(mass: CumulativeMass, alpha: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """The two binomial bounds of a level, one after the other, at every alpha."""
    from scipy.special import betaincinv
    from scipy.stats import binom

    n_negative, n_positive = mass.negative[-1], mass.positive[-1]
    fewest = positives_above(mass.negative, mass.positive, binom.ppf(level, n_negative, alpha))
    most = positives_above(mass.negative, mass.positive, binom.isf(level, n_negative, alpha) + 1.0)
    low = np.where(fewest > 0, betaincinv(np.maximum(fewest, 1e-9), n_positive - fewest + 1.0, level), 0.0)
    missed = n_positive - most
    high = np.where(missed > 0, 1.0 - betaincinv(np.maximum(missed, 1e-9), most + 1.0, level), 1.0)
    return low, high


def _calibrated_level(
    mass: CumulativeMass, alpha: FloatArray, delta: float, n_simulations: int, rng: np.random.Generator
) -> float:
    """The largest level of a grid whose bands contain the observed curve in a share 1 - delta of simulated samples."""
    from scipy.stats import binom

    sizes = _simulated_sizes(int(mass.negative[-1]), int(mass.positive[-1]))
    knots = _knots(mass)
    tied = len(mass.negative) - 1 <= mass.total[-1] / 10.0
    if tied:
        knots = mass.negative / mass.negative[-1], mass.positive / mass.positive[-1]
    beta = np.interp(alpha, *knots)
    ladder = np.geomspace(0.5 * delta, delta * 1e-4, _LEVELS)
    steps = ladder[:, None]
    first = binom.ppf(steps, sizes[0], alpha).astype(np.intp)
    last = binom.isf(steps, sizes[0], alpha).astype(np.intp) + 1
    # The band of a level contains beta if and only if the numbers of positives at its ends are within these.
    most_above = _binomial_reach(steps, sizes[1], beta)
    most_missed = _binomial_reach(steps, sizes[1], 1.0 - beta)

    needed = []  # for each sample, the index of the first level whose band contains the curve
    for above in _simulated(knots, sizes, tied, n_simulations, rng):
        low = np.zeros(len(above), dtype=np.intp)
        high = np.full(len(above), _LEVELS)
        while np.any(low < high):  # bisection, all samples together: bands of lower levels contain the others
            middle = (low + high) // 2
            at = np.minimum(middle, _LEVELS - 1)
            inside = (np.take_along_axis(above, first[at], axis=1) <= most_above[at]).all(axis=1)
            inside &= (sizes[1] - np.take_along_axis(above, last[at], axis=1) <= most_missed[at]).all(axis=1)
            searching = low < high
            high = np.where(searching & inside, middle, high)
            low = np.where(searching & ~inside, middle + 1, low)
        needed.append(low)
    rank = min(int(np.ceil((1.0 - delta) * (n_simulations + 1))), n_simulations)
    return float(ladder[min(int(np.sort(np.concatenate(needed))[rank - 1]), _LEVELS - 1)])


def _binomial_reach(level: FloatArray, n: int, p: FloatArray) -> FloatArray:
    """The number k with P(Bin(n, p) >= k) = level, interpolated linearly between whole numbers."""
    from scipy.stats import binom

    whole = binom.isf(level, n, p)
    here, next_one = binom.sf(whole - 1.0, n, p), binom.sf(whole, n, p)
    return np.asarray(whole + (here - level) / np.maximum(here - next_one, 1e-300))


def _simulated_sizes(n_negative: int, n_positive: int) -> tuple[int, int]:
    """Rows of both classes in a simulated sample: those of the sample, or fewer in the same proportion."""
    scale = min(1.0, _MOST_ROWS / min(n_negative, n_positive))
    sizes = [min(max(round(scale * size), 1), _MOST_ROWS_LARGER) for size in (n_negative, n_positive)]
    return sizes[0], sizes[1]


def _knots(mass: CumulativeMass) -> tuple[FloatArray, FloatArray]:
    """The curve with equally many rows between knots, smooth enough to draw new rows without ties."""
    total = mass.total
    at = np.linspace(0.0, total[-1], max(5, round(2.0 * total[-1] ** (1.0 / 3.0))) + 1)
    return (
        np.interp(at, total, mass.negative) / mass.negative[-1],
        np.interp(at, total, mass.positive) / mass.positive[-1],
    )


def _simulated(
    knots: tuple[FloatArray, FloatArray], sizes: tuple[int, int], tied: bool, n: int, rng: np.random.Generator
) -> Iterator[FloatArray]:
    """Positives above each negative, as in `positives_above`, in samples whose true curve goes through the knots."""
    n_negative, n_positive = sizes
    for start in range(0, n, _CHUNK):
        count = min(_CHUNK, n - start)
        above = np.zeros((count, n_negative + 2))
        above[:, -1] = n_positive
        if tied:
            counts = [
                np.cumsum(rng.multinomial(size, np.diff(share), size=count), axis=1)
                for size, share in zip(sizes, knots)
            ]
            inner = np.arange(1, n_negative + 1)
            for row, (negative, positive) in enumerate(zip(*counts)):
                above[row, 1:-1] = positives_above(np.append(0, negative), np.append(0, positive), inner)
        else:
            # A negative is drawn by its false positive rate, which is uniform; a positive by a uniform height of the
            # curve.
            rows = rng.random((count, n_negative + n_positive))
            rows[:, n_negative:] = np.interp(rows[:, n_negative:], knots[1], knots[0])
            is_positive = np.argsort(rows, axis=1) >= n_negative
            passed = np.cumsum(is_positive, axis=1)
            above[:, 1:-1] = passed[~is_positive].reshape(count, n_negative)
        yield above
