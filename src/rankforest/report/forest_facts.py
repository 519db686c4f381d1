"""A forest or a booster as plain values: curves, gains, importance, dependence, stability, calibration."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.fitted_model import FittedModel
from ..metrics import roc_bands, roc_curve
from .agreement import agreement_facts
from .dependence_facts import dependence_facts
from .evaluation import evaluation_facts
from .features import importance_facts, of_model, summary_facts, top_share
from .judged import Judged, judge_at_fit
from .plain import rounded
from .rows import spread

__all__ = ["forest_facts"]

_MOST_KNOTS = 1000  # knots of a drawn curve


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
        "evaluation": None,
        "source": None,
    }
    if judged is None:
        return facts
    return facts | {
        "source": judged.source,
        "n_rows": len(judged.labels),
        "n_positives": int(judged.labels.sum()),
        "weighted": judged.weights is not None,
        "u": top_share(model),
        "evaluation": evaluation_facts(judged),
        "roc": _curves(model, judged, simulations),
        "dependence": dependence_facts(model, len(judged.labels), judged.values),
        **agreement_facts(model, judged),
    }


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
