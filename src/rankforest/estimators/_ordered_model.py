"""What all models of ordered labels share as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

from ..data.stream_table import column_or_values
from ..metrics.ordinal import concordance_scorer
from ._table_model import TableModel

__all__ = ["OrderedModel"]


class OrderedModel(TableModel):
    """Base of the estimators of ordered labels, `classes_` from the lowest to the highest."""

    ordered = True

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """C-index of `score_samples` on the given rows: the share of correctly ordered pairs with different labels."""
        y, sample_weight = column_or_values(X, y, "y"), column_or_values(X, sample_weight, "sample_weight")
        return concordance_scorer(self, X, y, sample_weight)
