"""Why rows have their scores, as plain values: contributions of the features, of rows and of pairs of rows.

Single rows are in the file only as far as they are allowed: without them there are quantiles of the contributions of
each feature, by thirds of its values.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.stats import rankdata

from ..data.schema import Schema
from ..estimators.fitted_model import FittedModel
from ..shapley.background import evenly_spaced
from ..shapley.explain import explain_rows
from ..shapley.explanation import Explanation
from ..shapley.score_parts import ScoreParts, averaged
from .plain import plain, rounded
from .rows import Rows, spread

__all__ = ["reasons_facts"]

_SWARM_ROWS = 200
_SWARM_FEATURES = 12
_SLOPES = 8  # features with a picture of their own
_LEVELS = 7  # of the colour of a value
_THIRDS = 3
_LEAST_ROWS = 5  # of quantiles
_COLUMNS = 20  # features of a row that are told apart
_SHOWN_ROWS = 60
_PAIR_BYTES = 45_000  # in all: fewer rows of many features
_INTERACTING = (60, 20)  # rows and background rows that find the strongest interaction


@dataclass(frozen=True)
class _Explained:
    """Rows of the list, the best first, with their contributions."""

    parts: ScoreParts
    schema: Schema
    positions: np.ndarray  # among the rows that count
    block: np.ndarray
    background: np.ndarray
    found: Explanation
    order: np.ndarray  # the features, the most important first
    n_threads: int


def reasons_facts(model: FittedModel, rows: Rows, shown: np.ndarray) -> dict[str, Any] | None:
    """Contributions of the features to the scores of rows that are evenly spaced in the list.

    Parameters
    ----------
    model : FittedModel
    rows : Rows
        The rows of the evaluation.
    shown : array of int
        Positions of the rows that the file may contain, among those that count; empty for none.

    Returns
    -------
    dict or None
        None if the model has too many features to be explained exactly.
    """
    parts, counted, n_threads = model.score_parts(), rows.counted, int(effective_n_jobs(getattr(model, "n_jobs", None)))
    scores = np.concatenate([parts.scores(block, n_threads) for block in rows.table.blocks()])[counted]
    order = np.argsort(-scores, kind="stable")
    positions = spread(order[np.isin(order, shown)] if len(shown) else order, _SWARM_ROWS)
    block = rows.values(counted[positions])
    background = rows.values(counted[np.sort(evenly_spaced(scores))])
    try:
        found = explain_rows(parts, model.schema_, block, background, n_threads=n_threads)
    except ValueError:  # a score that needs every mixture of two rows
        return None
    sizes = np.abs(found.values).mean(axis=0)
    order = np.argsort(-sizes, kind="stable")
    explained = _Explained(
        parts, model.schema_, positions, block, background, found, order[sizes[order] > 0], n_threads
    )
    return {
        "scale": found.scale,
        "exact": found.exact,
        "base": float(found.base_values[0]),
        "n_background": len(background),
        "n_rows": len(positions),
        "of": len(scores),
        "ranges": _ranges(explained),
        "swarm": _swarm(explained) if len(shown) else None,
        "slopes": _slopes(explained) if len(shown) else None,
        "rows": _rows(explained, scores, rows) if len(shown) else None,
    }


def _ranges(explained: _Explained) -> dict[str, Any]:
    """Of each feature the median of its contributions and where 80% of them are, for low, middle and high values."""
    values, features = explained.found.values, []
    shown, rest = explained.order[:_SWARM_FEATURES], explained.order[_SWARM_FEATURES:]
    for j in shown.tolist():
        of_numbers = not explained.schema.is_categorical[j]
        level = np.array(list(_levels(explained.block[:, j], _THIRDS) if of_numbers else "-" * len(values)))
        groups = [
            {"level": each, **_quantiles(values[level == each, j])}
            for each in sorted(set(level.tolist()))
            if (level == each).sum() >= _LEAST_ROWS
        ]
        features.append(
            {"name": explained.schema.names[j], "size": float(np.abs(values[:, j]).mean()), "groups": groups}
        )
    others = {"n": len(rest), **_quantiles(values[:, rest].sum(axis=1))} if len(rest) else None
    return {"features": features, "others": others}


def _quantiles(values: np.ndarray) -> dict[str, Any]:
    low, middle, high = rounded(np.quantile(values, [0.1, 0.5, 0.9]), 4)
    return {"low": low, "middle": middle, "high": high}


def _swarm(explained: _Explained) -> dict[str, Any]:
    """Of each feature all contributions, ascending, with the levels of its values."""
    values, features = explained.found.values, []
    shown, rest = explained.order[:_SWARM_FEATURES], explained.order[_SWARM_FEATURES:]
    for j in shown.tolist():
        ascending = np.argsort(values[:, j], kind="stable")
        coloured = not explained.schema.is_categorical[j]
        level = _levels(explained.block[ascending, j]) if coloured else "-" * len(ascending)
        features.append({"name": explained.schema.names[j], "values": rounded(values[ascending, j], 4), "level": level})
    others = {"n": len(rest), "values": rounded(np.sort(values[:, rest].sum(axis=1)), 4)} if len(rest) else None
    return {"features": features, "others": others}


def _slopes(explained: _Explained) -> list[dict[str, Any]]:
    """Contributions of single features against their values, with the levels of the strongest other feature."""
    strength, facts = _interactions(explained), []
    for j in explained.order[:_SLOPES].tolist():
        other = int(np.argmax(strength[j]))
        fact = {
            "name": explained.schema.names[j],
            **_column(explained.schema, j, explained.block[:, j]),
            "contributions": rounded(explained.found.values[:, j], 4),
            "other": None,
        }
        if strength[j, other] > 0:
            fact["other"] = {
                "name": explained.schema.names[other],
                **_shades(explained.schema, other, explained.block[:, other]),
            }
        facts.append(fact)
    return facts


def _interactions(explained: _Explained) -> np.ndarray:
    """Mean size of the interaction of each two features; 0 of a feature with itself."""
    n_rows, n_background = _INTERACTING
    some = explained.block[spread(np.arange(len(explained.block)), n_rows)]
    background = explained.background[spread(np.arange(len(explained.background)), n_background)]
    found = explain_rows(
        explained.parts, explained.schema, some, background, interactions=True, n_threads=explained.n_threads
    )
    strength = np.abs(np.asarray(found.interaction_values)).mean(axis=0)
    strength[np.diag_indices(len(strength))] = 0.0
    return strength


def _rows(explained: _Explained, scores: np.ndarray, rows: Rows) -> dict[str, Any]:
    """Some rows with their values and contributions, and the contributions of each two of them."""
    columns = explained.order[:_COLUMNS]
    n_pairs = _PAIR_BYTES * 3 // 4 // (2 * max(1, len(columns)))
    kept = spread(np.arange(len(explained.positions)), min(_SHOWN_ROWS, int(np.sqrt(2 * n_pairs))))
    block = explained.block[kept]
    place = len(scores) + 1 - rankdata(scores)  # equal scores share their mean place
    chosen = explained.positions[kept]
    return {
        "row": (rows.counted[chosen] + 1).tolist(),
        "label": rows.labels[rows.counted[chosen]].tolist(),
        "score": plain(explained.found.scores[kept]),
        "place": plain(place[chosen]),
        "n_features": len(explained.order),
        "columns": [
            {"name": explained.schema.names[j], **_column(explained.schema, j, block[:, j])} for j in columns.tolist()
        ],
        "contributions": [rounded(each, 5) for each in explained.found.values[np.ix_(kept, columns)]],
        "pairs": _pairs(explained, block, columns),
    }


def _pairs(explained: _Explained, block: np.ndarray, columns: np.ndarray) -> dict[str, Any]:
    """Contributions to the difference of each row and every later one, in 16 bits each; the reverse has other signs."""
    weight = averaged(1)
    found = [
        explained.parts.shapley(block[:j], block[j : j + 1], weight, n_threads=explained.n_threads)[:, columns]
        for j in range(1, len(block))
    ]
    values = np.concatenate(found) if found else np.empty((0, len(columns)))
    step = float(np.abs(values).max(initial=0.0)) / 32767 or 1.0
    return {"step": step, "values": base64.b64encode(np.round(values / step).astype("<i2").tobytes()).decode()}


def _column(schema: Schema, j: int, values: np.ndarray) -> dict[str, Any]:
    categories = schema.features[j].categories
    named = {} if categories is None else {"categories": [str(category) for category in categories]}
    return {"values": rounded(values), **named}


def _shades(schema: Schema, j: int, values: np.ndarray) -> dict[str, Any]:
    """Levels of the colour of each value: of numbers by their order, of categories the most frequent ones."""
    categories = schema.features[j].categories
    if categories is None:
        known = values[~np.isnan(values)]
        ends = rounded([known.min(), known.max()], 4) if len(known) else None
        return {"level": _levels(values), "ends": ends, "named": None}
    seen = np.bincount(values[~np.isnan(values)].astype(np.intp), minlength=len(categories))
    order = np.argsort(-seen, kind="stable")[:_LEVELS]
    order = np.sort(order[seen[order] > 0])
    level = np.full(len(categories) + 1, "-")
    level[order] = [str(round(each)) for each in np.linspace(0, _LEVELS - 1, len(order))] if len(order) > 1 else "0"
    codes = np.where(np.isnan(values), len(categories), values).astype(np.intp)
    named = [[str(level[c]), str(categories[c])] for c in order.tolist()]
    return {"level": "".join(level[codes].tolist()), "ends": None, "named": named}


def _levels(values: np.ndarray, n_levels: int = _LEVELS) -> str:
    """The order of the values, one digit each; ``-`` where one is missing.

    Examples
    --------
    >>> _levels(np.array([3.0, np.nan, 1.0, 2.0, 9.0]))
    '4-026'
    """
    known = ~np.isnan(values)
    level = np.full(len(values), "-")
    if known.any():
        ranks = rankdata(values[known])
        spread_of = float(np.ptp(ranks)) or 1.0
        level[known] = np.minimum((ranks - ranks.min()) / spread_of * n_levels, n_levels - 1).astype(int).astype(str)
    return "".join(level.tolist())
