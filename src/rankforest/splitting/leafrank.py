"""LeafRank: cut a cell in two with a small axis-parallel tree grown inside it (2011 paper, section 3)."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import _core
from ..data.binning import checked_bins
from ..data.options import TakesOptions
from ..data.parameters import MISSING, ROUTING, at_least, bound, chosen, feature_count, share
from ..data.schema import Schema
from ..data.storable import storable
from ..tree.pruning_options import Pruning
from ..tree.ranking_tree import RankingTree
from .axis_parallel import AxisParallel
from .cell import HELD_OUT_FOLDS, Cell, Cut, Division, SplittingRule
from .pruned import divide_pruned

__all__ = ["CRITERIA", "CUTS", "LeafRank"]

CRITERIA = ("gini", "auc")
CUTS = ("best", "random")
_FOLDS = 5


@storable
class LeafRank(SplittingRule, TakesOptions):
    """Splitting rule: grow a tree inside the cell, sort its leaves by beta/alpha, and send the best prefix left.

    The leaves of the inner tree are merged into the two children of the cell: the union with the largest
    beta - alpha is the left, better child. No other union of the leaves gains more AUC.

    Parameters
    ----------
    max_depth : int or None, default=5
        Depth of the inner tree; None is unlimited. 1 is the naive rule, a single cut.
    max_leaf_nodes : int or None, default=None
        Most leaves of the inner tree. When given, the node with the largest gain is opened first.
    criterion : {"gini", "auc"}, default="gini"
        Criterion of the inner cuts. "gini" is the Gini gain after both classes are weighted to equal mass in
        the node; "auc" is the gain of AUC itself, as in the papers, and ranks worse.
    min_samples_leaf : int, default=1
        Fewest rows in a leaf of the inner tree.
    min_mass_leaf : float, default=0.02
        Smallest share of the cell's balanced mass (each class counts one half) in a leaf of the inner tree. It keeps
        the inner tree from separating its cell perfectly, which would leave nothing to rank.
    max_features : None, "sqrt", "log2", int or float, default=None
        Features drawn anew at every inner node (F_L of the Ranking Forests paper); None looks at all of them.
    cuts : {"best", "random"}, default="best"
        Cuts of a feature: the best one, or one drawn at random between its smallest and its largest value in the node.
        For categories a random set of them is drawn, so that a feature with many categories cannot memorise its rows.
        In both cases the best of the features' cuts is used. The gain of a best cut of more than ten categories is
        reduced by what chance explains, because even noise separates the training rows if it has many categories.
    pruning : {"cv", "cv-1se"}, Pruning or None, default=None
        "cv" prunes the inner tree to the size with the least balanced error on held-out rows of the cell. It ranks
        better on the simulated sets (user guide). "cv-1se" takes the smallest inner tree within a standard error of
        that, and the first cut alone if it is as good: rules of few conditions. There are 5 folds, each with an inner
        tree of its own; ``Pruning("cv", n_folds=10)`` changes their number.
    missing : {"learned", "cell_mean"}, default="learned"
        Missing values go to the side that gives the better cut ("learned"), or to the side of the mean of the values
        observed in the inner node ("cell_mean", 2011 paper). For categories, "missing" is one more category.
    max_bins : int, default=255
        Largest number of bins of a numeric feature, up to 65535. With as many bins as distinct values the cuts are
        exact.
    routing : {"in-sample", "held-out"} or None, default=None
        How the training rows of a cell are routed: "in-sample" by the inner tree itself, "held-out" by inner trees that
        were not trained on them, so that the cells below look like those of fresh rows. None is "held-out" for pruned
        inner trees and "in-sample" for others.

    Examples
    --------
    >>> LeafRank(max_depth=2, criterion="auc")
    LeafRank(criterion='auc', max_depth=2)
    """

    axis_parallel = True
    parameter_parts: ClassVar = {"pruning": Pruning}

    def __init__(
        self,
        *,
        max_depth: int | None = 5,
        max_leaf_nodes: int | None = None,
        criterion: str = "gini",
        min_samples_leaf: int = 1,
        min_mass_leaf: float = 0.02,
        max_features: Any = None,
        cuts: str = "best",
        pruning: Any = None,
        missing: str = "learned",
        max_bins: int = 255,
        routing: str | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_mass_leaf = min_mass_leaf
        self.max_features = max_features
        self.cuts = cuts
        self.pruning = pruning
        self.missing = missing
        self.max_bins = max_bins
        self.routing = routing

    @property
    def _method(self) -> str | None:
        return Pruning.of(self.pruning).method

    @property
    def grows_in_core(self) -> bool:
        """Whether the core grows whole trees of this rule."""
        return self._method is None and not self.routes_held_out

    def check(self, schema: Schema) -> None:
        self.to_core(schema.n_features)
        Pruning.of(self.pruning).check(("cv", "cv-1se"), "LeafRank's pruning")
        checked_bins("LeafRank's max_bins", self.max_bins)
        if self.routing is not None:
            chosen("LeafRank's routing", self.routing, ROUTING)

    @property
    def routes_held_out(self) -> bool:
        return self._method is not None if self.routing is None else self.routing == "held-out"

    def divide(self, cell: Cell) -> Cut | None:
        if self._method is None:
            return super().divide(cell)
        n_folds, one_standard_error = Pruning.of(self.pruning).folds(_FOLDS), self._method == "cv-1se"
        return divide_pruned(
            self._whole, cell, n_folds, held_out=self.routes_held_out, one_standard_error=one_standard_error
        )

    def learn(self, cell: Cell) -> Division | None:
        if self._method is None:
            return self._whole(cell)
        cut = self.divide(cell)
        return None if cut is None else cut.division

    def _whole(self, cell: Cell) -> AxisParallel | None:
        """The division of the inner tree before any pruning."""
        sample = cell.sample
        inner = self.to_core(sample.table.n_features)
        if cell.constraints is not None:
            inner.constraints = cell.constraints.to_core()
        inner.class_unit = [1.0, sample.units[1] / sample.units[0]]
        params = _core.MasterParams()
        params.inner = inner
        params.max_depth = 1
        params.min_samples_leaf = cell.min_samples_leaf
        params.max_features = cell.max_features
        params.path = cell.path_features
        rows = sample.binned.take(cell.rows)
        masses = None if sample.masses is None else sample.masses[cell.rows]
        grown = _core.grow(rows.core, cell.labels, masses, sample.units[0], params, 0, True, 1, 0, 1, root_key=cell.key)
        tree = RankingTree.of_core(grown[0], sample.table.schema, sample.binned)
        return AxisParallel(tree) if tree.n_leaves == 2 else None

    def held_out_to_core(self) -> _core.HeldOutParams:
        """How its inner trees are judged on held-out rows, as the core's record."""
        params = _core.HeldOutParams()
        params.prunes = self._method is not None
        params.n_folds = Pruning.of(self.pruning).folds(_FOLDS) if params.prunes else HELD_OUT_FOLDS
        params.held_out = self.routes_held_out
        params.one_standard_error = self._method == "cv-1se"
        return params

    def most_cuts(self, n_rows: int) -> int:
        """Largest number of cuts of the inner tree of a cell (kappa of the paper)."""
        by_leaves = n_rows - 1 if self.max_leaf_nodes is None else self.max_leaf_nodes - 1
        by_depth = n_rows - 1 if self.max_depth is None or self.max_depth > 60 else 2**self.max_depth - 1
        return max(1, min(n_rows - 1, by_leaves, by_depth))

    def to_core(self, n_features: int) -> _core.InnerParams:
        """These parameters, checked, as the core's record."""
        params = _core.InnerParams()
        params.criterion = chosen("LeafRank's criterion", self.criterion, CRITERIA)
        params.random_cuts = chosen("LeafRank's cuts", self.cuts, CUTS) == 1
        params.missing = chosen("LeafRank's missing", self.missing, MISSING)
        params.max_depth = bound("LeafRank's max_depth", self.max_depth)
        params.max_leaf_nodes = bound("LeafRank's max_leaf_nodes", self.max_leaf_nodes, least=2)
        params.min_samples_leaf = at_least("LeafRank's min_samples_leaf", self.min_samples_leaf, 1)
        params.min_mass_leaf = share("LeafRank's min_mass_leaf", self.min_mass_leaf, 0.5)
        params.max_features = feature_count("LeafRank's max_features", self.max_features, n_features)
        return params
