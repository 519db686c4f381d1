"""Base of the trees, forests and boosters of two classes as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.binning import BinnedTable
from ..data.hold_out import HoldOut
from ..data.labels import Labels, check_two_classes, read_labels
from ..data.parameters import top_share
from ..data.sample import Sample
from ..data.stream_table import column_or_values
from ..data.summary import TrainingSummary
from ..data.table import Table
from ..fitting.calibration import Calibration
from ..metrics.roc import roc_auc
from ._names_positive import NamesPositive
from ._table_model import TableModel, Training

__all__ = ["Ranker"]


class Ranker(NamesPositive, TableModel):
    """Base of the estimators that rank two classes by trees; it has no parameters of its own."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def _read_labels(self, y: Any, n_rows: int, own_order: Any = None) -> Labels:
        name = y if isinstance(y, str) else getattr(y, "name", None)
        self.name_target(name if isinstance(name, str) else None)
        return read_labels(y, n_rows=n_rows, pos_label=self.pos_label)

    def _check_classes(self, labels: Labels, weights: np.ndarray | None) -> None:
        check_two_classes(labels.codes, weights)

    def _check_hold_out(self, hold_out: HoldOut, codes: np.ndarray) -> None:
        hold_out.check(codes)

    def _sample(
        self, table: Table, binned: BinnedTable, codes: np.ndarray, weights: np.ndarray | None, labels: Labels
    ) -> Sample:
        return Sample(table, binned, codes, weights)

    def _summary(self, sample: Sample, labels: Labels) -> tuple[TrainingSummary, np.ndarray]:
        counts = np.bincount(sample.labels, minlength=2)
        summary = TrainingSummary.of(sample.binned, counts[np.argsort(labels.classes)])
        return summary.with_positives(labels.classes[1], int(counts[1])), labels.classes

    def _keep_names(self, training: Training) -> None:
        """Set what scikit-learn expects of a fitted classifier."""
        self.classes_ = np.sort(training.classes)
        self.pos_label_ = training.classes[1]
        self._keep_features(training.sample.table)
        self._keep_summary(training.summary)

    # ---- the protocol

    @property
    def best_share(self) -> float:
        return top_share(self.get_params(deep=False).get("top"))

    def positive_probability(self, X: Any) -> np.ndarray | None:
        return self.predict_proba(X)[:, self.classes_.tolist().index(self.pos_label_)]

    def probability_of(self, scores: np.ndarray) -> np.ndarray | None:
        return self._probabilities()(scores)

    def _pair(self, positive: np.ndarray) -> np.ndarray:
        """Probabilities of the two labels in the order of `classes_`."""
        pair = np.column_stack([1.0 - positive, positive])
        return pair if self.classes_[1] == self.pos_label_ else pair[:, ::-1]

    # ---- scikit-learn's contract: score, probability and label agree

    def _probabilities(self) -> Calibration:
        """The monotone map from `score_samples` to the probability of the positive label."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed score as scikit-learn defines it: above 0 where `predict` is ``classes_[1]``.

        The distance of `score_samples` to the score at which the probability crosses 1/2. The sign is reversed if
        ``pos_label_`` is ``classes_[0]``.
        """
        scores = self.score_samples(X)
        return self._probabilities().signed(scores, rising=bool(self.classes_[1] == self.pos_label_))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`. They are monotone in the score."""
        scores = self.score_samples(X)
        return self._pair(self._probabilities()(scores))

    def predict(self, X: Any) -> np.ndarray:
        """The more probable label; ``classes_[0]`` if both are equally probable."""
        upper = self.decision_function(X) > 0.0
        return self.classes_[upper.astype(np.intp)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """AUC of `score_samples` on the given rows."""
        scores = self.score_samples(X)
        y, sample_weight = column_or_values(X, y, "y"), column_or_values(X, sample_weight, "sample_weight")
        return roc_auc(y, scores, pos_label=self.pos_label_, sample_weight=sample_weight)
