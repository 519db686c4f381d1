"""The classifier that flags the best instances: a share of all rows, as many as are precise enough, or a number."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import indexable
from sklearn.utils.validation import check_is_fitted

from ..data.parameters import at_least, chosen
from ..data.parts import InvalidParts, Parts, check_finite, need
from ..data.rows import take_rows
from ..metrics._held_out_list import HeldOutList
from ..metrics._responses import score_rows
from ..metrics.budget import BudgetSelection, best_rows
from ..metrics.conformal import ConformalSelection, check_enough, select_batch
from ..metrics.interval import check_confidence
from ..metrics.precision_threshold import threshold_for
from ..program import ExportError, Program
from ._flagger import Flagger, FlaggerInput, checked_share, fit_rows
from ._fresh_scores import FoldScores, FreshScores, scores_of_folds
from ._held_out_part import fit_beside_held_out_rows
from ._lots import draw_lots
from ._out_of_bag import OutOfBag
from ._share_line import TIES, ShareLine
from .ranking_forest import RankingForest
from .registry import register

__all__ = ["BestInstances"]

# Relative error of the share above which a warning is given.
_FAR = 0.1
# The share to flag if no goal is given.
_TOP = 0.1
_TINY = np.finfo(np.float64).tiny
_GOALS = {
    "top": "the share of the rows to flag",
    "precision": "the least share of positives among the flagged rows",
    "budget": "the number of rows to flag in a batch",
}


@register()
class BestInstances(Flagger):
    """Flag the best instances: a share of all rows, as many as are precise enough, or a number per batch.

    Any model that scores rows is fitted, and what is flagged follows one of three goals:

    - `top`: the threshold is chosen so that this share of held-out rows lies above it. A quantile of the training
      scores would be too high: models give more extreme scores to their training rows, and fewer fresh rows would reach
      it.
    - `precision`: `select` flags rows of a batch so that the expected share of positives among them is at least the
      precision (conformal selection). `flag` and `predict` treat each row alone: rows above `threshold_` have the
      precision with the probability `confidence`. Both hold for any model and any distribution of the rows.
    - `budget`: the best rows of a batch, and an interval of the share of positives among such rows.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The model that scores. None is ``RankingForest(top=top)``. With `top` the threshold comes from the out-of-bag
        scores of a `RankingForest`, otherwise from cross-validation.
    top : float or None, default=None
        Share u of all rows to flag, in (0, 1). At most one of the three goals may be given; none is ``top=0.1``.
    precision : float or None, default=None
        Least share of positives among the flagged rows, in (0, 1).
    budget : int or None, default=None
        Number of rows to flag in each batch that `select`, `flag` or `predict` is given.
    held_out : float, default=0.3
        With a precision or a budget: share of the rows, drawn at random, that the model does not see. The guarantee
        comes from them. Out-of-bag scores would not do: each of them comes from other trees than the score of a fresh
        row. 1 holds out all rows, for a fitted model in a `sklearn.frozen.FrozenEstimator`.
    confidence : float, default=0.95
        Probability that rows above `threshold_` have the precision, and confidence of the interval of a budget.
    ties : {"random", "nearest", "include", "exclude"}, default="random"
        Treatment of rows that are tied at the threshold, such as a stratum of a tree. "random" flags each of them by
        lot, with the probability that makes the expected share exact. The lot depends on the values of the row and on
        `random_state`, so the same row gets the same result in every call; of several equal rows in one call a part is
        flagged. The other options flag whole groups: "nearest" as many as come closest to `top`, but at least one;
        "include" as many as reach it; "exclude" as many as stay below it, which may be none. With a budget, tied rows
        are always drawn by lot; with a precision all of them are flagged or none.
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
        Rows that score above it are flagged. Infinite if no threshold has the precision; NaN with a budget.
    tie_chance_ : float
        Rows whose score equals the threshold are flagged with this probability; 0 if no lots are needed.
    share_, recall_, precision_ : float
        Estimates for fresh rows: the share of flagged rows, the share of the positives that are flagged, and the share
        of positives among the flagged rows. They come from held-out rows. In a cross-validation these are scored by the
        folds' models; a row counts as flagged if it is in the same best share of its own model's list. NaN with a
        budget, which depends on the batch.
    possible_shares_ : tuple of two floats
        The nearest shares below and above `top` that are possible without lots.
        Only with `top`.
    held_out_ : {"out-of-bag", "cross-validation", "rows held out"}
        Source of the held-out scores.
    n_held_out_ : int
        Number of rows held out for a precision or a budget; with groups, of groups, of which one row each counts.
    matched_by_ : {"score", "rank"}
        How scores of the folds' models are mapped to the scale of `estimator_`: unchanged, or, as for the strata of
        trees, by the share of training rows below them. The way under which the folds agree better is used. Only with
        `top`.
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

    At least 80% of the flagged rows should be positive:

    >>> sample, fresh = (simulate.rf10_sparse(1000, random_state=seed) for seed in (0, 1))
    >>> model = BestInstances(RankingForest(100, random_state=0), precision=0.9, random_state=0)
    >>> found = model.fit(sample.X, sample.y).select(fresh.X)
    >>> found.n_flagged, round(float((fresh.y[found.flagged] > 0).mean()), 3)
    (341, 0.894)
    """

    _held_out_words = ("out-of-bag", "cross-validation", "rows held out")
    _measures = ("share_", "recall_", "precision_")
    _without_lots = "ties='nearest', 'include' or 'exclude'"

    def __init__(
        self,
        estimator: Any = None,
        *,
        top: float | None = None,
        precision: float | None = None,
        budget: int | None = None,
        held_out: float = 0.3,
        confidence: float = 0.95,
        ties: str = "random",
        cv: Any = 10,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.top = top
        self.precision = precision
        self.budget = budget
        self.held_out = held_out
        self.confidence = confidence
        self.ties = ties
        self.cv = cv
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> BestInstances:
        """Fit the model on all rows, and choose the threshold on held-out scores.

        Parameters
        ----------
        X : array or data frame of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Passed to the model; with `top`, shares are shares of weight. A precision or a budget counts rows, and
            ignores held-out rows of weight 0.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are held out together or not at all. For a precision
            or a budget one row of each held-out group counts, drawn at random.
        time : array of shape (n,) or None
            Numbers or dates: later rows are held out. Not together with `groups`.
        """
        goal, wanted = self._goal()
        chosen("ties", self.ties, TIES)
        if isinstance(self.cv, Integral):
            at_least("cv", self.cv, 2)
        delta = check_confidence(self.confidence)
        given = self._read(X, y, sample_weight, groups, time)
        return self._fit_share(given, wanted) if goal == "top" else self._fit_beside(given, goal, wanted, delta)

    def select(self, X: Any, *, exchangeable: str = "rows", groups: Any = None) -> ConformalSelection | BudgetSelection:
        """Flag rows of a batch, judged together.

        With a precision, the expected share of positives among the flagged rows is at least this precision, by
        conformal selection: see `rankforest.metrics.conformal_selection`. With a budget, the best rows of the batch.

        Parameters
        ----------
        X : array or data frame of shape (m, q)
            The batch.
        exchangeable : {"rows", "negatives"}
            With a precision: whether the batch has the same rate of positives as the training rows, or only the
            negatives are alike.
        groups : array of shape (m,) or None
            With a precision: equal for rows of the batch that are not independent, such as those of one customer.
        """
        check_is_fitted(self, "estimator_")
        goal, wanted = self._goal()
        if goal == "top":
            raise ValueError("select needs a precision or a budget; with top, flag(X) has the flagged rows.")
        scores = self.score_samples(X)
        if goal == "precision":
            return select_batch(self._held_out_list, scores, wanted, exchangeable=exchangeable, groups=groups)
        lots = draw_lots(indexable(X)[0], self.lot_seed_)
        return best_rows(scores, int(wanted), lots, self._held_out_list, self.confidence)

    def flag(self, X: Any) -> np.ndarray:
        """Whether each row is flagged: each alone, or with a budget the best rows of X."""
        goal, wanted = self._goal()
        if goal == "budget":
            return np.asarray(self.select(X).flagged)
        flagged = super().flag(X)
        if goal == "precision" and self.threshold_ == np.inf:
            warnings.warn(
                f"No threshold has a precision of {wanted:g} with a confidence of {self.confidence:g} on the "
                f"{self.n_held_out_} held-out rows, so no row is flagged on its own; select(X) judges the rows of a "
                "batch together and needs fewer.",
                stacklevel=2,
            )
        return flagged

    def decision_function(self, X: Any) -> np.ndarray:
        """Distance of the score to the threshold: positive where `predict` is ``classes_[1]``, negative elsewhere.

        Rows that `predict` decides by lot have exactly 0. With a budget the threshold is that of the rows in X.
        """
        if self._goal()[0] != "budget":
            return super().decision_function(X)
        flagged, scores = self.flag(X), self.score_samples(X)
        edge = ShareLine.around(scores, flagged)
        distance = np.where(scores == edge, 0.0, np.where(flagged, 1.0, -1.0) * np.maximum(abs(scores - edge), _TINY))
        return distance if self.pos_label_ == self.classes_[1] else -distance

    def program(self) -> Program:
        if self._goal()[0] == "budget":
            raise ExportError(
                "A budget is a number of rows of a batch, and an export scores rows one by one; fit it "
                "with top or a precision."
            )
        if not np.isfinite(self.threshold_):
            raise ExportError(
                "No row can be flagged at this precision, so there is nothing to export; fit it with more "
                "rows or a lower precision."
            )
        return super().program()

    def _goal(self) -> tuple[str, float]:
        """The goal and its value."""
        given = {name: value for name in _GOALS if (value := getattr(self, name)) is not None}
        if len(given) > 1:
            said = " and ".join(f"{name}={value!r}" for name, value in given.items())
            raise ValueError(f"{said} are different goals; give one of them.")
        name, value = next(iter(given.items()), ("top", _TOP))
        if name == "budget":
            return name, at_least("budget", value, 1)
        return name, checked_share(name, value, _GOALS[name])

    def _fit_beside(self, given: FlaggerInput, goal: str, wanted: float, delta: float) -> BestInstances:
        """Fit the model on a part of the rows, and judge it on the others."""
        model = self._model(RankingForest(random_state=self.random_state))
        beside = fit_beside_held_out_rows(model, given, self.held_out, self._seed(), self.pos_label)
        held_out = HeldOutList.of(beside.is_positive, beside.scores)
        self.threshold_, self.tie_chance_ = float("nan"), 0.0
        self.share_ = self.recall_ = self.precision_ = float("nan")
        if goal == "precision":
            check_enough(held_out.n, wanted)
            threshold, flagged, positives = threshold_for(held_out, wanted, delta)
            self.threshold_ = ShareLine.beyond(np.concatenate(held_out), threshold)
            self.share_, self.precision_ = flagged / held_out.n, positives / flagged if flagged else float("nan")
            self.recall_ = positives / len(held_out.positive) if len(held_out.positive) else float("nan")
        self._keep_model(beside.fitted, beside.pos_label, given.classes)
        self._held_out_list, self.n_held_out_ = held_out, held_out.n
        self.held_out_, self.lot_seed_ = "rows held out", self._seed() if goal == "budget" else 0
        return self

    def _fit_share(self, given: FlaggerInput, top: float) -> BestInstances:
        """Fit the model on all rows, and choose the threshold above which the share of held-out rows lies."""
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
                for train, test in self._splits(given)
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
        if self._goal()[0] != "top":
            positive, negative = self._held_out_list
            return {**super().to_parts(), "held_out_positive": positive, "held_out_negative": negative}
        shares = [float(share) for share in self.possible_shares_]
        return {**super().to_parts(), "matched_by": self.matched_by_, "possible_shares": shares}

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        try:
            goal = self._goal()[0]
            check_confidence(self.confidence)
        except (ValueError, TypeError):
            raise InvalidParts("its goal or its confidence is invalid") from None
        need(isinstance(self.confidence, int | float), "its goal or its confidence is invalid")
        if goal != "top":
            lists = [parts.array(f"held_out_{name}", np.float64, None) for name in ("positive", "negative")]
            for scores in lists:
                check_finite(scores, "held-out scores")
                need((np.diff(scores) >= 0.0).all(), "its held-out scores are not sorted")
            self._held_out_list = HeldOutList(lists[0], lists[1])
            self.n_held_out_ = self._held_out_list.n
            return
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

    def _splits(self, given: FlaggerInput) -> Any:
        """Rows to fit on and rows to score, of each fold."""
        codes, hold_out = given.codes, given.hold_out
        if not isinstance(self.cv, Integral):
            return check_cv(self.cv, codes, classifier=True).split(given.X, codes, hold_out.groups)
        if hold_out.groups is not None:
            folds = hold_out.folds_at_most(codes, int(self.cv), self._seed())
            assert folds is not None
            return [(folds.seen(fold), folds.held_out(fold)) for fold in range(folds.n_folds)]
        rarer = int(np.bincount(codes).min())
        if rarer < 2:
            raise ValueError(
                "One class has a single row, which cannot be held out; add rows of it, or use a RankingForest."
            )
        folds = StratifiedKFold(min(int(self.cv), rarer), shuffle=True, random_state=self._seed())
        return folds.split(given.X, codes)


def _out_of_bag(fitted: Any) -> np.ndarray | None:
    """Out-of-bag scores of the training rows."""
    if not isinstance(fitted, OutOfBag) or not fitted.has_oob_scores:
        return None
    return fitted.oob_scores_as_of_fresh_rows()


def _score_fold(model: Any, given: FlaggerInput, train: np.ndarray, test: np.ndarray, pos_label: Any) -> FoldScores:
    of_fold = fit_rows(model, given, train)
    own_scores, scores = (score_rows(of_fold, take_rows(given.X, rows), pos_label)[0] for rows in (train, test))
    return FoldScores(test, scores, train, own_scores)
