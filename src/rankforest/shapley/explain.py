"""From a model's parts and coded rows to explanations and comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.schema import Schema
from ..fitting.progress import Meter
from .background import evenly_spaced
from .comparison import Comparison
from .explanation import Explanation, Words
from .score_parts import ScoreParts, averaged

__all__ = ["compare_rows", "explain_rows"]

_ROWS_AT_ONCE = 32  # per thread: few, so that a bar moves


def explain_rows(
    parts: ScoreParts,
    schema: Schema,
    X: np.ndarray,
    background: np.ndarray | None,
    *,
    interactions: bool = False,
    n_threads: int = 1,
    tell: Callable[[np.ndarray], Any] | None = None,
) -> Explanation:
    """Contributions to the score of each row.

    Parameters
    ----------
    parts : ScoreParts
    schema : Schema
    X, background : arrays of shape (n, q) and (m, q)
        Coded as in the schema. Without background, what the parts know of the training rows (`own`); otherwise 100 of
        the rows of X, evenly spaced in the order of their scores.
    interactions : bool
    n_threads : int
    tell : callable or None
        From a coded row to its `words`.
    """
    scores = parts.scores(X, n_threads)
    own = parts.own if background is None else None
    if own is not None:
        base, of_background, compared_with = own.base, np.empty(0), own.name
        found = own.average(X, interactions=interactions, n_threads=n_threads)
    else:
        Z = _some_of(X, scores) if background is None else background
        of_background = parts.scores(Z, n_threads)
        base = float(of_background.mean())
        compared_with = f"the {len(Z)} background rows" if len(Z) > 1 else "the background row"
        found = _in_blocks(parts, X, Z, interactions, n_threads)
    return Explanation(
        values=found.sum(axis=2) if interactions else found,
        base_values=np.full(len(X), base),
        data=decoded(schema, X),
        feature_names=tuple(schema.names),
        scores=scores,
        scale=parts.scale,
        exact=parts.exact,
        background_scores=of_background,
        compared_with=compared_with,
        interaction_values=found if interactions else None,
        words=None if tell is None else Words(tell, X),
    )


def compare_rows(
    parts: ScoreParts,
    schema: Schema,
    one: np.ndarray,
    other: np.ndarray,
    *,
    interactions: bool = False,
    words: Any = None,
) -> Comparison:
    """Contributions to the difference of two rows, coded as in the schema."""
    X, Z = one[None, :], other[None, :]
    found = parts.shapley(X, Z, averaged(1), interactions=interactions)[0]
    rows = np.concatenate([X, Z])
    return Comparison(
        values=found.sum(axis=1) if interactions else found,
        feature_names=tuple(schema.names),
        data=decoded(schema, rows),
        scores=parts.scores(rows),
        scale=parts.scale,
        exact=parts.exact,
        interaction_values=found if interactions else None,
        words=words,
    )


def decoded(schema: Schema, X: np.ndarray) -> np.ndarray:
    """The values of coded rows: numbers, or an array of objects if there are categories; NaN where one is missing.

    Examples
    --------
    >>> from rankforest.data.schema import Feature
    >>> city = Schema((Feature("age", "numeric"), Feature("city", "categorical", ("Lyon", "Paris"))), named=True)
    >>> decoded(city, np.array([[30.0, 1.0], [np.nan, np.nan]]))
    array([[30.0, 'Paris'],
           [nan, nan]], dtype=object)
    """
    if not schema.is_categorical.any():
        return X.copy()
    data = X.astype(object)
    for j in np.flatnonzero(schema.is_categorical):
        names = np.array([*(schema.features[j].categories or ()), np.nan], dtype=object)
        data[:, j] = names[np.where(np.isnan(X[:, j]), len(names) - 1, X[:, j]).astype(np.intp)]
    return data


def _in_blocks(parts: ScoreParts, X: np.ndarray, Z: np.ndarray, interactions: bool, n_threads: int) -> np.ndarray:
    size, weight = _ROWS_AT_ONCE * n_threads, averaged(len(Z))
    starts = range(0, len(X), size)
    found = []
    with Meter(len(starts), unit="blocks of rows") as meter:
        for start in starts:
            block = np.ascontiguousarray(X[start : start + size])
            found.append(parts.shapley(block, Z, weight, interactions=interactions, n_threads=n_threads))
            if meter.tick is not None:
                meter.tick(start)
    return np.concatenate(found)


def _some_of(X: np.ndarray, scores: np.ndarray) -> np.ndarray:
    if len(X) < 2:
        raise ValueError(
            "One row has nothing to be compared with, because a model keeps no training rows; give background, some "
            "rows of the list that it belongs to, or compare it with one other row by why(x, other)."
        )
    return np.ascontiguousarray(X[evenly_spaced(scores)])
