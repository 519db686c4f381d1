"""Scores with labels, for the evaluation of a forest or a booster.

A model should be evaluated on rows that it was not trained on. If a report is made with the training rows, the
out-of-bag or held-out scores of the fit are used instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.binning import bin_table
from ..data.training_rows import TrainingRows
from ..estimators.fitted_model import FittedModel
from ..fitting.calibration import cross_fitted
from ..judging.training_scores import held_out_if_training
from .rows import Rows

__all__ = ["Judged", "judge", "judge_at_fit"]


@dataclass(frozen=True)
class Judged:
    """Rows, their labels and their scores.

    Attributes
    ----------
    labels, score : arrays
    weights : array or None
    probability : array or None
        Of a positive; cross-fitted for held-out scores.
    source : {"given", "held_out"}
        Whether the scores are those of the model for the given rows, or the held-out scores of the fit.
    values : callable
        Positions among these rows -> a coded block.
    positions : array
        Where these rows are among those that were given.
    training : (array, array) or None
        For held-out scores: the labels of all training rows, and the positions of these rows among them.
    """

    labels: np.ndarray
    score: np.ndarray
    weights: np.ndarray | None
    probability: np.ndarray | None
    source: str
    values: Callable[[np.ndarray], np.ndarray]
    positions: np.ndarray
    training: tuple[np.ndarray, np.ndarray] | None = None

    def weights_of(self, positions: np.ndarray) -> np.ndarray | None:
        """Weights of some of the rows."""
        return None if self.weights is None else self.weights[positions]


def judge(model: FittedModel, X: Any, rows: Rows) -> Judged:
    """Scores of the given rows; the held-out scores of the fit, if these are the training rows."""
    score = model.score_samples(X)
    held_out = _held_out_here(model, rows, score)
    if held_out is not None:
        return held_out
    counted = rows.counted
    probability = model.positive_probability(X)
    return Judged(
        labels=rows.labels[counted],
        score=score[counted],
        weights=None if rows.weights is None else rows.weights[counted],
        probability=None if probability is None else probability[counted],
        source="given",
        values=lambda positions: rows.values(counted[positions]),
        positions=counted,
    )


def _held_out_here(model: FittedModel, rows: Rows, score: np.ndarray) -> Judged | None:
    """The held-out scores of the rows, if they are the training rows."""
    found, training = model.held_out_scores(), model.kept_rows()
    if found is None or len(found.scores) != len(rows.labels):
        return None
    held_out = found.scores
    kept = rows.counted  # training rows
    if training is not None:
        kept = np.arange(len(rows.labels)) if training.kept is None else np.flatnonzero(training.kept)
        if not _same_rows(training.rows, rows, kept):
            return None
    known = rows.counted[~np.isnan(held_out[rows.counted])]
    labels, weights = rows.labels[known], None if rows.weights is None else rows.weights[known]
    if len(np.unique(labels)) < 2:
        return None
    if training is None and held_out_if_training(model, rows.labels, score, rows.weights) is None:
        return None
    places = rows.labels[kept], np.searchsorted(kept, known)
    return _of_held_out(
        held_out[known], labels, weights, lambda positions: rows.values(known[positions]), known, places
    )


def _same_rows(training: TrainingRows, rows: Rows, kept: np.ndarray) -> bool:
    """Whether the labels are those of the training rows, and about 200 of the rows lie in the same bins."""
    if not np.array_equal(rows.labels[kept], training.labels):
        return False
    some = np.arange(0, len(kept), max(1, len(kept) // 200))
    codes = bin_table(rows.table.take(kept[some]), training.binned.bins).codes
    return bool(np.array_equal(codes, training.take(some).binned.codes))


def judge_at_fit(model: FittedModel) -> Judged | None:
    """Held-out scores with the training rows, if the model still has them; otherwise None."""
    found, training = model.held_out_scores(), model.kept_rows()
    if found is None or training is None:
        return None
    rows = training.rows
    score = found.scores if training.kept is None else found.scores[training.kept]
    known = np.flatnonzero(~np.isnan(score))
    weights = None if rows.weights is None else rows.weights[known]
    places = rows.labels, known
    return _of_held_out(
        score[known], rows.labels[known], weights, lambda positions: rows.values(known[positions]), known, places
    )


def _of_held_out(
    score: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    values: Callable[[np.ndarray], np.ndarray],
    positions: np.ndarray,
    training: tuple[np.ndarray, np.ndarray],
) -> Judged:
    probability = cross_fitted(score, labels, weights, seed=0)
    return Judged(labels, score, weights, probability, "held_out", values, positions, training)
