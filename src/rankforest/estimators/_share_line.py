"""The threshold below the best share of a list, and the treatment of rows tied at the threshold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["TIES", "ShareLine"]

TIES = ("random", "nearest", "include", "exclude")
# Relative error of the share up to which whole groups of tied rows are flagged, without lots.
_CLOSE = 0.05
# The part of the way to the next score by which a threshold lies above its own.
_A_LITTLE = 2.0**-10


@dataclass(frozen=True)
class ShareLine:
    """Where the best share of a list ends.

    Attributes
    ----------
    threshold : float
        Rows with a greater score are above the line. It lies half-way between two scores, or on a score whose rows are
        drawn by lot.
    tie_chance : float
        Probability that a row on the line counts as above it.
    possible : tuple of two floats
        The nearest shares below and above the wanted one that are possible without lots.
    """

    threshold: float
    tie_chance: float
    possible: tuple[float, float]

    @staticmethod
    def under(scores: np.ndarray, mass: np.ndarray, top: float, ties: str) -> ShareLine:
        """The line under the best `top` of the mass; `ties` is one of `TIES`.

        Lots are used only if they matter: scores with few ties come close enough to the share without them.

        Examples
        --------
        >>> line = ShareLine.under(np.repeat([3.0, 2.0, 1.0], [5, 10, 20]), np.ones(35), 0.2, "random")
        >>> line.threshold, round(line.tie_chance, 12)  # 7 = 5 + 0.2 * 10
        (2.0, 0.2)
        >>> ShareLine.under(np.repeat([3.0, 2.0, 1.0], [5, 10, 20]), np.ones(35), 0.2, "include").threshold
        1.5
        """
        values, group = np.unique(-scores[mass > 0.0], return_inverse=True)  # best first
        values, mass = -values, mass[mass > 0.0]
        above = np.append(0.0, np.cumsum(np.bincount(group, weights=mass))) / mass.sum()  # share of the first k scores
        last = min(int(np.searchsorted(above, top, side="left")), len(values))  # these reach the share
        below, beyond = last - 1, last
        nearest = beyond if below == 0 or above[beyond] - top <= top - above[below] else below
        drawn = ties == "random" and abs(above[nearest] - top) > _CLOSE * top
        kept = beyond if ties == "include" or above[beyond] == top else below if ties == "exclude" else nearest
        possible = float(above[below]), float(above[beyond])
        if not drawn:
            return ShareLine(_between(values, kept), 0.0, possible)
        chance = (top - above[below]) / (above[beyond] - above[below])
        return ShareLine(float(values[last - 1]), float(chance), possible)

    @staticmethod
    def around(scores: np.ndarray, above: np.ndarray) -> float:
        """A number between the scores above the line and the others: a score itself if both have it.

        Examples
        --------
        >>> scores = np.array([1.0, 2.0, 2.0, 3.0])
        >>> ShareLine.around(scores, scores > 2.0), ShareLine.around(scores, np.array([False, True, False, True]))
        (2.5, 2.0)
        """
        values = np.unique(scores)[::-1]
        if not above.any() or above.all():
            return _between(values, len(values) if above.any() else 0)
        least, greatest = scores[above].min(), scores[~above].max()
        return float(least) if least == greatest else _between(values, int(np.sum(values >= least)))

    @staticmethod
    def beyond(scores: np.ndarray, threshold: float) -> float:
        """A little above a threshold that is a score: rows of this score stay below, whatever the last bit of theirs.

        Models that multiply matrices, such as a logistic regression, may give a row another last bit among other rows.

        Examples
        --------
        >>> ShareLine.beyond(np.array([1.0, 2.0, 3.0]), 2.0), ShareLine.beyond(np.array([1.0, 2.0]), 2.0)
        (2.0009765625, 2.0)
        """
        greater = scores[scores > threshold]
        return float(threshold + (greater.min() - threshold) * _A_LITTLE) if len(greater) else threshold

    def chance(self, scores: np.ndarray) -> np.ndarray:
        """Probability of each row to be above the line: 0, 1, or `tie_chance` for a tie."""
        return np.where(scores > self.threshold, 1.0, np.where(scores == self.threshold, self.tie_chance, 0.0))


def _between(values: np.ndarray, kept: int) -> float:
    """A number between the first `kept` of the decreasing values and the others; the next value if there is none."""
    if kept == 0:
        return float(np.nextafter(values[0], np.inf))
    if kept == len(values):
        return float(np.nextafter(values[-1], -np.inf))
    better, worse = values[kept - 1], values[kept]
    middle = worse + (better - worse) / 2
    return float(middle if worse <= middle < better else worse)
