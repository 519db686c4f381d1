"""Figures of subgroups: AUC, rate and flagged share of every group of a column, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..metrics.budget import best_rows
from ..metrics.by_group import GroupFigure, by_group
from ..metrics.group_names import group_names
from .judged import Judged
from .plain import plain

__all__ = ["group_facts", "read_groups"]

_SHOWN = ("rate", "auc", "flagged", "precision", "recall")


def read_groups(by: Any, n_rows: int) -> dict[str, np.ndarray]:
    """Columns of groups by name.

    Examples
    --------
    >>> list(read_groups({"region": ["a", "b"]}, 2))
    ['region']
    """
    if by is None:
        return {}
    named = by if isinstance(by, Mapping) else {str(getattr(by, "name", None) or "group"): by}
    found = {}
    for name, values in named.items():
        column = np.asarray(values)
        if column.ndim != 1 or len(column) != n_rows:
            raise ValueError(
                f"by has the shape {column.shape} for {str(name)!r}, and there are {n_rows} rows; give a value per row."
            )
        if len(group_names(column, name=f"by {str(name)!r}")[1]) < 2:
            raise ValueError(f"by holds one group only for {str(name)!r}; give a column with at least two values.")
        found[str(name)] = column
    return found


def group_facts(judged: Judged, groups: dict[str, np.ndarray], *, u: float) -> list[dict[str, Any]]:
    """The figures of all groups, one entry per column; the best share u of the list counts as flagged.

    Parameters
    ----------
    judged : Judged
    groups : dict of name -> column
        Of all rows that were given.
    u : float
    """
    n = len(judged.labels)
    lots = np.random.default_rng(0).random(n)  # ties at the edge
    flagged = best_rows(judged.score, max(round(u * n), 1), lots, None, 0.95).flagged
    return [
        _one(name, by_group(judged.labels, judged.score, column[judged.positions], flagged=flagged,
                            sample_weight=judged.weights, pos_label=1))
        for name, column in groups.items()
    ]  # fmt: skip


def _one(name: str, table: Any) -> dict[str, Any]:
    lines = [
        {
            "group": group,
            "rows": int(rows),
            "figures": [_figure(table[measure, group], 1.0 - table.confidence) for measure in _SHOWN],
        }
        for group, rows in zip(table.groups, table.n_rows)
    ]
    overall = [
        _plain(table.overall[measure].estimate, table.overall[measure].low, table.overall[measure].high, False)
        for measure in _SHOWN
    ]
    return {"name": name, "groups": lines, "rows": int(table.n_rows.sum()), "overall": overall}


def _figure(figure: GroupFigure, level: float) -> dict[str, Any]:
    return _plain(figure.value.estimate, figure.value.low, figure.value.high, bool(figure.p_value < level))


def _plain(value: float, low: float, high: float, differs: bool) -> dict[str, Any]:
    if np.isnan(value):
        return {"value": None, "low": None, "high": None, "differs": False}
    return dict(zip(("value", "low", "high"), plain([value, low, high]))) | {"differs": differs}
