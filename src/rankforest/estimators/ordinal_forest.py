"""Forests of ordered labels as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs

from ..data.constraints import Constraints
from ..data.folds import Folds
from ..data.hold_out import HoldOut
from ..data.left_out import LeftOut
from ..data.options import Former
from ..data.ordered_sample import OrderedSample
from ..data.parameters import at_least, chosen
from ..data.parts import Parts, need
from ..data.table import Table
from ..data.training_rows import TrainingRows, on_all_rows
from ..forest.contest import Contest
from ..forest.forward import N_FOLDS
from ..forest.groves import Grove, GrowTrees
from ..forest.ordinal import (
    ORDINAL_AGGREGATIONS,
    grow_ordinal_on_draws,
    mean_labels,
    median_of_trees,
    out_of_bag_medians,
    out_of_bag_shares,
    shares_block,
)
from ..forest.ordinal_complexity import candidates_for, ordinal_contest
from ..forest.sampling import Draw, Sampling
from ..growing.ordinal import OrdinalGrowth
from ..metrics.ordinal import concordance_index
from ..program import Program
from ..program.of_trees import of_ordinal_forest
from ..shapley.of_trees import part_of_ordinal_trees, sum_of_ordinal_tree
from ..shapley.out_of_bag import SumOfTree
from ..shapley.score_parts import ScoreParts
from ..tree.importance import ordinal_importance
from ..tree.ordinal_tree import OrdinalTree, median_level
from ._forest import Forest
from ._ordinal_ranker import OrdinalRanker
from ._table_model import Training
from .registry import register

__all__ = ["OrdinalRankingForest"]


@register("ordinal")
class OrdinalRankingForest(Forest, OrdinalRanker):
    """A forest of ordered labels: many randomised ordinal trees, whose shares of the labels are aggregated.

    Every tree is grown on a sample of the rows drawn with replacement. The kinds of trees are chosen by their
    out-of-bag score, so there is nothing to tune. Labels are as in `OrdinalRankingTree`.

    The three parameters that matter most are `n_estimators`, `criterion` and `aggregation`.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees.
    criterion : {"ordinal_gini", "ranking", "weighted_information_gain", "gini"}, default="ordinal_gini"
        Impurity that the cuts decrease, as in `OrdinalRankingTree`.
    aggregation : {"mean", "median"}, default="mean"
        How the trees are aggregated: "mean" averages the shares of the labels over the trees, predicts the median of
        the averaged shares, and scores by their mean label; "median" predicts the median of the trees' labels, and
        scores by the median of their mean labels. `set_aggregation` changes it after the fit.
    max_depth, max_leaf_nodes, order, categorical_features, monotonic_cst
        As in `OrdinalRankingTree`.
    min_samples_leaf : "auto" or int, default="auto"
    max_features : "auto", None, "sqrt", "log2", int or float, default="auto"
        Features drawn anew at every node.
    cuts : {"auto", "best", "random"}, default="auto"
        For those of the last three parameters that are "auto", a few combinations are compared; up to three with the
        least out-of-bag ranked probability score share the forest.
    sampling : "auto", int, float, None or Sampling, default="auto"
        Rows drawn for a tree, as in `RankingForest`; classes are not drawn separately.
    warm_start : bool, default=False
        Add trees to those of the last fit, up to `n_estimators`; the data must be the same.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of samples, features and cuts.

    Attributes
    ----------
    trees_ : list of OrdinalTree
    trials_ : list of Trial
        Results of the kinds of trees, if they were chosen by out-of-bag score.
    oob_proba_ : array of shape (n, k)
        Out-of-bag shares of the labels of each training row; NaN if all trees were trained on the row, and if its
        weight is 0.
    oob_scores_ : array of shape (n,)
        Out-of-bag scores.
    oob_error_ : float
        Mean absolute error of the out-of-bag labels, on the line of `levels_`.
    oob_c_index_ : float
        C-index of the out-of-bag scores: the share of correctly ordered pairs of rows with different labels.
    instability_ : float
        Mean Kendall distance between the rankings of two trees.
    feature_importances_ : array
    classes_, levels_, n_features_in_, feature_names_in_, summary_
        As in `OrdinalRankingTree`.

    Examples
    --------
    >>> from rankforest import OrdinalRankingForest
    >>> from rankforest.data import simulate
    >>> sample = simulate.ordinal_square(500, random_state=0)
    >>> forest = OrdinalRankingForest(60, random_state=0).fit(sample.X, sample.y)
    >>> forest.predict(sample.X[:5]).tolist(), sample.y[:5].tolist()
    ([2, 5, 5, 4, 3], [2, 5, 5, 4, 3])
    >>> len(forest.trees_), round(forest.oob_error_, 1)
    (60, 0.2)
    """

    parameter_parts: ClassVar = {"sampling": Sampling, "monotonic_cst": Constraints}
    former_parameters: ClassVar = {"max_bins": Former()}
    _tree_class = OrdinalTree
    _measures = ("oob_error_", "oob_c_index_", "_instability")
    _of_these_trees = ("oob_proba_", "oob_scores_", "oob_error_", "oob_c_index_", "_instability")

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        criterion: str = "ordinal_gini",
        aggregation: str = "mean",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: Any = "auto",
        max_features: Any = "auto",
        cuts: str = "auto",
        sampling: Any = "auto",
        order: Any = None,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.aggregation = aggregation
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.cuts = cuts
        self.sampling = sampling
        self.order = order
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---- fitting

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None
    ) -> OrdinalRankingForest:
        """Grow the trees.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            2 to 100 ordered labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are drawn together: a row is out of bag if they all
            are.
        time : array of shape (n,) or None
            Numbers or dates: rows are judged by trees of earlier rows, as in `RankingForest`. Not together with
            `groups`.
        """
        return self._learn(self._reading(X, y, sample_weight, groups, time))

    def _check_parameters(self, growth: OrdinalGrowth, table: Table) -> None:
        at_least("n_estimators", self.n_estimators, 1)
        self._check_aggregation(self.aggregation)
        for kind in candidates_for(growth):
            super()._check_parameters(kind, table)
        Sampling.of(self.sampling).check(table.n_rows, ordered=True)

    def _check_aggregation(self, aggregation: str) -> None:
        chosen("aggregation", aggregation, ORDINAL_AGGREGATIONS)

    def _same_data(self, sample: Any) -> bool:
        return np.array_equal(self.trees_[0].levels, sample.levels) and super()._same_data(sample)

    # ---- kinds of trees

    def _kinds(self, growth: OrdinalGrowth, n_rows: int) -> list[OrdinalGrowth]:
        return candidates_for(growth)

    def _usual(self, kinds: Sequence[OrdinalGrowth], training: Training) -> OrdinalGrowth:
        return kinds[0]

    def _contest(self, sample: OrderedSample) -> Contest:
        return ordinal_contest(sample.levels)

    def _grows(self, growth: OrdinalGrowth) -> GrowTrees:
        return grow_ordinal_on_draws

    # ---- out of bag

    def _measured(
        self, groves: list[Grove], draw: Draw, rows: TrainingRows | None, kept: np.ndarray | None, n_threads: int
    ) -> dict[str, Any]:
        if rows is None or not Sampling.of(self.sampling).oob or not draw.leaves_rows_out:
            return {}
        levels = groves[0].trees[0].levels
        shares = out_of_bag_shares(groves, draw, rows, n_threads)
        known = ~np.isnan(shares[:, 0])
        guess = np.full(rows.n_rows, -1, dtype=np.intp)
        if self.aggregation == "mean":
            scores = shares @ levels
            guess[known] = median_level(shares[known])
        else:
            scores, guess = out_of_bag_medians(groves, draw, rows, n_threads)
        found: dict[str, Any] = {
            "oob_proba_": on_all_rows(shares, kept),
            "oob_scores_": on_all_rows(scores, kept),
        }
        labels, weights = rows.labels[known], None if rows.weights is None else rows.weights[known]
        if known.any():
            found["oob_error_"] = float(np.average(np.abs(levels[guess[known]] - levels[labels]), weights=weights))
        if len(np.unique(labels)) > 1:
            found["oob_c_index_"] = _c_index(rows, scores, draw.blocks)
        return found

    def _out_of_bag_figure(self, rows: TrainingRows, n_threads: int, X: np.ndarray | None) -> float:
        """C-index of the scores by the mean shares, whatever the aggregation."""
        groves, draw = self._judged_by()
        scores = out_of_bag_shares(groves, draw, rows, n_threads, X) @ self.levels_
        return _c_index(rows, scores, draw.blocks)

    def _forward_folds(self, hold_out: HoldOut, codes: np.ndarray) -> Folds:
        n_times = len(np.unique(hold_out.groups))  # type: ignore[arg-type]
        return hold_out.ordered_folds(codes, max(1, min(N_FOLDS, n_times - 1)), 0)

    # ---- scoring

    def predict_proba(self, X: Any) -> np.ndarray:
        """Mean over the trees of the shares of the labels in the row's leaf, in the order of `classes_`."""
        trees, n_threads = self.trees_, effective_n_jobs(self.n_jobs)
        return np.vstack([shares_block(trees, block, n_threads) for block in self._read(X).blocks()])

    def score_samples(self, X: Any) -> np.ndarray:
        """Score on the line of `levels_`: the mean label, or the median over the trees of their mean labels."""
        if self.aggregation == "mean":
            return self.predict_proba(X) @ self.levels_
        return self._medians(X)[0]

    def predict(self, X: Any) -> np.ndarray:
        """Median of the mean shares, or the median over the trees of the labels that they predict."""
        if self.aggregation == "mean":
            return super().predict(X)
        levels = self._medians(X)[1]
        return self.classes_[levels]

    def _medians(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        trees, n_threads = self.trees_, effective_n_jobs(self.n_jobs)
        found = [median_of_trees(trees, block, n_threads) for block in self._read(X).blocks()]
        return np.concatenate([means for means, _ in found]), np.concatenate([levels for _, levels in found])

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row in each tree, counted from left to right."""
        trees, n_threads = self.trees_, effective_n_jobs(self.n_jobs)
        blocks = self._read(X).blocks()
        return np.vstack([np.column_stack([tree.apply(block, n_threads) for tree in trees]) for block in blocks])

    # ---- reading

    @property
    def feature_importances_(self) -> np.ndarray:
        """Decrease of the impurity by the cuts of each feature, over all trees; the sum is 1."""
        return ordinal_importance(self.trees_)

    _scores_of_trees = staticmethod(mean_labels)

    # ---- the protocol

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema."""
        trees, n_threads = self.trees_, effective_n_jobs(self.n_jobs)
        if self.aggregation == "mean":
            return shares_block(trees, block, n_threads) @ self.levels_
        return median_of_trees(trees, block, n_threads)[0]

    def figures(self) -> dict[str, Any]:
        named = {"oob_c_index_": "out_of_bag_c_index", "oob_error_": "out_of_bag_error"}
        known = {key: float(getattr(self, name)) for name, key in named.items() if hasattr(self, name)}
        return {"trees": len(self.trees_), **known}

    def score_parts(self) -> ScoreParts:
        if self.aggregation == "mean":
            return ScoreParts("score", (part_of_ordinal_trees(self.trees_),))
        return super().score_parts()

    def _sum_of_tree(self) -> SumOfTree:
        if self.aggregation != "mean":
            raise ValueError("background is 'oob', and the score is no mean over the trees; give rows to compare with.")
        return sum_of_ordinal_tree

    def program(self) -> Program:
        return of_ordinal_forest(type(self).__name__, self.trees_, self.aggregation, self.classes_)

    def to_parts(self) -> dict[str, Any]:
        measured = {}
        if hasattr(self, "oob_proba_"):
            measured = {"oob_proba": self.oob_proba_, "oob_scores": self.oob_scores_}
        return {**super().to_parts(), **measured}

    def from_parts(self, parts: Parts) -> None:
        need(self.aggregation in ORDINAL_AGGREGATIONS, "its aggregation is unknown")
        super().from_parts(parts)
        self.levels_ = self.trees_[0].levels
        need(len(self.levels_) == len(self.classes_), "its levels do not match its labels")
        if "oob_proba" in parts:
            self.oob_proba_ = parts.array("oob_proba", np.float64, None, len(self.classes_))
            n_rows = None if isinstance(self.oob_proba_, LeftOut) else len(self.oob_proba_)
            self.oob_scores_ = parts.array("oob_scores", np.float64, n_rows)

    def _check_growth(self, growth: Any) -> None:
        need(type(growth) is OrdinalGrowth, "the parameters of its trees are missing")
        if growth.constraints is not None:
            growth.constraints.check(self.schema_)
        growth.to_core(self.schema_.n_features)


def _c_index(rows: TrainingRows, scores: np.ndarray, blocks: np.ndarray | None) -> float:
    """C-index of the rows that have a score; with blocks, the mean of the blocks that have two labels."""
    known = ~np.isnan(scores)
    parts = [known] if blocks is None else [known & (blocks == block) for block in np.unique(blocks[known])]
    found = [
        concordance_index(
            rows.labels[part], scores[part], sample_weight=None if rows.weights is None else rows.weights[part]
        )
        for part in parts
        if blocks is None or len(np.unique(rows.labels[part])) > 1
    ]
    return float(np.mean(found))
