"""Evaluation of one model: the usual metrics with intervals, in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.data.numbers import as_numbers
from rankforest.metrics._inputs import check_ranking_inputs, check_share
from rankforest.metrics.bootstrap import check_groups, check_replicates, interval_of_draws, replicate
from rankforest.metrics.calibration import calibration_error, reliability
from rankforest.metrics.interval import Interval, check_confidence, mean_interval
from rankforest.metrics.score_interval import auc_interval
from rankforest.metrics.separation import gini_of
from rankforest.metrics.titles import title_of
from rankforest.words import area

__all__ = ["Evaluation", "EvaluationRow", "evaluate"]

_OF_THE_TOP = ("local_auc", "relative_local_auc", "hit_ratio", "recall_at")


@dataclass(frozen=True)
class EvaluationRow:
    """One metric.

    Attributes
    ----------
    metric : str
    value : float
    low, high : float or None
        Ends of its interval; None where it has none.
    method : str
        How the interval was computed.
    """

    metric: str
    value: float
    low: float | None
    high: float | None
    method: str

    @classmethod
    def of(cls, metric: str, found: Interval, method: str | None = None) -> EvaluationRow:
        return cls(metric, found.estimate, found.low, found.high, found.method if method is None else method)


@dataclass(frozen=True)
class Evaluation:
    """Result of `evaluate` or `evaluate_ordinal`.

    Attributes
    ----------
    rows : tuple of EvaluationRow
    confidence : float
    n_rows : int
    n_positive : int or None
        Positives among the rows; None for ordered labels.
    """

    rows: tuple[EvaluationRow, ...]
    confidence: float
    n_rows: int
    n_positive: int | None

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as plain lists, ready for JSON.

        Examples
        --------
        >>> evaluate([0, 1, 0, 1], [1, 2, 3, 4], u=0.5, n_replicates=20).to_dict()["metric"][:2]
        ['AUC', 'Gini']
        """
        columns: dict[str, list[Any]] = {}
        for row in self.rows:
            for name, cell in asdict(row).items():
                columns.setdefault(name, []).append(cell)
        return columns

    def __str__(self) -> str:
        cells = [["metric", "value", f"{self.confidence * 100:g}% interval", "by"]]
        for row in self.rows:
            ends = "" if row.low is None or row.high is None else f"[{area(row.low)}, {area(row.high)}]"
            cells.append([row.metric, area(row.value), ends, row.method])
        widths = [max(map(len, column)) for column in zip(*cells)]
        positive = "" if self.n_positive is None else f", {self.n_positive} positive"
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
        return "\n".join([f"{self.n_rows} rows{positive}", *lines])

    __repr__ = __str__


def evaluate(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    u: float | Sequence[float] = (0.01, 0.05, 0.1),
    probability: ArrayLike | None = None,
    confidence: float = 0.95,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> Evaluation:
    """AUC, Gini, KS, average precision, the top of the list and, of probabilities, Brier score and calibration error.

    The relative local AUC has a scale from 0 to 1, where 1 is the best possible list.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`. Use rows that the model was not trained on.
    u : float or sequence of float
        Shares of the list for the metrics of its top, in (0, 1].
    probability : array-like of shape (n,), optional
        Of the positive label.
    confidence : float, default 0.95
    n_replicates : int, default 1000
        Draws of the stratified bootstrap.
    groups : array-like of shape (n,), optional
        Rows with equal values, such as those of one customer, are drawn together: they are not independent.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Evaluation
        AUC and Gini have the interval of :func:`auc_interval`, the Brier score one by the normal law, the calibration
        error none, and all other metrics have those of the bootstrap. With groups all intervals are by the bootstrap of
        whole groups, and the Brier score has none.

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(400, random_state=0)
    >>> print(evaluate(sample.y, sample.eta, u=0.1, probability=sample.eta, n_replicates=200))
    400 rows, 221 positive
    metric                       value   95% interval      by
    AUC                          0.7771  [0.7279, 0.8186]  score
    Gini                         0.5541  [0.4558, 0.6371]  score
    KS                           0.4507  [0.3996, 0.5433]  bootstrap
    average precision            0.8056  [0.7705, 0.8523]  bootstrap
    local AUC, top 10%           0.1573  [0.1435, 0.1764]  bootstrap
    relative local AUC, top 10%  0.8690  [0.7926, 0.9747]  bootstrap
    hit ratio, top 10%           0.8750  [0.8000, 0.9750]  bootstrap
    recall, top 10%              0.1584  [0.1448, 0.1765]  bootstrap
    Brier score                  0.1919  [0.1740, 0.2098]  normal
    calibration error            0.0563                    10 groups
    """
    check_confidence(confidence)
    check_replicates(n_replicates)
    shares = [float(share) for share in np.atleast_1d(check_share(u))]
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    y, s, w = inputs
    together = check_groups(groups, inputs)
    wanted: list[tuple[str, float | None]] = [("ks_statistic", None), ("average_precision", None)]
    rows = []
    if together is None:
        auc = auc_interval(y, s, confidence=confidence, sample_weight=w)
        rows += [EvaluationRow.of("AUC", auc), EvaluationRow.of("Gini", gini_of(auc))]
    else:
        wanted = [("roc_auc", None), ("gini", None), *wanted]
    wanted += [(name, share) for name in _OF_THE_TOP for share in shares]
    rng = np.random.default_rng(random_state)
    drawn = replicate(inputs, [s], wanted, n_replicates, rng, together)[0]
    method = "bootstrap" if together is None else "groups"
    for (name, share), values in zip(wanted, drawn):
        found = interval_of_draws(float(values[0]), values[1:], 1.0 - confidence)
        rows.append(EvaluationRow.of(title_of(name, share), found, method))
    if probability is not None:
        p = as_numbers(probability, "probability", "pass one probability per row")
        if len(p) != len(y):
            raise ValueError(f"probability has {len(p)} rows and y_true has {len(y)}; pass one probability per label.")
        brier = EvaluationRow.of("Brier score", mean_interval((p - y) ** 2, w, confidence))
        rows.append(brier if groups is None else replace(brier, low=None, high=None, method=""))
        labels = y.astype(np.float64)
        error, n_groups = calibration_error(p, labels, w), len(reliability(p, labels, w).mass)
        rows.append(EvaluationRow("calibration error", error, None, None, f"{n_groups} groups"))
    return Evaluation(tuple(rows), confidence, len(y), int(y.sum()))
