"""Inference: intervals, bands and tests, gathered from the modules that compute them."""

from rankforest.metrics.bootstrap import MetricTest, bootstrap_interval, bootstrap_test
from rankforest.metrics.compare import compare
from rankforest.metrics.comparison import Comparison, ComparisonRow
from rankforest.metrics.delong import AucTest, DeLong, auc_test, auc_test_unpaired, delong_covariance
from rankforest.metrics.interval import Interval
from rankforest.metrics.roc_bands import RocBands, roc_bands
from rankforest.metrics.score_interval import auc_interval

__all__ = [
    "AucTest",
    "Comparison",
    "ComparisonRow",
    "DeLong",
    "Interval",
    "MetricTest",
    "RocBands",
    "auc_interval",
    "auc_test",
    "auc_test_unpaired",
    "bootstrap_interval",
    "bootstrap_test",
    "compare",
    "delong_covariance",
    "roc_bands",
]
