"""Inference for models of ordered labels: metrics with bootstrap intervals, and paired bootstrap tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.data.ordered_labels import check_order, order_of
from rankforest.metrics._inputs import check_scores, check_weights
from rankforest.metrics.bootstrap import check_replicates, interval_of_draws, paired_test_of_draws
from rankforest.metrics.comparison import Comparison, ComparisonRow, check_baseline, rows_of_metric
from rankforest.metrics.evaluate import Evaluation, EvaluationRow
from rankforest.metrics.interval import check_confidence
from rankforest.metrics.ordinal import concordance_index, mean_absolute_rank_error, positions, quadratic_kappa

__all__ = ["TITLES", "compare_ordinal", "evaluate_ordinal", "ordinal_draws"]

TITLES = ("C-index", "mean absolute error, in steps", "quadratic kappa")


def evaluate_ordinal(
    y_true: ArrayLike,
    y_score: ArrayLike,
    y_pred: ArrayLike,
    *,
    order: Iterable[Any] | None = None,
    confidence: float = 0.95,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    random_state: Any = 0,
) -> Evaluation:
    """C-index of the scores, and mean absolute error and quadratic kappa of the predicted labels.

    Parameters
    ----------
    y_true, y_score, y_pred : array-like of shape (n,)
        Labels, scores and predicted labels. Use rows that the model was not trained on.
    order : sequence of labels, optional
        The labels from the lowest to the highest; without it an ordered categorical has its own, and other labels are
        sorted. Errors count the steps between labels.
    confidence : float, default 0.95
    n_replicates : int, default 1000
        Draws of the rows; a draw of one label alone is left out.
    sample_weight : array-like of shape (n,), optional
    random_state : int, Generator or None, default 0

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> y = ["poor", "fair", "good", "good", "fair", "poor"]
    >>> predicted = ["poor", "fair", "good", "fair", "fair", "fair"]
    >>> print(evaluate_ordinal(y, [0.1, 0.4, 0.9, 0.6, 0.5, 0.3], predicted, order=["poor", "fair", "good"]))
    6 rows
    metric                         value   95% interval      by
    C-index                        1.0000  [1.0000, 1.0000]  bootstrap
    mean absolute error, in steps  0.3333  [0.0000, 0.6667]  bootstrap
    quadratic kappa                0.6667  [0.0000, 1.0000]  bootstrap
    """
    delta = check_confidence(confidence)
    (drawn,), n_rows = ordinal_draws(y_true, [(y_score, y_pred)], order, sample_weight, n_replicates, random_state)
    rows = (
        EvaluationRow.of(title, interval_of_draws(float(line[0]), line[1:], delta), "bootstrap")
        for title, line in zip(TITLES, drawn)
    )
    return Evaluation(tuple(rows), confidence, n_rows, None)


def compare_ordinal(
    models: Mapping[str, tuple[ArrayLike, ArrayLike]],
    y_true: ArrayLike,
    *,
    order: Iterable[Any] | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    random_state: Any = 0,
) -> Comparison:
    """Compare models of ordered labels on the same rows, all on the same draws of them.

    Parameters
    ----------
    models : dict of name -> (scores, predicted labels)
    y_true, order, confidence, n_replicates, sample_weight, random_state
        As in :func:`evaluate_ordinal`.
    baseline : str, optional
        Model that the others are tested against; without it the one with the greatest C-index.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> y, guess = [1, 2, 3, 3, 2, 1], [1, 2, 3, 2, 2, 2]
    >>> models = {"a": ([0.1, 0.4, 0.9, 0.6, 0.5, 0.3], guess), "b": ([0.1, 0.4, 0.3, 0.6, 0.5, 0.9], guess)}
    >>> found = compare_ordinal(models, y, n_replicates=100)
    >>> found.baseline, [round(row.value.estimate, 3) for row in found.rows[:2]]
    ('a', [1.0, 0.5])
    """
    delta = check_confidence(confidence)
    names = list(models)
    if not names:
        raise ValueError("models is empty; pass scores and predicted labels of at least one.")
    check_baseline(baseline, names)
    drawn, n_rows = ordinal_draws(y_true, list(models.values()), order, sample_weight, n_replicates, random_state)
    reference = int(np.argmax(drawn[:, 0, 0])) if baseline is None else names.index(baseline)
    rows: list[ComparisonRow] = []
    for title, lines in zip(TITLES, np.moveaxis(drawn, 1, 0)):
        values = [interval_of_draws(float(line[0]), line[1:], delta) for line in lines]
        others = [line for k, line in enumerate(lines) if k != reference]
        tests = [paired_test_of_draws(line, lines[reference], delta) for line in others]
        rows += rows_of_metric(title, names, values, tests, reference)
    return Comparison(
        tuple(rows), names[reference], baseline is None, 1.0 - delta, n_rows, None, "Intervals and tests: bootstrap."
    )


class _Guess(NamedTuple):
    score: FloatArray
    predicted: FloatArray


def ordinal_draws(
    y_true: ArrayLike,
    models: Sequence[tuple[ArrayLike, ArrayLike]],
    order: Iterable[Any] | None,
    sample_weight: ArrayLike | None,
    n_replicates: int,
    random_state: Any,
) -> tuple[FloatArray, int]:
    """The metrics (second axis) of the models (first) on the rows and on draws of them (third), and the rows."""
    check_replicates(n_replicates)
    ranked = _order(y_true, order)
    truth = positions(y_true, ranked, "y_true")
    n = len(truth)
    weights = check_weights(sample_weight, n)
    weights = np.ones(n) if weights is None else weights
    guesses = [_Guess(check_scores(score, n), positions(labels, ranked, "y_pred")) for score, labels in models]
    for guess in guesses:
        if len(guess.predicted) != n:
            raise ValueError(
                f"y_pred has {len(guess.predicted)} rows and y_true has {n}; pass one prediction per label."
            )

    def measured(weight: FloatArray) -> list[list[float]]:
        return [
            [
                concordance_index(truth, guess.score, sample_weight=weight),
                mean_absolute_rank_error(truth, guess.predicted, sample_weight=weight),
                quadratic_kappa(truth, guess.predicted, sample_weight=weight),
            ]
            for guess in guesses
        ]

    rng = np.random.default_rng(random_state)
    found = [measured(weights)]
    for _ in range(n_replicates):
        weight = rng.multinomial(n, np.full(n, 1.0 / n)) * weights
        if len(np.unique(truth[weight > 0])) > 1:  # a single label has no pairs
            found.append(measured(weight))
    return np.moveaxis(np.array(found), 0, 2), n


def _order(y_true: ArrayLike, order: Iterable[Any] | None) -> tuple[Any, ...]:
    if order is not None:
        return check_order(order)
    return order_of(y_true) or tuple(np.unique(np.asarray(y_true)).tolist())
