"""Several models on the same rows: figures with intervals, and tests that know that the rows are the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import FloatArray
from rankforest.metrics._inputs import RankingInputs, check_ranking_inputs, check_share
from rankforest.metrics._responses import score_rows
from rankforest.metrics.bootstrap import (
    WHOLE_LIST,
    check_metric,
    check_replicates,
    interval_of_draws,
    known_name,
    paired_test_of_draws,
    replicate,
)
from rankforest.metrics.delong import paired_test
from rankforest.metrics.interval import Interval, check_confidence
from rankforest.metrics.placements import placements
from rankforest.metrics.score_interval import interval_of_auc

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "ComparisonRow", "compare", "named_models", "scores_of_models"]

_TITLES = {
    "roc_auc": "AUC",
    "average_precision": "average precision",
    "local_auc": "local AUC",
    "partial_auc": "partial AUC",
    "hit_ratio": "hit ratio",
    "recall_at": "recall",
}


@dataclass(frozen=True)
class ComparisonRow:
    """One model under one metric.

    Attributes
    ----------
    metric, model : str
    value : Interval
        The metric with its interval.
    difference : Interval or None
        The model minus the baseline; None for the baseline itself.
    p_value : float or None
        Of the hypothesis that there is no difference to the baseline.
    adjusted_p_value : float or None
        The same after Holm's correction over the models of this metric.
    """

    metric: str
    model: str
    value: Interval
    difference: Interval | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None


@dataclass(frozen=True)
class Comparison:
    """What `compare` found; print it, or take ``to_frame()``.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        Metric by metric, the models in the order in which they were given.
    baseline : str
        The model that the others are tested against.
    chosen : bool
        Whether the baseline was chosen as the best in the first metric.
    confidence : float
    n_rows, n_positive : int
        Rows, and positives among them.
    """

    rows: tuple[ComparisonRow, ...]
    baseline: str
    chosen: bool
    confidence: float
    n_rows: int
    n_positive: int

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as plain lists, ready for JSON.

        Examples
        --------
        >>> found = compare({"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]}, None, [0, 1, 0, 1], metrics=["roc_auc"])
        >>> found.to_dict()["estimate"]
        [0.75, 1.0]
        """
        columns: dict[str, list[Any]] = {}
        for row in self.rows:
            gap = row.difference
            cells = {
                "metric": row.metric,
                "model": row.model,
                "estimate": row.value.estimate,
                "low": row.value.low,
                "high": row.value.high,
                "standard_error": row.value.standard_error,
                "difference": None if gap is None else gap.estimate,
                "difference_low": None if gap is None else gap.low,
                "difference_high": None if gap is None else gap.high,
                "p_value": row.p_value,
                "adjusted_p_value": row.adjusted_p_value,
            }
            for name, cell in cells.items():
                columns.setdefault(name, []).append(cell)
        return columns

    def to_frame(self) -> pd.DataFrame:
        """The table as a pandas data frame, indexed by metric and model.

        Examples
        --------
        >>> found = compare({"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]}, None, [0, 1, 0, 1], metrics=["roc_auc"])
        >>> found.to_frame().loc[("AUC", "a"), "estimate"]
        np.float64(0.75)
        """
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "Comparison.to_frame needs pandas, which is not installed; run `pip install pandas` or use to_dict()."
            ) from None
        frame = pd.DataFrame(self.to_dict()).set_index(["metric", "model"])
        return frame.astype(float)

    def __str__(self) -> str:
        cells = [_HEAD, *self._cells()]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines: list[str] = []
        for row in cells:
            # names to the left, figures to the right
            padded = [cell.ljust(w) if j < 2 else cell.rjust(w) for j, (cell, w) in enumerate(zip(row, widths))]
            if row[0] and len(lines) > 1:
                lines.append("")
            lines.append("  ".join(padded).rstrip())
        return "\n".join([self._title(), "", *lines, "", self._note()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in _HEAD) + "</tr>"
        rows = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells()]
        body = "\n".join([head, *rows])
        return f"<table>\n<caption>{escape(self._title())}</caption>\n{body}\n</table>\n<p>{escape(self._note())}</p>"

    def _title(self) -> str:
        models = len({row.model for row in self.rows})
        return (
            f"{models} models on {self.n_rows} rows, {self.n_positive} positive; "
            f"intervals of confidence {self.confidence * 100:g}%"
        )

    def _note(self) -> str:
        chosen = ", the best in the first metric" if self.chosen else ""
        return (
            f"Differences are to {self.baseline}{chosen}; p-values are corrected for several models (Holm).\n"
            "AUC: score intervals, DeLong's test; others: stratified bootstrap."
        )

    def _cells(self) -> list[list[str]]:
        """The text of every cell; a metric is named once."""
        cells, last = [], None
        for row in self.rows:
            value, gap = row.value, row.difference
            cells.append(
                [
                    "" if row.metric == last else row.metric,
                    row.model,
                    f"{value.estimate:.4f}",
                    f"[{value.low:.4f}, {value.high:.4f}]",
                    "baseline" if gap is None else f"{gap.estimate:+.4f}",
                    "" if gap is None else f"[{gap.low:+.4f}, {gap.high:+.4f}]",
                    "" if row.adjusted_p_value is None else _p_text(row.adjusted_p_value),
                ]
            )
            last = row.metric
        return cells


