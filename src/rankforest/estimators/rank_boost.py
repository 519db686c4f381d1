"""RankBoost as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from ..boosting.kinds import AUTO, BoostingTrial, Team, boost_team, candidates, most_rounds
from ..boosting.rounds import Boosting
from ..boosting.squash import squash
from ..data.parameters import at_least
from ..data.parts import Parts, need
from ..data.schema import Schema
from ..data.training_rows import on_all_rows
from ..fitting.calibration import Calibration, calibrate
from ..fitting.progress import Meter
from ..metrics.roc import roc_auc
from ..program import Program
from ..program.calibrated import calibrated
from ..program.of_boosting import margin_of_team
from ..program.program import Squash
from ..words import area, importance_lines
from ._ranker import Ranker
from ._table_model import Training
from .fitted_model import HeldOut
from .registry import register

__all__ = ["RankBoost"]

_ROUNDS = {"tree": 1000, "threshold": 30}
_FOLDS = {"tree": 5, "threshold": None}
# With fewer rows in a class, single folds are too noisy, and the rows are split into folds several times.
_FEW_ROWS = 200
_REPEATS = 3
# Rounds if a class has a single row, so that no row can be held out for early stopping.
_BLIND_ROUNDS = 100


@register("boost")
class RankBoost(Ranker):
    """Boosting for ranking: small trees, each of which corrects the order of the trees before it.

    Several boosters are trained in parallel, each on all rows except those of one fold. Early stopping chooses the
    round with the greatest mean AUC on the held-out rows. Five kinds of trees are boosted in this way, from smooth to
    fine, and the kinds that together rank the held-out rows best are combined. So there is nothing to tune. Every
    training row is held out once, so the AUC and the probabilities come from held-out scores. Labels are any two
    values. Features may be numbers or categories, with missing values.

    Parameters
    ----------
    n_estimators : int or None, default=None
        Most rounds. None is 1000 for trees, and 30 for thresholds, as in the papers.
    base : {"tree", "threshold"}, default="tree"
        What is boosted: small trees, or the weak rankers of the RankBoost paper, which are 1 above a threshold of one
        feature and 0 up to it, with the paper's step. Thresholds have no use for the parameters from `loss` to `top`.
    loss, max_leaf_nodes, max_features, cuts, min_samples_leaf, l2
        What a kind of trees is. Where these are "auto", several are tried; what is given holds for all kinds.
    loss : {"auto", "log_loss", "logistic", "exponential"}, default="auto"
        What is minimised. "logistic" and "exponential" are sums over all pairs of a positive and a negative, of
        log(1 + exp(-d)) and exp(-d) with d the difference of their margins; a round costs no more than with "log_loss",
        which looks at rows one by one and has the same best order. Thresholds have "exponential".
    max_leaf_nodes : int, None or "auto", default="auto"
        Most leaves of a tree; the cut that gains most is made first.
    max_features : None, "sqrt", "log2", int, float or "auto", default="auto"
        Features drawn at every node of a tree.
    cuts : {"auto", "best", "random"}, default="auto"
        The best cut of each of these features, or one that is drawn.
    min_samples_leaf : int or "auto", default="auto"
        Fewest rows of a leaf.
    l2 : float or "auto", default="auto"
        Added to the second derivative of every leaf: pulls small leaves towards 0.
    max_depth : int or None, default=None
        Depth of a tree.
    learning_rate : float, default=0.05
        Share of the Newton step that a tree takes.
    subsample : float, default=0.7
        Share of the rows that each tree sees.
    top : float or None, default=None
        Ask for the best share of the list: negatives at the top of the list weigh more, and boosting stops by the local
        AUC at this share. Needs a loss over pairs.
    n_folds : int, "auto" or None, default="auto"
        Folds, and boosters; at most as many as the rarer class has rows. None is one booster on all rows, which goes on
        to the last round. "auto" is 5 for trees and None for thresholds.
    n_repeats : int or "auto", default="auto"
        Times that the rows are parted into folds, with as many more boosters. "auto" is 3 where the rarer class has
        less than 200 rows, so that the choice of rounds and kinds is less of a gamble, and 1 beyond.
    n_iter_no_change : int, default=100
        Rounds without a better one before boosting stops.
    categorical_features, pos_label
        As in `TreeRank`.
    max_bins : int, default=255
        As in `TreeRank`.
    n_jobs : int or None, default=None
        Threads, at most one per booster; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of folds, rows and features.

    Attributes
    ----------
    team_ : Team
        The trees.
    trials_ : tuple of BoostingTrial
        The kinds of trees that were tried: rounds, held-out AUC, and weight in the model; the greatest weight first.
    n_iter_ : int
        Rounds of the kind that has most.
    validation_curve_ : array
        Mean AUC (local AUC with `top`) on the held-out rows after each round, of the first kind of `trials_`.
    held_out_scores_ : array of shape (n,)
        Score of each training row by the boosters that have not learned from it; NaN where the weight is 0.
    held_out_auc_ : float
        AUC of these scores; a little optimistic, as they have chosen rounds and kinds.
    feature_importances_ : array
    classes_, pos_label_, n_features_in_, feature_names_in_, summary_
        As in `TreeRank`.

    Examples
    --------
    >>> from rankforest import RankBoost
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = RankBoost(100, n_folds=4, random_state=0).fit(sample.X, sample.y)
    >>> round(model.held_out_auc_, 1)
    0.8
    >>> model.rank(sample.X[:3])
    array([3., 1., 2.])
    """

    def __init__(
        self,
        n_estimators: int | None = None,
        *,
        base: str = "tree",
        loss: str = AUTO,
        max_leaf_nodes: Any = AUTO,
        max_features: Any = AUTO,
        cuts: str = AUTO,
        min_samples_leaf: Any = AUTO,
        l2: Any = AUTO,
        max_depth: int | None = None,
        learning_rate: float = 0.05,
        subsample: float = 0.7,
        top: float | None = None,
        n_folds: Any = "auto",
        n_repeats: Any = AUTO,
        n_iter_no_change: int = 100,
        categorical_features: Any = None,
        pos_label: Any = None,
        max_bins: int = 255,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.base = base
        self.loss = loss
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.cuts = cuts
        self.min_samples_leaf = min_samples_leaf
        self.l2 = l2
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.subsample = subsample
        self.top = top
        self.n_folds = n_folds
        self.n_repeats = n_repeats
        self.n_iter_no_change = n_iter_no_change
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RankBoost:
        """Boost.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        """
        return self._boost(self._reading(X, y, sample_weight, lambda table: self._check(table.schema)))

    def _boost(self, training: Training) -> RankBoost:
        """Boost on a sample that is read and binned."""
        kinds, sample = self._kinds(), training.sample
        n_rounds = _ROUNDS[self.base] if self.n_estimators is None else self.n_estimators
        n_folds = _FOLDS[self.base] if self.n_folds == AUTO else self.n_folds
        rarer = int(np.bincount(sample.labels).min())
        n_repeats = (_REPEATS if rarer < _FEW_ROWS else 1) if self.n_repeats == AUTO else self.n_repeats
        if n_folds is not None:
            n_folds = min(n_folds, rarer)
            if n_folds < 2:
                n_folds, n_rounds = None, min(n_rounds, _BLIND_ROUNDS)
        with Meter(most_rounds(sample, kinds, n_rounds, n_folds), unit="rounds") as meter:
            tick = meter.tick

            def progress(done: int) -> None:
                while tick is not None and meter.done < done:
                    tick(0)

            team = boost_team(
                sample, kinds,
                n_rounds=n_rounds, n_folds=n_folds, n_repeats=n_repeats, patience=self.n_iter_no_change,
                seed=training.seed, n_threads=training.n_threads, progress=None if tick is None else progress,
            )  # fmt: skip
        measured = self._measured(team, training)

        # set all attributes at the end: an interrupted fit leaves the model unchanged
        for name in ("validation_curve_", "held_out_scores_", "held_out_auc_"):
            self.__dict__.pop(name, None)
        self.team_ = team
        for name, value in measured.items():
            setattr(self, name, value)
        self._keep_names(training)
        return self

    def _kinds(self) -> list[Boosting]:
        fixed: dict[str, Any] = {
            "base": self.base,
            "max_depth": self.max_depth,
            "learning_rate": self.learning_rate,
            "subsample": self.subsample,
            "top": self.top,
        }
        if self.base == "threshold":
            return [Boosting(loss="exponential" if self.loss == AUTO else self.loss, **fixed)]
        names = ("loss", "max_leaf_nodes", "max_features", "cuts", "min_samples_leaf", "l2")
        return candidates({name: getattr(self, name) for name in names}, fixed)

    def _check(self, schema: Schema) -> None:
        """Raise ValueError if a parameter is invalid, before any work starts."""
        for kind in self._kinds():
            kind.to_core(schema.n_features, 0)
        if self.n_estimators is not None:
            at_least("n_estimators", self.n_estimators, 1)
        if self.n_repeats != AUTO:
            at_least("n_repeats", self.n_repeats, 1)
        at_least("n_iter_no_change", self.n_iter_no_change, 1)
        if self.n_folds is not None and self.n_folds != AUTO:
            at_least("n_folds", self.n_folds, 2)

    def _measured(self, team: Team, training: Training) -> dict[str, Any]:
        """Held-out scores, AUC and calibration; without held-out rows the calibration uses the training rows."""
        sample = training.sample
        if team.held_out is None:
            scores = np.concatenate([squash(team.margin(X, training.n_threads)) for X in sample.table.blocks()])
            return {"_calibration": calibrate(scores, sample.labels, sample.weights)}
        scores = squash(team.held_out)
        return {
            "validation_curve_": team.curve,
            "held_out_scores_": on_all_rows(scores, training.kept),
            "held_out_auc_": roc_auc(sample.labels, scores, sample_weight=sample.weights),
            "_calibration": calibrate(scores, sample.labels, sample.weights),
        }

    # ---- scoring

    def _fitted(self) -> Team:
        check_is_fitted(self, "team_")
        return self.team_

    @property
    def trials_(self) -> tuple[BoostingTrial, ...]:
        """The kinds of trees that were tried, the greatest weight first."""
        return self._fitted().trials

    @property
    def n_iter_(self) -> int:
        """Rounds of the kind that has most."""
        return self._fitted().n_rounds

    def margin(self, X: Any) -> np.ndarray:
        """The sum of all trees, a real number; in standard deviations if several kinds are combined."""
        table, n_threads = self._read(X), effective_n_jobs(self.n_jobs)
        return np.concatenate([self.team_.margin(block, n_threads) for block in table.blocks()])

    def score_samples(self, X: Any) -> np.ndarray:
        """Score in (0, 1), higher is better: 1/2 + m / (2 + 2|m|), with m the margin."""
        return squash(self.margin(X))

    def staged_score_samples(self, X: Any) -> Iterator[np.ndarray]:
        """The scores after 1, 2, ... rounds; the last are those of `score_samples`."""
        table, n_threads, team = self._read(X), effective_n_jobs(self.n_jobs), self.team_
        blocks = list(table.blocks())
        margins = np.full(table.n_rows, team.start())
        for r in range(team.n_rounds):
            margins = margins + np.concatenate([team.added(block, r, r + 1, n_threads) for block in blocks])
            yield squash(margins)

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema of the trees."""
        return squash(self._fitted().margin(block, effective_n_jobs(self.n_jobs)))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`.

        Calibrated on the held-out scores and monotone in the score. Without folds they are calibrated on the training
        scores and are too extreme.
        """
        return super().predict_proba(X)

    def _probabilities(self) -> Calibration:
        return self._calibration

    # ---- reading

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the decrease of the loss by all cuts; the sum is 1."""
        return self._fitted().importance

    # ---- the protocol

    def held_out_scores(self) -> HeldOut | None:
        return None if self._fitted().held_out is None else HeldOut(self.held_out_scores_, self.held_out_auc_)

    def figures(self) -> dict[str, Any]:
        found = self.held_out_scores()
        return {"rounds": int(self.n_iter_), **({} if found is None else {"held_out_auc": float(found.auc)})}

    def summary(self) -> list[tuple[str, str]]:
        kept = [trial for trial in self.trials_ if trial.weight > 0]
        said = [("Kinds of trees", f"{len(kept)} of {len(self.trials_)} tried"), ("Rounds", f"{self.n_iter_}")]
        found = self.held_out_scores()
        return said if found is None else [*said, ("Held-out AUC", f"{found.auc:.4f}")]

    def text(self) -> str:
        found = self.held_out_scores()
        lines = [f"{type(self).__name__}: {self.n_iter_} rounds"]
        if found is not None:
            lines[0] += f", held-out AUC {area(found.auc)}"
        for trial in self.trials_:
            figures = f"weight {area(trial.weight, 3)}, {trial.n_rounds} rounds, AUC {area(trial.auc)}"
            lines.append(f"  {figures}: {trial.boosting}")
        return "\n".join([*lines, *importance_lines(self.schema_.names, self.feature_importances_)])

    def program(self) -> Program:
        graphs, margin = margin_of_team(self._fitted())
        return calibrated(type(self).__name__, self.schema_, graphs, Squash(margin), self._calibration, self.pos_label_)

    def to_parts(self) -> dict[str, Any]:
        found = self.held_out_scores()
        return {
            **self._fitted().to_parts(),
            **({} if found is None else {"held_out_scores": found.scores}),
            "measures": {} if found is None else {"held_out_auc_": float(found.auc)},
            "calibration": self._calibration.to_parts(),
        }

    def from_parts(self, parts: Parts) -> None:
        self.team_ = Team.from_parts(parts)
        measured = parts.numbers("measures", ("held_out_auc_",))
        need((self.team_.held_out is None) == (not measured), "its held-out AUC is missing")
        if self.team_.held_out is not None:
            self.held_out_auc_ = measured["held_out_auc_"]
            self.held_out_scores_ = parts.array("held_out_scores", np.float64, None)
        if self.team_.curve is not None:
            self.validation_curve_ = self.team_.curve
        self._calibration = Calibration.from_parts(parts.below("calibration"))
