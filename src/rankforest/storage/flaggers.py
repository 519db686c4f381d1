"""Classifiers that flag the top of a list in a model file: the model that scores, and where its scores are cut."""

from __future__ import annotations

from typing import Any

from ..data.schema import Schema
from ..estimators._flagger import Flagger
from ..estimators.best_instances import BestInstances
from ..estimators.false_alarm import FalseAlarmConstrained
from .errors import ModelFileError, require
from .shelf import Shelf
from .values import decode, encode

__all__ = ["put_best_instances", "put_false_alarm", "take_best_instances", "take_false_alarm"]

_NUMBERS = ("threshold_", "tie_chance_")
_SEEDS = 2**31
_MATCHED_BY = ("score", "rank")


def put_best_instances(model: BestInstances, shelf: Shelf) -> dict[str, Any]:
    """The fitted model within, and where its scores are cut."""
    return {
        **_put(model, shelf, ("share_", "recall_", "precision_")),
        "matched_by": model.matched_by_,
        "possible_shares": [encode(share, "possible_shares_") for share in model.possible_shares_],
    }


def take_best_instances(model: BestInstances, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    shares, matched_by = fitted.pop("possible_shares", None), fitted.pop("matched_by", None)
    require(matched_by in _MATCHED_BY, "its matched_by_ is unknown")
    require(isinstance(shares, list) and len(shares) == 2, "its possible_shares_ cannot be read")
    held_out = ("out-of-bag", "cross-validation")
    _take(model, fitted, shelf, schema, ("share_", "recall_", "precision_"), held_out)
    below, above = map(decode, shares)
    require(type(below) is float and type(above) is float, "its possible_shares_ are not numbers")
    model.possible_shares_, model.matched_by_ = (below, above), matched_by


def put_false_alarm(model: FalseAlarmConstrained, shelf: Shelf) -> dict[str, Any]:
    """The fitted model within, and where its scores are cut."""
    return _put(model, shelf, ("alpha_", "power_"))


def take_false_alarm(model: FalseAlarmConstrained, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    _take(model, fitted, shelf, schema, ("alpha_", "power_"), ("out-of-bag", "rows held out"))


def _put(model: Any, shelf: Shelf, measures: tuple[str, ...]) -> dict[str, Any]:
    from .estimators import pack

    if isinstance(model.estimator_, Flagger):
        name = type(model.estimator_).__name__
        raise ModelFileError(
            f"estimator is itself a {name}, and a model file cannot store one inside another; save the inner one."
        )
    return {
        "estimator": pack(model.estimator_, shelf.below("estimator")),
        "held_out": model.held_out_,
        "lot_seed": model.lot_seed_,
        "numbers": {name: encode(float(getattr(model, name)), name) for name in (*_NUMBERS, *measures)},
    }


def _take(
    model: Any,
    fitted: dict[str, Any],
    shelf: Shelf,
    schema: Schema,
    measures: tuple[str, ...],
    held_out: tuple[str, ...],
) -> None:
    from .estimators import unpack

    wanted = {"estimator", "held_out", "lot_seed", "numbers"}
    require(fitted.keys() == wanted, "the description of its threshold cannot be read")
    inner, numbers, seed = (fitted[name] for name in ("estimator", "numbers", "lot_seed"))
    nested = ("BestInstances", "FalseAlarmConstrained")
    require(isinstance(inner, dict) and inner.get("model") not in nested, "the model inside it cannot be read")
    require(fitted["held_out"] in held_out, "its held_out_ is unknown")
    require(type(seed) is int and 0 <= seed < _SEEDS, "the seed of its lots is invalid")
    names = (*_NUMBERS, *measures)
    require(isinstance(numbers, dict) and numbers.keys() == set(names), "its threshold cannot be read")
    model.estimator_ = unpack(inner, shelf.below("estimator"))
    agrees = model.estimator_.n_features_in_ == schema.n_features
    require(
        agrees and set(model.estimator_.classes_.tolist()) == set(model.classes_.tolist()),
        "the model inside it has other features or labels",
    )
    model.held_out_, model.lot_seed_ = fitted["held_out"], seed
    for name in names:
        found = decode(numbers[name])
        require(type(found) is float, f"its {name} is not a number")
        setattr(model, name, found)
