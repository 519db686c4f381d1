"""The metrics of a scored file, in plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import norm

from ..metrics import auc_interval, bootstrap_interval, gains_table
from ..metrics.bootstrap import check_replicates, interval_of_draws
from ..metrics.calibration import calibration_error
from ..metrics.interval import check_confidence
from ._model import Loaded
from ._ordinal import MEASURES, ordinal_draws
from ._scoring import Scored

__all__ = ["figures"]

_TOPS = {"local_auc": "local AUC", "hit_ratio": "hit ratio", "recall_at": "recall"}


def figures(
    loaded: Loaded, scored: Scored, tops: Sequence[float], confidence: float, replicates: int
) -> dict[str, Any]:
    """Metrics with intervals, gains, and the strata of a tree.

    Parameters
    ----------
    loaded : Loaded
    scored : Scored
        With labels.
    tops : sequence of float
        Shares of the list.
    confidence : float
        Of the intervals.
    replicates : int
        Draws of the bootstrap.
    """
    check_confidence(confidence)
    check_replicates(replicates)
    if loaded.model.ordered:
        return {"confidence": confidence, "metrics": _ordinal(loaded, scored, confidence, replicates)}
    positive = np.asarray(scored.labels == loaded.model.pos_label_)
    found: dict[str, Any] = {
        "positive": loaded.model.pos_label_,
        "positives": int(positive.sum()),
        "confidence": confidence,
        "metrics": _binary(scored, positive, tops, confidence, replicates),
    }
    table = gains_table(
        positive, scored.scores, n_groups=min(10, len(positive)), sample_weight=scored.weights
    ).to_dict()
    found["gains"] = [dict(zip(table, row)) for row in zip(*table.values())]
    one = loaded.model.one_tree()
    if scored.cells is not None and one is not None:
        found["strata"] = _strata(one.tree, scored, positive)
    return found


def _binary(
    scored: Scored, positive: np.ndarray, tops: Sequence[float], confidence: float, replicates: int
) -> list[dict[str, Any]]:
    y, s, w = positive, scored.scores, scored.weights
    auc = auc_interval(y, s, confidence=confidence, sample_weight=w)
    found = [_line("AUC", auc.estimate, auc.low, auc.high, auc.method)]
    wanted: list[tuple[str, str, float | None]] = [("average precision", "average_precision", None)]
    wanted += [(f"{title}, top {u * 100:g}%", name, u) for name, title in _TOPS.items() for u in tops]
    for title, name, u in wanted:
        interval = bootstrap_interval(y, s, name, u, confidence=confidence, n_replicates=replicates, sample_weight=w)
        found.append(_line(title, interval.estimate, interval.low, interval.high, "bootstrap"))
    if scored.probabilities is not None:
        brier = _mean_interval((scored.probabilities - y) ** 2, w, confidence)
        found.append(_line("Brier score", *brier, "normal"))
        error = calibration_error(scored.probabilities, y.astype(np.float64), w)
        found.append(_line("calibration error", error, None, None, "ten groups"))
    return found


def _ordinal(loaded: Loaded, scored: Scored, confidence: float, replicates: int) -> list[dict[str, Any]]:
    found = []
    for measure, draws in zip(MEASURES, ordinal_draws(loaded, [scored], replicates)[0]):
        interval = interval_of_draws(float(draws[0]), draws[1:], 1.0 - confidence)
        found.append(_line(measure, interval.estimate, interval.low, interval.high, "bootstrap"))
    return found


def _strata(tree: Any, scored: Scored, positive: np.ndarray) -> list[dict[str, Any]]:
    assert scored.cells is not None
    w = np.ones(len(positive)) if scored.weights is None else scored.weights
    rows = np.bincount(scored.cells, minlength=tree.n_leaves)
    mass = np.bincount(scored.cells, weights=w, minlength=tree.n_leaves)
    caught = np.bincount(scored.cells, weights=w * positive, minlength=tree.n_leaves)
    return [
        {
            "stratum": k + 1,
            "rows": int(rows[k]),
            "positives": float(caught[k]),
            "rate": float(caught[k] / mass[k]) if mass[k] > 0 else None,
            "training_rate": float(tree.leaf_rate[k]),
        }
        for k in range(tree.n_leaves)
    ]


def _mean_interval(values: np.ndarray, weights: np.ndarray | None, confidence: float) -> tuple[float, float, float]:
    """A mean and its interval by the central limit theorem."""
    w = np.ones(len(values)) if weights is None else weights
    mean = float(np.average(values, weights=w))
    error = float(np.sqrt(np.sum((w * (values - mean)) ** 2)) / w.sum())
    reach = float(norm.ppf(0.5 + confidence / 2.0)) * error
    return mean, max(0.0, mean - reach), mean + reach


def _line(metric: str, value: float, low: float | None, high: float | None, method: str) -> dict[str, Any]:
    low, high = None if low is None else float(low), None if high is None else float(high)
    return {"metric": metric, "value": float(value), "low": low, "high": high, "method": method}
