"""Scores of rows by models that have not seen them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from ..data.folds import Folds
from ..fitting.progress import part_of_progress

__all__ = ["FoldScores", "judge_folds", "take_rows"]


@dataclass(frozen=True)
class FoldScores:
    """The held-out rows of a fold, as a model of the other rows scores them.

    Attributes
    ----------
    rows : array of int
        Their positions in the table.
    scores : array
    predicted : array or None
        Labels that a model of ordered labels predicts.
    pos_label : label or None
        The positive label; None for ordered labels.
    """

    rows: np.ndarray
    scores: np.ndarray
    predicted: np.ndarray | None = None
    pos_label: Any = None


def judge_folds(
    fit: Callable[..., Any],
    X: Any,
    y: np.ndarray,
    folds: Folds,
    beside: Mapping[str, Any] | None = None,
) -> Iterator[FoldScores]:
    """Fit a model on the rows that each fold learns from, and score its held-out rows.

    Parameters
    ----------
    fit : callable
        ``fit(X, y, **beside)`` gives a fitted model.
    X : table
    y : array
        The labels.
    folds : Folds
    beside : mapping, optional
        Arrays or series with an entry per row: ``sample_weight``, ``groups``, ``time``; None is left out.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> from rankforest.data.hold_out import ANY_ROWS
    >>> from rankforest.judging import hold_out_share
    >>> sample = simulate.rf20(200, random_state=0)
    >>> folds = hold_out_share((sample.y == 1).astype(int), 0.25, ANY_ROWS, seed=0)
    >>> (found,) = judge_folds(TreeRank(max_depth=2).fit, sample.X, sample.y, folds)
    >>> len(found.scores)
    50
    """
    given = {name: values for name, values in (beside or {}).items() if values is not None}
    for fold in range(folds.n_folds):
        seen, out = folds.seen(fold), folds.held_out(fold)
        with part_of_progress(fold / folds.n_folds, (fold + 1) / folds.n_folds):
            model = fit(take_rows(X, seen), y[seen], **{name: take_rows(v, seen) for name, v in given.items()})
        held_out = take_rows(X, out)
        scores = model.score_samples(held_out)
        if model.ordered:
            yield FoldScores(out, scores, predicted=model.predict(held_out))
        else:
            yield FoldScores(out, scores, pos_label=model.pos_label_)


def take_rows(values: Any, rows: np.ndarray) -> Any:
    """Some rows of an array, a series or a data frame of any library.

    Examples
    --------
    >>> take_rows(np.array([1, 2, 3]), np.array([0, 2]))
    array([1, 3])
    """
    if isinstance(values, np.ndarray):
        return values[rows]
    if isinstance(values, nw.Series):
        return values[rows.tolist()]
    frame = nw.from_native(values, eager_only=True, allow_series=True)
    return frame[rows].to_native()
