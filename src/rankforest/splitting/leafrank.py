"""LeafRank: cut a cell in two with a small axis-parallel tree grown inside it (2011 paper, section 3)."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

from .. import _core
from .parameters import at_least, bound, chosen, feature_count, share

__all__ = ["CRITERIA", "LeafRank"]

CRITERIA = ("gini", "auc")


class LeafRank(BaseEstimator):
    """Splitting rule: grow a tree inside the cell, sort its leaves by beta/alpha, and take the best first part.

    The leaves of the inner tree are merged into the two children of the cell: the union with the largest
    beta - alpha goes left, which is better. No other union of the leaves gains more AUC.

    Parameters
    ----------
    max_depth : int or None, default=5
        Depth of the inner tree; None is unlimited. 1 is the naive rule, a single cut.
    max_leaf_nodes : int or None, default=None
        Most leaves of the inner tree. When given, the node with the largest gain is opened first.
    criterion : {"gini", "auc"}, default="gini"
        What a cut of the inner tree maximises. "gini" is the Gini gain after both classes are weighted to equal mass in
        the node; "auc" is the gain of AUC itself, as in the papers, and ranks worse.
    min_samples_leaf : int, default=1
        Fewest rows in a leaf of the inner tree.
    min_mass_leaf : float, default=0.02
        Least share of the cell's balanced mass (each class counts one half) in a leaf of the inner tree. A floor that
        knows the classes keeps the inner tree from separating its cell perfectly, after which nothing would be left
        to rank.
    max_features : None, "sqrt", "log2", int or float, default=None
        Features drawn anew at every inner node (F_L of the Ranking Forests paper); None looks at all of them.

    Examples
    --------
    >>> LeafRank(max_depth=2, criterion="auc")
    LeafRank(criterion='auc', max_depth=2)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = 5,
        max_leaf_nodes: int | None = None,
        criterion: str = "gini",
        min_samples_leaf: int = 1,
        min_mass_leaf: float = 0.02,
        max_features: Any = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.min_mass_leaf = min_mass_leaf
        self.max_features = max_features

    def most_cuts(self, n_rows: int) -> int:
        """Most cuts that the inner tree of a cell can have (kappa of the paper)."""
        by_leaves = n_rows - 1 if self.max_leaf_nodes is None else self.max_leaf_nodes - 1
        by_depth = n_rows - 1 if self.max_depth is None or self.max_depth > 60 else 2**self.max_depth - 1
        return max(1, min(n_rows - 1, by_leaves, by_depth))

    def to_core(self, n_features: int) -> _core.InnerParams:
        """These parameters, checked, as the core's record."""
        params = _core.InnerParams()
        params.criterion = chosen("LeafRank's criterion", self.criterion, CRITERIA)
        params.max_depth = bound("LeafRank's max_depth", self.max_depth)
        params.max_leaf_nodes = bound("LeafRank's max_leaf_nodes", self.max_leaf_nodes, least=2)
        params.min_samples_leaf = at_least("LeafRank's min_samples_leaf", self.min_samples_leaf, 1)
        params.min_mass_leaf = share("LeafRank's min_mass_leaf", self.min_mass_leaf, 0.5)
        params.max_features = feature_count("LeafRank's max_features", self.max_features, n_features)
        return params
