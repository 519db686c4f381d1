"""The rows of a report, read and checked before any work starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.labels import check_two_classes, read_known_labels
from ..data.ordered_labels import read_ordered_labels
from ..data.read_weights import read_weights
from ..data.table import Table, read_table
from ..estimators.fitted_model import FittedModel

__all__ = ["Rows", "read_rows", "rows_to_show", "spread"]


@dataclass(frozen=True)
class Rows:
    """Rows with labels.

    Attributes
    ----------
    table : Table
        All rows, coded as in the schema of the model.
    labels : array of int
        0 and 1; of ordered labels their positions among those of the model.
    weights : array or None
        Of all rows; those of weight 0 count nowhere.
    """

    table: Table
    labels: np.ndarray
    weights: np.ndarray | None

    @property
    def counted(self) -> np.ndarray:
        """Positions of the rows whose weight is not 0."""
        return np.arange(len(self.labels)) if self.weights is None else np.flatnonzero(self.weights > 0)

    def values(self, positions: np.ndarray) -> np.ndarray:
        """Some rows as a float64 block."""
        return np.vstack(list(self.table.take(positions).blocks()))


def read_rows(model: FittedModel, X: Any, y: Any, sample_weight: Any) -> Rows:
    """Read what the report is given."""
    table = read_table(X, schema=model.schema_, estimator_name=type(model).__name__)
    if model.ordered:
        return Rows(table, _ordered(model, y, table.n_rows), read_weights(sample_weight, n_rows=table.n_rows))
    labels = read_known_labels(
        y, n_rows=table.n_rows, classes=model.classes_, pos_label=model.pos_label_, purpose="make the report"
    )
    weights = read_weights(sample_weight, n_rows=table.n_rows)
    check_two_classes(labels.codes, weights)
    return Rows(table, labels.codes, weights)


def _ordered(model: FittedModel, y: Any, n_rows: int) -> np.ndarray:
    """Positions of the labels among those of the model."""
    known = model.classes_.tolist()
    labels = read_ordered_labels(y, n_rows=n_rows, order=known)
    place = {label: k for k, label in enumerate(known)}
    return np.array([place[label] for label in labels.levels.tolist()])[labels.codes]


def rows_to_show(model: FittedModel, X: Any, rows: Rows, most: int) -> np.ndarray:
    """The rows that a file may contain, evenly spaced in the list: positions among those that count.

    All parts of a page take their rows from these, so that there are no more of them in all.
    """
    if most == 0:
        return np.empty(0, dtype=np.intp)
    return spread(np.argsort(-model.score_samples(X)[rows.counted], kind="stable"), most)


def spread(positions: np.ndarray, most: int) -> np.ndarray:
    """At most `most` of the positions, evenly spread.

    Examples
    --------
    >>> spread(np.arange(10), 4)
    array([0, 3, 6, 9])
    """
    if len(positions) <= most:
        return positions
    return positions[np.linspace(0, len(positions) - 1, most).round().astype(np.intp)]
