"""Names of the metrics in tables."""

from __future__ import annotations

__all__ = ["TITLES", "title_of"]

TITLES = {
    "roc_auc": "AUC",
    "average_precision": "average precision",
    "local_auc": "local AUC",
    "partial_auc": "partial AUC",
    "hit_ratio": "hit ratio",
    "recall_at": "recall",
}


def title_of(metric: str, u: float | None = None) -> str:
    """The title of a metric, of the best share u of the list if there is one.

    Examples
    --------
    >>> title_of("roc_auc"), title_of("hit_ratio", 0.05)
    ('AUC', 'hit ratio, top 5%')
    """
    return TITLES[metric] if u is None else f"{TITLES[metric]}, top {u * 100:g}%"
