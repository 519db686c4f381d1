"""The steps of `fit` one by one, for rows that are not in this process: partitions, and a cluster that holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from ..data.coded_table import TableOutline
from ..data.hold_out import HoldOut
from ..data.schema import Schema
from ..splitting.leafrank import LeafRank
from ._forest import Forest
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

    def check_groups(self, hold_out: HoldOut, codes: np.ndarray, growth: Any) -> None:
        """Raise ValueError if rows in partitions cannot be held out in this way."""
        self.model._check_hold_out(hold_out, codes)
        forest = getattr(self.model, "_members", lambda: (self.model,))()[0]
        splitter = getattr(growth, "splitter", None)
        inside = isinstance(splitter, LeafRank) and not splitter.grows_in_core
        if hold_out.groups is not None and (inside or (isinstance(forest, Forest) and forest._changes_pilots())):
            raise ValueError(
                "groups is given, and trees that are pruned where they grow do not know the groups of rows in "
                "partitions; set pruning of the splitter, or of the trees of the forest, to None, or fit the local "
                "estimator."
            )

    def learn(self, sample: Any, labels: Any, growth: Any, kept: np.ndarray | None) -> Model:
        """Fit the estimator in place; `kept` is the mask of the rows with a weight above 0, None means all."""
        return self.model._learn(self.model._training_on(sample, labels, growth, kept))
