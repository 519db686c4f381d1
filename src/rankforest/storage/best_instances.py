"""BestInstances in a model file: the model that scores, and the threshold."""

from __future__ import annotations

from typing import Any

from ..data.schema import Schema
from ..estimators.best_instances import BestInstances
from .errors import ModelFileError, require
from .shelf import Shelf
from .values import decode, encode

__all__ = ["put_best_instances", "take_best_instances"]

_NUMBERS = ("threshold_", "tie_score_", "tie_chance_", "rate_", "recall_", "precision_")
_HELD_OUT = ("out-of-bag", "cross-validation")
_MATCHED_BY = ("score", "rank")
_SEEDS = 2**31


def put_best_instances(model: BestInstances, shelf: Shelf) -> dict[str, Any]:
    """The fitted model within, and where its scores are cut."""
    from .estimators import pack

    if isinstance(model.estimator_, BestInstances):
        raise ModelFileError("estimator is a BestInstances itself, which a model file cannot hold; store that one.")
    return {
        "estimator": pack(model.estimator_, shelf.below("estimator")),
        "held_out": model.held_out_,
        "matched_by": model.matched_by_,
        "lot_seed": model.lot_seed_,
        "possible_rates": [encode(share, "possible_rates_") for share in model.possible_rates_],
        "numbers": {name: encode(float(getattr(model, name)), name) for name in _NUMBERS},
    }


def take_best_instances(model: BestInstances, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    from .estimators import unpack

    wanted = {"estimator", "held_out", "matched_by", "lot_seed", "possible_rates", "numbers"}
    require(fitted.keys() == wanted, "what it says of its threshold cannot be read")
    inner, numbers, seed, shares = (fitted[name] for name in ("estimator", "numbers", "lot_seed", "possible_rates"))
    require(isinstance(inner, dict) and inner.get("model") != "BestInstances", "the model within cannot be read")
    require(fitted["held_out"] in _HELD_OUT, "it does not say where its threshold comes from")
    require(fitted["matched_by"] in _MATCHED_BY, "it does not say how its threshold was found")
    require(type(seed) is int and 0 <= seed < _SEEDS, "the seed of its lots is none")
    require(isinstance(shares, list) and len(shares) == 2, "its possible_rates_ cannot be read")
    require(isinstance(numbers, dict) and numbers.keys() == set(_NUMBERS), "its threshold cannot be read")
    model.estimator_ = unpack(inner, shelf.below("estimator"))
    agrees = model.estimator_.n_features_in_ == schema.n_features
    require(
        agrees and set(model.estimator_.classes_.tolist()) == set(model.classes_.tolist()),
        "the model within is another's",
    )
    model.held_out_, model.matched_by_, model.lot_seed_ = fitted["held_out"], fitted["matched_by"], seed
    below, above = map(decode, shares)
    require(type(below) is float and type(above) is float, "its possible_rates_ are no numbers")
    model.possible_rates_ = below, above
    for name in _NUMBERS:
        found = decode(numbers[name])
        require(type(found) is float, f"its {name} is no number")
        setattr(model, name, found)
