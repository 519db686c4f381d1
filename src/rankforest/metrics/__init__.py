"""Metrics of a ranking: curves, areas, the top of the list, intervals and tests, drift."""

from rankforest.metrics.budget import BudgetSelection
from rankforest.metrics.by_group import GroupFigure, GroupTable, by_group
from rankforest.metrics.calibration import Reliability, calibration_error, reliability
from rankforest.metrics.conformal import ConformalSelection, conformal_p_values, conformal_selection
from rankforest.metrics.drift import Drift, DriftMeter, population_stability_index
from rankforest.metrics.evaluate import Evaluation, EvaluationRow, evaluate
from rankforest.metrics.false_alarm import (
    FalseAlarmThreshold,
    false_alarm_constrained_error,
    false_alarm_threshold,
    power_at,
)
from rankforest.metrics.gains import GainsTable, gains_table
from rankforest.metrics.inference import (
    AucTest,
    Comparison,
    ComparisonRow,
    DeLong,
    Interval,
    MetricTest,
    RocBands,
    auc_interval,
    auc_test,
    auc_test_unpaired,
    bootstrap_interval,
    bootstrap_test,
    compare,
    delong_covariance,
    roc_bands,
)
from rankforest.metrics.instability import instability
from rankforest.metrics.linear_rank import dcg, linear_rank_statistic, ndcg, tail_strength, w_ranking
from rankforest.metrics.linear_rank_test import LinearRankTest, linear_rank_test
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
    relative_local_auc,
)
from rankforest.metrics.ordinal import (
    ThresholdAuc,
    concordance_index,
    concordance_scorer,
    mean_absolute_rank_error,
    quadratic_kappa,
    rank_error_scorer,
    ranking_error,
    threshold_auc,
    volume_under_surface,
)
from rankforest.metrics.ordinal_inference import compare_ordinal, evaluate_ordinal
from rankforest.metrics.over_folds import JudgedFold, evaluate_folds, evaluate_ordinal_folds
from rankforest.metrics.precision_threshold import PrecisionThreshold, precision_threshold
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
from rankforest.metrics.selection import Selection, select
from rankforest.metrics.separation import gini, ks_statistic
from rankforest.metrics.signed_rank import SignedRankProcess, signed_rank_process, signed_rank_statistic
from rankforest.metrics.too_far import TooMuchDrift

__all__ = [
    "AucTest",
    "BudgetSelection",
    "Comparison",
    "ComparisonRow",
    "ConformalSelection",
    "ControlPoint",
    "DeLong",
    "Drift",
    "DriftMeter",
    "Evaluation",
    "EvaluationRow",
    "FalseAlarmThreshold",
    "GainsTable",
    "GroupFigure",
    "GroupTable",
    "Interval",
    "JudgedFold",
    "LinearRankTest",
    "MetricTest",
    "PrecisionRecallCurve",
    "PrecisionThreshold",
    "RankingScorer",
    "Reliability",
    "RocBands",
    "RocCurve",
    "Selection",
    "SignedRankProcess",
    "ThresholdAuc",
    "TooMuchDrift",
    "auc_interval",
    "auc_test",
    "auc_test_unpaired",
    "average_precision",
    "bootstrap_interval",
    "bootstrap_test",
    "by_group",
    "calibration_error",
    "compare",
    "compare_ordinal",
    "concave_hull",
    "concordance_index",
    "concordance_scorer",
    "conformal_p_values",
    "conformal_selection",
    "control_point",
    "dcg",
    "delong_covariance",
    "evaluate",
    "evaluate_folds",
    "evaluate_ordinal",
    "evaluate_ordinal_folds",
    "false_alarm_constrained_error",
    "false_alarm_threshold",
    "gains_table",
    "get_scorer",
    "get_scorers",
    "gini",
    "hit_ratio",
    "instability",
    "ks_statistic",
    "linear_rank_statistic",
    "linear_rank_test",
    "local_auc",
    "local_auc_scorer",
    "local_ranking_error",
    "local_risk",
    "mass_constrained_error",
    "mean_absolute_rank_error",
    "ndcg",
    "partial_auc",
    "population_stability_index",
    "power_at",
    "precision_recall_curve",
    "precision_threshold",
    "quadratic_kappa",
    "rank_error_scorer",
    "ranking_error",
    "recall_at",
    "relative_local_auc",
    "reliability",
    "roc_auc",
    "roc_bands",
    "roc_curve",
    "select",
    "signed_rank_process",
    "signed_rank_statistic",
    "tail_strength",
    "threshold_auc",
    "volume_under_surface",
    "w_ranking",
]
