"""What each feature does to the score of one row, for any model: its value is exchanged, and the row scored again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

__all__ = ["Swaps", "swap_effects"]

_CELLS_AT_ONCE = 2**21


@dataclass(frozen=True)
class Swaps:
    """The score of a row, and what it would be with one feature of other rows at a time.

    Attributes
    ----------
    score : float
        Of the row.
    swapped : array of shape (n_features,)
        Mean score when the feature has the values of the other rows, and all else stays.
    """

    score: float
    swapped: np.ndarray

    @property
    def effect(self) -> np.ndarray:
        """Score minus swapped: above 0, the row's own value of the feature lifts it."""
        return self.score - self.swapped


def swap_effects(model: Any, row: pa.Table, others: pa.Table) -> Swaps:
    """Exchange the features of a row, one at a time, for those of other rows.

    Parameters
    ----------
    model : fitted estimator with a score_samples
    row : pyarrow Table of one row
    others : pyarrow Table
        One row to compare with, or a sample of rows that stands for all.
    """
    both = pa.concat_tables([row, others]).combine_chunks()
    n, q = others.num_rows, both.num_columns
    size = max(1, _CELLS_AT_ONCE // (n * q))
    swapped = np.empty(q)
    for start in range(0, q, size):
        stop = min(start + size, q)
        columns = []
        for j, column in enumerate(both.columns):
            taken = np.zeros(((stop - start), n), dtype=np.int64)  # row 0 is the row itself
            if start <= j < stop:
                taken[j - start] = np.arange(1, n + 1)
            columns.append(column.take(pa.array(taken.ravel())))
        rows = pa.table(columns, names=both.column_names)
        swapped[start:stop] = model.score_samples(rows).reshape(stop - start, n).mean(axis=1)
    return Swaps(float(model.score_samples(row)[0]), swapped)
