"""Where is the true ROC curve? A band that holds the whole curve at once with a given confidence.

The curve is that of a fixed score on new rows. At a rate alpha it is beta = G(s), the share of all positives above the
threshold s above which there is a share alpha of all negatives. Of n negatives in the sample a binomial number i is
above s; that number is all that is unknown about the place of s in the sorted sample, which shows how many positives
are above s: at least those above the i-th negative, at most those above the next. So two binomial bounds of level c,
one after the other, hold beta at this alpha::

    i from the c-quantile to the (1 - c)-quantile of Bin(n, alpha)        (the threshold)
    beta between the Clopper-Pearson bounds of these numbers of positives  (the height above it)

They are honest in the corners, where a share of 0 or 1 says little, and need no density. What is left is the level c at
which all alpha hold together. It is found by simulation: samples of the same size are drawn from the observed curve,
and c is the largest level whose bands hold that curve in the wanted share of the samples; it is at most delta / 2, the
level of a single alpha, since a perfect list leaves nothing to simulate. Between the points of the grid the band goes
in steps, which hold the curve because it never falls.

Ties are spread evenly, as straight lines of the curve are. Scores with few distinct values, such as those of one tree,
are simulated with their ties; the others from the curve made smooth, straight lines between about 2 n^(1/3) knots.
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

# SciPy is imported where it is needed: the metrics stay light.

__all__ = ["RocBands", "roc_bands"]

_POINTS = 256  # of the grid, without its ends
_LEVELS = 64
_CHUNK = 100  # simulated samples held at once
_MOST_ROWS = 2000  # simulated rows of the smaller class; the level hardly depends on the size beyond
_MOST_ROWS_LARGER = 20_000


@dataclass(frozen=True, eq=False)
class RocBands:
    """A ROC curve and the band that holds the true one.

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
        Share of samples whose band holds the whole true curve.
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

        It is looked at on the grid; a curve that never falls and is inside there is inside everywhere.

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
    """Simultaneous confidence band of the ROC curve on new rows, for a score that did not see these rows.

    Parameters
    ----------
    y_true, y_score, pos_label
        As in :func:`roc_curve`. There are no weights: the band counts rows.
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
    # sin^2: as dense at the ends as a binomial share is exact there
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
    """The largest level of a ladder whose bands hold the observed curve in a share 1 - delta of simulated samples."""
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
    # The band of a level holds beta just when the numbers of positives at its ends do not pass these.
    most_above = _binomial_reach(steps, sizes[1], beta)
    most_missed = _binomial_reach(steps, sizes[1], 1.0 - beta)

    needed = []  # place on the ladder of the first level whose band holds the curve, for each sample
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
    """The number k with P(Bin(n, p) >= k) = level, by straight lines between whole numbers: ties are cut in parts."""
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
    """The curve at equally many rows from knot to knot: smooth enough to draw new rows without ties from."""
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
            # A negative is its own false positive rate; a positive has that at which the curve has a uniform height.
            rows = rng.random((count, n_negative + n_positive))
            rows[:, n_negative:] = np.interp(rows[:, n_negative:], knots[1], knots[0])
            is_positive = np.argsort(rows, axis=1) >= n_negative
            passed = np.cumsum(is_positive, axis=1)
            above[:, 1:-1] = passed[~is_positive].reshape(count, n_negative)
        yield above
