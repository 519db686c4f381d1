"""Rows that a model was trained on: its scores of them are too good, and the held-out scores of the fit are not."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ..data.left_out import NotInFile
from ..estimators.fitted_model import FittedModel
from ..metrics.within import auc_within

__all__ = ["held_out_if_training"]


def held_out_if_training(
    model: FittedModel, labels: np.ndarray, scores: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray | None:
    """The held-out scores of the fit, NaN where a row has none, if these are the training rows in their order.

    A stored model has no rows, but the held-out score of each. So the rows are recognised by their labels, which give
    the same held-out AUC, and by their scores, which agree with the held-out ones far beyond chance.

    Parameters
    ----------
    model : FittedModel
    labels : array of 0 and 1
        1 is the positive label.
    scores : array
        Of the model for these rows.
    weights : array or None
        Rows of weight 0 do not count.

    Returns
    -------
    array or None
        None for other rows, or if the model has no held-out scores.

    Examples
    --------
    >>> from rankforest import RankBoost
    >>> from rankforest.data import simulate
    >>> sample, other = (simulate.rf20(200, random_state=seed) for seed in (0, 1))
    >>> model = RankBoost(20, random_state=0).fit(sample.X, sample.y)
    >>> held_out_if_training(model, sample.y == 1, model.score_samples(sample.X)).shape
    (200,)
    >>> held_out_if_training(model, other.y == 1, model.score_samples(other.X)) is None
    True
    """
    try:
        found = model.held_out_scores()
        if found is None or len(found.scores) != len(labels):
            return None
    except NotInFile:  # saved for scoring only
        return None
    held_out = found.scores
    known = ~np.isnan(held_out) if weights is None else ~np.isnan(held_out) & (weights > 0)
    own = np.asarray(labels)[known].astype(np.uint8)
    if len(np.unique(own)) < 2:
        return None
    blocks = None if found.blocks is None else found.blocks[known]
    auc = auc_within(own, held_out[known], None if weights is None else weights[known], blocks)
    same = abs(auc - found.auc) <= 1e-12 and _move_together(held_out[known], scores[known], own)
    return held_out if same else None


def _move_together(held_out: np.ndarray, score: np.ndarray, labels: np.ndarray) -> bool:
    """Whether two scores agree within the classes far beyond chance, as two scores of the same rows do.

    Other rows may have the same labels, for instance sorted ones, but their scores would not agree.
    """
    one, two = np.empty(len(labels)), np.empty(len(labels))
    for k in (0, 1):
        own = labels == k
        one[own], two[own] = (rankdata(each[own]) - (own.sum() + 1) / 2 for each in (held_out, score))
    spread = float(np.sqrt((one @ one) * (two @ two)))
    return spread > 0 and float(one @ two) / spread > 5.0 / np.sqrt(len(labels))
