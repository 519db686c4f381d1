"""The list of a partition as the steps of its curves: distinct scores and the mass of each label; steps can be merged.

Scores of trees have few distinct values, so the steps are small whatever the number of rows. Scores of boosters are
nearly all distinct. Such a list is cut into ranges of scores, which are merged and asked one by one. Nothing here knows
of Dask.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

__all__ = ["Sketch", "Steps", "merge_sketches", "merge_steps", "steps_of"]

_KEPT = 1024  # scores of a sketch: enough for an estimate within a few percent and for 64 even ranges


@dataclass(frozen=True)
class Steps:
    """Distinct scores in ascending order, with the mass of each label.

    Attributes
    ----------
    score : array of shape (k,)
    mass : array of shape (k, number of labels)
        Whole numbers without weights. No row is 0.
    sent : int
        Bytes of the steps from which these were merged.
    """

    score: np.ndarray
    mass: np.ndarray
    sent: int = 0

    @property
    def nbytes(self) -> int:
        return int(self.score.nbytes + self.mass.nbytes)

    def split(self, borders: np.ndarray) -> list[Steps]:
        """Ranges of scores; each border is the first score of the next range."""
        ends = np.searchsorted(self.score, borders)
        parts = zip(np.split(self.score, ends), np.split(self.mass, ends))
        return [Steps(score, mass) for score, mass in parts]

    def sketch(self) -> Sketch:
        """A sample of the distinct scores."""
        hashes = _hashed(self.score)
        kept = np.argsort(hashes, kind="stable")[:_KEPT]
        return Sketch(hashes[kept], self.score[kept], exact=len(hashes) <= _KEPT)


@dataclass(frozen=True)
class Sketch:
    """The distinct scores with the least hashes: a uniform sample of them, and an estimate of their number.

    Two partitions with the same score give it the same hash, so the sketch of many partitions is the merge of theirs
    (Bar-Yossef et al. 2002, "Counting distinct elements in a data stream").
    """

    hashes: np.ndarray
    scores: np.ndarray
    exact: bool  # whether these are all scores

    @property
    def n_distinct(self) -> int:
        """Number of distinct scores: exact if there are few, otherwise within a few percent."""
        if self.exact:
            return len(self.hashes)
        return int((len(self.hashes) - 1) / (float(self.hashes[-1]) / 2.0**64))

    def borders(self, n_ranges: int) -> np.ndarray:
        """Borders of ranges with about equally many distinct scores; the same score is not taken twice."""
        if not len(self.scores):
            return np.empty(0)
        ordered = np.sort(self.scores)
        return np.unique(ordered[np.arange(1, n_ranges) * len(ordered) // n_ranges])


def _hashed(scores: np.ndarray) -> np.ndarray:
    """The finalizer of splitmix64 on the bits of the scores; 0.0 and -0.0 are the same score."""
    bits = (scores + 0.0).view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(31))


def merge_sketches(sketches: Sequence[Sketch]) -> Sketch:
    """The sketch of all rows."""
    hashes = np.concatenate([sketch.hashes for sketch in sketches])
    scores = np.concatenate([sketch.scores for sketch in sketches])
    hashes, first = np.unique(hashes, return_index=True)
    exact = all(sketch.exact for sketch in sketches) and len(hashes) <= _KEPT
    return Sketch(hashes[:_KEPT], scores[first][:_KEPT], exact)


def steps_of(score: np.ndarray, codes: np.ndarray, n_labels: int, weight: np.ndarray | None = None) -> Steps:
    """Steps of the rows of a partition; rows of weight 0 count as absent.

    Parameters
    ----------
    score : array of shape (n,)
        Finite.
    codes : array of shape (n,)
        Which label each row has: 0, 1, ...
    n_labels : int
    weight : array of shape (n,) or None

    Examples
    --------
    >>> steps = steps_of(np.array([0.5, 0.2, 0.5]), np.array([1, 0, 0]), 2)
    >>> steps.score
    array([0.2, 0.5])
    >>> steps.mass
    array([[1., 0.],
           [1., 1.]])
    """
    if weight is not None and not weight.all():
        present = weight > 0
        score, codes, weight = score[present], codes[present], weight[present]
    distinct, place = np.unique(score, return_inverse=True)
    mass = np.bincount(place * n_labels + codes, weight, minlength=len(distinct) * n_labels)
    return Steps(distinct, mass.reshape(-1, n_labels).astype(np.float64))


def merge_steps(parts: Sequence[Steps]) -> Steps:
    """Steps of all rows: the masses of equal scores are added.

    Examples
    --------
    >>> merged = merge_steps([Steps(np.array([1.0, 2.0]), np.ones((2, 1))), Steps(np.array([2.0]), np.ones((1, 1)))])
    >>> merged.mass.ravel()
    array([1., 2.])
    """
    score = reduce(np.union1d, (part.score for part in parts))
    mass = np.zeros((len(score), parts[0].mass.shape[1]))
    for part in parts:
        mass[np.searchsorted(score, part.score)] += part.mass
    return Steps(score, mass, sum(part.sent + part.nbytes for part in parts))
