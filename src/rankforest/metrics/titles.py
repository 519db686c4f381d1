"""Names of the metrics in tables."""

from __future__ import annotations

__all__ = ["SCALE", "TITLES", "title_of"]

TITLES = {
    "roc_auc": "AUC",
    "gini": "Gini",
    "ks_statistic": "KS",
    "average_precision": "average precision",
    "local_auc": "local AUC",
    "relative_local_auc": "relative local AUC",
    "partial_auc": "partial AUC",
    "hit_ratio": "hit ratio",
    "recall_at": "recall",
}

SCALE = "relative local AUC: 0 to 1 of the best possible list"


def title_of(metric: str, u: float | None = None) -> str:
    """The title of a metric, of the best share u of the list if there is one.

    Examples
    --------
    >>> title_of("roc_auc"), title_of("hit_ratio", 0.05)
    ('AUC', 'hit ratio, top 5%')
    """
    return TITLES[metric] if u is None else f"{TITLES[metric]}, top {u * 100:g}%"
