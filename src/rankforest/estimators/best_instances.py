"""The mass-constrained classifier, which flags a given share of all rows."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold, check_cv

from ..data.parameters import at_least, chosen
from ..data.parts import Parts, need
from ..data.rows import take_rows
from ..metrics._responses import score_rows
from ._flagger import Flagger, FlaggerInput, checked_share, fit_rows
from ._fresh_scores import FoldScores, FreshScores, scores_of_folds
from ._out_of_bag import OutOfBag
from ._share_line import TIES, ShareLine
from .ranking_forest import RankingForest
from .registry import register

__all__ = ["BestInstances"]

# Relative error of the share above which a warning is given.
_FAR = 0.1


@register()
class BestInstances(Flagger):
    """Flag the best instances: a given share of all rows, those with the best scores.

    Any model that scores rows is fitted. The threshold is chosen so that the wanted share of held-out rows lies above
    it. A quantile of the training scores would be too high: models give more extreme scores to their training rows, and
    fewer fresh rows would reach it.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The model that scores. None is ``RankingForest(top=top)``. The threshold comes from the out-of-bag scores of a
        `RankingForest`, otherwise from cross-validation.
    top : float, default=0.1
        Share u of all rows to flag, in (0, 1).
    ties : {"random", "nearest", "include", "exclude"}, default="random"
        Treatment of rows that are tied at the threshold, such as a stratum of a tree. "random" flags each of them by
        lot, with the probability that makes the expected share exact. The lot depends on the values of the row and on
        `random_state`, so the same row gets the same result in every call; of several equal rows in one call a part is
        flagged. The other options flag whole groups: "nearest" as many as come closest to `top`, but at least one;
        "include" as many as reach it; "exclude" as many as stay below it, which may be none.
    cv : int, or splitter or iterable as scikit-learn takes them, default=10
        Folds of the cross-validation, at most as many as the rarer class has rows. The folds' models are trained on
        fewer rows than the final model; if their scores spread more for this reason, the threshold is slightly too
        high.
    pos_label : label or None, default=None
        The label to look for; None is the estimator's own, or as in `TreeRank`.
    n_jobs : int or None, default=None
        Processes of the cross-validation.
    random_state : int, RandomState or None, default=None
        Seed of the folds and of the lots.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on all rows.
    threshold_ : float
        Rows that score above it are flagged.
    tie_chance_ : float
        Rows whose score equals the threshold are flagged with this probability; 0 if no lots are needed.
    share_, recall_, precision_ : float
        Estimates for fresh rows: the share of flagged rows, the share of the positives that are flagged, and the share
        of positives among the flagged rows. They come from held-out rows. In a cross-validation these are scored by the
        folds' models; a row counts as flagged if it is in the same best share of its own model's list.
    possible_shares_ : tuple of two floats
        The nearest shares below and above `top` that are possible without lots.
    held_out_ : {"out-of-bag", "cross-validation"}
        Source of the held-out scores for the threshold.
    matched_by_ : {"score", "rank"}
        How scores of the folds' models are mapped to the scale of `estimator_`: unchanged, or, as for the strata of
        trees, by the share of training rows below them. The way under which the folds agree better is used.
    lot_seed_ : int
        Seed of the lots; 0 if no lots are needed.
    classes_, pos_label_

    Examples
    --------
    >>> from rankforest import BestInstances, RankingForest, TreeRank
    >>> from rankforest.data import simulate
    >>> sample, fresh = (simulate.rf20(1000, random_state=seed) for seed in (0, 1))
    >>> model = BestInstances(RankingForest(100, random_state=0), top=0.1).fit(sample.X, sample.y)
    >>> bool(abs(model.flag(fresh.X).mean() - 0.1) < 0.03)
    True

    The strata of a tree are larger or smaller than the share, so one of them is flagged in part:

    >>> model = BestInstances(TreeRank(max_depth=3), top=0.1, random_state=0).fit(sample.X, sample.y)
    >>> bool(abs(model.flag(fresh.X).mean() - 0.1) < 0.03), model.matched_by_
    (True, 'rank')
    """

    _held_out_words = ("out-of-bag", "cross-validation")
    _measures = ("share_", "recall_", "precision_")
    _without_lots = "ties='nearest', 'include' or 'exclude'"

    def __init__(
        self,
        estimator: Any = None,
        *,
        top: float = 0.1,
        ties: str = "random",
        cv: Any = 10,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.top = top
        self.ties = ties
        self.cv = cv
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BestInstances:
        """Fit the model on all rows, and choose the threshold on held-out scores.

        Parameters
        ----------
        X : array or data frame of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Passed to the model; shares are shares of weight.
        """
        top = checked_share("top", self.top, "the share of the rows to flag")
        chosen("ties", self.ties, TIES)
        if isinstance(self.cv, Integral):
            at_least("cv", self.cv, 2)
        given = self._read(X, y, sample_weight)
        model = self._model(RankingForest(top=top, random_state=self.random_state))
        fitted = fit_rows(model, given)
        mass = np.ones(len(given.y)) if given.weights is None else given.weights.astype(np.float64)
        scores, held_out = _out_of_bag(fitted), "out-of-bag"
        if scores is not None:
            fresh, pos_label = FreshScores.of_all(scores, mass), fitted.pos_label_
        else:
            held_out = "cross-validation"
            own_scores, pos_label = score_rows(fitted, given.X, self.pos_label)
            folds = Parallel(n_jobs=self.n_jobs)(
                delayed(_score_fold)(model, given, np.asarray(train), np.asarray(test), pos_label)
                for train, test in self._folds(given.codes).split(given.X, given.codes)
            )
            fresh = scores_of_folds(folds, own_scores, mass, top)
        positive = given.y == pos_label
        held_out_mass = np.bincount(positive[fresh.rows], weights=fresh.mass, minlength=2)
        if not held_out_mass.all():
            raise ValueError(
                "No row of one class was held out, so the threshold cannot be set; add trees, rows or folds."
            )
        line = ShareLine.under(fresh.scores, fresh.mass, top, self.ties)
        self._keep_model(fitted, pos_label, given.classes)
        self.threshold_, self.tie_chance_ = line.threshold, line.tie_chance
        self.held_out_, self.matched_by_ = held_out, fresh.matched_by
        self.share_, self.recall_ = fresh.share(line), fresh.share(line, positive)
        share = float(held_out_mass[1] / held_out_mass.sum())
        self.precision_ = share * self.recall_ / self.share_ if self.share_ > 0.0 else float("nan")
        self.possible_shares_ = line.possible
        self.lot_seed_ = self._seed() if self.tie_chance_ > 0.0 else 0
        self._warn_if_far(top)
        return self

    def to_parts(self) -> dict[str, Any]:
        shares = [float(share) for share in self.possible_shares_]
        return {**super().to_parts(), "matched_by": self.matched_by_, "possible_shares": shares}

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        self.matched_by_ = parts.choice("matched_by", ("score", "rank"))
        shares = parts.list_of("possible_shares", float)
        need(len(shares) == 2, "its possible_shares_ are not numbers")
        self.possible_shares_ = (shares[0], shares[1])

    def _warn_if_far(self, top: float) -> None:
        if self.ties == "random" or abs(self.share_ - top) <= _FAR * top:
            return
        below, above = (f"{share:.3g}" for share in self.possible_shares_)
        warnings.warn(
            f"top is {top:g} and about {self.share_:.3g} of fresh rows will be flagged: rows with equal scores are "
            f"flagged together, which gives shares of {below} or {above}; ties='random' gives the share itself.",
            stacklevel=3,
        )

    def _folds(self, codes: np.ndarray) -> Any:
        if not isinstance(self.cv, Integral):
            return check_cv(self.cv, codes, classifier=True)
        rarer = int(np.bincount(codes).min())
        if rarer < 2:
            raise ValueError(
                "One class has a single row, which cannot be held out; add rows of it, or use a RankingForest."
            )
        return StratifiedKFold(min(int(self.cv), rarer), shuffle=True, random_state=self._seed())


def _out_of_bag(fitted: Any) -> np.ndarray | None:
    """Out-of-bag scores of the training rows."""
    if not isinstance(fitted, OutOfBag) or not fitted.has_oob_scores:
        return None
    return fitted.oob_scores_as_of_fresh_rows()


def _score_fold(model: Any, given: FlaggerInput, train: np.ndarray, test: np.ndarray, pos_label: Any) -> FoldScores:
    of_fold = fit_rows(model, given, train)
    own_scores, scores = (score_rows(of_fold, take_rows(given.X, rows), pos_label)[0] for rows in (train, test))
    return FoldScores(test, scores, train, own_scores)
