"""RankScore, a scorecard, as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..boosting.rounds import held_out_folds, judging_blocks
from ..data.constraints import CodedConstraints, Constraints, resolve_constraints
from ..data.parameters import at_least, share
from ..data.parts import Parts, check_finite
from ..data.sample import Sample
from ..data.table import Table
from ..fitting.progress import Meter
from ..scorecard.finish import finished_card
from ..scorecard.learn import KINDS, Recipe, Trial, learn
from ..words import area, number
from ._card_refresh import RefreshesCard
from ._table_model import Training, check_fitted
from .registry import register

__all__ = ["RankScore"]

# With fewer rows in a class the rows are split into folds three times, or twice if the other class has many.
_FEW_ROWS, _MANY_OTHERS = 200, 2_000
# Rounds if a class has a single row, so that no row can be held out for early stopping.
_BLIND_ROUNDS = 100
# Most steps of a feature with "auto": the first that are enough.
_USUAL_STEPS = (6, 8, 10)


@register("scorecard")
class RankScore(RefreshesCard):
    """Scorecard: each feature in a few steps with whole points; the total ranks the rows.

    One shape per feature is learned by boosting stumps, on all rows except those of one fold at a time. The mean of the
    shapes is cut into few steps, where a cut is made only if it matters, and features without a cut are left out. Then
    points are rounded to whole numbers. The folds' own cards score the rows that they have not seen: this chooses the
    number of steps, and gives the AUC and the probabilities. Labels are any two values. Features may be numbers or
    categories, with missing values.

    The three parameters that matter most are `max_steps`, `tolerance` and `monotonic_cst`.

    Parameters
    ----------
    max_steps : int, "auto" or None, default="auto"
        Most steps of a feature, without that of missing values. "auto" is 6; 8 or 10, if with fewer steps the mean AUC
        of the folds falls by more than the tolerance and a standard error; a table of a pair has at most 6 x 6. None
        leaves the shapes as fine as they were learned.
    points : int or None, default=100
        Points are whole numbers, and the best total minus the worst is about this many. None does not round: then the
        total is a log-odds.
    pairs : int, default=0
        Most pairs of features that get a table of points of their own. A pair is taken only if it lowers the log loss
        of held-out rows; it keeps the directions of both features.
    tolerance : float, default=0.001
        Steps are merged, and features left out, as long as the mean AUC of the folds on held-out rows does not fall
        below that of the shapes by more.
    n_estimators : int, default=3000
        Most rounds of boosting; early stopping chooses their number.
    n_folds : int, default=5
        Number of folds; at most as many as the rarer class has rows.
    monotonic_cst : array of -1, 0 and 1, dict of them by name, Constraints, or None, default=None
        Direction of each feature: with 1 points never fall when the feature rises, with -1 they never rise. For a
        categorical feature: its categories from the worst to the best. With `Constraints(..., interaction_cst=...)`
        only features that may interact are in a pair.
    categorical_features, pos_label
        As in `TreeRank`.
    n_jobs : int or None, default=None
        Threads, at most one per fold; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of folds, rows and cuts.

    Attributes
    ----------
    card_ : Scorecard
        Steps and points.
    curve_ : TotalCurve
        The rate of positives in bands of held-out totals.
    held_out_scores_ : array of shape (n,)
        Total of each training row by the folds' cards that have not seen it; NaN if all have, or if its weight is 0.
    held_out_auc_ : float
        AUC of these totals; slightly optimistic, because rounds, the number of steps and pairs were chosen by held-out
        rows.
    held_out_auc_error_ : float
        Its standard error (DeLong), for rows that are new to one card.
    trials_ : tuple of Trial
        Numbers of steps that were tried and accepted, with the held-out AUC; the last one was chosen.
    shape_auc_ : float
        Mean held-out AUC of the folds' shapes, before they were cut into steps; 1/2 if no rows were held out.
    feature_importances_ : array
    refreshes_ : tuple of Refresh
        What `refresh` did since the fit.
    classes_, pos_label_, n_features_in_, feature_names_in_, summary_
        As in `TreeRank`.

    Examples
    --------
    >>> from rankforest import RankScore
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = RankScore(random_state=0).fit(sample.X, sample.y)
    >>> model.rank(sample.X[:3])
    array([2., 1., 3.])
    >>> low, high = model.card_.range
    >>> low, 90 <= high <= 110
    (0.0, True)
    """

    parameter_parts: ClassVar = {"monotonic_cst": Constraints}

    def __init__(
        self,
        max_steps: int | Literal["auto"] | None = "auto",
        *,
        points: int | None = 100,
        pairs: int = 0,
        tolerance: float = 0.001,
        n_estimators: int = 3000,
        n_folds: int = 5,
        monotonic_cst: Any = None,
        categorical_features: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_steps = max_steps
        self.points = points
        self.pairs = pairs
        self.tolerance = tolerance
        self.n_estimators = n_estimators
        self.n_folds = n_folds
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> RankScore:
        """Learn a scorecard.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are held out together or not at all.
        time : array of shape (n,) or None
            Numbers or dates: rows are judged by what was learned from earlier ones. Not together with `groups`.
        """
        return self._learn(self._reading(X, y, sample_weight, groups, time))

    def _checked(self, table: Table) -> CodedConstraints | None:
        self._step_limits()
        if self.points is not None:
            at_least("points", self.points, 1)
        at_least("pairs", self.pairs, 0)
        share("tolerance", self.tolerance, 1.0)
        at_least("n_estimators", self.n_estimators, 1)
        at_least("n_folds", self.n_folds, 2)
        return resolve_constraints(self.monotonic_cst, table.schema)

    def _step_limits(self) -> tuple[int, ...] | None:
        if self.max_steps is None:
            return None
        if isinstance(self.max_steps, str):
            if self.max_steps != "auto":
                raise ValueError(f"max_steps is {self.max_steps!r}; choose 'auto', None or a whole number.")
            return _USUAL_STEPS
        return (at_least("max_steps", self.max_steps, 2),)

    @property
    def auc_lost_to_steps_(self) -> float:
        """By how much the mean AUC of the folds is lower with the chosen steps, before rounding, than with the shapes.

        It can exceed `tolerance` if `max_steps` allows no more steps. NaN if no rows were held out.
        """
        check_fitted(self, "card_")
        return self.shape_auc_ - self.trials_[-1].auc if self.trials_ else float("nan")

    def figures(self) -> dict[str, Any]:
        lost = self.auc_lost_to_steps_
        return super().figures() | ({"auc_lost_to_steps": lost} if lost > self.tolerance else {})

    def text(self) -> str:
        lost = self.auc_lost_to_steps_
        if not lost > self.tolerance:
            return super().text()
        told = f"With these steps the held-out AUC is {area(lost)} below that of the shapes; the tolerance is"
        return f"{super().text()}\n\n{told} {number(self.tolerance, 6)}. More steps: max_steps."

    def _learn(self, training: Training) -> Self:
        sample = training.sample
        held_out = self._held_out(sample, training.seed)
        n_rounds = self.n_estimators if held_out is not None else min(self.n_estimators, _BLIND_ROUNDS)
        recipe = Recipe(
            step_limits=self._step_limits(), points=self.points, pairs=self.pairs, tolerance=self.tolerance,
            n_rounds=n_rounds, constraints=training.growth, seed=training.seed, n_threads=training.n_threads,
        )  # fmt: skip
        with Meter(len(KINDS) * n_rounds, unit="rounds") as meter:
            tick = meter.tick

            def progress(done: int) -> None:
                while tick is not None and meter.done < done:
                    tick(0)

            learned = learn(sample, recipe, held_out, None if tick is None else progress)
        card = finished_card(sample, learned, whole=self.points is not None)
        margins = learned.held_out
        totals = None if margins is None else (margins - learned.card.offset) / learned.card.unit + card.offset
        blocks = None if held_out is None else judging_blocks(held_out, sample.hold_out)
        self.__dict__.pop("refreshes_", None)
        self._keep_card(card, training, totals, blocks)
        self.trials_, self.shape_auc_ = learned.trials, learned.shape_auc
        return self

    def to_parts(self) -> dict[str, Any]:
        trials = [(trial.price, trial.n_steps, trial.auc) for trial in self.trials_]
        return {**super().to_parts(), "trials": np.array(trials).reshape(-1, 3), "shape_auc": self.shape_auc_}

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        trials = parts.array("trials", np.float64, None, 3)
        check_finite(trials, "trials", least=0.0)
        self.trials_ = tuple(Trial(*map(float, trial)) for trial in trials)
        self.shape_auc_ = parts.number("shape_auc")

    def _held_out(self, sample: Sample, seed: int) -> np.ndarray | None:
        """Held-out rows of each bag; None if a class has a single row."""
        rarer = int(np.bincount(sample.labels, minlength=2).min())
        repeats = 1 if rarer >= _FEW_ROWS else 3 if sample.n_rows <= _MANY_OTHERS else 2
        return held_out_folds(sample.labels, self.n_folds, repeats, seed, sample.hold_out)
