"""What trees and forests of ordered labels share as scikit-learn estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..data.binning import BinnedTable
from ..data.constraints import resolve_constraints
from ..data.ordered_labels import OrderedLabels, read_ordered_labels
from ..data.ordered_sample import OrderedSample
from ..data.summary import TrainingSummary
from ..data.table import Table
from ..growing.ordinal import OrdinalGrowth
from ..tree.ordinal_tree import median_level
from ._ordered_model import OrderedModel
from ._table_model import Training

__all__ = ["OrdinalRanker"]


class OrdinalRanker(OrderedModel):
    """Base of the tree and the forest of ordered labels, which predict from the shares of the labels."""

    def _growth(self) -> OrdinalGrowth:
        """The growth of a tree, from the parameters that trees and forests have in common."""
        return OrdinalGrowth(
            criterion=self.criterion,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            cuts=self.cuts,
        )

    def _checked(self, table: Table) -> OrdinalGrowth:
        growth = replace(self._growth(), constraints=resolve_constraints(self.monotonic_cst, table.schema))
        self._check_parameters(growth, table)
        return growth

    def _check_parameters(self, growth: OrdinalGrowth, table: Table) -> None:
        """Raise ValueError if a parameter is invalid, before any work starts."""
        growth.to_core(table.n_features)

    def _read_labels(self, y: Any, n_rows: int, own_order: Any = None) -> OrderedLabels:
        return read_ordered_labels(y, n_rows=n_rows, order=own_order if self.order is None else self.order)

    def _check_classes(self, labels: OrderedLabels, weights: np.ndarray | None) -> None:
        codes = labels.codes if weights is None else labels.codes[weights > 0]
        if len(np.unique(codes)) < 2:
            label = labels.levels[codes[0]]
            raise ValueError(
                f"Rows with a weight above 0 hold one class only, the label {label!r}; an ordinal model needs two."
            )

    def _sample(
        self, table: Table, binned: BinnedTable, codes: np.ndarray, weights: np.ndarray | None, labels: OrderedLabels
    ) -> OrderedSample:
        return OrderedSample(table, binned, codes, weights, labels.values)

    def _summary(self, sample: OrderedSample, labels: OrderedLabels) -> tuple[TrainingSummary, np.ndarray]:
        counts = np.bincount(sample.labels, minlength=labels.n_levels)
        return TrainingSummary.of(sample.binned, counts), labels.levels

    def _keep_names(self, training: Training) -> None:
        """Set what scikit-learn expects of a fitted classifier."""
        self.classes_ = training.classes
        self.levels_ = training.sample.levels
        self._keep_features(training.sample.table)
        self._keep_summary(training.summary)

    def predict_proba(self, X: Any) -> np.ndarray:
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """Median label of each row: the one with the least expected distance to the true label."""
        shares = self.predict_proba(X)
        return self.classes_[median_level(shares)]

    def predict_cumulative_proba(self, X: Any) -> np.ndarray:
        """P(label > classes_[m]) for m = 0 .. k - 2, one column each; non-increasing from left to right."""
        shares = self.predict_proba(X)
        return np.cumsum(shares[:, :0:-1], axis=1)[:, ::-1]
