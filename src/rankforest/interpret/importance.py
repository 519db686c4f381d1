"""Which features make the ranking (2011 paper, section 5)."""

from __future__ import annotations

import numpy as np

from ..tree.ranking_tree import RankingTree

__all__ = ["auc_gains", "importance"]


def auc_gains(tree: RankingTree) -> np.ndarray:
    """Gain of AUC of every inner node, |alpha(C) beta(C') - beta(C) alpha(C')| / 2 in shares of the whole sample."""
    total = tree.cell_mass[0]
    alpha, beta = (tree.node_mass / total).T
    alpha_left, beta_left = (tree.left_mass / total).T
    return np.abs(alpha * beta_left - beta * alpha_left) / 2


def importance(tree: RankingTree) -> np.ndarray:
    """Importance of every feature: the root of the summed squares of its nodes' gains of AUC, normalised to sum 1.

    A tree without a split has importance 0 everywhere.
    """
    squares = np.bincount(tree.feature, weights=auc_gains(tree) ** 2, minlength=tree.schema.n_features)
    roots = np.sqrt(squares)
    return roots / roots.sum() if roots.any() else roots
