"""The best few steps of a function on bins: dynamic programming over where the steps begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Segments", "best_segments"]


@dataclass(frozen=True, eq=False)
class Segments:
    """The best segments of a sequence, for every number of them.

    Attributes
    ----------
    costs : array
        Least weighted squared error of 1, 2, ... segments.
    """

    costs: np.ndarray
    _from: tuple[np.ndarray, ...]  # start of the last segment, for every end, with 2, 3, ... segments

    def starts(self, n_segments: int) -> np.ndarray:
        """Where the second, third, ... segment begins."""
        end, found = len(self._from[0]) - 1 if self._from else 0, []
        for arrived in reversed(self._from[: n_segments - 1]):
            end = int(arrived[end])
            found.append(end)
        return np.array(found[::-1], dtype=np.int64)

    def n_best(self, price: float, most: int | None = None) -> int:
        """The number of segments with the least error plus `price` for each of them; the smaller one of equals.

        At most `most`, if that is given.
        """
        return int(np.argmin((self.costs + price * np.arange(len(self.costs)))[:most])) + 1


def best_segments(values: np.ndarray, weights: np.ndarray, most: int) -> Segments:
    """Segments of a sequence with the least weighted squared distance to the mean of each.

    Parameters
    ----------
    values, weights : arrays of shape (n,) or (n, d)
        Weights are non-negative. In a table the errors of the columns are added.
    most : int
        Largest number of segments.

    Examples
    --------
    >>> found = best_segments(np.array([0.0, 0.1, 5.0, 5.0, 9.0]), np.ones(5), 3)
    >>> found.costs.round().tolist(), found.starts(3), found.starts(2)
    ([58.0, 11.0, 0.0], array([2, 4]), array([2]))
    """
    n = len(values)
    centred = values - (np.average(values, weights=weights) if weights.any() else 0.0)  # less cancellation below
    columns = [part.reshape(n, -1) for part in (weights, weights * centred, weights * centred**2)]
    mass, first, second = (np.vstack([np.zeros(part.shape[1]), np.cumsum(part, axis=0)]) for part in columns)
    error = np.zeros((n + 1, n + 1))
    for m, f, s in zip(mass.T, first.T, second.T):
        weight, moment = m[None, :] - m[:, None], f[None, :] - f[:, None]
        error += s[None, :] - s[:, None]
        error -= np.divide(moment * moment, weight, out=np.zeros_like(moment), where=weight > 0)
    np.maximum(error, 0.0, out=error)
    error[np.tril_indices(n + 1)] = np.inf  # a segment has at least one value
    least, costs, arrived = error[0], [error[0, n]], []
    ends = np.arange(n + 1)
    for _ in range(1, min(most, n)):
        through = least[:, None] + error
        start = through.argmin(axis=0)
        least = through[start, ends]
        arrived.append(start)
        costs.append(least[n])
    return Segments(np.array(costs), tuple(arrived))
