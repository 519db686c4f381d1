"""Rank aggregation on arrays of ranks: distances between rankings, their agreement, and median rankings.

A profile has the shape (n_rankings, n_items). Smaller is better and equal is tied, as in ranks with 1 = best;
:func:`ranks_from_scores` turns scores, where larger is better, into ranks.
"""

from rankforest.consensus.agreement import distance_matrix, mean_pairwise_distance, preference_matrix
from rankforest.consensus.distances import (
    footrule_coefficient,
    footrule_distance,
    kendall_distance,
    kendall_tau,
    spearman_distance,
    spearman_rho,
)
from rankforest.consensus.median import median_ranking, ranking_cost
from rankforest.consensus.ranks import mid_ranks, ranks_from_scores
from rankforest.consensus.result import MedianRanking
from rankforest.consensus.top_k import top_k_footrule_distance, top_k_kendall_distance

__all__ = [
    "MedianRanking",
    "distance_matrix",
    "footrule_coefficient",
    "footrule_distance",
    "kendall_distance",
    "kendall_tau",
    "mean_pairwise_distance",
    "median_ranking",
    "mid_ranks",
    "preference_matrix",
    "ranking_cost",
    "ranks_from_scores",
    "spearman_distance",
    "spearman_rho",
    "top_k_footrule_distance",
    "top_k_kendall_distance",
]
