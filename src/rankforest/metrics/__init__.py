"""How good is a list: curves, areas, and the top of the list."""

from rankforest.metrics.local import local_auc
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
from rankforest.metrics.roc import (
    GainsTable,
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    concave_hull,
    gains_table,
    hit_ratio,
    precision_recall_curve,
    roc_auc,
    roc_curve,
)
from rankforest.metrics.stability import instability
from rankforest.metrics.two_sample import TwoSampleTest, two_sample_test

__all__ = [
    "GainsTable",
    "PrecisionRecallCurve",
    "RocCurve",
    "ThresholdAuc",
    "TwoSampleTest",
    "average_precision",
    "concave_hull",
    "concordance_index",
    "concordance_scorer",
    "gains_table",
    "hit_ratio",
    "instability",
    "local_auc",
    "mean_absolute_rank_error",
    "precision_recall_curve",
    "quadratic_kappa",
    "rank_error_scorer",
    "ranking_error",
    "roc_auc",
    "roc_curve",
    "threshold_auc",
    "two_sample_test",
    "volume_under_surface",
]
