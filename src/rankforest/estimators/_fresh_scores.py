"""Held-out scores of the training rows on the scale of the final model.

A model gives more extreme scores to its training rows than to fresh rows, so a quantile of the training scores is not a
threshold for fresh rows. Cross-validation gives held-out scores, but the model of each fold has its own scale. There
are two ways to map these scores to the scale of the final model:

- *by score*: a score means the same in all models. Right for scores with a meaning, such as probabilities and points.
- *by rank*: two scores of two models are equivalent if the same share of the training rows of each model lies below
  them. Right for the strata of a tree, whose scores are different numbers in every tree.

The folds show which way is better: the share above a threshold should be the same in all folds and in the final model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._share_line import ShareLine

__all__ = ["FoldScores", "FreshScores", "scores_of_folds"]

_NEGLIGIBLE = 1e-9


@dataclass(frozen=True)
class FoldScores:
    """Scores of one model of a cross-validation, for its held-out rows and for its training rows."""

    rows: np.ndarray
    scores: np.ndarray
    own_rows: np.ndarray
    own_scores: np.ndarray


@dataclass(frozen=True)
class FreshScores:
    """Held-out scores of the training rows on the scale of the final model.

    Attributes
    ----------
    scores : ndarray
    rows : ndarray of int
        The training row of each score; a row with several possible scores occurs several times.
    mass : ndarray
        Weight of the row, times the probability of the score.
    matched_by : {"score", "rank"}
        How the scores of the folds' models were mapped to this scale.
    """

    scores: np.ndarray
    rows: np.ndarray
    mass: np.ndarray
    matched_by: str

    @staticmethod
    def of_all(scores: np.ndarray, mass: np.ndarray) -> FreshScores:
        """Scores that are already on this scale; NaN for rows without a score."""
        rows = np.flatnonzero(~np.isnan(scores))
        return FreshScores(scores[rows], rows, mass[rows], "score")

    def share(self, line: ShareLine, which: np.ndarray | None = None) -> float:
        """Share of the mass above a threshold, of all rows or of the rows of a mask."""
        mass = self.mass if which is None else self.mass * which[self.rows]
        return float(mass @ line.chance(self.scores) / mass.sum())


def scores_of_folds(folds: Sequence[FoldScores], own_scores: np.ndarray, mass: np.ndarray, top: float) -> FreshScores:
    """Held-out scores on the scale of the final model, matched by score or by rank, whichever keeps the share better.

    Parameters
    ----------
    folds : sequence of FoldScores
    own_scores : ndarray
        Scores of the training rows by the final model.
    mass : ndarray
        Weight of each training row.
    top : float
        Wanted share of the list.
    """
    training = _Levels.of(own_scores, mass)
    by_score = [FreshScores(fold.scores, fold.rows, mass[fold.rows], "score") for fold in folds]
    by_rank = [_by_rank(fold, training, mass) for fold in folds]
    line, spread_by_score = _line_and_spread(by_score, top)
    of_folds = np.mean([_share(line, fold.own_scores, mass[fold.own_rows]) for fold in folds])
    moved = _share(line, own_scores, mass) - of_folds
    return _together(by_score if spread_by_score + moved**2 < _line_and_spread(by_rank, top)[1] else by_rank)


def _line_and_spread(parts: Sequence[FreshScores], top: float) -> tuple[ShareLine, float]:
    """The threshold of all folds together, and the mean squared error of the folds' shares."""
    found = _together(parts)
    line = ShareLine.under(found.scores, found.mass, top, "random")
    known = [part for part in parts if part.mass.any()]
    shares = np.array([part.share(line) for part in known])
    return line, float(np.average((shares - top) ** 2, weights=[part.mass.sum() for part in known]))


def _share(line: ShareLine, scores: np.ndarray, mass: np.ndarray) -> float:
    return float(mass @ line.chance(scores) / mass.sum())


def _together(parts: Sequence[FreshScores]) -> FreshScores:
    scores = np.concatenate([part.scores for part in parts])
    rows = np.concatenate([part.rows for part in parts])
    return FreshScores(scores, rows, np.concatenate([part.mass for part in parts]), parts[0].matched_by)


@dataclass(frozen=True)
class _Levels:
    """The distinct scores of a sample, the worst first, each with its interval of the cumulative mass in [0, 1]."""

    values: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @staticmethod
    def of(scores: np.ndarray, mass: np.ndarray) -> _Levels:
        kept = mass > 0.0
        values, group = np.unique(scores[kept], return_inverse=True)
        ends = np.append(0.0, np.cumsum(np.bincount(group, weights=mass[kept])))
        ends /= ends[-1]
        return _Levels(values, ends[:-1], ends[1:])

    @property
    def middle(self) -> np.ndarray:
        return (self.low + self.high) / 2


def _by_rank(fold: FoldScores, training: _Levels, mass: np.ndarray) -> FreshScores:
    """The scores of a fold's model, each replaced by the final model's scores with the same cumulative mass.

    A stratum of one tree may overlap several strata of another; its rows then have several scores, each with its
    probability. A score between two training scores is mapped between their two images.
    """
    own = _Levels.of(fold.own_scores, mass[fold.own_rows])
    at = np.minimum(np.searchsorted(own.values, fold.scores), len(own.values) - 1)
    known = own.values[at] == fold.scores
    between = np.interp(np.interp(fold.scores[~known], own.values, own.middle), training.middle, training.values)
    low, high = own.low[at[known]], own.high[at[known]]
    first = np.searchsorted(training.high, low, side="right")
    n_scores = np.maximum(np.searchsorted(training.low, high, side="left") - first, 1)
    row = np.repeat(np.arange(len(low)), n_scores)
    to = first[row] + np.arange(len(row)) - np.repeat(np.cumsum(n_scores) - n_scores, n_scores)
    shared = np.minimum(high[row], training.high[to]) - np.maximum(low[row], training.low[to])
    chance = np.maximum(shared, 0.0) / (high - low)[row]
    chance[chance < _NEGLIGIBLE] = 0.0  # overlaps that are due to rounding
    rows = np.concatenate([fold.rows[known][row], fold.rows[~known]])
    chances = np.concatenate([chance, np.ones(len(between))])
    return FreshScores(np.concatenate([training.values[to], between]), rows, mass[rows] * chances, "rank")
