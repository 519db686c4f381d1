"""The estimators of `rankforest` on a Dask cluster."""

from __future__ import annotations

from ..estimators import ordinal_forest, ordinal_tree, rank_boost, rank_consensus, ranking_forest, tree_rank
from ._estimator import on_cluster

__all__ = [
    "OrdinalRankingForest",
    "OrdinalRankingTree",
    "RankBoost",
    "RankConsensus",
    "RankingForest",
    "TreeRank",
]

TreeRank = on_cluster(tree_rank.TreeRank)
RankingForest = on_cluster(ranking_forest.RankingForest)
RankBoost = on_cluster(rank_boost.RankBoost)
RankConsensus = on_cluster(rank_consensus.RankConsensus)
OrdinalRankingTree = on_cluster(ordinal_tree.OrdinalRankingTree)
OrdinalRankingForest = on_cluster(ordinal_forest.OrdinalRankingForest)
