"""The scores that a model would give its training rows, had it not learned from them.

A model is surer of the rows that it has learned from, so a quantile of its own training scores says little about fresh
rows. Models that were fitted without some rows score these honestly, but each on its own scale. Two ways lead from
there to the scale of the model that is used:

- *by score*: a score means the same in all models. Right for scores with a meaning, such as probabilities and points.
- *by rank*: the scores of two models mean the same where the same share of their own training rows lies below. Right
  for the strata of a tree, whose scores are different numbers in every tree.

The folds tell which is better: the share above a line should be the same in all of them, and in the model that is used.
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
    """What one model of a cross-validation says of the rows that it has not seen, and of those that it has."""

    rows: np.ndarray
    scores: np.ndarray
    own_rows: np.ndarray
    own_scores: np.ndarray


@dataclass(frozen=True)
class FreshScores:
    """Training rows on the scale of the model that is used, as if they were fresh.

    Attributes
    ----------
    scores : ndarray
    rows : ndarray of int
        The training row that each score belongs to; a row that may have one of several scores is there several times.
    mass : ndarray
        Weight of the row, times the chance of the score.
    matched_by : {"score", "rank"}
        How scores of other models came onto this scale.
    """

    scores: np.ndarray
    rows: np.ndarray
    mass: np.ndarray
    matched_by: str

    @staticmethod
    def of_all(scores: np.ndarray, mass: np.ndarray) -> FreshScores:
        """Scores that are on this scale already; NaN where a row has none."""
        rows = np.flatnonzero(~np.isnan(scores))
        return FreshScores(scores[rows], rows, mass[rows], "score")

    def share(self, line: ShareLine, which: np.ndarray | None = None) -> float:
        """Share of the mass above a line, of all rows or of those that are chosen (a mask of all training rows)."""
        mass = self.mass if which is None else self.mass * which[self.rows]
        return float(mass @ line.chance(self.scores) / mass.sum())


def scores_of_folds(folds: Sequence[FoldScores], own_scores: np.ndarray, mass: np.ndarray, top: float) -> FreshScores:
    """Held-out scores on the scale of the model that is used, matched by score or by rank, whichever keeps the share.

    Parameters
    ----------
    folds : sequence of FoldScores
    own_scores : ndarray
        The scores of the training rows by the model that is used.
    mass : ndarray
        Weight of each training row.
    top : float
        Share of the list that has to be found.
    """
    training = _Levels.of(own_scores, mass)
    by_score = [FreshScores(fold.scores, fold.rows, mass[fold.rows], "score") for fold in folds]
    by_rank = [_by_rank(fold, training, mass) for fold in folds]
    line, spread_by_score = _line_and_spread(by_score, top)
    of_folds = np.mean([_share(line, fold.own_scores, mass[fold.own_rows]) for fold in folds])
    moved = _share(line, own_scores, mass) - of_folds
    return _together(by_score if spread_by_score + moved**2 < _line_and_spread(by_rank, top)[1] else by_rank)


def _line_and_spread(parts: Sequence[FreshScores], top: float) -> tuple[ShareLine, float]:
    """The line of all folds together, and the mean squared distance of their shares from the wanted one."""
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
    """The distinct scores of a sample, from the worst, each with the part of the mass that it takes up in [0, 1]."""

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
    """The scores of a fold's model, each replaced by those that take up the same part of the mass.

    A stratum of one tree may lie across several of another; its rows then have several scores, each with its chance.
    A score between two training scores goes between the two that stand for them.
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
    chance[chance < _NEGLIGIBLE] = 0.0  # two levels that differ by rounding
    rows = np.concatenate([fold.rows[known][row], fold.rows[~known]])
    chances = np.concatenate([chance, np.ones(len(between))])
    return FreshScores(np.concatenate([training.values[to], between]), rows, mass[rows] * chances, "rank")
