"""How good is a list: curves, areas, and the top of the list."""

from rankforest.metrics.gains import GainsTable, gains_table
from rankforest.metrics.linear_rank import dcg, linear_rank_statistic, ndcg, tail_strength, w_ranking
from rankforest.metrics.local import (
    ControlPoint,
    control_point,
    hit_ratio,
    local_auc,
    local_ranking_error,
    local_risk,
    mass_constrained_error,
    partial_auc,
    recall_at,
)
from rankforest.metrics.roc import (
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    concave_hull,
    precision_recall_curve,
    roc_auc,
    roc_curve,
)
from rankforest.metrics.scorers import RankingScorer, get_scorer, get_scorers, local_auc_scorer
from rankforest.metrics.stability import instability
from rankforest.metrics.two_sample import TwoSampleTest, two_sample_test

__all__ = [
    "ControlPoint",
    "GainsTable",
    "PrecisionRecallCurve",
    "RankingScorer",
    "RocCurve",
    "TwoSampleTest",
    "average_precision",
    "concave_hull",
    "control_point",
    "dcg",
    "gains_table",
    "get_scorer",
    "get_scorers",
    "hit_ratio",
    "instability",
    "linear_rank_statistic",
    "local_auc",
    "local_auc_scorer",
    "local_ranking_error",
    "local_risk",
    "mass_constrained_error",
    "ndcg",
    "partial_auc",
    "precision_recall_curve",
    "recall_at",
    "roc_auc",
    "roc_curve",
    "tail_strength",
    "two_sample_test",
    "w_ranking",
]
