"""How good is a list: curves, areas, and the top of the list."""

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

__all__ = [
    "GainsTable",
    "PrecisionRecallCurve",
    "RocCurve",
    "average_precision",
    "concave_hull",
    "gains_table",
    "hit_ratio",
    "precision_recall_curve",
    "roc_auc",
    "roc_curve",
]
