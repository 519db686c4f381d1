"""Figures of cross-validation: the means over folds, each judged by a model of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import check_ranking_inputs, check_share
from rankforest.metrics.bootstrap import check_groups, check_replicates, interval_of_draws, replicate
from rankforest.metrics.evaluate import Evaluation, EvaluationRow
from rankforest.metrics.interval import check_confidence
from rankforest.metrics.ordinal_inference import TITLES, ordinal_draws
from rankforest.metrics.score_interval import auc_interval
from rankforest.metrics.separation import gini_of
from rankforest.metrics.titles import title_of

__all__ = ["JudgedFold", "evaluate_folds", "evaluate_ordinal_folds"]


class JudgedFold(NamedTuple):
    """The held-out rows of a fold, scored by a model that has not seen them.

    Attributes
    ----------
    labels, scores : array
    predicted : array or None
        Predicted labels, of ordered ones.
    weights : array or None
    groups : array or None
        Rows with equal values, such as those of one customer, are drawn together.
    """

    labels: Any
    scores: Any
    predicted: Any = None
    weights: Any = None
    groups: Any = None


def evaluate_folds(
    folds: Sequence[JudgedFold],
    *,
    u: float | Sequence[float] = (0.05, 0.1),
    pos_label: object = None,
    confidence: float = 0.95,
    n_replicates: int = 1000,
    random_state: Any = 0,
) -> Evaluation:
    """AUC, Gini, KS and the relative local AUC of held-out rows: the means over the folds.

    Scores of different models are not compared with each other, only those of the same fold.

    Parameters
    ----------
    folds : sequence of JudgedFold
        One fold is a plain test set.
    u : float or sequence of float
        Shares of the list for the relative local AUC, in (0, 1].
    pos_label : label, optional
        As in :func:`roc_curve`.
    confidence : float, default 0.95
    n_replicates : int, default 1000
        Draws of the bootstrap.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Evaluation
        The intervals are for the models as they are, on new rows. AUC and Gini of one fold without groups have the
        interval of :func:`auc_interval`; all others are by the bootstrap within the folds.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(400, random_state=0)
    >>> halves = [JudgedFold(sample.y[rows], sample.eta[rows]) for rows in (slice(200), slice(200, 400))]
    >>> print(evaluate_folds(halves, u=0.1, n_replicates=200))
    400 rows, 221 positive
    metric                       value   95% interval      by
    AUC                          0.7775  [0.7285, 0.8210]  bootstrap
    Gini                         0.5551  [0.4571, 0.6420]  bootstrap
    KS                           0.4847  [0.4094, 0.5625]  bootstrap
    relative local AUC, top 10%  0.9183  [0.8088, 0.9747]  bootstrap
    """
    delta = check_confidence(confidence)
    check_replicates(n_replicates)
    shares = [float(share) for share in np.atleast_1d(check_share(u))]
    wanted: list[tuple[str, float | None]] = [("roc_auc", None), ("gini", None), ("ks_statistic", None)]
    wanted += [("relative_local_auc", share) for share in shares]
    inputs = [
        check_ranking_inputs(fold.labels, fold.scores, sample_weight=fold.weights, pos_label=pos_label)
        for fold in folds
    ]
    rng = np.random.default_rng(random_state)
    drawn = [
        replicate(each, [each.score], wanted, n_replicates, rng, check_groups(fold.groups, each))[0]
        for each, fold in zip(inputs, folds)
    ]
    rows = _means([title_of(*metric) for metric in wanted], drawn, delta)
    if len(folds) == 1 and folds[0].groups is None:
        auc = auc_interval(
            inputs[0].is_positive, inputs[0].score, confidence=confidence, sample_weight=inputs[0].weight
        )
        rows[:2] = [EvaluationRow.of("AUC", auc), EvaluationRow.of("Gini", gini_of(auc))]
    n_positive = sum(int(each.is_positive.sum()) for each in inputs)
    return Evaluation(tuple(rows), confidence, sum(len(each.score) for each in inputs), n_positive)


def evaluate_ordinal_folds(
    folds: Sequence[JudgedFold],
    *,
    order: Iterable[Any],
    confidence: float = 0.95,
    n_replicates: int = 1000,
    random_state: Any = 0,
) -> Evaluation:
    """C-index, mean absolute error and quadratic kappa of held-out rows with ordered labels: the means over the folds.

    Parameters
    ----------
    folds : sequence of JudgedFold
        With predicted labels.
    order : sequence of labels
        From the lowest to the highest.
    confidence, n_replicates, random_state
        As in `evaluate_folds`.

    Examples
    --------
    >>> fold = JudgedFold([1, 2, 3, 3], [0.1, 0.4, 0.9, 0.6], [1, 2, 3, 2])
    >>> [row.metric for row in evaluate_ordinal_folds([fold], order=[1, 2, 3], n_replicates=20).rows]
    ['C-index', 'mean absolute error, in steps', 'quadratic kappa']
    """
    delta = check_confidence(confidence)
    found = [
        ordinal_draws(fold.labels, [(fold.scores, fold.predicted)], order, fold.weights, n_replicates, random_state)
        for fold in folds
    ]
    fewest = min(drawn.shape[2] for drawn, _ in found)
    rows = _means(TITLES, [drawn[0, :, :fewest] for drawn, _ in found], delta)
    return Evaluation(tuple(rows), confidence, sum(n for _, n in found), None)


def _means(titles: Sequence[str], drawn: Sequence[FloatArray], delta: float) -> list[EvaluationRow]:
    """Means over the folds; every array has a line per metric: its value, and those of the draws."""
    return [
        EvaluationRow.of(title, interval_of_draws(float(line[0]), line[1:], delta), "bootstrap")
        for title, line in zip(titles, np.mean(drawn, axis=0))
    ]
