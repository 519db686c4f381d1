"""The false-alarm-constrained classifier: flag what can be flagged with at most a given share of false alarms."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..data.labels import check_two_classes, read_labels, read_weights
from ..metrics._responses import score_rows
from ..metrics.false_alarm import threshold_of_negatives
from ..metrics.interval import check_confidence
from ..metrics.roc import roc_auc
from ._lots import draw_lots
from .ranking_forest import RankingForest

__all__ = ["FalseAlarmConstrained"]


class FalseAlarmConstrained(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Flag as many positives as can be flagged with at most a share alpha of the negatives (Neyman and Pearson).

    Any model that scores rows is fitted, and the threshold is put among the scores of negatives that it has not seen
    (Ranking the best instances, 2007, Remark 2). `BestInstances` bounds the share of all rows instead.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The model that scores. None is ``RankingForest()``.
    alpha : float, default=0.05
        Share of the negatives that may be flagged, in (0, 1).
    confidence : float or None, default=None
        None bounds the expected share of false alarms. Such as 0.95, the share is at most `alpha` with this
        probability: the threshold is higher, and more rows have to be held out.
    held_out : float, default=0.3
        Share of the rows of each class that the model is not fitted on and the threshold comes from. A `RankingForest`
        learns from all rows and gives its out-of-bag scores, unless a `confidence` is asked for, which needs rows that
        no tree has seen.
    pos_label : label or None, default=None
        The label to look for; None is the estimator's own, or as in `TreeRank`.
    random_state : int, RandomState or None, default=None
        Which rows are held out, and the seed of the default model.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on the rows that are not held out.
    threshold_ : float
        Rows that score above it are flagged.
    tie_chance_ : float
        Rows that score the same, such as a stratum of a tree, are flagged by lot with this chance. The lot depends on
        the values of the row and on `random_state` alone. With a `confidence` it is 0.
    alpha_, power_ : float
        On the rows held out: the shares of the negatives and of the positives that are flagged.
    held_out_ : {"out-of-bag", "rows held out"}
        Where the threshold comes from.
    lot_seed_ : int
        Seed of the lots.
    classes_, pos_label_

    Examples
    --------
    >>> from rankforest import FalseAlarmConstrained, RankingForest
    >>> from rankforest.data import simulate
    >>> sample, fresh = (simulate.rf20(1000, random_state=seed) for seed in (0, 1))
    >>> model = FalseAlarmConstrained(RankingForest(100, random_state=0), alpha=0.1).fit(sample.X, sample.y)
    >>> bool(abs(model.flag(fresh.X[fresh.y == -1]).mean() - 0.1) < 0.04)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        alpha: float = 0.05,
        confidence: float | None = None,
        held_out: float = 0.3,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.confidence = confidence
        self.held_out = held_out
        self.pos_label = pos_label
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FalseAlarmConstrained:
        """Fit the model, and put the threshold by rows that it has not seen.

        Parameters
        ----------
        X : array or data frame of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Handed on to the model. The threshold counts rows.
        """
        alpha = _share("alpha", self.alpha, "the share of the negatives that may be flagged")
        part = _share("held_out", self.held_out, "the share of the rows to hold out")
        delta = None if self.confidence is None else check_confidence(self.confidence)
        (X,) = indexable(X)
        labels = read_labels(y, n_rows=_num_samples(X), pos_label=self.pos_label)
        weights = read_weights(sample_weight, n_rows=len(labels.codes))
        check_two_classes(labels.codes, weights)
        y = labels.classes[labels.codes]
        model = RankingForest(random_state=self.random_state) if self.estimator is None else self.estimator
        if self.pos_label is not None and "pos_label" in model.get_params():
            model = clone(model).set_params(pos_label=self.pos_label)

        out_of_bag = delta is None and hasattr(model, "oob_scores_as_of_fresh_rows")
        rows = np.arange(len(y)) if out_of_bag else _train_rows(labels.codes, part, self._seed())
        fitted = _fit(model, X, y, weights, rows)
        if out_of_bag:
            apart, scores = rows, fitted.oob_scores_as_of_fresh_rows()
            pos_label, known = fitted.pos_label_, ~np.isnan(scores)
            apart, scores = apart[known], scores[known]
        else:
            apart = np.setdiff1d(np.arange(len(y)), rows)
            scores, pos_label = score_rows(fitted, _safe_indexing(X, apart), self.pos_label)
        positive = y[apart] == pos_label
        line = threshold_of_negatives(scores[~positive], alpha, delta)
        self.threshold_, self.tie_chance_ = line
        self.alpha_ = float(line.chances(scores[~positive]).mean())
        self.power_ = float(line.chances(scores[positive]).mean()) if positive.any() else float("nan")
        self.lot_seed_ = self._seed()
        self.estimator_, self.held_out_ = fitted, "out-of-bag" if out_of_bag else "rows held out"
        self.pos_label_, self.classes_ = pos_label, np.sort(labels.classes)
        for name in ("n_features_in_", "feature_names_in_", "summary_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

    def score_samples(self, X: Any) -> np.ndarray:
        """The model's score of each row, higher is better: the more likely it is `pos_label_`."""
        check_is_fitted(self, "estimator_")
        return score_rows(self.estimator_, X, self.pos_label_)[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of the score to the threshold, signed towards ``classes_[1]``: `predict` changes its mind at 0.

        Exactly 0 have the rows that `predict` decides by lot.
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
            flagged[tied] = draw_lots(_safe_indexing(indexable(X)[0], tied), self.lot_seed_) < self.tie_chance_
        return flagged

    def predict(self, X: Any) -> np.ndarray:
        """The positive label for the rows that are flagged, the other one for the rest."""
        check_is_fitted(self, "estimator_")
        other = self.classes_[self.classes_ != self.pos_label_][0]
        return np.where(self.flag(X), self.pos_label_, other)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The AUC of `score_samples`."""
        return roc_auc(y, self.score_samples(X), sample_weight=sample_weight, pos_label=self.pos_label_)


def _share(name: str, value: Any, meaning: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < 1.0:
        raise ValueError(f"{name} is {value!r}; give {meaning}, in (0, 1).")
    return float(value)


def _train_rows(codes: np.ndarray, part: float, seed: int) -> np.ndarray:
    """Rows to fit on; the others, an equal share of both classes, are held out."""
    if np.bincount(codes).min() < 2:
        raise ValueError("One class has a single row, which cannot be held out; add rows of it.")
    rows = np.arange(len(codes))
    kept, _ = train_test_split(rows, test_size=max(part, 2.0 / len(codes)), stratify=codes, random_state=seed)
    return np.sort(kept)


def _fit(model: Any, X: Any, y: np.ndarray, weights: np.ndarray | None, rows: np.ndarray) -> Any:
    learned_from = _safe_indexing(X, rows)
    if weights is None:
        return clone(model).fit(learned_from, y[rows])
    return clone(model).fit(learned_from, y[rows], sample_weight=weights[rows])
