"""The consensus of a forest and of boosting as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..boosting.kinds import FINE_LEAVES_OF_FEW, MANY_ROWS
from ..boosting.squash import squash
from ..data.constraints import Constraints
from ..data.hold_out import HoldOut
from ..data.parameters import top_share
from ..data.parts import Parts, check_finite, check_moderate, need
from ..data.table import Table
from ..data.training_rows import blocks_on_all_rows, on_all_rows
from ..fitting.calibration import Calibration, calibrate
from ..fitting.progress import part_of_progress
from ..forest.complexity import FINE, RANDOM, RANDOM_FINE, Candidate
from ..metrics.within import auc_within
from ..program import Program
from ..program.calibrated import calibrated
from ..program.of_boosting import margin_of_team
from ..program.of_trees import score_of_forest
from ..program.program import Combination, Squash
from ..shapley.of_trees import mean_of_trees, part_of_team
from ..shapley.score_parts import Part, ScoreParts
from ..shapley.subsets import AnyScore
from ..tree.ranking_tree import RankingTree
from ._booster import Booster
from ._consensus_weights import Scale, best_weights, judging_blocks
from ._forest_margin import ForestMargin, margin_named
from ._ranker import Ranker
from ._table_model import Training
from .fitted_model import HeldOut, KeptRows, Voters
from .rank_boost import RankBoost
from .ranking_forest import RankingForest
from .registry import register

__all__ = ["RankConsensus"]

# Trees of the default forest: first a few, and the others only if the few have something to add to the booster. The
# trees of larger tables cost more and differ less, so there fewer are enough; beyond 10 000 rows six tell whether they
# are worth their price.
_TREES, _TREES_OF_MANY, _FEW_ROWS, _PROBE = 80, 40, 2000, 6
# With at most so many features, a forest that counts with its log-odds is explained by all mixtures of two rows.
_FEW_FEATURES = 6
_NO_SUM = (
    "the forest of the consensus is no mean over axis-parallel trees; call forest_.set_aggregation('mean_rank') before "
    "the fit, or compare rows that differ in few features."
)
# How the forest counts.
_MARGIN = ForestMargin()
# Share of the booster in the progress.
_BOOSTER_PROGRESS = 0.6


@register("consensus")
class RankConsensus(Ranker):
    """The weighted mean of a ranking forest and a booster, fitted on the same bins.

    Forests and boosting make mistakes on different rows. The score of the forest and the margin of the booster are
    standardised on held-out rows, and the margin of the consensus is their weighted mean. The booster has the weight
    0.8, unless the held-out rows say otherwise: of the weights whose held-out AUC is within half a standard error of
    the best (at least 0.0002), those nearest to 0.2 and 0.8 are taken. A member that does not raise the held-out AUC by
    0.0002 is dropped, if there are enough rows to know: it is neither scored nor stored. Beyond 10 000 rows the default
    forest begins with six trees, and is grown only if these have something to add. There is nothing to tune. Labels are
    any two values. Features may be numbers or categories, with missing values.

    The three parameters that matter most are `top`, `forest` and `booster`.

    Parameters
    ----------
    forest : RankingForest or None, default=None
        The forest; None is a forest of 80 trees up to 2000 rows and of 40 beyond, of which some are grown first, and
        the others if these have something to add. Its kind of trees follows from the kind that boosts best,
        without a comparison: random cuts up to 10 000 rows, best ones beyond, and small leaves beside a booster of many
        leaves. Parameters that both members have (`top`, `categorical_features`, `monotonic_cst`, `pos_label`,
        `n_jobs`, `random_state`) are taken from the consensus. Both are trained on the bins of the forest's splitter.
    booster : RankBoost, ThresholdRankBoost or None, default=None
        The booster; None is ``RankBoost()``.
    weights : "auto" or pair of floats, default="auto"
        Weights of the forest and of the booster. "auto" chooses them by held-out AUC. A member of weight 0 is not kept.
    top : float or None, default=None
        Best share of the list that matters, for instance 0.1: the forest grows for it, and the weights are chosen by
        AUC and local AUC of that share together. None, or 1, is the whole list.
    categorical_features, monotonic_cst, pos_label
        As in `TreeRank`. Both members keep the constraints, and so does their mean.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of both members.

    Attributes
    ----------
    forest_ : RankingForest or None
        None if its weight is 0.
    booster_ : RankBoost, ThresholdRankBoost or None
        None if its weight is 0.
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

    _blocks: np.ndarray | None = None  # the fold that each row judges, if folds go forward in time
    parameter_parts: ClassVar = {"forest": RankingForest, "booster": RankBoost, "monotonic_cst": Constraints}

    def __init__(
        self,
        forest: RankingForest | None = None,
        booster: Booster | None = None,
        *,
        weights: Any = "auto",
        top: float | None = None,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.forest = forest
        self.booster = booster
        self.weights = weights
        self.top = top
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> RankConsensus:
        """Fit the forest and the booster, and choose their weights.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            Two distinct labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are drawn together: a row is out of bag if they all
            are.
        time : array of shape (n,) or None
            Numbers or dates: both members are judged by what was learned from earlier rows, and their weights are
            chosen by these scores. Not together with `groups`.
        """
        return self._learn(self._reading(X, y, sample_weight, groups, time))

    def _checked(self, table: Table) -> Any:
        forest, booster = self._members()
        booster._checked(table)
        self._given_weights()
        return forest._checked(table)

    def _check_hold_out(self, hold_out: HoldOut, codes: np.ndarray) -> None:
        forest, booster = self._members()
        forest._check_hold_out(hold_out, codes)
        booster._check_hold_out(hold_out, codes)

    def _check_bins_suffice(self) -> None:
        self._members()[0]._check_bins_suffice()

    @property
    def _most_bins(self) -> int:
        return self._members()[0]._most_bins

    def _learn(self, training: Training) -> Self:
        forest, booster = self._members()
        with part_of_progress(0.0, _BOOSTER_PROGRESS):
            booster._learn(replace(training, growth=training.growth.constraints))
        with part_of_progress(_BOOSTER_PROGRESS, 1.0):
            weights, scales, standard = self._with_forest(forest, booster, training)
        blocks = judging_blocks([m for m, w in zip((forest, booster), weights) if w > 0.0], training)
        together = squash(sum(w * margin for w, margin in zip(weights, standard) if w > 0.0))
        sample, known = training.sample, ~np.isnan(together)
        labels = sample.labels[known]
        row_weights = None if sample.weights is None else sample.weights[known]

        # set all attributes at the end: an interrupted fit leaves the model unchanged
        self.forest_, self.booster_ = (m if w > 0.0 else None for m, w in zip((forest, booster), weights))
        self.weights_, self._scales, self._forest_margin = weights, scales, _MARGIN
        self.held_out_scores_ = on_all_rows(together, training.kept)
        self.held_out_auc_ = auc_within(sample.labels, together, sample.weights, blocks)
        self._blocks = None if blocks is None else blocks_on_all_rows(blocks, training.kept)
        self._calibration = calibrate(together[known], labels, row_weights)
        self._keep_names(training)
        return self

    def _with_forest(
        self, forest: RankingForest, booster: Booster, training: Training
    ) -> tuple[np.ndarray, tuple[Scale, ...], list[np.ndarray]]:
        """Grow the forest, as far as it has something to add; weights, scales and standardised margins of both."""
        margin = _held_out_of_booster(booster, training)
        of_booster = Scale.of(margin[~np.isnan(margin)])
        sizes: tuple[int, ...] = (forest.n_estimators,)
        if self.forest is None:
            n_rows = training.sample.n_rows
            kind = _kind_beside(booster, n_rows)
            parameters = {"splitter": kind.rule, "max_depth": kind.max_depth}
            forest.set_params(**parameters)
            training = replace(training, growth=replace(training.growth, **parameters))
            sizes = _sizes(n_rows)
        before = 0
        for n_trees in sizes:
            with part_of_progress(before / sizes[-1], n_trees / sizes[-1]):
                forest.set_params(n_estimators=n_trees)._learn(training)
            of_trees = _held_out_of_forest(forest, training)
            scales = (Scale.of(of_trees[~np.isnan(of_trees)]), of_booster)
            standard = [scales[0](of_trees), of_booster(margin)]
            weights = self._weigh(standard, training, judging_blocks([forest, booster], training))
            if weights[0] == 0.0:
                break
            forest.set_params(warm_start=True)
            before = n_trees
        forest.set_params(warm_start=False)
        return weights, scales, standard

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
        for name, member in (("forest", forest), ("booster", booster)):
            if member.monotonic_cst is not None:
                raise ValueError(
                    f"monotonic_cst of the {name} would not hold for the consensus; give it to the RankConsensus, "
                    "which passes it on to both."
                )
        names = ("categorical_features", "monotonic_cst", "pos_label", "n_jobs")
        shared = {name: getattr(self, name) for name in names}
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

    def _weigh(self, standard: list[np.ndarray], training: Training, blocks: np.ndarray | None) -> np.ndarray:
        """The usual weights, unless held-out AUC says otherwise; 0 for a member that adds nothing."""
        given = self._given_weights()
        if given is not None:
            return given
        shares = [1.0] if top_share(self.top) == 1.0 else [top_share(self.top), 1.0]
        return best_weights(standard, training.sample.labels, training.sample.weights, shares, blocks)

    # ---- scoring

    def margin(self, X: Any) -> np.ndarray:
        """Weighted mean of the forest's score and the booster's margin, both in standard deviations."""
        return np.concatenate([self._margin_coded(block) for block in self._read(X).blocks()])

    def _margin_coded(self, block: np.ndarray) -> np.ndarray:
        n_threads = effective_n_jobs(self.n_jobs)
        parts = [w * scale(self._margin_of(member, block, n_threads)) for w, scale, member in self._kept()]
        return np.sum(parts, axis=0)

    def _margin_of(self, member: Any, block: np.ndarray, n_threads: int) -> np.ndarray:
        if isinstance(member, RankingForest):
            return self._forest_margin(member.score_coded(block))
        return member.team_.margin(block, n_threads)

    def _kept(self) -> list[tuple[float, Scale, Any]]:
        """Weight, scale and estimator of the members that are kept."""
        check_is_fitted(self, "forest_")
        members = zip(self.weights_.tolist(), self._scales, (self.forest_, self.booster_))
        return [(weight, scale, member) for weight, scale, member in members if member is not None]

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
        mean = sum(weight * member.feature_importances_ for weight, _, member in self._kept())
        return mean / mean.sum() if mean.any() else mean

    # ---- the protocol

    def held_out_scores(self) -> HeldOut | None:
        """Held-out scores; None if a member has none, because then its training scores were used."""
        if any(member.held_out_scores() is None for _, _, member in self._kept()):
            return None
        return HeldOut(self.held_out_scores_, self.held_out_auc_, self._blocks)

    def kept_rows(self) -> KeptRows | None:
        return None if self.forest_ is None else self.forest_.kept_rows()

    def voters(self) -> Voters | None:
        return None if self.forest_ is None else self.forest_.voters()

    def figures(self) -> dict[str, Any]:
        return {
            "trees": 0 if self.forest_ is None else len(self.forest_.trees_),
            "rounds": 0 if self.booster_ is None else int(self.booster_.n_iter_),
            "held_out_auc": float(self.held_out_auc_),
        }

    def summary(self) -> list[tuple[str, str]]:
        said = [("Votes, forest : boosting", " : ".join(f"{100 * vote:.0f}" for vote in self.weights_))]
        for _, _, member in self._kept():
            whose = "forest" if member is self.forest_ else "boosting"
            said += [(f"{name}, {whose}" if "AUC" in name else name, value) for name, value in member.summary()]
        return [*said, ("Held-out AUC", f"{self.held_out_auc_:.4f}")]

    def score_parts(self) -> ScoreParts:
        used = self._used_features()
        inside = None if self.forest_ is None else mean_of_trees(self.forest_.trees_, self.forest_.aggregation_)
        if self.forest_ is not None and inside is None:
            return ScoreParts("margin", (AnyScore(self._margin_coded, used, _NO_SUM),))
        parts: list[Part] = []
        for weight, scale, member in self._kept():
            factor, offset = weight / scale.spread, -weight * scale.centre / scale.spread
            if member is self.forest_:
                assert inside is not None, "a forest that is no mean of trees was explained above"
                parts.append(self._forest_margin.part(inside, factor, offset))
            else:
                margin = part_of_team(member.team_)
                parts.append(replace(margin, factor=factor, offset=factor * margin.offset + offset))
        if not all(part.exact for part in parts) and used.sum() <= _FEW_FEATURES:
            return ScoreParts("margin", (AnyScore(self._margin_coded, used, most=np.inf),))
        return ScoreParts("margin", tuple(parts))

    def _used_features(self) -> np.ndarray:
        """Whether each feature is in a cut of any tree."""
        used = np.zeros(self.schema_.n_features, dtype=bool)
        for tree in () if self.forest_ is None else self.forest_.trees_:
            used[tree.feature if isinstance(tree, RankingTree) else slice(None)] = True
        for member in () if self.booster_ is None else self.booster_.team_.members:
            used[member.trees.feature] = True
        return used

    def program(self) -> Program:
        graphs: list[Any] = []
        margins: list[Any] = []
        if self.forest_ is not None:
            more, of_forest = score_of_forest(self.forest_.trees_, self.forest_.aggregation_)
            graphs, margins = [*more], [self._forest_margin.expression(of_forest)]
        if self.booster_ is not None:
            more, of_booster = margin_of_team(self.booster_.team_, len(graphs))
            graphs, margins = [*graphs, *more], [*margins, of_booster]
        weights = [weight / scale.spread for weight, scale, _ in self._kept()]
        offset = -sum(weight * scale.centre for weight, (_, scale, _) in zip(weights, self._kept()))
        score = Squash(Combination(tuple(margins), tuple(weights), offset))
        return calibrated(type(self).__name__, self.schema_, tuple(graphs), score, self._calibration, self.pos_label_)

    def to_parts(self) -> dict[str, Any]:
        return {
            "forest": self.forest_,
            "booster": self.booster_,
            "weights": self.weights_,
            "scales": np.array([[scale.centre, scale.spread] for scale in self._scales]),
            "forest_margin": self._forest_margin.name,
            **HeldOut(self.held_out_scores_, self.held_out_auc_, self._blocks).to_parts(),
            "calibration": self._calibration.to_parts(),
            "measures": {"held_out_auc_": float(self.held_out_auc_)},
        }

    def from_parts(self, parts: Parts) -> None:
        forest, booster = parts["forest"], parts["booster"]
        need(forest is None or isinstance(forest, RankingForest), "its 'forest' is no forest")
        need(booster is None or isinstance(booster, Booster), "its 'booster' is no booster")
        self.forest_, self.booster_ = forest, booster
        for member in (forest, booster):
            if member is not None:
                agrees = member.schema_ == self.schema_ and member.classes_.tolist() == self.classes_.tolist()
                need(agrees and member.pos_label_ == self.pos_label_, "a member was fitted on other features or labels")
        weights, scales = parts.array("weights", np.float64, 2), parts.array("scales", np.float64, 2, 2)
        check_finite(weights, "weights", least=0.0)
        need(abs(float(weights.sum()) - 1.0) < 1e-6, "its weights do not sum to 1")
        kept = [member is not None for member in (forest, booster)]
        need(kept == (weights > 0.0).tolist(), "its weights do not match its members")
        check_moderate(scales, "scales")
        need((scales[:, 1] > 1e-100).all(), "its scales are not positive")
        self.weights_, self._scales = weights, tuple(Scale(centre, spread) for centre, spread in scales.tolist())
        named = parts.choice("forest_margin", ("score", "log_odds")) if "forest_margin" in parts else "log_odds"
        self._forest_margin = margin_named(named)
        self.held_out_scores_, self._blocks = HeldOut.arrays_of(parts)
        self.held_out_auc_ = parts.below("measures").number("held_out_auc_")
        self._calibration = Calibration.from_parts(parts.below("calibration"))


def _held_out_of_forest(forest: RankingForest, training: Training) -> np.ndarray:
    """Out-of-bag margins; training margins if no tree leaves rows out."""
    if forest.has_oob_scores:
        scores = forest.oob_scores_
        return _MARGIN(scores if training.kept is None else scores[training.kept])
    return _MARGIN(training.sample.answers(forest.score_coded))


def _sizes(n_rows: int) -> tuple[int, ...]:
    """Trees of the default forest: it is grown to the next size if it has something to add."""
    if n_rows > MANY_ROWS:
        return _PROBE, _TREES_OF_MANY
    return (_TREES_OF_MANY,) if n_rows > _FEW_ROWS else (_TREES_OF_MANY, _TREES)


def _kind_beside(booster: Booster, n_rows: int) -> Candidate:
    """The trees of the default forest: fine ones where fine trees boost best."""
    if n_rows > MANY_ROWS:
        return FINE
    leaves = max(booster.trials_, key=lambda trial: trial.auc).boosting.max_leaf_nodes
    return RANDOM_FINE if leaves is None or leaves >= FINE_LEAVES_OF_FEW else RANDOM


def _held_out_of_booster(booster: Booster, training: Training) -> np.ndarray:
    """Held-out margins of the booster; training margins if it has no folds."""
    team = booster.team_
    if team.held_out is not None:
        return team.held_out
    return training.sample.answers(partial(team.margin, n_threads=training.n_threads))
