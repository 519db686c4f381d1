"""How good is a list: curves, areas, and the top of the list."""

from rankforest.metrics.local import local_auc
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
    "TwoSampleTest",
    "average_precision",
    "concave_hull",
    "gains_table",
    "hit_ratio",
    "instability",
    "local_auc",
    "precision_recall_curve",
    "roc_auc",
    "roc_curve",
    "two_sample_test",
]
