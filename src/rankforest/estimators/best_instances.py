"""The mass-constrained classifier: flag the best share of all rows, no more and no fewer."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing, check_random_state, indexable
from sklearn.utils.validation import _num_samples, check_is_fitted

from ..data.labels import check_two_classes, read_labels, read_weights
from ..metrics._responses import score_rows
from ..splitting.parameters import at_least, chosen
from .ranking_forest import RankingForest

__all__ = ["BestInstances"]

TIES = ("nearest", "include", "exclude", "random")


class BestInstances(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Flag the best instances: a given share of all rows, those with the best scores.

    Any model that scores rows is fitted, and the threshold is put where, of rows that the model has not seen, the
    wanted share lies above it. A quantile of the training scores would not do: a model is surer of the rows it has
    learned from, and on fresh rows fewer would reach it.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The model that scores. None is ``RankingForest(top=rate)``. The threshold comes from the out-of-bag scores of a
        `RankingForest`, otherwise from cross-validation.
    rate : float, default=0.1
        Share u of all rows to flag, in (0, 1).
    ties : {"nearest", "include", "exclude", "random"}, default="nearest"
        What becomes of rows that share the score at the quantile: flag all or none of them, whichever comes closer to
        the rate; flag all; flag none; or flag each with the chance that makes the expected share exact, drawn anew in
        every call. It matters for scores on a fixed scale, such as points; models that are learned anew in each fold
        rarely share a score, and the strata of a single tree are flagged whole.
    cv : int, or splitter or iterable as scikit-learn takes them, default=10
        Folds of the cross-validation, at most as many as the rarer class has rows. The folds' models learn from fewer
        rows than the model that is used; where that makes their scores spread more, the threshold is a little too high.
    pos_label : label or None, default=None
        The label to look for; None is the estimator's own, or the greater of the two.
    n_jobs : int or None, default=None
        Processes of the cross-validation.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of ties drawn at random.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows.
    threshold_ : float
        Rows that score above it are flagged.
    tie_score_, tie_chance_ : float
        Rows with this score are flagged with this chance (``ties="random"``; otherwise it is 0).
    rate_, recall_, precision_ : float
        On the rows held out: the share that is flagged, the share of the positives among them that is, and the share
        of positives among the flagged.
    held_out_ : {"out-of-bag", "cross-validation"}
        Where the threshold comes from.
    classes_, pos_label_

    Examples
    --------
    >>> from rankforest import BestInstances, RankingForest
    >>> from rankforest.data import simulate
    >>> sample, fresh = (simulate.rf20(1000, random_state=seed) for seed in (0, 1))
    >>> model = BestInstances(RankingForest(100, random_state=0), rate=0.1).fit(sample.X, sample.y)
    >>> bool(abs(model.flag(fresh.X).mean() - 0.1) < 0.03)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        rate: float = 0.1,
        ties: str = "nearest",
        cv: Any = 10,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.rate = rate
        self.ties = ties
        self.cv = cv
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        if hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BestInstances:
        """Fit the model on all rows, and put the threshold by rows held out.

        Parameters
        ----------
        X : array or data frame of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Handed on to the model; shares are shares of weight.
        """
        rate = self._checked_rate()
        chosen("ties", self.ties, TIES)
        if isinstance(self.cv, Integral):
            at_least("cv", self.cv, 2)
        (X,) = indexable(X)
        labels = read_labels(y, n_rows=_num_samples(X), pos_label=self.pos_label)
        weights = read_weights(sample_weight, n_rows=len(labels.codes))
        check_two_classes(labels.codes, weights)
        y = labels.classes[labels.codes]
        model = RankingForest(top=rate, random_state=self.random_state) if self.estimator is None else self.estimator
        if self.pos_label is not None and "pos_label" in model.get_params():
            model = clone(model).set_params(pos_label=self.pos_label)
        fitted = _fit(model, X, y, weights)
        scores, pos_label = _out_of_bag(fitted), getattr(fitted, "pos_label_", None)
        held_out = "out-of-bag"
        if scores is None:
            held_out = "cross-validation"
            folds = self._folds(labels.codes)
            found = Parallel(n_jobs=self.n_jobs)(
                delayed(_score_fold)(model, X, y, weights, train, test, self.pos_label)
                for train, test in folds.split(X, labels.codes)
            )
            scores = np.full(len(y), np.nan)  # folds need not hold out every row
            for test, of_fold, label in found:
                scores[test], pos_label = of_fold, label
        known = ~np.isnan(scores)
        if not (known & (labels.codes == 0)).any() or not (known & (labels.codes == 1)).any():
            raise ValueError(
                "No row of one class was held out, so nothing says where the threshold is; add trees, rows or folds."
            )
        mass = np.ones(len(y)) if weights is None else weights.astype(np.float64)
        self.threshold_, self.tie_score_, self.tie_chance_ = _threshold(scores[known], mass[known], rate, self.ties)
        self.estimator_, self.held_out_ = fitted, held_out
        self.pos_label_ = labels.classes[1] if pos_label is None else pos_label
        self.classes_ = np.sort(labels.classes)
        flagged = (scores > self.threshold_) + self.tie_chance_ * (scores == self.tie_score_)
        positive = y == self.pos_label_
        caught = float((flagged * mass)[known & positive].sum())
        self.rate_ = float((flagged * mass)[known].sum() / mass[known].sum())
        self.recall_ = caught / float(mass[known & positive].sum())
        self.precision_ = caught / (self.rate_ * float(mass[known].sum())) if self.rate_ > 0 else float("nan")
        for name in ("n_features_in_", "feature_names_in_", "summary_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        return self

    def _folds(self, codes: np.ndarray) -> Any:
        if not isinstance(self.cv, Integral):
            return check_cv(self.cv, codes, classifier=True)
        rarer = int(np.bincount(codes).min())
        if rarer < 2:
            raise ValueError(
                "One class has a single row, which cannot be held out; add rows of it, or use a RankingForest."
            )
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return StratifiedKFold(min(int(self.cv), rarer), shuffle=True, random_state=seed)

    def _checked_rate(self) -> float:
        if isinstance(self.rate, bool) or not isinstance(self.rate, Real) or not 0.0 < float(self.rate) < 1.0:
            raise ValueError(f"rate is {self.rate!r}; give the share of the rows to flag, in (0, 1).")
        return float(self.rate)

    def score_rows(self, X: Any) -> np.ndarray:
        """The model's score of each row, higher is better."""
        check_is_fitted(self, "estimator_")
        return score_rows(self.estimator_, X, self.pos_label_)[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of the score to the threshold; above 0 is flagged."""
        return self.score_rows(X) - self.threshold_

    def flag(self, X: Any) -> np.ndarray:
        """Whether each row is among the best."""
        scores = self.score_rows(X)
        flagged = scores > self.threshold_
        tied = scores == self.tie_score_
        if self.tie_chance_ > 0.0 and tied.any():
            flagged[tied] = check_random_state(self.random_state).random_sample(int(tied.sum())) < self.tie_chance_
        return flagged

    def predict(self, X: Any) -> np.ndarray:
        """The positive label for the rows that are flagged, the other one for the rest."""
        check_is_fitted(self, "estimator_")
        other = self.classes_[self.classes_ != self.pos_label_][0]
        return np.where(self.flag(X), self.pos_label_, other)


def _fit(model: Any, X: Any, y: np.ndarray, weights: np.ndarray | None) -> Any:
    return clone(model).fit(X, y) if weights is None else clone(model).fit(X, y, sample_weight=weights)


def _out_of_bag(fitted: Any) -> np.ndarray | None:
    """Scores of the training rows by the trees of a forest that have not seen them."""
    if not hasattr(fitted, "oob_scores_") or not hasattr(fitted, "oob_scores_as_of_fresh_rows"):
        return None
    return fitted.oob_scores_as_of_fresh_rows()


def _score_fold(
    model: Any, X: Any, y: np.ndarray, weights: np.ndarray | None, train: np.ndarray, test: np.ndarray, pos_label: Any
) -> tuple[np.ndarray, np.ndarray, Any]:
    of_fold = _fit(model, _safe_indexing(X, train), y[train], None if weights is None else weights[train])
    scores, label = score_rows(of_fold, _safe_indexing(X, test), pos_label)
    return test, scores, label


def _threshold(scores: np.ndarray, mass: np.ndarray, rate: float, ties: str) -> tuple[float, float, float]:
    """Threshold, score at the quantile, and the chance of rows that share it.

    The threshold lies half-way between two scores, so that neither side is favoured.
    """
    values, group = np.unique(-scores, return_inverse=True)  # best first
    values = -values
    above = np.append(0.0, np.cumsum(np.bincount(group, weights=mass))) / mass.sum()  # share of the first k scores
    last = min(int(np.searchsorted(above, rate, side="left")), len(values))  # with this many the share reaches the rate
    if above[last] == rate or ties == "include":
        first = last
    elif ties == "nearest":
        first = last if above[last] - rate <= rate - above[last - 1] else last - 1
    else:
        first = last - 1
    better = values[first - 1] if first > 0 else np.inf
    worse = values[first] if first < len(values) else -np.inf
    middle = worse if np.isinf(better) else (np.nextafter(better, -np.inf) if np.isinf(worse) else (better + worse) / 2)
    if not middle < better:  # two neighbouring numbers have none between them
        middle = worse
    chance = (rate - above[first]) / (above[last] - above[first]) if ties == "random" and first < last else 0.0
    return float(middle), float(values[last - 1]), float(chance)
