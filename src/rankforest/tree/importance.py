"""Importance of the features of a ranking tree (2011 paper, section 5)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .master_tree import MasterTree
from .oblique_tree import ObliqueTree
from .ordinal_tree import OrdinalTree
from .ranking_tree import RankingTree

__all__ = ["auc_gains", "forest_importance", "importance", "ordinal_importance"]


def auc_gains(tree: RankingTree) -> np.ndarray:
    """Gain of AUC of every inner node, |alpha(C) beta(C') - beta(C) alpha(C')| / 2 in shares of the whole sample."""
    total = tree.cell_mass[0]
    alpha, beta = (tree.node_mass / total).T
    alpha_left, beta_left = (tree.left_mass / total).T
    return np.abs(alpha * beta_left - beta * alpha_left) / 2


def importance(tree: MasterTree) -> np.ndarray:
    """Importance of every feature: the root of the summed squares of its nodes' gains of AUC, with the sum 1.

    A tree without a split has importance 0 everywhere. Trees of rules that are not axis-parallel have no importance,
    because they do not cut on single features. The features of a weighted sum share the squares of its gains equally.
    """
    return forest_importance([tree])


def forest_importance(trees: Sequence[MasterTree]) -> np.ndarray:
    """The same, with the squares summed over all trees."""
    squares = np.zeros(trees[0].schema.n_features)
    for tree in trees:
        if isinstance(tree, ObliqueTree):
            squares += _of_sums(tree)
            continue
        if not isinstance(tree, RankingTree):
            raise AttributeError(
                "The cells of this model are not cut on single features, so there are no gains to sum by feature; use "
                "rankforest.interpret.permutation_importance."
            )
        squares += np.bincount(tree.feature, weights=auc_gains(tree) ** 2, minlength=len(squares))
    roots = np.sqrt(squares)
    return roots / roots.sum() if roots.any() else roots


def _of_sums(tree: ObliqueTree) -> np.ndarray:
    """Summed squares of the gains by feature, those of a sum in equal parts."""
    squares = np.zeros(tree.schema.n_features)
    for feature, gain in zip(tree.wide.feature.tolist(), auc_gains(tree.wide).tolist()):
        parts = tree.parts_of(feature)
        squares[list(parts)] += gain**2 / len(parts)
    return squares


def ordinal_importance(trees: Sequence[OrdinalTree]) -> np.ndarray:
    """Importance of every feature in trees of ordered labels: the decrease of impurity by its cuts, with the sum 1.

    A tree without a cut has importance 0 everywhere.
    """
    total = np.zeros(trees[0].schema.n_features)
    for tree in trees:
        total += np.bincount(tree.feature, weights=tree.node_gain, minlength=len(total))
    return total / total.sum() if total.any() else total
