"""Facts about a model and its features that all pages have."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import __version__
from ..data.schema import Schema
from ..estimators.fitted_model import FittedModel
from .about import event_name
from .plain import rounded

__all__ = ["importance_facts", "of_model", "plain_label", "summary_facts", "top_share"]

_MOST_FEATURES = 20


def of_model(model: FittedModel, schema: Schema) -> dict[str, Any]:
    """Names, and the constraints."""
    facts: dict[str, Any] = {
        "model": type(model).__name__,
        "version": __version__,
        "names": list(schema.names),
        "constraints": model.constraints(),
        "event": None,
        "about": [],
        "reasons": None,
        "sides": None,
        "drift": None,
        "groups": [],
    }
    if model.ordered:
        return facts
    other = next(label for label in model.classes_.tolist() if label != model.pos_label_)
    event = event_name(plain_label(model.pos_label_), None)
    return {
        **facts,
        "positive": str(model.pos_label_),
        "negative": str(other),
        "event": event,
        "labels": [str(other), str(model.pos_label_)],
    }


def plain_label(label: Any) -> Any:
    """A label without NumPy's type."""
    return label.item() if isinstance(label, np.generic) else label


def top_share(model: FittedModel) -> float:
    """The share of the list of the local figures: that of the fit, else a tenth."""
    return 0.1 if model.best_share == 1.0 else model.best_share


def summary_facts(model: FittedModel) -> list[list[str]]:
    """The model in words, and how its fit held rows out."""
    by = model.holding_out
    return [*map(list, model.summary()), *([] if by is None else [["Holding out", by]])]


def importance_facts(model: FittedModel) -> dict[str, Any] | None:
    """The most important features, and how many there are in all."""
    values = model.importance()
    if values is None or not values.any():
        return None
    names = model.schema_.names
    order = np.argsort(-values, kind="stable")[:_MOST_FEATURES]
    order = order[values[order] > 0]
    return {"names": [names[j] for j in order], "values": rounded(values[order]), "n_features": len(values)}
