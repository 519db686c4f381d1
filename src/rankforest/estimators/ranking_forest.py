"""Ranking Forests as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from scipy.stats import rankdata

from ..data.constraints import Constraints
from ..data.hold_out import ANY_ROWS, Groups
from ..data.parameters import at_least, chosen, top_share
from ..data.parts import Parts, need
from ..data.sample import Sample
from ..data.table import Table
from ..data.training_rows import TrainingRows, on_all_rows
from ..fitting.calibration import Calibration, calibrate, carried_over, cross_fitted_error
from ..forest.aggregation import AGGREGATIONS, KEMENY, SUMMED, score_block, sum_of_one, sum_of_trees, tree_score_block
from ..forest.complexity import CANDIDATES, DEPTH, USUAL, kinds_of, ranking_contest
from ..forest.contest import Contest
from ..forest.groves import Grove, GrowTrees, PruneTree, grow_ranking_trees
from ..forest.out_of_bag import auc_of, out_of_bag_scores, rows_with_scores, with_scores
from ..forest.sampling import Draw, Sampling
from ..forest.subpartition import Consensus, inductive_consensus, mean_scores, strata_of, transductive_ranks
from ..forest.top import MARGIN, best_aggregation
from ..growing.prune import check_pruning
from ..growing.treerank import Growth
from ..program import Program
from ..program.calibrated import calibrated
from ..program.of_trees import score_of_forest
from ..shapley.of_trees import part_of_forest
from ..shapley.out_of_bag import SumOfTree
from ..shapley.score_parts import ScoreParts
from ..splitting.as_rule import as_rule
from ..splitting.cell import SplittingRule
from ..splitting.leafrank import LeafRank
from ..tree.importance import forest_importance
from ..tree.master_tree import MasterTree
from ..tree.pruning_options import Pruning
from ._description import ForestDescription, describe
from ._forest_refresh import RefreshesForest
from ._table_model import Training, check_fitted
from ._tree_ranker import TreeRanker
from .registry import register

__all__ = ["RankingForest"]


@register("forest")
class RankingForest(RefreshesForest, TreeRanker):
    """A ranking forest: many randomised ranking trees, aggregated into one ranking.

    Every tree is grown on a sample of the rows drawn with replacement and considers few features at a time. The size of
    the trees is chosen by out-of-bag AUC, so there is nothing to tune. Labels are any two values. Features may be
    numbers or categories, with missing values.

    The three parameters that matter most are `n_estimators`, `top` and `splitter`.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees.
    splitter : LeafRank, Dyadic, scikit-learn classifier, list of these, or None, default=None
        How a cell is cut in two, as in `TreeRank`. None compares eight kinds of LeafRank (nine from 10 000 rows on),
        with best and with random cuts, from coarse to fine; the three with the best out-of-bag AUC share the forest.
    aggregation : {"auto", "proba", "mean_rank", "median_rank", "negative_rank", "plugin", "kemeny", "kemeny_ties"}
        How the trees' rankings are aggregated into one score. "proba": the mean smoothed rate of the finest cells;
        "mean_rank", "median_rank": mean or median of the ranks; "negative_rank": mean of the ranks among the negatives;
        "plugin": mean share of the negatives in the row's own cell and all worse ones (Remark 20 of the paper);
        "kemeny_ties": the ranking with the least sum of Kendall distances to the trees' rankings, as in the paper;
        "kemeny": the best ranking that ties two rows only if every tree ties them. "auto", the default, means
        "proba", and with `top` the one of "proba", "mean_rank" and "negative_rank" whose out-of-bag local AUC is
        clearly best. `set_aggregation` changes it after the fit.
    max_depth : "auto", int or None, default="auto"
        Depth of the master trees; None is unlimited. "auto" is 5 for a given `splitter` and for scores by ranks;
        otherwise each of the compared kinds has its own, 3 or 5. Deeper trees are slower and, on noisy data, worse,
        because the finest cells get too small.
    min_samples_leaf, categorical_features, monotonic_cst, pos_label
        As in `TreeRank`. Directions hold for all aggregations. With "proba" the rates of the finest cells are bounded
        by those of the cells around them; with a Kemeny ranking the places of new rows are bounded in the same way.
    max_features : None, "sqrt", "log2", int or float, default=None
        Number or share of the features drawn once per cell of a master tree (F_T of the paper). Features drawn at every
        inner node (F_L) are set by the splitter's `max_features`.
    sampling : "auto", int, float, None or Sampling, default="auto"
        Number or share of the rows drawn for a tree with replacement. None draws as many as there are; "auto" does so
        up to a million rows, and adds a quarter of the rows beyond. A `Sampling` can also draw without replacement or
        class by class, and can skip the out-of-bag scores.
    pruning : {"cv", "cv-1se", "structural"}, Pruning or None, default=None
        Pruning of the trees, as in `TreeRank`.
    top : float or None, default=None
        Best share of the list that matters, for instance 0.1. The kinds of LeafRank are then chosen by out-of-bag AUC
        and local AUC of that share together, the aggregation and the pruning of the trees by local AUC. Cells that
        start right of four times the share in a tree's own list are not split. None, or 1, is the whole list.
    warm_start : bool, default=False
        Add trees to those of the last fit, up to `n_estimators`; the data must be the same.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of samples, features and cuts.

    Attributes
    ----------
    trees_ : list of RankingTree
    aggregation_ : str
        The aggregation in use.
    trials_ : list of Trial
        Results of the kinds of LeafRank, if they were chosen by out-of-bag AUC.
    oob_scores_ : array of shape (n,)
        Out-of-bag score of each training row; NaN if all trees were trained on the row, and if its weight is 0.
    oob_auc_ : float
        AUC of these scores.
    oob_aggregation_ : str
        Aggregation of these scores: `aggregation_`, unless that was changed after the forest was loaded from a file.
    calibration_error_ : float
        Mean distance between predicted and observed rates in ten groups, cross-fitted.
    instability_ : float
        Mean Kendall distance between the rankings of two trees.
    feature_importances_ : array
    refreshes_ : tuple of Refresh
        What `refresh` did since the fit.
    classes_, pos_label_, n_features_in_, feature_names_in_, summary_
        As in `TreeRank`.

    Examples
    --------
    >>> from rankforest import RankingForest
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> forest = RankingForest(50, random_state=0).fit(sample.X, sample.y)
    >>> len(forest.trees_), round(forest.oob_auc_, 1)
    (50, 0.7)
    >>> forest.rank(sample.X[:3])
    array([2., 3., 1.])
    """

    parameter_parts: ClassVar = {
        "splitter": LeafRank, "pruning": Pruning, "sampling": Sampling, "monotonic_cst": Constraints,
    }  # fmt: skip
    _tree_class = MasterTree
    _measures = ("oob_auc_", "calibration_error_", "_instability")
    _of_these_trees = (
        "oob_scores_",
        "oob_auc_",
        "oob_aggregation_",
        "calibration_error_",
        "_calibrations",
        "_consensus",
        "_instability",
        "refreshes_",
    )

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        splitter: Any = None,
        aggregation: str = "auto",
        max_depth: Any = "auto",
        min_samples_leaf: int = 1,
        max_features: Any = None,
        sampling: Any = "auto",
        pruning: Any = None,
        top: float | None = None,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        pos_label: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.splitter = splitter
        self.aggregation = aggregation
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.sampling = sampling
        self.pruning = pruning
        self.top = top
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.pos_label = pos_label
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> RankingForest:
        """Grow the trees.

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
            Numbers or dates: up to five blocks of rows are judged by trees of earlier rows, of the same kinds as those
            of the forest, which learn from all rows. Out-of-bag scores, figures and probabilities are those of these
            trees. Not together with `groups`.
        """
        return self._learn(self._reading(X, y, sample_weight, groups, time))

    def _rule(self) -> SplittingRule:
        """The splitting rule, or the first candidate."""
        return CANDIDATES[USUAL].rule if self.splitter is None else as_rule(self.splitter)

    def _growth(self, splitter: SplittingRule) -> Growth:
        max_depth = DEPTH if self.max_depth == "auto" else self.max_depth
        return replace(super()._growth(splitter), max_depth=max_depth, top=min(1.0, MARGIN * top_share(self.top)))

    @property
    def _has_directions(self) -> bool:
        return Constraints.of(self.monotonic_cst).monotonic_cst is not None

    @property
    def _own_depth(self) -> bool:
        """Whether every kind has the depth that suits it. Scores by ranks need more strata than some kinds have."""
        by_rates = self.aggregation in ("auto", "proba") and not self._has_directions
        return by_rates and bool(self.max_depth == "auto")

    def _resolve(self, groves: list[Grove], draw: Draw, rows: TrainingRows | None, n_threads: int) -> str:
        """The aggregation that "auto" means."""
        if self.aggregation != "auto":
            return self.aggregation
        top = top_share(self.top)
        if top == 1.0 or rows is None or not Sampling.of(self.sampling).oob or not draw.leaves_rows_out:
            return "proba"
        return best_aggregation(groves, draw, rows, top, n_threads)

    def _check_aggregation(self, aggregation: str) -> None:
        chosen("aggregation", aggregation, ("auto", *AGGREGATIONS))

    def _check_parameters(self, growth: Growth, table: Table) -> None:
        at_least("n_estimators", self.n_estimators, 1)
        self._check_aggregation(self.aggregation)
        Sampling.of(self.sampling).check(table.n_rows)
        check_pruning(Pruning.of(self.pruning), growth.splitter, top_share(self.top))

    # ---- kinds of trees

    def _kinds(self, growth: Growth, n_rows: int) -> list[Growth]:
        return kinds_of(growth, n_rows, own_depth=self._own_depth) if self.splitter is None else [growth]

    def _usual(self, kinds: Sequence[Growth], training: Training) -> Growth:
        kind = kinds[USUAL] if len(kinds) > 1 else kinds[0]
        return kind.settled(training.sample, seed=training.seed)

    def _contest(self, sample: Sample) -> Contest:
        return ranking_contest(top_share(self.top))

    def _changes_pilots(self) -> bool:
        return Pruning.of(self.pruning).method is not None  # the trees of the comparison are not pruned

    def _grows(self, growth: Growth) -> GrowTrees:
        pruning = Pruning.of(self.pruning)
        prune = None if pruning.method is None else PruneTree(growth, pruning, top_share(self.top))
        return partial(grow_ranking_trees, prune=prune)

    # ---- out of bag

    def _measured(
        self, groves: list[Grove], draw: Draw, rows: TrainingRows | None, kept: np.ndarray | None, n_threads: int
    ) -> dict[str, Any]:
        aggregation = self._resolve(groves, draw, rows, n_threads)
        found: dict[str, Any] = {"aggregation_": aggregation}
        if rows is None or not Sampling.of(self.sampling).oob or not draw.leaves_rows_out:
            return found
        found["oob_aggregation_"] = aggregation
        consensus = None
        if aggregation in KEMENY:
            known = getattr(self, "_consensus", {}) if groves is getattr(self, "_groves", None) else {}
            trees = [tree for grove in groves for tree in grove.trees]
            consensus = known.get(aggregation) or self._consensus_of(aggregation, trees, draw, rows, n_threads)
            found["_consensus"] = {**known, aggregation: consensus}
        scores = out_of_bag_scores(groves, draw, rows, aggregation, n_threads, consensus=consensus)[0]
        found["oob_scores_"] = on_all_rows(scores, kept)
        if len(np.unique(rows.labels[~np.isnan(scores)])) == 2:
            found["oob_auc_"] = auc_of(scores, rows, draw.blocks)
            known = rows_with_scores(scores)
            read = scores[known], rows.labels[known], None if rows.weights is None else rows.weights[known]
            groups = ANY_ROWS if draw.groups is None else Groups(draw.groups[known])
            del known
            found["_calibrations"] = {aggregation: calibrate(*read)}
            found["calibration_error_"] = cross_fitted_error(*read, draw.seed, groups)
        return found

    # ---- scoring

    def score_samples(self, X: Any, *, aggregation: str | None = None) -> np.ndarray:
        """Score in [0, 1], higher is better.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        aggregation : str or None
            Another aggregation for this call only.
        """
        table = self._read(X)
        how = self._how(aggregation)
        self._check_aggregation(how)
        return np.concatenate([self.score_coded(block, how) for block in table.blocks()])

    def _how(self, aggregation: str | None) -> str:
        check_fitted(self, "_groves")
        return self.aggregation_ if aggregation is None or aggregation == "auto" else aggregation

    def score_coded(self, block: np.ndarray, aggregation: str | None = None) -> np.ndarray:
        """The same for a float64 block, categories coded as in the schema of the trees."""
        how = self._how(aggregation)
        n_threads = effective_n_jobs(self.n_jobs)
        if how not in KEMENY:
            return score_block([grove.trees for grove in self._groves], block, how, n_threads)
        trees = self.trees_
        strata, means = strata_of(trees, block, n_threads), mean_scores(trees, block, n_threads)
        return self._kemeny(how, n_threads).place(strata, means)

    def set_aggregation(self, aggregation: str) -> Self:
        """Change the aggregation without fitting again.

        A stored forest has no training rows, so a Kemeny ranking that is not stored with it raises ValueError.
        """
        self._check_aggregation(aggregation)
        if hasattr(self, "_groves"):
            self._check_consensus(aggregation)
        return super().set_aggregation(aggregation)

    def _check_consensus(self, how: str) -> None:
        if how in KEMENY and how not in getattr(self, "_consensus", {}) and not hasattr(self, "_rows"):
            raise ValueError(
                f"aggregation is {how!r}, which is searched among the training rows, and a stored forest does not have "
                f"them; fit with aggregation={how!r}, or rank given rows with rank(X, aggregation={how!r})."
            )

    def _kemeny(self, how: str, n_threads: int) -> Consensus:
        self._check_consensus(how)
        known: dict[str, Consensus] = self.__dict__.setdefault("_consensus", {})
        if how not in known:
            known[how] = self._consensus_of(how, self.trees_, self._draw, self._rows_kept(), n_threads)
        return known[how]

    def _consensus_of(
        self, how: str, trees: list[MasterTree], draw: Draw, rows: TrainingRows, n_threads: int
    ) -> Consensus:
        return inductive_consensus(
            trees, rows, strict=how == "kemeny", directed=self._has_directions, seed=draw.seed, n_threads=n_threads
        )

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`.

        Calibrated on the out-of-bag scores and monotone in the score. Without out-of-bag scores: the mean smoothed rate
        of the finest cells, made monotone in the score if the aggregation is another one.
        """
        return super().predict_proba(X)

    def _probabilities(self) -> Calibration:
        return self._calibration(self._how(None))

    def _calibration(self, how: str) -> Calibration:
        """The calibration of the scores of an aggregation; computed once, while the training rows are available."""
        known: dict[str, Calibration] = self.__dict__.setdefault("_calibrations", {})
        if how not in known:
            known[how] = self._find_calibration(how)
        return known[how]

    def _keep_for_storage(self) -> None:
        if self.aggregation_ not in KEMENY:
            self._calibration(self.aggregation_)

    def _find_calibration(self, how: str) -> Calibration:
        calibrated = self.held_out_scores() is not None
        if how == "proba" and not calibrated:
            return Calibration(np.array([0.0, 1.0]), np.array([0.0, 1.0]))  # the score is a probability
        rows, n_threads = self._rows_kept(), effective_n_jobs(self.n_jobs)
        if calibrated:
            placed_by = self._placed_by(how, n_threads)
            groves, draw = self._judged_by()
            scores, _ = out_of_bag_scores(groves, draw, rows, how, n_threads, consensus=placed_by)
            return calibrate(*with_scores(scores, rows))
        scores, rates = (rows.answers(partial(self.score_coded, aggregation=each)) for each in (how, "proba"))
        return carried_over(scores, rates, rows.weights)

    def rank(self, X: Any, *, aggregation: str | None = None) -> np.ndarray:
        """Ranks of the rows among themselves: 1 is the best, ties share their mean rank.

        With "kemeny" and "kemeny_ties" the consensus is that of the trees' rankings of exactly these rows
        (transductive).
        """
        how = self._how(aggregation)
        if how in KEMENY:
            block, n_threads = np.vstack(list(self._read(X).blocks())), effective_n_jobs(self.n_jobs)
            return transductive_ranks(
                self.trees_, block, strict=how == "kemeny", directed=self._has_directions, seed=self._draw.seed,
                n_threads=n_threads,
            )  # fmt: skip
        return rankdata(-self.score_samples(X, aggregation=how))

    def apply(self, X: Any) -> np.ndarray:
        """Stratum of each row in each tree, 0 = best."""
        trees, n_threads = self.trees_, effective_n_jobs(self.n_jobs)
        return np.vstack([strata_of(trees, block, n_threads) for block in self._read(X).blocks()])

    # ---- reading

    @staticmethod
    def _scores_of_trees(trees: Sequence[MasterTree], X: np.ndarray, n_threads: int) -> np.ndarray:
        return tree_score_block(trees, X, "mean_rank", n_threads)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each feature by the gains of AUC of all its cuts; the sum is 1."""
        return forest_importance(self.trees_)

    def describe(self) -> ForestDescription:
        """Parameters, how the splitting was chosen, out-of-bag figures, importance, stability: as text or HTML."""
        check_fitted(self, "_groves")
        return describe(self)

    # ---- the protocol

    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = {"trees": len(self.trees_)}
        if self.has_oob_scores:
            found["out_of_bag_aggregation"] = self.oob_aggregation_
        held_out = self.held_out_scores()
        if held_out is not None:
            found |= {"out_of_bag_auc": float(held_out.auc), "calibration_error": float(self.calibration_error_)}
        return found

    def summary(self) -> list[tuple[str, str]]:
        trees, held_out = self.trees_, self.held_out_scores()
        said = [
            ("Trees", f"{len(trees)}"),
            ("Strata per tree", f"{np.mean([tree.n_leaves for tree in trees]):.0f}"),
            ("Aggregation", self.aggregation_.replace("_", " ")),
        ]
        if held_out is not None:
            said.append(("Out-of-bag AUC", f"{held_out.auc:.4f} ({self.oob_aggregation_.replace('_', ' ')})"))
        return said

    def text(self) -> str:
        return str(self.describe())

    def score_parts(self) -> ScoreParts:
        return ScoreParts("score", (part_of_forest(self.trees_, self.aggregation_, self.score_coded),))

    def _sum_of_tree(self) -> SumOfTree:
        how = self.aggregation_
        if how not in SUMMED or sum_of_trees(self.trees_, how) is None:
            raise ValueError(
                "background is 'oob', and the score is no mean over axis-parallel trees; give rows to compare with."
            )
        return partial(sum_of_one, aggregation=how)

    def program(self) -> Program:
        graphs, score = score_of_forest(self.trees_, self.aggregation_)
        probabilities = self._probabilities()
        return calibrated(type(self).__name__, self.schema_, graphs, score, probabilities, self.pos_label_)

    def to_parts(self) -> dict[str, Any]:
        how, consensus = self.aggregation_, None
        remembers = self.kept_rows() is not None
        # an unpickled forest has no training rows, so it cannot compute a consensus later
        if how in KEMENY and (remembers or how in getattr(self, "_consensus", {})):
            consensus = self._kemeny(how, effective_n_jobs(self.n_jobs)).to_parts()
            if remembers:
                self._calibration(how)
        known: dict[str, Calibration] = getattr(self, "_calibrations", {})
        scores = {"oob_scores": self.oob_scores_} if self.has_oob_scores else {}
        return {
            **super().to_parts(),
            **scores,
            "aggregation": how,
            "oob_aggregation": getattr(self, "oob_aggregation_", None),
            "consensus": consensus,
            "calibration": {name: known[name].to_parts() for name in sorted(known)},
        }

    def from_parts(self, parts: Parts) -> None:
        super().from_parts(parts)
        need(self.aggregation in ("auto", *AGGREGATIONS), "its aggregation is unknown")
        how = self.aggregation_ = parts.choice("aggregation", AGGREGATIONS)
        known = parts.below("calibration")
        need(set(known) <= set(AGGREGATIONS), "its calibrations are of an unknown aggregation")
        if known:
            self._calibrations = {name: Calibration.from_parts(known.below(name)) for name in known}
        named = parts["oob_aggregation"]
        if "oob_scores" in parts:
            self.oob_scores_ = parts.array("oob_scores", np.float64, None)
            need(named in AGGREGATIONS, "its out-of-bag scores are of an unknown aggregation")
            self.oob_aggregation_ = named
        need(named is None or "oob_scores" in parts, "its out-of-bag scores are missing")
        measured = parts.below("measures")
        need(("oob_auc_" in measured) == ("calibration_error_" in measured), "its out-of-bag figures are incomplete")
        need("oob_scores" in parts or "oob_auc_" not in measured, "its out-of-bag scores are missing")
        if parts["consensus"] is not None:
            need(how in KEMENY, "it has a consensus, and its aggregation needs none")
            consensus = Consensus.from_parts(parts.below("consensus"), self.trees_, directed=self._has_directions)
            need(consensus.found.strict == (how == "kemeny"), "its consensus is of another aggregation")
            self._consensus = {how: consensus}

    def _check_growth(self, growth: Any) -> None:
        need(type(growth) is Growth, "the parameters of its trees are missing")
        growth.check(self.schema_)
