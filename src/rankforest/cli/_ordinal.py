"""Metrics of models of ordered labels, with intervals and paired tests by drawing the rows anew."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..metrics import concordance_index, mean_absolute_rank_error, quadratic_kappa
from ..metrics.bootstrap import interval_of_draws, paired_test_of_draws
from ..metrics.comparison import holm
from ._model import Loaded
from ._scoring import Scored

__all__ = ["MEASURES", "compare_ordinal", "comparison_text", "ordinal_draws"]

MEASURES = ("C-index", "mean absolute error, in steps", "quadratic kappa")


def ordinal_draws(loaded: Loaded, scored: Sequence[Scored], replicates: int) -> np.ndarray:
    """The measures of models on the same rows and on the same draws of them.

    Parameters
    ----------
    loaded : Loaded
        Any of the models: it knows the order of the labels.
    scored : sequence of Scored
        The rows as each model sees them, with labels.
    replicates : int

    Returns
    -------
    array of shape (n_models, n_measures, 1 + draws)
        The rows themselves first. A draw with one label alone has no pairs to put in order, and is left out.
    """
    order = {label: k for k, label in enumerate(loaded.model.classes_.tolist())}
    first = scored[0]
    truth = _places(first.labels, order)
    guesses = [_places(one.predicted, order) for one in scored]
    weights = np.ones(len(truth)) if first.weights is None else first.weights

    def measured(weight: np.ndarray) -> list[list[float]]:
        return [
            [
                concordance_index(truth, one.scores, sample_weight=weight),
                mean_absolute_rank_error(truth, guess, sample_weight=weight),
                quadratic_kappa(truth, guess, sample_weight=weight),
            ]
            for one, guess in zip(scored, guesses)
        ]

    rng = np.random.default_rng(0)
    found = [measured(weights)]
    for _ in range(replicates):
        weight = rng.multinomial(len(truth), np.full(len(truth), 1.0 / len(truth))) * weights
        if len(np.unique(truth[weight > 0])) > 1:
            found.append(measured(weight))
    return np.moveaxis(np.array(found), 0, 2)


def compare_ordinal(
    models: Sequence[Loaded], scored: Sequence[Scored], *, baseline: str | None, confidence: float, replicates: int
) -> tuple[str, list[dict[str, Any]]]:
    """The baseline, and for every measure and model its value, its difference to the baseline and a paired test.

    Parameters
    ----------
    models, scored : sequences of the same length
    baseline : str or None
        Path of a model; None is the one with the greatest C-index.
    confidence : float
    replicates : int
    """
    draws, delta = ordinal_draws(models[0], scored, replicates), 1.0 - confidence
    paths = [loaded.path for loaded in models]
    base = int(np.argmax(draws[:, 0, 0])) if baseline is None else paths.index(baseline)
    rows: list[dict[str, Any]] = []
    for j, measure in enumerate(MEASURES):
        tests = {k: paired_test_of_draws(draws[k, j], draws[base, j], delta) for k in range(len(paths)) if k != base}
        adjusted = dict(zip(tests, holm([test.p_value for test in tests.values()])))
        for k, path in enumerate(paths):
            value = interval_of_draws(float(draws[k, j, 0]), draws[k, j, 1:], delta)
            gap = None if k == base else tests[k].difference
            rows.append(
                {
                    "metric": measure,
                    "model": path,
                    "estimate": value.estimate,
                    "low": value.low,
                    "high": value.high,
                    "difference": None if gap is None else gap.estimate,
                    "difference_low": None if gap is None else gap.low,
                    "difference_high": None if gap is None else gap.high,
                    "p_value": None if k == base else tests[k].p_value,
                    "adjusted_p_value": adjusted.get(k),
                }
            )
    return paths[base], rows


def comparison_text(found: dict[str, Any], confidence: float) -> str:
    """What `compare_ordinal` found, for people."""
    lines = [f"{found['rows']} rows; intervals of confidence {confidence * 100:g}% by the bootstrap"]
    width = max(len(row["model"]) for row in found["comparisons"])
    measure = None
    for row in found["comparisons"]:
        if row["metric"] != measure:
            measure = row["metric"]
            lines += ["", measure]
        gap = "baseline"
        if row["difference"] is not None:
            gap = f"{row['difference']:+.4f} [{row['difference_low']:+.4f}, {row['difference_high']:+.4f}]"
            gap += f"  p = {row['adjusted_p_value']:.4f}"
        lines.append(f"  {row['model']:{width}}  {row['estimate']:.4f} [{row['low']:.4f}, {row['high']:.4f}]  {gap}")
    return "\n".join(
        [*lines, "", f"Differences are to {found['baseline']}; p-values are corrected for several models (Holm)."]
    )


def _places(labels: Any, order: dict[Any, int]) -> np.ndarray:
    return np.array([order[label] for label in labels.tolist()])
