"""The training summary as JSON."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..data.schema import Schema
from ..data.summary import FeatureSummary, ScoreSummary, TrainingSummary
from .errors import require

__all__ = ["summary_from", "summary_to"]

_SOURCES = ("training", "out-of-bag", "held-out")


def summary_to(summary: TrainingSummary | None) -> dict[str, Any] | None:
    """A summary as JSON; None if the model has none."""
    if summary is None:
        return None
    features = [
        {"edges": None if f.edges is None else list(f.edges), "shares": list(f.shares), "missing": f.missing}
        for f in summary.features
    ]
    scores = summary.scores
    found = None
    if scores is not None:
        found = {"source": scores.source, "edges": list(scores.edges), "shares": list(scores.shares)}
    by = {} if summary.held_out is None else {"held_out": summary.held_out}
    return {"class_counts": list(summary.class_counts), "features": features, "scores": found, **by}


def summary_from(value: Any, schema: Schema, n_classes: int) -> TrainingSummary | None:
    """The summary again, checked against features and labels."""
    if value is None:
        return None
    sound = isinstance(value, dict) and value.keys() - {"held_out"} == {"class_counts", "features", "scores"}
    require(sound, "its training summary cannot be read")
    counts, features = value["class_counts"], value["features"]
    whole = isinstance(counts, list) and all(type(n) is int and 0 <= n < 1 << 62 for n in counts)
    require(whole and len(counts) == n_classes, "its training summary has no row counts")
    require(isinstance(features, list) and len(features) == schema.n_features, "its training summary lacks features")
    made = []
    for feature, of_schema in zip(features, schema.features):
        known = isinstance(feature, dict) and feature.keys() == {"edges", "shares", "missing"}
        require(known, "a feature of its training summary cannot be read")
        (missing,) = _shares([feature["missing"]])
        if of_schema.categories is None:
            edges = _edges(feature["edges"])
            shares = _shares(feature["shares"], len(edges) + 1)
            made.append(FeatureSummary(edges, shares, missing))
        else:
            require(feature["edges"] is None, "a categorical feature of its training summary has edges")
            made.append(FeatureSummary(None, _shares(feature["shares"], len(of_schema.categories)), missing))
    by = value.get("held_out")
    require(by is None or isinstance(by, str), "its training summary cannot be read")
    return TrainingSummary(tuple(counts), tuple(made), _scores(value["scores"]), held_out=by)


def _scores(value: Any) -> ScoreSummary | None:
    if value is None:
        return None
    sound = isinstance(value, dict) and value.keys() == {"source", "edges", "shares"}
    require(sound and value["source"] in _SOURCES, "the scores of its training summary cannot be read")
    edges = _edges(value["edges"])
    return ScoreSummary(value["source"], edges, _shares(value["shares"], len(edges) + 1))


def _edges(value: Any) -> tuple[float, ...]:
    numbers = isinstance(value, list) and all(type(edge) is float for edge in value)
    require(numbers, "the edges of its training summary are not numbers")
    require(all(low < high for low, high in pairwise(value)), "the edges of its training summary do not increase")
    return tuple(value)


def _shares(value: Any, length: int = 1) -> tuple[float, ...]:
    sound = isinstance(value, list) and len(value) == length
    require(sound, "its training summary has a wrong number of shares")
    require(all(type(s) is float and 0.0 <= s <= 1.0 for s in value), "its training summary has an invalid share")
    return tuple(value)
