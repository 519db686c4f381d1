"""How good a ranking of two labels is, as plain values: AUC, the top of the list, gains, calibration, scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..metrics import auc_interval, gains_table
from ..metrics._inputs import cumulative_mass
from ..metrics._top import top_of_mass
from ..metrics.calibration import calibration_error, reliability
from ..metrics.interval import wilson
from .judged import Judged
from .plain import plain, rounded

__all__ = ["evaluation_facts", "interval_facts"]

_SHARES = np.arange(1, 201) / 200  # positions of the slider of u
_FEW_VALUES = 10  # of the probability: each is a group of `reliability`
_BINS = 30


def evaluation_facts(judged: Judged, *, of_probability: bool = False) -> dict[str, Any]:
    """Facts of the evaluation.

    Parameters
    ----------
    judged : Judged
        Rows with labels and scores.
    of_probability : bool
        Whether the distribution is that of the probabilities: the scores of a tree have no scale.
    """
    return {
        "source": judged.source,
        "auc": interval_facts(judged),
        "top": _top(judged),
        "gains": _gains(judged),
        "calibration": _calibration(judged),
        "distribution": _distribution(judged, of_probability),
    }


def interval_facts(judged: Judged) -> dict[str, Any]:
    """The AUC with its interval."""
    found = auc_interval(judged.labels, judged.score, sample_weight=judged.weights)
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _top(judged: Judged) -> dict[str, Any]:
    """The best share u of the list, for every place of the slider."""
    top = top_of_mass(cumulative_mass(judged.labels == 1, judged.score, judged.weights), _SHARES)
    return {
        "share": plain(_SHARES),
        "rate": top.rate,
        "alpha": plain(top.alpha),
        "beta": plain(top.beta),
        "local_auc": plain(top.local_auc),
    }


def _gains(judged: Judged) -> dict[str, Any]:
    table = gains_table(judged.labels, judged.score, sample_weight=judged.weights)
    return {name: rounded(values, 12) for name, values in table.to_dict().items()}


def _calibration(judged: Judged) -> dict[str, Any] | None:
    if judged.probability is None:
        return None
    probability = judged.probability
    found = reliability(probability, judged.labels, judged.weights)
    # with weights, the number of trials of a group is its number of rows, not their weight
    rows = found.mass if judged.weights is None else found.mass / judged.weights.mean()
    low, high = wilson(found.observed, rows, 0.95)
    counts, edges = np.histogram(judged.probability, bins=25, range=(0.0, 1.0), weights=judged.weights)
    return {
        "predicted": plain(found.predicted),
        "observed": plain(found.observed),
        "low": plain(low),
        "high": plain(high),
        "by_value": len(np.unique(probability)) <= _FEW_VALUES,
        "error": calibration_error(probability, judged.labels, judged.weights),
        "histogram": rounded(counts / counts.sum()),
        "edges": plain(edges),
    }


def _distribution(judged: Judged, of_probability: bool) -> dict[str, Any]:
    """Shares of both classes in bins of the score."""
    probable = of_probability and judged.probability is not None
    values = np.asarray(judged.probability if probable else judged.score, dtype=np.float64)
    low, high = (0.0, 1.0) if probable else (float(values.min()), float(values.max()))
    if not low < high:
        low, high = low - 1.0, high + 1.0
    shares = []
    for k in (0, 1):
        own = judged.labels == k
        weights = None if judged.weights is None else judged.weights[own]
        counts, edges = np.histogram(values[own], bins=_BINS, range=(low, high), weights=weights)
        shares.append(rounded(counts / counts.sum()))
    return {
        "of": "probability" if probable else "score",
        "edges": rounded(edges, 9),
        "negatives": shares[0],
        "positives": shares[1],
    }
