"""Comparison of several models on the same rows: metrics with intervals, and paired tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import RankingInputs, check_ranking_inputs, check_share
from rankforest.metrics._responses import score_rows
from rankforest.metrics.bootstrap import (
    WHOLE_LIST,
    MetricTest,
    check_groups,
    check_metric,
    check_replicates,
    interval_of_draws,
    known_name,
    paired_test_of_draws,
    replicate,
)
from rankforest.metrics.comparison import Comparison, ComparisonRow, check_baseline, rows_of_metric
from rankforest.metrics.delong import AucTest, paired_test
from rankforest.metrics.interval import check_confidence
from rankforest.metrics.placements import placements
from rankforest.metrics.score_interval import interval_of_auc
from rankforest.metrics.separation import gini_of
from rankforest.metrics.titles import TITLES, title_of

__all__ = ["compare", "named_models", "scores_of_models"]

USUAL = ("roc_auc", "gini", "ks_statistic", "relative_local_auc", "hit_ratio", "average_precision")
_BY_DELONG = ("roc_auc", "gini")


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: ArrayLike,
    *,
    metrics: Sequence[str | Callable[..., float]] = USUAL,
    u: float | Sequence[float] = (0.05, 0.1),
    confidence: float = 0.95,
    baseline: str | None = None,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> Comparison:
    """Compare models on rows that none of them was trained on: metrics with intervals, and paired tests.

    Parameters
    ----------
    models : dict of name -> model, or sequence of models
        A model is a fitted estimator with ``score_samples``, ``decision_function`` or ``predict_proba``, or an array
        of scores. In a sequence, estimators go by the name of their class.
    X : array-like, frame or None
        Rows for the estimators; None if all models are arrays of scores.
    y, sample_weight, pos_label
        As in :func:`roc_curve`. Without ``pos_label`` it is the label that the first estimator puts at the top, or the
        greater one.
    metrics : sequence
        Names as in :func:`bootstrap_interval`; by default AUC, Gini, KS, relative local AUC, hit ratio and average
        precision. Or functions ``metric(y, score, sample_weight=...)``, higher is better.
    u : float or sequence of float
        Shares of the list for the metrics of its top, in (0, 1].
    confidence : float, default 0.95
    baseline : str, optional
        Model that the others are tested against; by default the best one by the first metric. The best one is chosen on
        the same rows, so its figures are slightly optimistic; name the baseline in advance if that matters.
    n_replicates : int, default 1000
        Draws of the stratified bootstrap. They are the same for all models.
    groups : array-like of shape (n,), optional
        Rows with equal values, such as those of one customer, are drawn together: they are not independent.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Comparison
        AUC and Gini have the intervals of :func:`auc_interval` and DeLong's test, all other metrics, and these two if
        there are groups, those of the bootstrap. The p-values of a metric are corrected
        by Holm's method over the models, not over the metrics.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(400, random_state=0)
    >>> scores = {"eta": sample.eta, "sum": sample.X.sum(axis=1), "first": sample.X[:, 0]}
    >>> print(compare(scores, None, sample.y, metrics=["roc_auc", "hit_ratio"], u=0.1, n_replicates=200))
    3 models on 400 rows, 221 positive; intervals of confidence 95%
    <BLANKLINE>
    metric              model   value          interval  difference            interval         p
    AUC                 eta    0.7771  [0.7279, 0.8186]    baseline
                        sum    0.7335  [0.6812, 0.7791]     -0.0435  [-0.0761, -0.0110]    0.0089
                        first  0.5247  [0.4675, 0.5810]     -0.2524  [-0.3178, -0.1870]  < 0.0001
    <BLANKLINE>
    hit ratio, top 10%  eta    0.8750  [0.8000, 0.9750]    baseline
                        sum    0.9000  [0.7750, 0.9750]     +0.0250  [-0.1000, +0.1000]    0.8955
                        first  0.5500  [0.3750, 0.7000]     -0.3250  [-0.5000, -0.2000]    0.0199
    <BLANKLINE>
    Differences are to eta, the best in the first metric; p-values are corrected for several models (Holm).
    AUC and Gini: score intervals, DeLong's test; others: stratified bootstrap.
    """
    delta = check_confidence(confidence)
    check_replicates(n_replicates)
    wanted = _wanted_metrics(metrics, u)
    named = named_models(models)
    check_baseline(baseline, list(named))
    inputs, scores = scores_of_models(named, X, y, sample_weight, pos_label)

    names = list(named)
    placed = placements(inputs, scores)
    together = check_groups(groups, inputs)
    by_delong = _BY_DELONG if together is None else ()
    drawn_metrics = [(metric, share) for _, metric, share in wanted if metric not in by_delong]
    rng = np.random.default_rng(random_state)
    n_draws = n_replicates if drawn_metrics else 0
    drawn = iter(np.moveaxis(replicate(inputs, scores, drawn_metrics, n_draws, rng, together), 1, 0))
    rows: list[ComparisonRow] = []
    reference = None if baseline is None else names.index(baseline)
    for title, metric, _ in wanted:
        if metric in by_delong:
            values = [interval_of_auc(placed, delta, model=k) for k in range(len(names))]
            values = [gini_of(value) for value in values] if metric == "gini" else values
        else:
            of_models = next(drawn)
            values = [interval_of_draws(float(line[0]), line[1:], delta) for line in of_models]
        if reference is None:
            reference = int(np.argmax([value.estimate for value in values]))
        others = [k for k in range(len(names)) if k != reference]
        tests: list[AucTest] | list[MetricTest]
        if metric in by_delong:
            tests = [paired_test(placed, (k, reference), delta) for k in others]
            tests = [_of_gini(test) for test in tests] if metric == "gini" else tests
        else:
            tests = [paired_test_of_draws(of_models[k], of_models[reference], delta) for k in others]
        rows += rows_of_metric(title, names, values, tests, reference)
    assert reference is not None
    return Comparison(
        tuple(rows),
        names[reference],
        baseline is None,
        1.0 - delta,
        len(inputs.is_positive),
        int(inputs.is_positive.sum()),
        "Bootstrap of whole groups."
        if together is not None
        else "AUC and Gini: score intervals, DeLong's test; others: stratified bootstrap.",
    )


def _of_gini(test: AucTest) -> AucTest:
    """The same test of the Gini coefficients, whose difference is twice that of the AUCs."""
    gap = test.difference
    twice = replace(
        gap,
        estimate=2.0 * gap.estimate,
        low=2.0 * gap.low,
        high=2.0 * gap.high,
        standard_error=2.0 * gap.standard_error,
    )
    return replace(test, difference=twice)


def _wanted_metrics(metrics: Any, u: Any) -> list[tuple[str, Any, float | None]]:
    """Title, metric and share of every block of the table."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    metrics = list(metrics)
    if not metrics:
        raise ValueError("metrics is empty; name at least one, such as 'roc_auc'.")
    shares = [float(share) for share in np.atleast_1d(check_share(u))]
    wanted: list[tuple[str, Any, float | None]] = []
    for metric in metrics:
        name = known_name(metric)
        if name in TITLES and name not in WHOLE_LIST:
            wanted += [(title_of(name, share), name, share) for share in shares]
        else:
            check_metric(metric, None)
            wanted.append(
                (title_of(name), name, None) if name else (getattr(metric, "__name__", "metric"), metric, None)
            )
    return wanted


