"""A model fitted beside held-out rows: a random part of the rows, which it never sees."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.frozen import FrozenEstimator

from ..data.rows import take_rows
from ..metrics._held_out_list import one_row_each
from ..metrics._responses import score_rows
from ._flagger import FlaggerInput, fit_rows

__all__ = ["FittedBeside", "fit_beside_held_out_rows", "independent_rows"]


@dataclass(frozen=True)
class FittedBeside:
    """A model, and the scores and labels of the rows that it was not fitted on; of each group one row, at random."""

    fitted: Any
    pos_label: Any
    scores: np.ndarray
    is_positive: np.ndarray


def fit_beside_held_out_rows(model: Any, given: FlaggerInput, part: Any, seed: int, pos_label: Any) -> FittedBeside:
    """Fit on a random part of the rows and score the others.

    The part is drawn without regard to labels: held-out rows are then as exchangeable with fresh rows as all rows are.
    """
    n = len(given.y)
    if isinstance(part, bool) or not isinstance(part, Real) or not 0.0 < float(part) <= 1.0:
        raise ValueError(f"held_out is {part!r}; give the share of the rows to hold out, in (0, 1].")
    if float(part) == 1.0:
        if not isinstance(model, FrozenEstimator):
            raise ValueError(
                f"held_out is 1, which leaves no row to fit the {type(model).__name__}; give a smaller share, or a "
                "fitted model as sklearn.frozen.FrozenEstimator(model)."
            )
        apart, fitted = np.arange(n), model.estimator
    else:
        found = given.hold_out.part(given.codes, float(part), seed)
        if found is None:
            n_apart = min(max(round(float(part) * n), 1), n - 1)
            found = np.sort(np.random.default_rng(seed).permutation(n)[:n_apart])
        apart, rows = found, np.setdiff1d(np.arange(n), found)
        if len(np.unique(given.codes[rows])) < 2:
            raise ValueError(
                f"The {len(rows)} rows that are not held out have one label only; add rows, or lower held_out."
            )
        fitted = fit_rows(model, given, rows)
    if given.weights is not None:
        apart = apart[given.weights[apart] > 0.0]
    apart = apart[independent_rows(given, apart, seed)]
    scores, positive = score_rows(fitted, take_rows(given.X, apart), pos_label)
    return FittedBeside(fitted, positive, scores, given.y[apart] == positive)


def independent_rows(given: FlaggerInput, rows: np.ndarray, seed: int) -> np.ndarray:
    """Positions within the rows of those that may be counted: all, or one of each group, drawn at random."""
    hold_out = given.hold_out
    if hold_out.groups is None or hold_out.forward:
        return np.arange(len(rows))
    return one_row_each(hold_out.groups[rows], seed)