_HEAD = ["metric", "model", "value", "interval", "difference", "interval", "p"]


def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: ArrayLike,
    *,
    metrics: Sequence[str | Callable[..., float]] = ("roc_auc", "local_auc", "hit_ratio", "average_precision"),
    u: float | Sequence[float] = (0.05, 0.1),
    confidence: float = 0.95,
    baseline: str | None = None,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> Comparison:
    """Compare models on rows that none of them has seen: figures with intervals, and paired tests.

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
        Names as in :func:`bootstrap_interval`, or functions ``metric(y, score, sample_weight=...)``, higher is better.
    u : float or sequence of float
        Shares of the list for the metrics of its top, in (0, 1].
    confidence : float, default 0.95
    baseline : str, optional
        Model that the others are tested against; without it the best in the first metric. Being chosen on the same
        rows, the best looks a little better than it is: name the baseline beforehand where that matters.
    n_replicates : int, default 1000
        Draws of the stratified bootstrap. They are the same for all models.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Comparison
        AUCs have the intervals of :func:`auc_interval` and DeLong's test, all other metrics those of the bootstrap. The
        p-values of a metric are corrected by Holm's method over the models, not over the metrics.

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
    AUC: score intervals, DeLong's test; others: stratified bootstrap.
    """
    delta = check_confidence(confidence)
    check_replicates(n_replicates)
    wanted = _wanted_metrics(metrics, u)
    named = named_models(models)
    if baseline is not None and baseline not in named:
        raise ValueError(f"baseline {baseline!r} is not among the models; use one of {', '.join(map(repr, named))}.")
    inputs, scores = scores_of_models(named, X, y, sample_weight, pos_label)

    names = list(named)
    placed = placements(inputs, scores)
    drawn_metrics = [(metric, share) for _, metric, share in wanted if metric != "roc_auc"]
    rng = np.random.default_rng(random_state)
    drawn = iter(np.moveaxis(replicate(inputs, scores, drawn_metrics, n_replicates if drawn_metrics else 0, rng), 1, 0))
    rows: list[ComparisonRow] = []
    reference = None if baseline is None else names.index(baseline)
    for title, metric, _ in wanted:
        if metric == "roc_auc":
            values = [interval_of_auc(placed, delta, model=k) for k in range(len(names))]
        else:
            of_models = next(drawn)
            values = [interval_of_draws(float(line[0]), line[1:], delta) for line in of_models]
        if reference is None:
            reference = int(np.argmax([value.estimate for value in values]))
        others = [k for k in range(len(names)) if k != reference]
        if metric == "roc_auc":
            found = [paired_test(placed, (k, reference), delta) for k in others]
            tests = [(test.difference, test.p_value) for test in found]
        else:
            drawn_tests = [paired_test_of_draws(of_models[k], of_models[reference], delta) for k in others]
            tests = [(test.difference, test.p_value) for test in drawn_tests]
        adjusted = holm([p_value for _, p_value in tests])
        tested = {k: (*test, p) for k, test, p in zip(others, tests, adjusted)}
        rows += [ComparisonRow(title, name, values[k], *tested.get(k, ())) for k, name in enumerate(names)]
    assert reference is not None
    return Comparison(
        tuple(rows),
        names[reference],
        baseline is None,
        1.0 - delta,
        len(inputs.is_positive),
        int(inputs.is_positive.sum()),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of several tests, corrected so that the chance of any false alarm keeps its level (Holm, 1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values)
    factor = np.arange(len(order), 0, -1)
    stepped = np.minimum(np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factor), 1.0)
    adjusted = np.empty(len(order))
    adjusted[order] = stepped
    return [float(p) for p in adjusted]


def _p_text(p_value: float) -> str:
    return "< 0.0001" if p_value < 1e-4 else f"{p_value:.4f}"


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
        if name in _TITLES and name not in WHOLE_LIST:
            wanted += [(f"{_TITLES[name]}, top {share * 100:g}%", name, share) for share in shares]
        else:
            check_metric(metric, None)
            wanted.append(
                (_TITLES[name], name, None) if name else (getattr(metric, "__name__", "metric"), metric, None)
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
        # The first estimator says which label is positive; the others are turned around if they must be.
        raw[name], pos_label = score_rows(model, X, pos_label)
    checked = []
    for name, score in raw.items():
        try:
            checked.append(check_ranking_inputs(y, score, sample_weight=sample_weight, pos_label=pos_label))
        except ValueError as error:
            raise ValueError(f"Model {name!r}: {error}") from None
    return checked[0], [inputs.score for inputs in checked]