def named_models(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        named = {}
        for place, model in enumerate(models, start=1):
            kind = type(model).__name__ if _is_estimator(model) else f"scores {place}"
            named[kind if kind not in named else f"{kind} {place}"] = model
    if not named:
        raise ValueError("models is empty; pass at least one fitted estimator or array of scores.")
    return named


def _is_estimator(model: Any) -> bool:
    return hasattr(model, "decision_function") or hasattr(model, "predict_proba") or hasattr(model, "fit")


def scores_of_models(
    named: Mapping[str, Any], X: Any, y: ArrayLike, sample_weight: ArrayLike | None, pos_label: object
) -> tuple[RankingInputs, list[FloatArray]]:
    """Checked labels and weights, and the checked scores of every model."""
    raw = {}
    for name, model in named.items():
        if not _is_estimator(model):
            raw[name] = model
            continue
        if X is None:
            raise ValueError(f"X is None, but model {name!r} is an estimator; pass the rows to score.")
        # The first estimator sets the positive label; the scores of the others are negated if needed.
        raw[name], pos_label = score_rows(model, X, pos_label)
    checked = []
    for name, score in raw.items():
        try:
            checked.append(check_ranking_inputs(y, score, sample_weight=sample_weight, pos_label=pos_label))
        except ValueError as error:
            raise ValueError(f"Model {name!r}: {error}") from None
    return checked[0], [inputs.score for inputs in checked]
