"""TreeRank as a scikit-learn estimator."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from ..data.constraints import Constraints
from ..data.hold_out import HoldOut
from ..data.labels import check_two_classes, read_known_labels
from ..data.parameters import top_share
from ..data.parts import Parts, need
from ..data.read_weights import read_weights
from ..data.summary import ScoreSummary
from ..data.table import Table
from ..fitting.calibration import Calibration
from ..growing.chosen_size import SIZES, ChosenSize
from ..growing.distilled import distilled_tree
from ..growing.oblique_fit import ObliqueFit
from ..growing.prune import check_folds, check_pruning, pruning_from_parts, right_sized
from ..growing.right_size import on_sample
from ..growing.treerank import Growth, GrowTree
from ..program import Program
from ..program.of_trees import of_tree
from ..shapley.of_trees import part_of_tree
from ..shapley.score_parts import ScoreParts
from ..splitting.as_rule import as_rule
from ..splitting.cell import SplittingRule
from ..splitting.leafrank import LeafRank
from ..tree.importance import importance
from ..tree.master_tree import MasterTree
from ..tree.path import Contrast, TreePath, coded_row, contrast, path_of
from ..tree.pruning import PruningPath, pruning_path
from ..tree.pruning_options import Pruning
from ..tree.strata import StrataTable, strata_table
from ..tree.subtree import subtree
from ..tree.text import export_text
from ._table_model import Training
from ._tree_ranker import TreeRanker
from .fitted_model import OneTree
from .registry import register

__all__ = ["TreeRank"]

_PLAIN_DEPTH = 10
# The default splitter of a pruned tree. Its inner trees are pruned too, so their depth is not limited.
_PRUNED = LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=10))


@register("tree")
class TreeRank(TreeRanker):
    """A ranking tree: ordered strata, the best on the left.

    Each split is chosen to increase the AUC; the leaves, read from left to right, are the ranking. Labels are any two
    values. Features may be numbers or categories, with missing values.

    ``TreeRank()`` is a tree to read: at most 12 strata, each of them a box (a condition for some of the features), with
    falling rates. ``TreeRank(size="best")`` has as many strata as rank best. ``TreeRank(size=None)`` is the plain tree
    of the TreeRank paper, which `splitter`, `max_depth`, `max_leaf_nodes` and `pruning` shape.

    Parameters
    ----------
    splitter : LeafRank, Dyadic, WeightedERM, scikit-learn classifier, list of these, or None, default=None
        How a cell of a plain tree is cut in two. None is ``LeafRank()``; with `pruning` it is
        ``LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=10))``, which is slower and better.
        A classifier is cloned and fitted in every cell, with weights that give both classes the same total; the rows
        predicted to be positive are the better child. Its training rows are routed by classifiers that were not fitted
        on them (held-out routing; `WeightedERM` can change this). With a list, every cell uses the rule with the
        largest gain of AUC on held-out rows.
    size : {"readable", "best", "auto"} or None, default="auto"
        How many strata there are. "readable" and "best" grow a tree of single cuts on soft labels (the rate that a
        small forest expects of each row, by trees grown without the row), rank its boxes by their rates, and choose
        their number by the AUC of five folds: "best" the number with the best mean (at most 256), "readable" the fewest
        of at most 12 that are within a standard error of it. None grows the plain tree. "auto" is "readable"; it is
        None if `splitter`, `max_depth`, `max_leaf_nodes` or `pruning` is given.
    oblique : bool, default=False
        Whether cuts may be on a sum of two numeric features with whole weights, such as ``income - 2 x debt > 100``.
        Sums are searched where they cut a cell better than a feature alone, by a tenth of its gain or more. Trees of
        the sizes "readable" and "best" use them only if they then rank held-out rows better, by more than a standard
        error. Needs single features cut by a LeafRank, no constraints, and a table that fits in memory.
    max_depth : int, None or "auto", default="auto"
        Depth of the tree; None is unlimited. "auto" is 10 for a plain tree and None for other sizes.
    max_leaf_nodes : int or None, default=None
        Largest number of strata. In a plain tree the split with the largest gain of AUC is then made first.
    min_samples_leaf : int, default=1
        Smallest number of rows of a stratum. The strata of a readable tree have at least a half per cent of the rows.
    max_features : None, "sqrt", "log2", int or float, default=None
        Features drawn once per cell (F_T of the Ranking Forests paper); None uses all features.
    pruning : {"cv", "cv-1se", "structural"}, Pruning or None, default=None
        Pruning of a plain tree. None does not prune; "cv" keeps the subtree with the largest cross-validated AUC,
        "cv-1se" the smallest one within a standard error of it, and "structural" the one that maximises AUC minus a
        penalty on the number of strata. ``Pruning("cv", n_folds=5)`` changes the number of folds, which is 10 by
        default, and ``Pruning("structural", penalty=0.02)`` the constant of the penalty.
    top : float or None, default=None
        Best share of the list that matters, for instance 0.1. Cells right of it in the training list are not split, and
        pruning maximises the local AUC of that share. None, or 1, is the whole list.
    categorical_features : list of names or positions, or None, default=None
        Categorical features in addition to those with a categorical type.
    monotonic_cst : array of -1, 0 and 1, dict of them by name, Constraints, or None, default=None
        Monotone constraint of each feature: with 1 the score never decreases when the feature increases and all other
        features stay the same; with -1 it never increases; 0 is no constraint. For a categorical feature: the list of
        its categories from the worst to the best, along which the score never decreases. Needs a LeafRank. It holds for
        all values of a numeric feature, also outside the training data, but not between a value and a missing one. A
        cell is not split if its better or worse part would have fewer than `min_samples_leaf` rows. With
        `Constraints(..., interaction_cst=...)` only features that may interact are cut on one path from the root.
    pos_label : label or None, default=None
        The positive label. By default the greater of two numbers or booleans, the word for yes of two words such as
        "ja" and "nein", and the last in alphabetical order of any other two.
    n_jobs : int or None, default=None
        Threads; None is 1, -1 is all. The model is the same for any number.
    random_state : int, RandomState or None, default=None
        Seed of features, folds, and the random draws of classifiers without their own seed. None draws anew in every
        fit of a plain tree; trees of other sizes then have a fixed seed, so that a model to defend can be fitted again.

    Attributes
    ----------
    tree_ : RankingTree, or ObliqueTree if there are cuts on sums, or RuleTree if a rule is not a LeafRank
    grown_tree_ : the same
        The tree before it was pruned.
    pruning_ : ChosenSize, CrossValidated, Structural or None
        How the size was chosen: held-out AUC by the number of strata, and the reason in words.
    classes_ : array of shape (2,)
        The labels, in sorted order.
    pos_label_ : label
        The label at the top.
    summary_ : TrainingSummary
        Summary of the training rows: rows of each label, distribution of each feature, distribution of the scores.
    feature_importances_ : array
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where the training table had names.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(1000, random_state=0)
    >>> model = TreeRank(max_depth=3).fit(sample.X, sample.y)
    >>> model.tree_.n_leaves
    8
    >>> model.apply(sample.X[:3])
    array([0, 4, 4], dtype=int32)
    >>> model.rank(sample.X[:3])
    array([1. , 2.5, 2.5])
    """

    parameter_parts: ClassVar = {"splitter": LeafRank, "pruning": Pruning, "monotonic_cst": Constraints}

    def __init__(
        self,
        splitter: Any = None,
        *,
        size: str | None = "auto",
        oblique: bool = False,
        max_depth: Any = "auto",
        max_leaf_nodes: int | None = None,
        min_samples_leaf: int = 1,
        max_features: Any = None,
        pruning: Any = None,
        top: float | None = None,
        categorical_features: Any = None,
        monotonic_cst: Any = None,
        pos_label: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.splitter = splitter
        self.size = size
        self.oblique = oblique
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.pruning = pruning
        self.top = top
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.pos_label = pos_label
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, time: Any = None) -> TreeRank:
        """Grow the tree.

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

    @property
    def _size(self) -> str | None:
        """ "readable", "best", or None for a plain tree."""
        if self.size != "auto":
            return self.size
        shaped = (self.splitter, self.max_leaf_nodes, self.pruning) != (None, None, None) or self.max_depth != "auto"
        return None if shaped else "readable"

    def _rule(self) -> SplittingRule:
        if self._size is not None:
            return LeafRank()
        pruned = Pruning.of(self.pruning).method is not None
        return as_rule(_PRUNED if self.splitter is None and pruned else self.splitter)

    def _learn(self, training: Training) -> Self:
        sample, growth, seed = training.sample, training.growth, training.seed
        if self._size is not None:
            tree, found = distilled_tree(
                sample, growth, self._size, oblique_cuts=self.oblique, seed=seed, n_threads=training.n_threads
            )
            return self._keep_trees(tree, tree, found, training)
        pruning = Pruning.of(self.pruning)
        if pruning.method == "structural":  # the structural penalty is for one class of trees
            growth = growth.settled(sample, seed=seed)

        with_sums = ObliqueFit.of(sample, growth, seed, training.n_threads) if self.oblique else None
        sample = sample if with_sums is None else with_sums.sample
        grow = GrowTree(growth, seed, training.n_threads)
        grown = sample.grown(grow)
        tree, by_pruning = right_sized(grown, grow, sample, growth, pruning, seed=seed, top=growth.top)
        if with_sums is not None:
            tree, grown, by_pruning = with_sums.finished(tree, grown, by_pruning)
        return self._keep_trees(tree, grown, by_pruning, training)

    def _keep_trees(self, tree: MasterTree, grown: MasterTree, found: Any, training: Training) -> Self:
        """Set all attributes at the end: an interrupted fit leaves the model unchanged."""
        self.tree_, self.grown_tree_, self.pruning_ = tree, grown, found
        self._keep_names(training)
        return self

    def _growth(self, splitter: SplittingRule) -> Growth:
        automatic = _PLAIN_DEPTH if self._size is None else None
        return replace(
            super()._growth(splitter),
            max_depth=automatic if self.max_depth == "auto" else self.max_depth,
            max_leaf_nodes=self.max_leaf_nodes,
            top=top_share(self.top),
        )

    def _check_parameters(self, growth: Growth, table: Table) -> None:
        self._check_oblique(growth)
        if self._size is not None:
            self._check_size()
            return
        check_pruning(Pruning.of(self.pruning), growth.splitter, growth.top)

    def _check_hold_out(self, hold_out: HoldOut, codes: np.ndarray) -> None:
        super()._check_hold_out(hold_out, codes)
        if self._size is None:
            check_folds(Pruning.of(self.pruning), hold_out, codes)

    def _seed(self) -> int:
        return 0 if self._size is not None and self.random_state is None else super()._seed()

    def _check_size(self) -> None:
        if self._size not in SIZES:
            raise ValueError(f"size is {self.size!r}; choose 'readable', 'best', 'auto' or None.")
        for name in ("splitter", "pruning"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"size is {self.size!r}, and {name} is for plain trees; leave {name} None, or set size to None."
                )

    def _check_oblique(self, growth: Growth) -> None:
        if not isinstance(self.oblique, bool | np.bool_):
            raise ValueError(f"oblique is {self.oblique!r}; choose True or False.")
        if not self.oblique:
            return
        if not isinstance(growth.splitter, LeafRank):
            raise ValueError("oblique cuts need a LeafRank; set splitter to None or a LeafRank, or oblique to False.")
        if growth.constraints is not None:
            raise ValueError(
                "monotonic_cst is for cuts of single features, and a sum has two; set oblique to False, or "
                "monotonic_cst to None."
            )
        if self._size is None and Pruning.of(self.pruning).method == "structural":
            raise ValueError(
                'pruning is "structural", whose penalty is not known for oblique cuts; set pruning to "cv", or '
                "oblique to False."
            )

    def _check_bins_suffice(self) -> None:
        super()._check_bins_suffice()
        if self.oblique:
            raise TypeError(
                "oblique cuts need the values of the features, and of a table that is read in batches only their bins "
                "are kept; set oblique to False, or load the table as a frame."
            )

    # ---- the right size, after the fit

    def pruning_path(self) -> PruningPath:
        """The nested subtrees of the grown tree: lambdas, numbers of leaves, AUC (`grown_tree_.source` says which)."""
        self._fitted_tree()
        return pruning_path(self.grown_tree_)

    def prune_with(self, X: Any, y: Any, sample_weight: Any = None) -> TreeRank:
        """Prune the grown tree to the subtree on its path with the best AUC (or local AUC) on a separate sample."""
        table = self._read(X)
        labels = read_known_labels(
            y, n_rows=table.n_rows, classes=self.classes_, pos_label=self.pos_label_, purpose="prune"
        )
        weights = read_weights(sample_weight, n_rows=table.n_rows)
        check_two_classes(labels.codes, weights)
        path = self.pruning_path()
        strata = np.concatenate([self.grown_tree_.apply(block) for block in table.blocks()])
        auc = on_sample(path, strata, labels.codes, weights, top_share(self.top))
        best = len(auc) - 1 - int(np.argmax(auc[::-1]))  # the smallest of equally good subtrees
        self.tree_ = path.prune(path.lambdas[best])
        self.pruning_ = None
        self._keep_summary(self.summary_)
        return self

    def subtree(self, nodes: Iterable[int]) -> TreeRank:
        """A copy of the model in which the given master nodes of `tree_` are leaves."""
        model = copy.copy(self)
        model.tree_ = subtree(self._fitted_tree(), nodes)
        model._keep_summary(self.summary_)
        return model

    def _score_summary(self) -> ScoreSummary | None:
        tree = self.tree_
        return ScoreSummary.of(tree.source, tree.leaf_score, tree.cell_count[tree.leaves])

    # ---- scoring

    def apply(self, X: Any) -> np.ndarray:
        """Stratum of each row, 0 = best."""
        table = self._read(X)
        n_threads = effective_n_jobs(self.n_jobs)
        return np.concatenate([self.tree_.apply(block, n_threads) for block in table.blocks()])

    def score_samples(self, X: Any) -> np.ndarray:
        """Score in [0, 1], higher is better: one minus the mid-rank of the row's stratum in the training mass."""
        return self.place(X)[0]

    def place(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Score and stratum of each row."""
        strata = self.apply(X)
        return self.tree_.leaf_score[strata], strata

    def score_coded(self, block: np.ndarray) -> np.ndarray:
        """`score_samples` of a float64 block, categories coded as in the schema."""
        tree = self._fitted_tree()
        return tree.leaf_score[tree.apply(block, effective_n_jobs(self.n_jobs))]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the two labels, in the order of `classes_`.

        The training rate of the row's stratum, shrunk towards the overall rate and made monotone in the score.
        """
        return super().predict_proba(X)

    def _probabilities(self) -> Calibration:
        tree = self._fitted_tree()
        return Calibration(tree.leaf_score[::-1], tree.leaf_probability[::-1])

    def _fitted_tree(self) -> MasterTree:
        check_is_fitted(self, "tree_")
        return self.tree_

    # ---- reading

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importance of each feature by its gains of AUC; the sum is 1."""
        return importance(self._fitted_tree())

    def strata(self, *, level: float = 0.95) -> StrataTable:
        """The ordered strata: rows, positives, rate with interval, lift and cumulative capture; `rules()` in words."""
        return strata_table(self._fitted_tree(), level=level)

    def path_of(self, x: Any) -> TreePath:
        """The path of one row (a sequence, a mapping by name, a series or a one-row table) and its conditions."""
        tree = self._fitted_tree()
        return path_of(tree, coded_row(x, tree.schema), positive=self.positive_words)

    def score_parts(self) -> ScoreParts:
        return ScoreParts("score", (part_of_tree(self._fitted_tree(), self.score_coded),))

    def words_of_row(self, row: np.ndarray) -> TreePath:
        return path_of(self._fitted_tree(), row, positive=self.positive_words)

    def words_of_pair(self, row: np.ndarray, other: np.ndarray) -> Contrast:
        return contrast(self._fitted_tree(), row, other)

    def export_text(self, *, max_depth: int | None = None, max_alternatives: int = 6) -> str:
        """The tree as text, with the words of the positive label."""
        return export_text(
            self._fitted_tree(),
            max_depth=max_depth,
            max_alternatives=max_alternatives,
            positive=self.positive_words,
        )

    # ---- the protocol

    def one_tree(self) -> OneTree:
        return OneTree(self._fitted_tree(), self.grown_tree_, self.pruning_)

    def figures(self) -> dict[str, Any]:
        tree = self._fitted_tree()
        name = "training_auc" if tree.source == "training" else "held_out_routing_auc"
        figures = {"strata": int(tree.n_leaves), name: float(tree.auc)}
        if isinstance(self.pruning_, ChosenSize) and self.best_share == 1.0:
            figures["held_out_auc"] = float(self.pruning_.auc[self.pruning_.chosen])
        return figures

    def text(self) -> str:
        return self.export_text()

    def program(self) -> Program:
        return of_tree(type(self).__name__, self._fitted_tree(), self.pos_label_)

    def to_parts(self) -> dict[str, Any]:
        trees = [self.grown_tree_] if self.tree_ is self.grown_tree_ else [self.grown_tree_, self.tree_]
        return {"tree": trees, "pruning": None if self.pruning_ is None else self.pruning_.to_parts()}

    def from_parts(self, parts: Parts) -> None:
        trees = parts.list_of("tree", MasterTree)
        need(1 <= len(trees) <= 2, "it has more trees than a fitted and a grown one")
        self.grown_tree_, self.tree_ = trees[0], trees[-1]
        self.pruning_ = None if parts["pruning"] is None else pruning_from_parts(parts.below("pruning"), trees[0])
