"""Result of a comparison of models: an interval for every metric and model, and paired tests against a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankforest.extras import needed
from rankforest.metrics.interval import Interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Comparison", "ComparisonRow", "check_baseline", "holm", "rows_of_metric"]


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
    """Result of `compare` or `compare_ordinal`; print it, or use ``to_frame()``.

    Attributes
    ----------
    rows : tuple of ComparisonRow
        Metric by metric, the models in the order in which they were given.
    baseline : str
        The model that the others are tested against.
    chosen : bool
        Whether the baseline was chosen as the best in the first metric.
    confidence : float
    n_rows : int
    n_positive : int or None
        Positives among the rows; None for ordered labels.
    methods : str
        Where the intervals and tests come from.
    """

    rows: tuple[ComparisonRow, ...]
    baseline: str
    chosen: bool
    confidence: float
    n_rows: int
    n_positive: int | None
    methods: str

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns as plain lists, ready for JSON.

        Examples
        --------
        >>> from rankforest.metrics import compare
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
        >>> from rankforest.metrics import compare
        >>> found = compare({"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]}, None, [0, 1, 0, 1], metrics=["roc_auc"])
        >>> found.to_frame().loc[("AUC", "a"), "estimate"]
        np.float64(0.75)
        """
        pandas = needed("pandas", "Comparison.to_frame needs", instead="use to_dict()")
        frame: pd.DataFrame = pandas.DataFrame(self.to_dict()).set_index(["metric", "model"])
        return frame.astype(float)

    def text(self, of_rows: str = "positive") -> str:
        """The table.

        Parameters
        ----------
        of_rows : str
            What rows of the positive label are called, such as "default" or "with late = 1".
        """
        cells = [_HEAD, *self._cells()]
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines: list[str] = []
        for row in cells:
            # names to the left, figures to the right
            padded = [cell.ljust(w) if j < 2 else cell.rjust(w) for j, (cell, w) in enumerate(zip(row, widths))]
            if row[0] and len(lines) > 1:
                lines.append("")
            lines.append("  ".join(padded).rstrip())
        return "\n".join([self._title(of_rows), "", *lines, "", self._note()])

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in _HEAD) + "</tr>"
        rows = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self._cells()]
        body = "\n".join([head, *rows])
        return f"<table>\n<caption>{escape(self._title())}</caption>\n{body}\n</table>\n<p>{escape(self._note())}</p>"

    def _title(self, of_rows: str = "positive") -> str:
        models = len({row.model for row in self.rows})
        positive = "" if self.n_positive is None else f", {self.n_positive} {of_rows}"
        return f"{models} models on {self.n_rows} rows{positive}; intervals of confidence {self.confidence * 100:g}%"

    def _note(self) -> str:
        chosen = ", the best in the first metric" if self.chosen else ""
        return (
            f"Differences are to {self.baseline}{chosen}; p-values are corrected for several models (Holm).\n"
            f"{self.methods}"
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


class _Test(Protocol):
    @property
    def difference(self) -> Interval: ...

    @property
    def p_value(self) -> float: ...


def rows_of_metric(
    metric: str, models: Sequence[str], values: Sequence[Interval], tests: Sequence[_Test], baseline: int
) -> list[ComparisonRow]:
    """The rows of one metric; `tests` are those of all models but the baseline, in their order."""
    adjusted = holm([test.p_value for test in tests])
    tested = iter([(test.difference, test.p_value, p) for test, p in zip(tests, adjusted)])
    return [
        ComparisonRow(metric, name, value, *(() if k == baseline else next(tested)))
        for k, (name, value) in enumerate(zip(models, values))
    ]


def check_baseline(baseline: str | None, models: Sequence[str]) -> None:
    """Raise ValueError if the baseline is not among the models."""
    if baseline is not None and baseline not in models:
        raise ValueError(f"baseline {baseline!r} is not among the models; use one of {', '.join(map(repr, models))}.")


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values of several tests, corrected to control the family-wise error rate (Holm, 1979).

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
