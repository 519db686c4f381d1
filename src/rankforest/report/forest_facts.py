"""A forest or a booster as plain values: curves, gains, importance, dependence, stability, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..interpret.dependence import dependence_of
from ..metrics import auc_interval, gains_table, roc_bands, roc_curve
from ..metrics._inputs import cumulative_mass
from ..metrics._top import top_of_mass
from ..metrics.calibration import calibration_error, reliability
from ..metrics.interval import wilson
from .agreement import agreement_facts
from .features import importance_facts, of_model, summary_facts
from .judged import Judged, judge_at_fit
from .plain import plain, rounded
from .rows import spread

__all__ = ["forest_facts"]

_SHARES = np.arange(1, 201) / 200  # positions of the slider of u
_MOST_KNOTS = 1000  # knots of a drawn curve
_MOST_FEATURES = 8
_DEPENDENCE_ROWS = 300


def forest_facts(model: FittedModel, judged: Judged | None, *, simulations: int = 1000) -> dict[str, Any]:
    """Facts of a fitted model that is not one tree.

    Parameters
    ----------
    model : FittedModel
        Of two labels.
    judged : Judged or None
        The rows of the evaluation; None gives only the facts of the fit.
    simulations : int
        Samples drawn for the band of the ROC curve.
    """
    facts: dict[str, Any] = {
        "kind": "forest",
        **of_model(model, model.schema_),
        "summary": summary_facts(model),
        "importance": importance_facts(model),
        "reasons": None,
        "source": None,
    }
    if judged is None:
        return facts
    return facts | {
        "source": judged.source,
        "n_rows": len(judged.labels),
        "n_positives": int(judged.labels.sum()),
        "weighted": judged.weights is not None,
        "u": 0.1 if model.best_share == 1.0 else model.best_share,
        "auc": _interval(judged),
        "roc": _curves(model, judged, simulations),
        "top": _top(judged),
        "gains": _gains(judged),
        "calibration": _calibration(judged),
        "dependence": _dependence(model, judged),
        **agreement_facts(model, judged),
    }


def _interval(judged: Judged) -> dict[str, Any]:
    found = auc_interval(judged.labels, judged.score, sample_weight=judged.weights)
    return {"estimate": found.estimate, "low": found.low, "high": found.high}


def _curves(model: FittedModel, judged: Judged, simulations: int) -> list[dict[str, Any]]:
    """The ROC curve of the rows, and the out-of-bag curve if it is another one; the last one with its band."""
    curves = [judged]
    if judged.source == "given" and (at_fit := judge_at_fit(model)) is not None:
        curves.append(at_fit)
    facts = []
    for i, each in enumerate(curves):
        curve = roc_curve(each.labels, each.score, sample_weight=each.weights)
        kept = spread(np.arange(len(curve.alpha)), _MOST_KNOTS)
        fact: dict[str, Any] = {
            "source": each.source,
            "alpha": rounded(curve.alpha[kept]),
            "beta": rounded(curve.beta[kept]),
            "auc": curve.auc,
            "band": None,
        }
        if i == len(curves) - 1 and each.weights is None:
            band = roc_bands(each.labels, each.score, n_simulations=simulations)
            fact["band"] = {name: rounded(getattr(band, name), 5) for name in ("alpha", "low", "high")}
        facts.append(fact)
    return facts


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
    found = reliability(judged.probability, judged.labels, judged.weights)
    # with weights, the number of trials of a group is its number of rows, not their weight
    rows = found.mass if judged.weights is None else found.mass / judged.weights.mean()
    low, high = wilson(found.observed, rows, 0.95)
    counts, edges = np.histogram(judged.probability, bins=25, range=(0.0, 1.0), weights=judged.weights)
    return {
        "predicted": plain(found.predicted),
        "observed": plain(found.observed),
        "low": plain(low),
        "high": plain(high),
        "error": calibration_error(judged.probability, judged.labels, judged.weights),
        "histogram": rounded(counts / counts.sum()),
        "edges": plain(edges),
    }


def _dependence(model: FittedModel, judged: Judged) -> list[dict[str, Any]]:
    """The score along the most important features."""
    schema, importance = model.schema_, model.importance()
    values = np.ones(schema.n_features) if importance is None else importance
    block = judged.values(spread(np.arange(len(judged.labels)), _DEPENDENCE_ROWS))
    facts = []
    for j in np.argsort(-values, kind="stable")[:_MOST_FEATURES].tolist():
        if values[j] <= 0 or np.isnan(block[:, j]).all():
            continue
        found = dependence_of(model.score_coded, block, [j], schema, 30)
        categorical = found.is_categorical[0]
        facts.append(
            {
                "name": found.names[0],
                "categorical": categorical,
                "grid": [str(value) for value in found.grids[0]] if categorical else rounded(found.grids[0]),
                "value": rounded(found.values),
                "observed": rounded(found.observed[0]),
            }
        )
    return facts
