"""Forests of ordered labels as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from ..data.parameters import at_least, chosen
from ..data.training_rows import TrainingRows, on_all_rows
from ..fitting.permutation import PermutationImportance, shuffled_drops
from ..fitting.progress import Meter
from ..forest.complexity import pilots_for
from ..forest.growing import equal_shares
from ..forest.ordinal import (
    ORDINAL_AGGREGATIONS,
    OrdinalGrove,
    grow_ordinal_grove,
    mean_labels,
    median_of_trees,
    out_of_bag_medians,
    out_of_bag_shares,
    shares_block,
)
from ..forest.ordinal_complexity import OrdinalTrial, candidates_for, choose_ordinal_groves
from ..forest.sampling import Draw, make_draw
from ..forest.tree_instability import tree_instability
from ..growing.ordinal import OrdinalGrowth
from ..metrics.ordinal import concordance_index
from ..tree.importance import ordinal_importance
from ..tree.ordinal_tree import median_level
from ._forest import Forest
from ._ordinal_ranker import OrdinalRanker, OrdinalTraining

__all__ = ["OrdinalRankingForest"]


class OrdinalRankingForest(Forest, OrdinalRanker):
    """A forest of ordered labels: many randomised ranking trees, and the shares of the labels on which they agree.

    Every tree is grown on a sample of the rows drawn with replacement. How the trees grow is learned from the data, by
    what they say of rows that they have not seen; so there is nothing to tune. Labels are as in `OrdinalRankingTree`.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees.
    criterion : {"ordinal_gini", "ranking", "weighted_information_gain", "gini"}, default="ordinal_gini"
        What a cut takes off, as in `OrdinalRankingTree`.
    aggregation : {"mean", "median"}, default="mean"
        How the trees become one: "mean" averages the shares of the labels over the trees, predicts the median of the
        mean shares, and scores by their mean label; "median" takes the median of the trees' predicted labels, and of
        their mean labels as the score. Can be changed after the fit.
    max_depth, max_leaf_nodes, min_samples_split, order, categorical_features, max_bins
        As in `OrdinalRankingTree`.
    min_samples_leaf : "auto" or int, default="auto"
    max_features : "auto", None, "sqrt", "log2", int or float, default="auto"
        Features drawn anew at every node.
    cuts : {"auto", "best", "random"}, default="auto"
        What is "auto" in these three is tried out in a few combinations, and up to three of those with the least
        out-of-bag ranked probability score share the forest.
    bootstrap : bool, default=True
        Draw rows with replacement. False draws without it, and where all rows are drawn there is nothing out of bag.
    max_samples : "auto", None, int or float, default="auto"
        Rows drawn for a tree, a number or a share; None is as many as there are, and "auto" that many up to 10 000 and
        a quarter of the rows beyond.
    oob : bool, default=True
        Compute out-of-bag predictions and their errors in `fit`.
    warm_start : bool, default=False
        Add trees to those of the last fit, up to `n_estimators`; the data must be the same.
    progress : "auto", callable or None, default="auto"
        "auto" draws a bar where a long fit has a terminal; a callable is given (trees grown, trees in all).
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of samples, features and cuts.

    Attributes
    ----------
    trees_ : list of OrdinalTree
    trials_ : list of OrdinalTrial
        How the kinds of trees fared, where they were chosen out of bag.
    oob_proba_ : array of shape (n, k)
        Shares of the labels for each training row by the trees that have not seen it; NaN where all have, and where
        the weight is 0.
    oob_scores_ : array of shape (n,)
        Its score by these trees.
    oob_error_ : float
        Mean absolute error of the labels that they predict, on the line of `levels_`.
    oob_c_index_ : float
        Share of the pairs of rows with different labels that their scores put in order.
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

    _of_these_trees = ("oob_proba_", "oob_scores_", "oob_error_", "oob_c_index_", "_instability")

    def __init__(
        self,
        n_estimators: int = 500,
        *,
        criterion: str = "ordinal_gini",
        aggregation: str = "mean",
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: Any = "auto",
        max_features: Any = "auto",
        cuts: str = "auto",
        bootstrap: bool = True,
        max_samples: Any = "auto",
        order: Any = None,
        categorical_features: Any = None,
        max_bins: int = 255,
        oob: bool = True,
        warm_start: bool = False,
        progress: Any = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.aggregation = aggregation
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.cuts = cuts
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.order = order
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.oob = oob
        self.warm_start = warm_start
        self.progress = progress
        self.n_jobs = n_jobs
        self.random_state = random_state

    # ---- fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OrdinalRankingForest:
        """Grow the trees.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            2 to 100 ordered labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        """
        n_trees = at_least("n_estimators", self.n_estimators, 1)
        chosen("aggregation", self.aggregation, ORDINAL_AGGREGATIONS)
        training = self._training(X, y, sample_weight)
        sample, n_threads = training.sample, training.n_threads
        groves, draw, trials = self._start(training)
        grown_before = self._check_only_grows(n_trees, groves)
        kinds = candidates_for(super()._growth())
        n_pilots = pilots_for(n_trees, sample.n_rows)
        tries = len(kinds) > 1 and draw.leaves_rows_out and not groves
        n_tried = n_pilots * len(kinds) if tries else 0
        with Meter(self.progress, n_trees - grown_before + n_tried) as meter:
            if tries:
                groves, trials = choose_ordinal_groves(
                    kinds, sample, draw, n_pilots=n_pilots, n_threads=n_threads, progress=meter.tick
                )
            elif not groves:  # nothing to choose, or nothing out of bag to choose by
                groves = [OrdinalGrove(kinds[0], 0)]
            shares = equal_shares(n_trees, len(groves))
            groves = [replace(grove, trees=grove.trees[:share]) for grove, share in zip(groves, shares)]
            meter.total = n_tried + n_trees - sum(len(grove.trees) for grove in groves)  # first trees that are kept
            groves = [
                grow_ordinal_grove(
                    grove, share - len(grove.trees), sample, draw, n_threads=n_threads, progress=meter.tick
                )
                for grove, share in zip(groves, shares)
            ]
        rows = TrainingRows.of(sample)
        measured = self._out_of_bag(groves, draw, rows, training.kept, sample.levels, n_threads)

        # all at once: a fit that is interrupted leaves the model as it was
        self._groves, self._draw, self._rows, self._kept, self.trials_ = groves, draw, rows, training.kept, trials
        self._forget()
        self._keep(measured)
        self._keep_names(training)
        return self

    def _growth(self) -> OrdinalGrowth:
        return candidates_for(super()._growth())[0]

    def _start(self, training: OrdinalTraining) -> tuple[list[OrdinalGrove], Draw, list[OrdinalTrial]]:
        """What there is before the first tree: nothing, or, with `warm_start`, the trees of the last fit."""
        sample = training.sample
        if self.warm_start and hasattr(self, "_groves"):
            known = self.trees_[0]
            same = np.array_equal(known.levels, sample.levels) and known.schema == sample.table.schema
            if not same or not self._rows_kept().same_as(sample):
                raise ValueError("warm_start adds trees to a forest of the same data; set it to False to start anew.")
            return self._groves, self._draw, self.trials_
        draw = make_draw(
            sample.labels, bootstrap=self.bootstrap, max_samples=self.max_samples, class_sampling=None,
            seed=training.seed,
        )  # fmt: skip
        return [], draw, []

    def _out_of_bag(
        self,
        groves: list[OrdinalGrove],
        draw: Draw,
        rows: TrainingRows,
        kept: np.ndarray | None,
        levels: np.ndarray,
        n_threads: int,
    ) -> dict[str, Any]:
        """The attributes that `oob` asks for."""
        if not self.oob or not draw.leaves_rows_out:
            return {}
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
            found["oob_c_index_"] = concordance_index(labels, scores[known], sample_weight=weights)
        return found

    # ---- scoring

    def set_aggregation(self, aggregation: str) -> OrdinalRankingForest:
        """Aggregate in another way from now on, without fitting again."""
        chosen("aggregation", aggregation, ORDINAL_AGGREGATIONS)
        self.aggregation = aggregation
        if hasattr(self, "_rows"):
            n_threads = effective_n_jobs(self.n_jobs)
            self._keep(self._out_of_bag(self._groves, self._draw, self._rows, self._kept, self.levels_, n_threads))
            self._keep_summary(self.summary_)
        elif hasattr(self, "summary_"):  # the scores of training were aggregated in another way
            self.summary_ = self.summary_.with_scores(None)
        return self

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
        """Impurity that the cuts of each feature take off, over all trees; the sum is 1."""
        return ordinal_importance(self.trees_)

    def oob_permutation_importance(self, *, n_repeats: int = 3, random_state: int = 0) -> PermutationImportance:
        """Mean drop of the out-of-bag C-index, by the mean shares, when the values of a feature are shuffled."""
        draw, rows, n_threads = self._drawing(), self._rows_kept(), effective_n_jobs(self.n_jobs)

        def measure(X: np.ndarray | None) -> float:
            scores = out_of_bag_shares(self._groves, draw, rows, n_threads, X) @ self.levels_
            known = ~np.isnan(scores)
            weights = None if rows.weights is None else rows.weights[known]
            return concordance_index(rows.labels[known], scores[known], sample_weight=weights)

        names, repeats = self.trees_[0].schema.names, at_least("n_repeats", n_repeats, 1)
        return shuffled_drops(measure, rows, names, n_repeats=repeats, seed=random_state)

    @property
    def instability_(self) -> float:
        """Mean Kendall distance between the rankings of two trees, on at most 2000 training rows."""
        if not hasattr(self, "_instability"):
            self._instability = tree_instability(
                self.trees_, self._rows_kept(),
                seed=self._draw.seed, n_threads=effective_n_jobs(self.n_jobs), scores_of=mean_labels,
            )  # fmt: skip
        return self._instability
