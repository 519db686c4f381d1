"""Drift of the rows of a report since training: the population stability index of scores and features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..metrics.drift import Drift, DriftMeter
from ..tree.strata import strata_table

__all__ = ["drift_facts"]

_LISTED = 12


def drift_facts(model: FittedModel, X: Any) -> dict[str, Any] | None:
    """The index of the strata of a tree, or of the scores, and of the features that drifted most.

    Parameters
    ----------
    model : FittedModel
    X : table
        The rows of the report.

    Returns
    -------
    dict or None
        None if the model has no summary of its training rows.
    """
    if model.summary_ is None:
        return None
    meter = DriftMeter(model.summary_, model.schema_)
    meter.see(X)
    scores, cells = model.place(X)
    one = model.one_tree()
    overall, of = meter.scores(scores), "scores"
    if one is not None and cells is not None:
        shares = strata_table(one.tree).rows
        overall, of = meter.of_groups(shares, np.bincount(cells, minlength=len(shares))), "strata"
    features = sorted(meter.features().items(), key=lambda each: -each[1].index)
    lines = [] if overall is None else [_line(f"The {of}", overall)]
    readings = [drift.reading for _, drift in features]
    return {
        "lines": [*lines, *(_line(name, drift) for name, drift in features[:_LISTED])],
        "n_features": len(features),
        "n_shifted": sum(reading != "stable" for reading in readings),
    }


def _line(name: str, drift: Drift) -> dict[str, Any]:
    return {"name": name, "index": drift.index, "by_chance": drift.by_chance, "reading": drift.reading}
