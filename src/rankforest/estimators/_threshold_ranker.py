"""Base of the ordinal models with one linear score and thresholds, as scikit-learn estimators."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import _core
from ..data.binning import bin_table, find_bins
from ..data.encoding import Standardization
from ..data.ordered_labels import OrderedLabels, read_ordered_labels
from ..data.parameters import at_least
from ..data.parts import Parts, check_moderate, need
from ..data.stream import refuse_stream
from ..data.summary import TrainingSummary
from ..data.table import Table, read_table
from ..program import Program
from ..program.of_direction import weighted_sum
from ..program.program import Expression, steps
from ..shapley.feature_terms import FeatureTerms, terms_of
from ..shapley.score_parts import ScoreParts
from ._ordered_model import OrderedModel

__all__ = ["OrderedTraining", "ThresholdRanker"]


@dataclass(frozen=True)
class OrderedTraining:
    """A training sample, checked, encoded and standardised."""

    table: Table
    summary: TrainingSummary  # without the scores
    X: np.ndarray
    labels: OrderedLabels
    standardization: Standardization


class ThresholdRanker(OrderedModel):
    """Base of PRank and its ensemble: a score, and thresholds that divide it into labels."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # labels that are not ordered along a line cannot be learned
        return tags

    def _params(self, n_levels: int, share: float) -> _core.PRankParams:
        """The stream of examples, after a check of its parameters."""
        n_epochs = at_least("n_epochs", self.n_epochs, 1)
        return _core.PRankParams(n_levels, n_epochs, bool(self.shuffle), bool(self.average), share, self._seed())

    def _training(self, X: Any, y: Any) -> OrderedTraining:
        """Read and check everything that `fit` is given."""
        refuse_stream(X, type(self).__name__)
        table = read_table(X, categorical=self.categorical_features, estimator_name=type(self).__name__)
        labels = read_ordered_labels(y, n_rows=table.n_rows, order=self.order)
        rows = _rows(table)
        standardization = Standardization.of(rows, table.schema)
        binned = bin_table(table, find_bins(table))
        summary = TrainingSummary.of(binned, np.bincount(labels.codes, minlength=labels.n_levels))
        return OrderedTraining(table, summary, standardization.encode(rows), labels, standardization)

    def _keep(self, training: OrderedTraining, thresholds: np.ndarray) -> None:
        """Set what every fitted model of this kind has."""
        self.thresholds_ = thresholds
        self.classes_ = training.labels.levels
        self.standardization_ = training.standardization
        self._keep_features(training.table)
        self._keep_summary(training.summary)

    def _scores(self, X: np.ndarray) -> np.ndarray:
        """Scores of standardised rows."""
        raise NotImplementedError

    def score_samples(self, X: Any) -> np.ndarray:
        """Score of each row; a higher score means a higher label."""
        return super().score_samples(X)

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema."""
        return self._scores(self.standardization_.encode(block))

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of the score to the nearer threshold of each label; positive only for the label of `predict`.

        One column per label, in the order of `classes_`. With two labels, as in scikit-learn, the distance of the score
        to the one threshold, positive for ``classes_[1]``.
        """
        scores = self.score_samples(X)
        above = scores[:, None] - self.thresholds_
        if len(self.classes_) == 2:
            return above[:, 0]
        return np.minimum(
            np.pad(above, ((0, 0), (1, 0)), constant_values=np.inf),
            -np.pad(above, ((0, 0), (0, 1)), constant_values=-np.inf),
        )

    def predict(self, X: Any) -> np.ndarray:
        """Label of each row: the lowest one whose upper threshold is above the score."""
        scores = self.score_samples(X)
        return self.classes_[np.searchsorted(self.thresholds_, scores, side="right")]

    # ---- the protocol

    def score_parts(self) -> ScoreParts:
        coef = getattr(self, "coef_", None)
        if coef is None:
            return super().score_parts()
        return ScoreParts("score", (FeatureTerms(partial(terms_of, weighted_sum(self.standardization_, coef))),))

    def _linear_program(self, coef: np.ndarray) -> Program:
        score = weighted_sum(self.standardization_, coef)
        outputs: dict[str, Expression] = {"score": score, "level": steps(score, self.thresholds_)}
        return Program(type(self).__name__, self.schema_.features, (), outputs, tuple(self.classes_))

    def to_parts(self) -> dict[str, Any]:
        return {"standardization": self.standardization_.to_parts(), "thresholds": self.thresholds_}

    def from_parts(self, parts: Parts) -> None:
        self.standardization_ = Standardization.from_parts(parts.below("standardization"), self.schema_)
        self.thresholds_ = parts.array("thresholds", np.float64, len(self.classes_) - 1)
        check_moderate(self.thresholds_, "thresholds")
        need((np.diff(self.thresholds_) >= 0).all(), "its thresholds fall")


def _rows(table: Table) -> np.ndarray:
    blocks = list(table.blocks())
    return blocks[0] if len(blocks) == 1 else np.vstack(blocks)
