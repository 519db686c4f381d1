"""A line through the list of any model: rows above it are flagged, rows on it by lot."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..data.labels import check_two_classes, read_labels, read_weights
from ..data.rows import take_rows
from ..metrics._responses import score_rows
from ..metrics.roc import roc_auc
from ._lots import draw_lots
from ._names_positive import NamesPositive

__all__ = ["Flagger", "FlaggerInput", "checked_share", "fit_rows"]


@dataclass(frozen=True)
class FlaggerInput:
    """What `fit` is given, checked."""

    X: Any
    y: np.ndarray
    codes: np.ndarray  # 1 for the positives
    classes: np.ndarray  # the other label, then the one to look for
    weights: np.ndarray | None


class Flagger(NamesPositive, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Base of the classifiers that flag the top of a model's list.

    A fit sets `estimator_`, `pos_label_` and `classes_` (by `_keep_model`), `threshold_`, `tie_chance_` and
    `lot_seed_`: rows that score above the threshold are flagged, and those on it with the chance.
    """

    threshold_: float
    tie_chance_: float
    lot_seed_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    # ---- fitting

    def _read(self, X: Any, y: Any, sample_weight: Any) -> FlaggerInput:
        (X,) = indexable(X)
        labels = read_labels(y, n_rows=_num_samples(X), pos_label=self.pos_label)
        weights = read_weights(sample_weight, n_rows=len(labels.codes))
        check_two_classes(labels.codes, weights)
        return FlaggerInput(X, labels.classes[labels.codes], labels.codes, labels.classes, weights)

    def _model(self, default: Any) -> Any:
        """The model to fit, which looks for the same label where it can be told."""
        model = default if self.estimator is None else self.estimator
        if self.pos_label is not None and "pos_label" in model.get_params():
            model = clone(model).set_params(pos_label=self.pos_label)
        return model

    def _keep_model(self, fitted: Any, pos_label: Any, classes: np.ndarray) -> None:
        self.estimator_, self.pos_label_, self.classes_ = fitted, pos_label, np.sort(classes)
        for name in ("n_features_in_", "feature_names_in_", "summary_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    # ---- scoring

    def score_samples(self, X: Any) -> np.ndarray:
        """The model's score of each row, higher is better: the more likely it is `pos_label_`."""
        check_is_fitted(self, "estimator_")
        return score_rows(self.estimator_, X, self.pos_label_)[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of the score to the threshold, signed towards ``classes_[1]``: `predict` changes its mind at 0.

        Where `pos_label_` is ``classes_[1]``, flagged rows are above 0, and else below. Rows that `predict` decides by
        lot have exactly 0.
        """
        scores = self.score_samples(X)
        distance = scores - self.threshold_
        if self.tie_chance_ == 0.0:
            distance[scores == self.threshold_] = -np.finfo(np.float64).tiny  # not above it, so not flagged
        return distance if self.pos_label_ == self.classes_[1] else -distance

    def flag(self, X: Any) -> np.ndarray:
        """Whether each row is flagged."""
        scores = self.score_samples(X)
        flagged = scores > self.threshold_
        tied = np.flatnonzero(scores == self.threshold_)
        if self.tie_chance_ > 0.0 and len(tied):
            flagged[tied] = draw_lots(take_rows(indexable(X)[0], tied), self.lot_seed_) < self.tie_chance_
        return flagged

    def predict(self, X: Any) -> np.ndarray:
        """The positive label for the rows that are flagged, the other one for the rest."""
        check_is_fitted(self, "estimator_")
        other = self.classes_[self.classes_ != self.pos_label_][0]
        return np.where(self.flag(X), self.pos_label_, other)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The AUC of `score_samples`."""
        return roc_auc(y, self.score_samples(X), sample_weight=sample_weight, pos_label=self.pos_label_)


def checked_share(name: str, value: Any, meaning: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} is {value!r}; give {meaning}, in (0, 1).")
    return float(value)


def fit_rows(model: Any, given: FlaggerInput, rows: np.ndarray | None = None) -> Any:
    """A copy of the model, fitted on some of the rows; None: on all of them."""
    X, y, weights = given.X, given.y, given.weights
    if rows is not None:
        X, y, weights = take_rows(X, rows), y[rows], None if weights is None else weights[rows]
    return clone(model).fit(X, y) if weights is None else clone(model).fit(X, y, sample_weight=weights)
