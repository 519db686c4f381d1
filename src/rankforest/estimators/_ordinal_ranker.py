"""What trees and forests of ordered labels share as scikit-learn estimators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from ..data.labels import read_weights
from ..data.ordered_labels import read_ordered_labels
from ..data.ordered_sample import OrderedSample
from ..data.summary import TrainingSummary
from ..growing.ordinal import OrdinalGrowth
from ..tree.ordinal_tree import median_level
from ._ordered_model import OrderedModel

__all__ = ["OrdinalRanker", "OrdinalTraining"]


@dataclass(frozen=True)
class OrdinalTraining:
    """A training sample, checked and binned, with what comes from the parameters."""

    sample: OrderedSample
    summary: TrainingSummary  # without the scores
    growth: OrdinalGrowth
    classes: np.ndarray  # the labels from the lowest to the highest
    seed: int
    n_threads: int
    kept: np.ndarray | None = None  # mask of the rows whose weight is not 0; None: all


class OrdinalRanker(OrderedModel):
    """Base of the estimators of ordered labels; what they predict follows from the shares of the labels."""

    def _growth(self) -> OrdinalGrowth:
        """How a tree grows, by the parameters whose names trees and forests share."""
        return OrdinalGrowth(
            criterion=self.criterion,
            max_depth=self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_features=self.max_features,
            cuts=self.cuts,
        )

    def _training(self, X: Any, y: Any, sample_weight: Any) -> OrdinalTraining:
        """Read and check everything that `fit` is given, then bin it."""
        growth = self._growth()
        table = self._read_training(X)
        growth.to_core(table.n_features)  # a wrong parameter is said before any work
        labels = read_ordered_labels(y, n_rows=table.n_rows, order=self.order)
        weights = read_weights(sample_weight, n_rows=table.n_rows)
        codes, kept = labels.codes, None
        if weights is not None and not weights.all():
            kept = weights > 0
            table, codes, weights = table.take(kept), codes[kept], weights[kept]
            if len(np.unique(codes)) < 2:
                label = labels.levels[codes[0]]
                raise ValueError(
                    f"Rows with a weight above 0 hold one class only, the label {label!r}; an ordinal model needs two."
                )
        n_threads = effective_n_jobs(self.n_jobs)
        sample = OrderedSample(table, self._bin(table, n_threads), codes, weights, labels.values)
        summary = TrainingSummary.of(sample.binned, np.bincount(codes, minlength=labels.n_levels))
        return OrdinalTraining(sample, summary, growth, labels.levels, self._seed(), n_threads, kept)

    def _keep_names(self, training: OrdinalTraining) -> None:
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
        """P(label > classes_[m]) for m = 0 .. k - 2, one column each; never rising from left to right."""
        shares = self.predict_proba(X)
        return np.cumsum(shares[:, :0:-1], axis=1)[:, ::-1]
