"""The consensus of a forest and of boosting as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs
from scipy.special import logit
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..boosting.squash import squash
from ..data.parameters import top_share
from ..data.parts import Parts, check_finite, check_moderate, need
from ..data.table import Table
from ..data.training_rows import on_all_rows
from ..fitting.calibration import Calibration, calibrate
from ..fitting.progress import part_of_progress
from ..metrics.local import local_auc
from ..metrics.roc import roc_auc
from ..program import Program
from ..program.calibrated import calibrated
from ..program.of_boosting import margin_of_team
from ..program.of_trees import score_of_forest
from ..program.program import Combination, Logit, Squash
from ._booster import Booster
from ._ranker import Ranker
from ._table_model import Training
from .fitted_model import HeldOut, KeptRows, Voters
from .rank_boost import RankBoost
from .ranking_forest import RankingForest
from .registry import register

__all__ = ["RankConsensus"]

# Weights of the booster that are tried; the forest has the rest.
_SHARES = np.linspace(0.0, 1.0, 11)
# Scores are clipped to [_LEAST, 1 - _LEAST] before their log-odds are taken.
_LEAST = 1e-12
# Share of the forest in the progress; it is the faster of the two.
_FOREST_PROGRESS = 0.2


@dataclass(frozen=True)
class Scale:
    """Centre and spread of the margins of a member on held-out rows, to standardise them."""

    centre: float
    spread: float

    @staticmethod
    def of(margins: np.ndarray) -> Scale:
        spread = float(margins.std())
        return Scale(float(margins.mean()), spread if spread > 0.0 else 1.0)

    def __call__(self, margins: np.ndarray) -> np.ndarray:
        return (margins - self.centre) / self.spread


@register("consensus")
class RankConsensus(Ranker):
    """The weighted mean of a ranking forest and a booster, fitted on the same bins.

    Forests and boosting make mistakes on different rows. The margin of each member is standardised on held-out rows,
    and the score is their weighted mean. The weights are the mean of equal weights and the weights with the greatest
    held-out AUC. There is nothing to tune. Labels are any two values. Features may be numbers or categories, with
    missing values.

    The three parameters that matter most are `top`, `forest` and `booster`.

    Parameters
    ----------
    forest : RankingForest or None, default=None
        The forest; None is ``RankingForest()``. Parameters that both members have (`top`, `categorical_features`,
        `pos_label`, `n_jobs`, `random_state`) are taken from the consensus. Both are trained on the bins of the
        forest's splitter.
    booster : RankBoost, ThresholdRankBoost or None, default=None
        The booster; None is ``RankBoost()``.
    weights : "auto" or pair of floats, default="auto"
        Weights of the forest and of the booster. "auto" chooses them by held-out AUC.
    top : float or None, default=None
        Best share of the list that matters, for instance 0.1: the forest grows for it, and the weights are chosen by
        AUC and local AUC of that share together. None, or 1, is the whole list.
    categorical_features, pos_label
        As in `TreeRank`.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of both members.

    Attributes
    ----------
    forest_ : RankingForest
    booster_ : RankBoost or ThresholdRankBoost
    weights_ : array of shape (2,)
        Weights of the forest and of the booster; the sum is 1.
    held_out_scores_ : array of shape (n,)
        Score of each training row by trees that were not trained on it; NaN if there are none.
    held_out_auc_ : float
        AUC of these scores; slightly optimistic, because the weights were chosen by it.
    feature_importances_ : array
    classes_, pos_label_, n_features_in_, feature_names_in_, summary_
        As in `TreeRank`.

    Examples
    --------
    >>> from rankforest import RankBoost, RankConsensus, RankingForest
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(300, random_state=0)
    >>> model = RankConsensus(RankingForest(50), RankBoost(50, n_folds=4), random_state=0).fit(sample.X, sample.y)
    >>> round(model.held_out_auc_, 1)
    0.8
    >>> model.rank(sample.X[:3])
    array([3., 1., 2.])
    """

    parameter_parts: ClassVar = {"forest": RankingForest, "booster": RankBoost}

    def __init__(
        self,
        forest: RankingForest | None = None,
        booster: Booster | None = None,
        *,
        weights: Any = "auto",
        top: float | None = None,
        categorical_features: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.forest = forest
        self.booster = booster
        self.weights = weights
        self.top = top
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RankConsensus:
        """Fit the forest and the booster, and choose their weights.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        """
        forest, booster = self._members()
        rule = forest._rule()

        def check(table: Table) -> Any:
            booster._check(table)
            self._given_weights()
            return forest._checked_growth(rule, table)

        training = self._reading(X, y, sample_weight, check, rule.max_bins)
        with part_of_progress(0.0, _FOREST_PROGRESS):
            forest._grow(training)
        with part_of_progress(_FOREST_PROGRESS, 1.0):
            booster._boost(training)
        margins = [_held_out_of_forest(forest, training), _held_out_of_booster(booster, training)]
        scales = [Scale.of(margin[~np.isnan(margin)]) for margin in margins]
        standard = [scale(margin) for scale, margin in zip(scales, margins)]
        weights = self._weigh(standard, training)
        together = squash(weights[0] * standard[0] + weights[1] * standard[1])
        known = ~np.isnan(together)
        labels = training.sample.labels[known]
        row_weights = None if training.sample.weights is None else training.sample.weights[known]

        # set all attributes at the end: an interrupted fit leaves the model unchanged
        self.forest_, self.booster_ = forest, booster
        self.weights_, self._scales = weights, tuple(scales)
        self.held_out_scores_ = on_all_rows(together, training.kept)
        self.held_out_auc_ = roc_auc(labels, together[known], sample_weight=row_weights)
        self._calibration = calibrate(together[known], labels, row_weights)
        self._keep_names(training)
        return self

    def _members(self) -> tuple[RankingForest, Booster]:
        """The unfitted members, with their common parameters."""
        top = top_share(self.top)
        forest = RankingForest() if self.forest is None else clone(self.forest)
        booster: Any = RankBoost() if self.booster is None else clone(self.booster)
        if not isinstance(forest, RankingForest) or not isinstance(booster, Booster):
            raise ValueError(
                f"A consensus needs a RankingForest and a RankBoost, got {type(forest).__name__} and "
                f"{type(booster).__name__}."
            )
        if forest.monotonic_cst is not None:
            raise ValueError(
                "monotonic_cst of the forest would not hold for the consensus, because boosting does not support "
                "constraints; use the RankingForest alone, or set it to None."
            )
        shared = {name: getattr(self, name) for name in ("categorical_features", "pos_label", "n_jobs")}
        forest.set_params(**shared, warm_start=False)
        booster.set_params(**shared)
        if top < 1.0:
            forest.set_params(top=top)
        return forest, booster

    def _given_weights(self) -> np.ndarray | None:
        """The weights of the user, scaled to the sum 1; None is "auto"."""
        if isinstance(self.weights, str) and self.weights == "auto":
            return None
        try:
            given = np.asarray(self.weights, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.empty(0)
        if given.shape != (2,) or not np.isfinite(given).all() or (given < 0).any() or not given.any():
            raise ValueError(
                f"weights is {self.weights!r}; give 'auto' or the weights of forest and boosting, two numbers of at "
                "least 0 that are not both 0."
            )
        return given / given.sum()

    def _weigh(self, standard: list[np.ndarray], training: Training) -> np.ndarray:
        """The mean of equal weights and the weights with the greatest held-out AUC."""
        given = self._given_weights()
        if given is not None:
            return given
        known = ~np.isnan(standard[0]) & ~np.isnan(standard[1])
        labels, weights = training.sample.labels[known], training.sample.weights
        weights = None if weights is None else weights[known]
        if len(np.unique(labels)) < 2:
            return np.array([0.5, 0.5])
        shares = [1.0] if top_share(self.top) == 1.0 else [top_share(self.top), 1.0]
        found = [
            np.sum(
                local_auc(
                    labels, ((1.0 - share) * standard[0] + share * standard[1])[known], shares, sample_weight=weights
                )
            )
            for share in _SHARES
        ]
        share = 0.5 * float(_SHARES[int(np.argmax(found))]) + 0.25
        return np.array([1.0 - share, share])

    # ---- scoring

    def margin(self, X: Any) -> np.ndarray:
        """Weighted mean of the members' margins, in standard deviations."""
        return np.concatenate([self._margin_coded(block) for block in self._read(X).blocks()])

    def _margin_coded(self, block: np.ndarray) -> np.ndarray:
        n_threads = effective_n_jobs(self.n_jobs)
        margins = (_forest_margin(self.forest_.score_coded(block)), self.booster_.team_.margin(block, n_threads))
        return sum(w * scale(margin) for w, scale, margin in zip(self.weights_, self._scales, margins))

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema of the trees."""
        return squash(self._margin_coded(block))

    def score_samples(self, X: Any) -> np.ndarray:
        """Score in (0, 1), higher is better: 1/2 + m / (2 + 2|m|), with m the margin."""
        return squash(self.margin(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`.

        Calibrated on the held-out scores and monotone in the score.
        """
        return super().predict_proba(X)

    def _probabilities(self) -> Calibration:
        return self._calibration

    # ---- reading

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each feature in both members, by their weights; the sum is 1."""
        check_is_fitted(self, "forest_")
        of_members = (self.forest_.feature_importances_, self.booster_.feature_importances_)
        mean = self.weights_[0] * of_members[0] + self.weights_[1] * of_members[1]
        return mean / mean.sum() if mean.any() else mean

    # ---- the protocol

    def held_out_scores(self) -> HeldOut | None:
        """Held-out scores; None if a member has none, because then its training scores were used."""
        if self.forest_.held_out_scores() is None or self.booster_.held_out_scores() is None:
            return None
        return HeldOut(self.held_out_scores_, self.held_out_auc_)

    def kept_rows(self) -> KeptRows | None:
        return self.forest_.kept_rows()

    def voters(self) -> Voters | None:
        return self.forest_.voters()

    def figures(self) -> dict[str, Any]:
        return {
            "trees": len(self.forest_.trees_),
            "rounds": int(self.booster_.n_iter_),
            "held_out_auc": float(self.held_out_auc_),
        }

    def summary(self) -> list[tuple[str, str]]:
        said = [("Votes, forest : boosting", " : ".join(f"{100 * vote:.0f}" for vote in self.weights_))]
        for member, whose in ((self.forest_, "forest"), (self.booster_, "boosting")):
            said += [(f"{name}, {whose}" if "AUC" in name else name, value) for name, value in member.summary()]
        return [*said, ("Held-out AUC", f"{self.held_out_auc_:.4f}")]

    def program(self) -> Program:
        check_is_fitted(self, "forest_")
        graphs, of_forest = score_of_forest(self.forest_.trees_, self.forest_.aggregation_)
        more, of_booster = margin_of_team(self.booster_.team_, len(graphs))
        weights = [float(weight / scale.spread) for weight, scale in zip(self.weights_, self._scales)]
        offset = -sum(weight * scale.centre for weight, scale in zip(weights, self._scales))
        score = Squash(Combination((Logit(of_forest, _LEAST), of_booster), tuple(weights), offset))
        return calibrated(
            type(self).__name__, self.schema_, (*graphs, *more), score, self._calibration, self.pos_label_
        )

    def to_parts(self) -> dict[str, Any]:
        return {
            "forest": self.forest_,
            "booster": self.booster_,
            "weights": self.weights_,
            "scales": np.array([[scale.centre, scale.spread] for scale in self._scales]),
            "held_out_scores": self.held_out_scores_,
            "calibration": self._calibration.to_parts(),
            "measures": {"held_out_auc_": float(self.held_out_auc_)},
        }

    def from_parts(self, parts: Parts) -> None:
        booster = parts["booster"]
        need(isinstance(booster, Booster), "its 'booster' is no booster")
        self.forest_, self.booster_ = parts.object("forest", RankingForest), booster
        for member in (self.forest_, self.booster_):
            agrees = member.schema_ == self.schema_ and member.classes_.tolist() == self.classes_.tolist()
            need(agrees and member.pos_label_ == self.pos_label_, "a member was fitted on other features or labels")
        weights, scales = parts.array("weights", np.float64, 2), parts.array("scales", np.float64, 2, 2)
        check_finite(weights, "weights", least=0.0)
        need(abs(float(weights.sum()) - 1.0) < 1e-6, "its weights do not sum to 1")
        check_moderate(scales, "scales")
        need((scales[:, 1] > 1e-100).all(), "its scales are not positive")
        self.weights_, self._scales = weights, tuple(Scale(centre, spread) for centre, spread in scales.tolist())
        self.held_out_scores_ = parts.array("held_out_scores", np.float64, None)
        self.held_out_auc_ = parts.below("measures").number("held_out_auc_")
        self._calibration = Calibration.from_parts(parts.below("calibration"))


def _forest_margin(score: np.ndarray) -> np.ndarray:
    """Scores of a forest, which lie in [0, 1], as log-odds."""
    return logit(np.clip(score, _LEAST, 1.0 - _LEAST))


def _held_out_of_forest(forest: RankingForest, training: Training) -> np.ndarray:
    """Out-of-bag margins; training margins if no tree leaves rows out."""
    if forest.has_oob_scores:
        scores = forest.oob_scores_
        return _forest_margin(scores if training.kept is None else scores[training.kept])
    return _forest_margin(np.concatenate([forest.score_coded(block) for block in training.sample.table.blocks()]))


def _held_out_of_booster(booster: Booster, training: Training) -> np.ndarray:
    """Held-out margins of the booster; training margins if it has no folds."""
    team = booster.team_
    if team.held_out is not None:
        return team.held_out
    return np.concatenate([team.margin(block, training.n_threads) for block in training.sample.table.blocks()])
