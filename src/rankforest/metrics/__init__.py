"""How good is a list: curves, areas, and the top of the list."""

from rankforest.metrics.inference import (
    AucTest,
    DeLong,
    Interval,
    MetricTest,
    RocBands,
    auc_interval,
    auc_test,
    auc_test_unpaired,
    bootstrap_interval,
    bootstrap_test,
    delong_covariance,
    roc_bands,
)
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
    "AucTest",
    "DeLong",
    "GainsTable",
    "Interval",
    "MetricTest",
    "PrecisionRecallCurve",
    "RocBands",
    "RocCurve",
    "TwoSampleTest",
    "auc_interval",
    "auc_test",
    "auc_test_unpaired",
    "average_precision",
    "bootstrap_interval",
    "bootstrap_test",
    "concave_hull",
    "delong_covariance",
    "gains_table",
    "hit_ratio",
    "instability",
    "local_auc",
    "precision_recall_curve",
    "roc_auc",
    "roc_bands",
    "roc_curve",
    "two_sample_test",
]
