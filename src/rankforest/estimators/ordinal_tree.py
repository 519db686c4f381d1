"""The ranking tree of ordered labels as a scikit-learn estimator."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from ..data.binning import checked_bins
from ..data.constraints import Constraints
from ..data.parts import Parts, need
from ..data.summary import ScoreSummary
from ..data.table import Table
from ..growing.ordinal import OrdinalGrowth, grow_ordinal_tree
from ..growing.ordinal_size import ORDINAL_METHODS, OrdinalCrossValidated, cross_validate_ordinal
from ..program import Program
from ..program.of_trees import of_ordinal_tree
from ..shapley.of_trees import part_of_ordinal_trees
from ..shapley.score_parts import ScoreParts
from ..tree.importance import ordinal_importance
from ..tree.ordinal_pruning import OrdinalPath, ordinal_pruning_path
from ..tree.ordinal_rules import leaf_rules, ordinal_text
from ..tree.ordinal_tree import OrdinalTree
from ..tree.pruning_options import Pruning
from ._ordinal_ranker import OrdinalRanker
from ._table_model import Training
from .registry import register

__all__ = ["OrdinalRankingTree"]


@register("ordinal-tree")
class OrdinalRankingTree(OrdinalRanker):
    """A ranking tree of ordered labels, after Xia, Zhang, Li and Yang (2008).

    A binary tree whose splitting criterion uses the order of the labels. Labels are numbers with any spacing, an
    ordered categorical, or any values with their `order`. Features may be numbers or categories, with missing values.

    The three parameters that matter most are `pruning`, `criterion` and `max_depth`.

    Parameters
    ----------
    criterion : {"ranking", "ordinal_gini", "weighted_information_gain", "gini"}, default="ordinal_gini"
        Impurity that the cuts decrease. "ranking" is the impurity of the paper: the sum over all pairs of rows of the
        distance of their labels, not normalised, which favours cuts in the middle. "ordinal_gini" is the Gini impurity
        of "at most the m-th label", summed over m, with the labels in steps of one. "weighted_information_gain" is
        the entropy with weights `|L_i - mode|`. "gini" ignores the order.
    max_depth : int or None, default=None
    max_leaf_nodes : int or None, default=None
        Most leaves. When given, the cut with the largest gain is made first.
    min_samples_leaf : int, default=1
    max_features : None, "sqrt", "log2", int or float, default=None
        Features drawn anew at every node; None looks at all of them.
    cuts : {"best", "random"}, default="best"
        Cuts of a feature: the best one, or one drawn at random between its smallest and its largest value in the node
        (for categories, a random set of them).
    pruning : {"cv", "cv-1se", "depth"}, Pruning or None, default="cv"
        None does not prune. "cv" keeps the subtree on the cost-complexity path with the least cross-validated mean
        absolute error, "cv-1se" the smallest one within one standard error of it, and "depth" the depth with the least
        error. There are 5 folds; ``Pruning("cv", n_folds=10)`` changes their number.
    order : sequence of labels or None, default=None
        The labels from the lowest to the highest, in steps of one; needed where they are text.
    categorical_features : list of names or positions, or None, default=None
        Features that are categories in addition to those whose type says so.
    monotonic_cst : array of -1, 0 and 1, dict of them by name, Constraints, or None, default=None
        Constraints as in `TreeRank`. They hold for the score, the mean label; the median label, which `predict`
        returns, need not follow them.
    max_bins : int, default=255
        Most bins of a numeric feature, up to 65535. With as many bins as distinct values the cuts are exact.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of features, random cuts and folds.

    Attributes
    ----------
    tree_ : OrdinalTree
    grown_tree_ : OrdinalTree
        The tree before it was pruned.
    pruning_ : OrdinalCrossValidated or None
        How the size was chosen.
    classes_ : array of shape (k,)
        The labels from the lowest to the highest.
    levels_ : array of shape (k,)
        Their positions on the line.
    summary_ : TrainingSummary
        As in `TreeRank`.
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where the training table had names.

    Examples
    --------
    >>> from rankforest import OrdinalRankingTree
    >>> from rankforest.data import simulate
    >>> sample = simulate.ordinal_square(2000, random_state=0)
    >>> model = OrdinalRankingTree(criterion="ranking", max_depth=4, pruning=None).fit(sample.X, sample.y)
    >>> model.tree_
    OrdinalTree(16 leaves, depth 4, 5 ordered labels)
    >>> model.predict(sample.X[:5]).tolist(), sample.y[:5].tolist()
    ([2, 5, 5, 4, 3], [2, 5, 5, 3, 3])
    """

    parameter_parts: ClassVar = {"pruning": Pruning, "monotonic_cst": Constraints}

    def __init__(
        self,
        criterion: str = "ordinal_gini",
        *,
        max_depth: int | None = None,
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        max_features: Any = None,
        cuts: str = "best",
        pruning: Any = "cv",
        order: Any = None,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        max_bins: int = 255,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.cuts = cuts
        self.pruning = pruning
        self.order = order
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None
    ) -> OrdinalRankingTree:
        """Grow the tree.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n, q)
        y : array of shape (n,)
            2 to 100 ordered labels.
        sample_weight : array of shape (n,) or None
            Non-negative. Rows of weight 0 are left out.
        groups : array of shape (n,) or None
            Rows with equal values, such as those of one customer, are held out together or not at all.
        time : array of shape (n,) or None
            Numbers or dates: rows are judged by what was learned from earlier ones. Not together with `groups`.
        """
        return self._learn(self._reading(X, y, sample_weight, groups, time))

    @property
    def _most_bins(self) -> int:
        return int(self.max_bins)

    def _check_parameters(self, growth: OrdinalGrowth, table: Table) -> None:
        checked_bins("max_bins", self.max_bins)
        Pruning.of(self.pruning).check(ORDINAL_METHODS)
        super()._check_parameters(growth, table)

    def _learn(self, training: Training) -> Self:
        pruning, growth, seed = Pruning.of(self.pruning), training.growth, training.seed

        grow = partial(grow_ordinal_tree, growth=growth, seed=seed)
        grown = tree = training.sample.grown(grow)
        found = None
        if pruning.method is not None:
            found = cross_validate_ordinal(
                grown, grow, training.sample, pruning, seed=seed, n_threads=training.n_threads
            )
            tree = found.prune(one_standard_error=pruning.method == "cv-1se")

        # set all attributes at the end: an interrupted fit leaves the model unchanged
        self.tree_, self.grown_tree_, self.pruning_ = tree, grown, found
        self._keep_names(training)
        return self

    def pruning_path(self) -> OrdinalPath:
        """The nested subtrees of the grown tree: complexities, numbers of leaves, mean absolute error in training."""
        self._fitted_tree()
        return ordinal_pruning_path(self.grown_tree_)

    def _score_summary(self) -> ScoreSummary | None:
        return ScoreSummary.of("training", self.tree_.leaf_mean, self.tree_.leaf_count)

    # ---- scoring

    def _fitted_tree(self) -> OrdinalTree:
        check_is_fitted(self, "tree_")
        return self.tree_

    def apply(self, X: Any) -> np.ndarray:
        """Leaf of each row, counted from left to right."""
        tree, n_threads = self._fitted_tree(), effective_n_jobs(self.n_jobs)
        return np.concatenate([tree.apply(block, n_threads) for block in self._read(X).blocks()])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of every label in the row's leaf, in the order of `classes_`."""
        return self._fitted_tree().leaf_share[self.apply(X)]

    def score_samples(self, X: Any) -> np.ndarray:
        """Mean label of the row's leaf, on the line of `levels_`."""
        return self.place(X)[0]

    def place(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Score and leaf of each row."""
        leaves = self.apply(X)
        return self.tree_.leaf_mean[leaves], leaves

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema."""
        tree = self._fitted_tree()
        return tree.leaf_mean[tree.apply(block, effective_n_jobs(self.n_jobs))]

    # ---- reading

    @property
    def feature_importances_(self) -> np.ndarray:
        """Decrease of the impurity by the cuts of each feature; the sum is 1."""
        return ordinal_importance([self._fitted_tree()])

    def rules(self) -> list[str]:
        """The conditions of every leaf in words, from left to right, in the order of `apply`."""
        return leaf_rules(self._fitted_tree())

    def export_text(self, *, max_depth: int | None = None) -> str:
        """The tree as text."""
        return ordinal_text(self._fitted_tree(), self.classes_, max_depth=max_depth)

    # ---- the protocol

    def one_ordinal_tree(self) -> OrdinalTree:
        return self._fitted_tree()

    def figures(self) -> dict[str, Any]:
        return {"strata": int(self._fitted_tree().n_leaves)}

    def text(self) -> str:
        return self.export_text()

    def score_parts(self) -> ScoreParts:
        return ScoreParts("score", (part_of_ordinal_trees([self._fitted_tree()]),))

    def program(self) -> Program:
        return of_ordinal_tree(type(self).__name__, self._fitted_tree(), self.classes_)

    def to_parts(self) -> dict[str, Any]:
        trees = [self.grown_tree_] if self.tree_ is self.grown_tree_ else [self.grown_tree_, self.tree_]
        return {"tree": trees, "pruning": None if self.pruning_ is None else self.pruning_.to_parts()}

    def from_parts(self, parts: Parts) -> None:
        trees = parts.list_of("tree", OrdinalTree)
        need(1 <= len(trees) <= 2, "it has more trees than a fitted and a grown one")
        need(len(trees[0].levels) == len(self.classes_), "its levels do not match its labels")
        self.grown_tree_, self.tree_, self.levels_ = trees[0], trees[-1], trees[0].levels
        chosen = parts["pruning"]
        self.pruning_ = None if chosen is None else OrdinalCrossValidated.from_parts(parts.below("pruning"), trees[0])
