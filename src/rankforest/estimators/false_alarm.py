"""The false-alarm-constrained classifier, which flags at most a given share of the negatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from ..data.rows import take_rows
from ..metrics._responses import score_rows
from ..metrics.false_alarm import threshold_of_negatives
from ..metrics.interval import check_confidence
from ._flagger import Flagger, FlaggerInput, checked_share, fit_rows
from ._held_out_part import independent_rows
from ._out_of_bag import OutOfBag
from ._share_line import ShareLine
from .ranking_forest import RankingForest
from .registry import register

__all__ = ["FalseAlarmConstrained"]


@register()
class FalseAlarmConstrained(Flagger):
    """Flag as many positives as possible with at most a share alpha of the negatives (Neyman and Pearson).

    Any model that scores rows is fitted, and the threshold is chosen among the scores of held-out negatives (Ranking
    the best instances, 2007, Remark 2). `BestInstances` fixes the share of all rows instead.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The model that scores. None is ``RankingForest()``.
    alpha : float, default=0.05
        Share of the negatives that may be flagged, in (0, 1).
    confidence : float or None, default=None
        None bounds the expected share of false alarms by `alpha`. With a number such as 0.95 the share is at most
        `alpha` with this probability: the threshold is higher, and more held-out rows are needed.
    held_out : float, default=0.3
        Share of the rows of each class that are held out to choose the threshold. A `RankingForest` is fitted on all
        rows and uses its out-of-bag scores, unless `confidence` is given: that needs rows that no tree was trained on.
    pos_label : label or None, default=None
        The positive label; None is the estimator's own, or as in `TreeRank`.
    random_state : int, RandomState or None, default=None
        Seed of the held-out rows and of the default model.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on the rows that are not held out.
    threshold_ : float
        Rows that score above it are flagged. It is one of the held-out scores, or a thousandth of the way from it to
        the next one where no lot is drawn, so that rounding errors of a score do not matter.
    tie_chance_ : float
        Rows whose score equals the threshold, such as a stratum of a tree, are flagged by lot with this probability.
        The lot depends only on the values of the row and on `random_state`. With a `confidence` it is 0.
    alpha_, power_ : float
        Shares of the held-out negatives and positives that are flagged.
    held_out_ : {"out-of-bag", "rows held out"}
        Source of the held-out scores for the threshold.
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

    _held_out_words = ("out-of-bag", "rows held out")
    _measures = ("alpha_", "power_")
    _without_lots = "a confidence"

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

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None
    ) -> FalseAlarmConstrained:
        """Fit the model, and choose the threshold on held-out scores.

        Parameters
        ----------
        X : array or data frame of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Passed to the model. The threshold ignores weights.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are held out together or not at all. Of each group
            that is held out one row, drawn at random, counts.
        time : array of shape (n,) or None
            Numbers or dates: later rows are held out. Not together with `groups`.
        """
        alpha = checked_share("alpha", self.alpha, "the share of the negatives that may be flagged")
        part = checked_share("held_out", self.held_out, "the share of the rows to hold out")
        delta = None if self.confidence is None else check_confidence(self.confidence)
        given = self._read(X, y, sample_weight, groups, time)
        model = self._model(RankingForest(random_state=self.random_state))

        if delta is None and isinstance(model, OutOfBag):
            held_out, fitted = "out-of-bag", fit_rows(model, given)
            scores, pos_label = fitted.oob_scores_as_of_fresh_rows(), fitted.pos_label_
            apart = np.flatnonzero(~np.isnan(scores))
            scores = scores[apart]
        else:
            rows = _train_rows(given, part, self._seed())
            held_out, fitted = "rows held out", fit_rows(model, given, rows)
            apart = np.setdiff1d(np.arange(len(given.y)), rows)
            apart = apart[independent_rows(given, apart, self._seed())]
            scores, pos_label = score_rows(fitted, take_rows(given.X, apart), self.pos_label)
        positive = given.y[apart] == pos_label
        line = threshold_of_negatives(scores[~positive], alpha, delta)
        self._keep_model(fitted, pos_label, given.classes)
        self.threshold_, self.tie_chance_ = line
        if line.chance == 0.0:
            self.threshold_ = ShareLine.beyond(scores, line.threshold)
        self.alpha_ = float(line.chances(scores[~positive]).mean())
        self.power_ = float(line.chances(scores[positive]).mean()) if positive.any() else float("nan")
        self.lot_seed_, self.held_out_ = self._seed(), held_out
        return self


def _train_rows(given: FlaggerInput, part: float, seed: int) -> np.ndarray:
    """Rows to fit on; the others, the same share of each class, are held out."""
    codes = given.codes
    apart = given.hold_out.part(codes, part, seed)
    if apart is not None:
        return np.setdiff1d(np.arange(len(codes)), apart)
    if np.bincount(codes).min() < 2:
        raise ValueError("One class has a single row, which cannot be held out; add rows of it.")
    rows = np.arange(len(codes))
    kept, _ = train_test_split(rows, test_size=max(part, 2.0 / len(codes)), stratify=codes, random_state=seed)
    return np.sort(kept)
