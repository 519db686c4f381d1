"""The steps of `fit` one by one, for rows that are not in this process: partitions, and a cluster that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from ..data.coded_table import TableOutline
from ..data.schema import Schema
from ._table_model import TableModel

__all__ = ["Learner"]

Model = TypeVar("Model", bound=TableModel)


@dataclass(frozen=True)
class Learner(Generic[Model]):
    """An estimator that learns from rows that others read, bin and hold."""

    model: Model

    @property
    def most_bins(self) -> int:
        """Largest number of bins of a feature."""
        return self.model._most_bins

    def check_bins_suffice(self) -> None:
        """Raise ValueError if the estimator needs the values of the features, not only their bins."""
        self.model._check_bins_suffice()

    def check_parameters(self, schema: Schema, n_rows: int) -> Any:
        """Raise ValueError if a parameter is invalid for such a table; returns the growth of the trees."""
        return self.model._checked(TableOutline(schema, n_rows))

    def read_labels(self, y: Any, n_rows: int, own_order: Any = None) -> Any:
        """The labels, with their codes."""
        return self.model._read_labels(y, n_rows, own_order)

    def check_classes(self, labels: Any, weights: np.ndarray | None) -> None:
        """Raise ValueError if all rows with a weight above 0 have the same class."""
        self.model._check_classes(labels, weights)

    def learn(self, sample: Any, labels: Any, growth: Any, kept: np.ndarray | None) -> Model:
        """Fit the estimator in place; `kept` is the mask of the rows with a weight above 0, None means all."""
        return self.model._learn(self.model._training_on(sample, labels, growth, kept))
