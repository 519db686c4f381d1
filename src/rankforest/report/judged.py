"""Scores with labels: what a forest or a booster is judged by.

The best judges are rows that were not learned from. A report is often made of the training rows themselves; then the
scores that were held out in the fit, out of bag or out of fold, are the ones that count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.binning import bin_table
from ..forest.calibration import cross_fitted
from ..metrics.roc import roc_auc
from .models import forest_in, held_out_scores
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
        Of a positive; on held-out scores by maps that were not learned from the row.
    source : {"given", "held_out"}
        Whether the scores are those of the model for the rows given, or those held out in the fit.
    values : callable
        Positions among these rows -> a coded block.
    training : (array, array) or None
        Held out: the labels of all training rows, and where among them these rows are.
    """

    labels: np.ndarray
    score: np.ndarray
    weights: np.ndarray | None
    probability: np.ndarray | None
    source: str
    values: Callable[[np.ndarray], np.ndarray]
    training: tuple[np.ndarray, np.ndarray] | None = None

    def weights_of(self, positions: np.ndarray) -> np.ndarray | None:
        """Weights of some of the rows."""
        return None if self.weights is None else self.weights[positions]


def judge(model: Any, X: Any, rows: Rows) -> Judged:
    """Scores of the rows given; those held out in the fit, where the rows are those of the fit."""
    held_out = _held_out_here(model, rows)
    if held_out is not None:
        return held_out
    counted = rows.counted
    positive = model.classes_.tolist().index(model.pos_label_)
    return Judged(
        labels=rows.labels[counted],
        score=model.decision_function(X)[counted],
        weights=None if rows.weights is None else rows.weights[counted],
        probability=model.predict_proba(X)[counted, positive],
        source="given",
        values=lambda positions: rows.values(counted[positions]),
    )


def _held_out_here(model: Any, rows: Rows) -> Judged | None:
    """The held-out scores, if these rows have just the labels that give them the AUC that they had in the fit."""
    found = held_out_scores(model)
    if found is None or len(found[0]) != len(rows.labels):
        return None
    score, auc = found
    known = np.flatnonzero(~np.isnan(score) & (True if rows.weights is None else rows.weights > 0))
    labels = rows.labels[known]
    weights = None if rows.weights is None else rows.weights[known]
    if len(np.unique(labels)) < 2 or not np.isclose(roc_auc(labels, score[known], sample_weight=weights), auc, 1e-12):
        return None
    forest = forest_in(model)
    if hasattr(forest, "_rows") and not _same_values(forest, rows):
        return None
    training = rows.labels[rows.counted], np.searchsorted(rows.counted, known)
    return _of_held_out(score[known], labels, weights, lambda positions: rows.values(known[positions]), training)


def _same_values(forest: Any, rows: Rows) -> bool:
    """Whether some of the rows lie in the bins of the training rows at the same place, as far as these are kept."""
    bins = forest._rows.binned.bins
    some = rows.counted[:: max(1, len(rows.counted) // 200)]
    place = some if forest._kept is None else np.searchsorted(np.flatnonzero(forest._kept), some)
    return bool(np.array_equal(bin_table(rows.table.take(some), bins).codes, forest._rows.binned.codes[place]))


def judge_at_fit(model: Any) -> Judged | None:
    """Out-of-bag scores with the training rows, while a forest keeps them; None where it does not."""
    forest, found = forest_in(model), held_out_scores(model)
    if found is None or forest is None or not hasattr(forest, "_rows"):
        return None
    rows, kept, score = forest._rows, forest._kept, found[0]
    score = score if kept is None else score[kept]
    known = np.flatnonzero(~np.isnan(score))
    weights = None if rows.weights is None else rows.weights[known]
    training = rows.labels, known
    return _of_held_out(
        score[known], rows.labels[known], weights, lambda positions: rows.values(known[positions]), training
    )


def _of_held_out(
    score: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    values: Callable[[np.ndarray], np.ndarray],
    training: tuple[np.ndarray, np.ndarray],
) -> Judged:
    return Judged(labels, score, weights, cross_fitted(score, labels, weights, seed=0), "held_out", values, training)
