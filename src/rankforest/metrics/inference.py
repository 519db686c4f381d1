"""How sure are the figures: intervals, bands and tests, gathered from the modules that compute them."""

from rankforest.metrics.delong import (
    AucTest,
    DeLong,
    Interval,
    auc_interval,
    auc_test,
    auc_test_unpaired,
    delong_covariance,
)

__all__ = [
    "AucTest",
    "DeLong",
    "Interval",
    "auc_interval",
    "auc_test",
    "auc_test_unpaired",
    "delong_covariance",
]
