"""Metrics for ordered labels, of predicted labels and of scores.

Predicted labels are measured by the rank error and by kappa. Scores are measured by the pairs of rows in the right
order (C-index), by the tuples with one row of each label (volume under the ROC surface) and by one AUC for each
threshold between the labels. Ties count one half wherever pairs are compared.

Labels are numbers, an ordered categorical, or any values with their `order`, from the lowest to the highest. The
distance of numbers is their difference, that of other labels the number of steps between them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest import _core
from rankforest.data.numbers import FloatArray, as_numbers
from rankforest.data.ordered_labels import OrderedLabels, check_order, order_of, read_ordered_labels
from rankforest.data.row_values import as_vector
from rankforest.metrics._inputs import check_scores, check_weights
from rankforest.metrics.roc import roc_auc

__all__ = [
    "ThresholdAuc",
    "concordance_index",
    "concordance_scorer",
    "mean_absolute_rank_error",
    "positions",
    "quadratic_kappa",
    "rank_error_scorer",
    "ranking_error",
    "threshold_auc",
    "volume_under_surface",
]

Order = Iterable[Any] | None


class ThresholdAuc(NamedTuple):
    """One AUC for each threshold between neighbouring labels.

    Attributes
    ----------
    above : ndarray of shape (k - 1,)
        The label just above each threshold: rows of this label or a higher one are the positives.
    auc : ndarray of shape (k - 1,)
        Area under the ROC curve of each.

    Examples
    --------
    >>> curve = threshold_auc([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9])
    >>> curve.auc.tolist(), curve.mean
    ([1.0, 0.75], 0.875)
    """

    above: NDArray[Any]
    auc: FloatArray

    @property
    def mean(self) -> float:
        """Mean over the thresholds."""
        return float(self.auc.mean())


# ---- predicted labels


def mean_absolute_rank_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> float:
    """Mean of `|predicted label - label|`, the error of the ordinal ranking tree paper.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels, and predicted labels.
    order : sequence of labels, optional
        All labels from the lowest to the highest; the error then counts steps between them.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_absolute_rank_error([1, 2, 5], [1, 4, 4])
    1.0
    >>> mean_absolute_rank_error(["low", "mid"], ["high", "mid"], order=["low", "mid", "high"])
    1.0
    """
    true, predicted, weight = _two_columns(y_true, y_pred, order, sample_weight)
    return float(np.average(np.abs(true - predicted), weights=weight))


def quadratic_kappa(
    y_true: ArrayLike, y_pred: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> float:
    """Cohen's kappa with quadratic weights: 1 less the mean squared difference over that of independent columns.

    With labels one step apart it equals ``sklearn.metrics.cohen_kappa_score(..., weights="quadratic")``.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels, and predicted labels.
    order : sequence of labels, optional
        All labels from the lowest to the highest; differences then count steps between them.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        1 for equal columns, 0 on average for independent ones.

    Examples
    --------
    >>> quadratic_kappa([1, 2, 3, 3], [1, 3, 3, 2])
    0.6363636363636364
    """
    true, predicted, weight = _two_columns(y_true, y_pred, order, sample_weight)
    observed = np.average((true - predicted) ** 2, weights=weight)
    means = [np.average(column, weights=weight) for column in (true, predicted)]
    spreads = [np.average((column - mean) ** 2, weights=weight) for column, mean in zip((true, predicted), means)]
    expected = sum(spreads) + (means[0] - means[1]) ** 2
    if expected == 0.0:
        raise ValueError(
            "y_true and y_pred have the same single label in all rows, so kappa is 0 / 0; pass rows of two labels."
        )
    return float(1.0 - observed / expected)


# ---- scores


def concordance_index(
    y_true: ArrayLike, y_score: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> float:
    """Share of the pairs of rows with different labels that the score puts in order; ties count one half.

    With two labels it is the AUC. Takes O(n log n), for any number of labels.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Ordered labels.
    y_score : array-like of shape (n,)
        Finite scores, higher for higher labels.
    order : sequence of labels, optional
        All labels from the lowest to the highest.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; a pair weighs the product of its two.

    Returns
    -------
    float

    Examples
    --------
    >>> concordance_index([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9])
    0.8
    """
    labels = positions(y_true, order, "y_true")
    score, weight = _scores_and_weights(y_score, sample_weight, len(labels))
    if weight is not None:
        present = weight > 0
        labels, score, weight = labels[present], score[present], weight[present]
    _, level = np.unique(labels, return_inverse=True)
    # An unweighted count is a sum of ones: whole, and so exact.
    masses = np.bincount(level, weights=weight).astype(np.float64)
    before = np.append(0.0, np.cumsum(masses)[:-1])
    pairs = float(masses @ before)
    if pairs == 0.0:
        raise ValueError("y_true holds one label only; pass rows of two or more labels.")
    discordant, _, tied = _core.kendall_masses(labels, score, weight)
    return float(1.0 - (discordant + 0.5 * tied) / pairs)


def ranking_error(
    y_true: ArrayLike, y_score: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> float:
    """Share of the pairs of rows with different labels that the score puts in the wrong order: 1 - C-index.

    Parameters are those of `concordance_index`.

    Examples
    --------
    >>> round(ranking_error([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9]), 12)
    0.2
    """
    return 1.0 - concordance_index(y_true, y_score, order=order, sample_weight=sample_weight)


def volume_under_surface(
    y_true: ArrayLike, y_score: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> float:
    """Probability that one row of each label, drawn at random, are scored in the order of their labels.

    Rows with equal scores are taken in random order: a tie of two counts one half, a tie of three one sixth. With two
    labels it is the AUC; a random score has 1 / k!. Takes O(n log n + n k^2), and is exact for any k.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        2 to 100 ordered labels.
    y_score : array-like of shape (n,)
        Finite scores, higher for higher labels.
    order : sequence of labels, optional
        All labels from the lowest to the highest.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights; a label is drawn in proportion to them.

    Returns
    -------
    float

    Examples
    --------
    >>> volume_under_surface([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9])
    0.5
    >>> round(volume_under_surface([1, 2, 3], [0, 0, 0]), 4)
    0.1667
    """
    labels, score, weight = _labels_and_scores(y_true, y_score, order, sample_weight)
    k = labels.n_levels
    _, step = np.unique(score, return_inverse=True)
    n_steps = int(step.max()) + 1
    share = np.bincount(step * k + labels.codes, weights=weight, minlength=n_steps * k).reshape(n_steps, k)
    share = share / share.sum(axis=0)
    # below[j] at a score: the probability that rows of the first j labels are in order and all scored below it. If the
    # last m of them share a score, they are in the right order with probability 1 / m!.
    below = [np.ones(n_steps)]
    total = 1.0
    for j in range(1, k + 1):
        here = np.zeros(n_steps)
        tied = np.ones(n_steps)
        for m in range(1, j + 1):
            tied = tied * share[:, j - m]
            if not tied.any():
                break
            here += below[j - m] * tied / factorial(m)
        ending = np.cumsum(here)
        below.append(np.append(0.0, ending[:-1]))
        total = float(ending[-1])
    return total


def threshold_auc(
    y_true: ArrayLike, y_score: ArrayLike, *, order: Order = None, sample_weight: ArrayLike | None = None
) -> ThresholdAuc:
    """AUC of the score for each question "is the label at least L?".

    Parameters
    ----------
    y_true : array-like of shape (n,)
        2 to 100 ordered labels.
    y_score : array-like of shape (n,)
        Finite scores, higher for higher labels.
    order : sequence of labels, optional
        All labels from the lowest to the highest.
    sample_weight : array-like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    ThresholdAuc

    Examples
    --------
    >>> threshold_auc([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9]).above
    array([2, 3])
    """
    labels, score, weight = _labels_and_scores(y_true, y_score, order, sample_weight)
    levels = range(1, labels.n_levels)
    auc = np.array([roc_auc(labels.codes >= level, score, sample_weight=weight) for level in levels])
    return ThresholdAuc(labels.levels[1:], auc)


# ---- scorers, for `scoring=` in scikit-learn


def rank_error_scorer(estimator: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
    """Minus the mean absolute rank error of the predicted labels: a `scoring` for scikit-learn, higher is better.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> cross_val_score(DummyClassifier(), [[0]] * 6, [1, 1, 1, 1, 3, 3], scoring=rank_error_scorer, cv=2)
    array([-0.66666667, -0.66666667])
    """
    order = getattr(estimator, "order", None)
    return -mean_absolute_rank_error(y, estimator.predict(X), order=order, sample_weight=sample_weight)


def concordance_scorer(estimator: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
    """C-index of the score, or of the predicted labels if there is no single score: a `scoring` for scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = [[0], [1], [2], [3]], [1, 1, 2, 3]
    >>> concordance_scorer(LinearRegression().fit(X, y), X, y)
    1.0
    """
    order = getattr(estimator, "order", None)
    if hasattr(estimator, "score_samples"):
        score = np.asarray(estimator.score_samples(X))
    else:
        score = positions(estimator.predict(X), order_of(y) if order is None else order, "The prediction")
    return concordance_index(y, score, order=order, sample_weight=sample_weight)


# ---- inputs


def positions(labels: Any, order: Order, name: str) -> FloatArray:
    """Positions of the labels on the line: the value of a number, the index in the order of other labels."""
    ranked = order_of(labels) if order is None else check_order(order)
    if ranked is None:
        remedy = "pass numbers, or give all labels from the lowest to the highest as order=[...]"
        values = as_numbers(labels, name, remedy)
        bad = ~np.isfinite(values)
        if bad.any():
            row = int(bad.argmax())
            raise ValueError(f"{name} must be finite, got {values[row]} in row {row}; drop the rows without a label.")
    else:
        place = {label: float(i) for i, label in enumerate(ranked)}
        listed = as_vector(labels, name).tolist()
        values = np.array([place.get(label, -1.0) for label in listed])
        if (values < 0).any():
            row = int((values < 0).argmax())
            raise ValueError(f"{name} holds {listed[row]!r} in row {row}, which is not in order; add it to order.")
    if len(values) == 0:
        raise ValueError(f"{name} is empty; pass at least one row.")
    return values


def _two_columns(
    y_true: ArrayLike, y_pred: ArrayLike, order: Order, sample_weight: ArrayLike | None
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    if order is None:
        order = order_of(y_true) or order_of(y_pred)
    true = positions(y_true, order, "y_true")
    predicted = positions(y_pred, order, "y_pred")
    if len(predicted) != len(true):
        raise ValueError(f"y_pred has {len(predicted)} rows and y_true has {len(true)}; pass one prediction per label.")
    return true, predicted, check_weights(sample_weight, len(true))


def _scores_and_weights(
    y_score: ArrayLike, sample_weight: ArrayLike | None, n_rows: int
) -> tuple[FloatArray, FloatArray | None]:
    return check_scores(y_score, n_rows), check_weights(sample_weight, n_rows)


def _labels_and_scores(
    y_true: ArrayLike, y_score: ArrayLike, order: Order, sample_weight: ArrayLike | None
) -> tuple[OrderedLabels, FloatArray, FloatArray | None]:
    """Labels as codes, without the rows of weight 0."""
    n_rows = len(positions(y_true, order, "y_true"))
    score, weight = _scores_and_weights(y_score, sample_weight, n_rows)
    order = order_of(y_true) if order is None else order
    present = np.ones(len(score), dtype=bool) if weight is None else weight > 0
    labels = read_ordered_labels(np.asarray(y_true)[present], n_rows=int(present.sum()), order=order)
    return labels, score[present], None if weight is None else weight[present]
