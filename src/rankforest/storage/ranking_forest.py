"""RankingForest in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import effective_n_jobs

from ..data.schema import Schema
from ..estimators.ranking_forest import RankingForest
from ..forest.aggregation import AGGREGATIONS, KEMENY
from ..forest.contest import Trial
from ..forest.growing import Grove
from ..forest.sampling import Draw
from ..growing.treerank import Growth
from .calibration import put_calibration, take_calibration
from .consensus import put_consensus, take_consensus
from .errors import refuse, require
from .master_trees import put_trees, take_trees
from .shelf import Shelf
from .values import decode, encode

__all__ = ["grove_of", "is_number", "put_forest", "take_draw", "take_forest"]

_MOST_GROVES = 1000
_MEASURES = ("oob_auc_", "calibration_error_", "_instability")


def put_forest(model: RankingForest, shelf: Shelf) -> dict[str, Any]:
    """The trees grove by grove, what was measured out of bag, and the maps to probabilities."""
    trees = model.trees_
    put_trees(shelf.below("trees"), trees, trees[0].schema)
    if hasattr(model, "oob_scores_"):
        shelf.put("oob_scores", model.oob_scores_)
    how = model.aggregation_
    if how in KEMENY and (how in getattr(model, "_consensus", {}) or hasattr(model, "_rows")):
        consensus = put_consensus(shelf.below("consensus"), model._kemeny(how, effective_n_jobs(model.n_jobs)))
        if hasattr(model, "_rows"):
            model._calibration(how)
    else:  # one that is of no use to the aggregation, or that an unpickled forest cannot find any more
        consensus = None
    known = getattr(model, "_calibrations", {})
    for name in sorted(known):
        put_calibration(shelf.below(f"calibration.{name}"), known[name])
    return {
        **groves_to(model),
        "aggregation": how,
        "oob_aggregation": getattr(model, "oob_aggregation_", None),
        "consensus": consensus,
        "calibrations": sorted(known),
        "measures": measures_to(model, _MEASURES),
    }


def groves_to(model: Any) -> dict[str, Any]:
    """How the groves of a forest grew, how their rows were drawn, and what was tried."""
    groves = [
        {"growth": encode(grove.growth, "splitter"), "number": grove.number, "n_trees": len(grove.trees)}
        for grove in model._groves
    ]
    return {"groves": groves, "draw": encode(model._draw, "draw"), "trials": encode(list(model.trials_), "trials_")}


def measures_to(model: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Numbers that a fit may have left."""
    return {name: encode(float(getattr(model, name)), name) for name in names if hasattr(model, name)}


def take_measures(model: Any, value: Any, names: tuple[str, ...]) -> None:
    require(isinstance(value, dict) and value.keys() <= set(names), "its out-of-bag figures cannot be read")
    for name, number in value.items():
        found = decode(number)
        require(type(found) is float, f"its {name} is not a number")
        setattr(model, name, found)


def take_forest(model: RankingForest, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    names = {"groves", "draw", "trials", "aggregation", "oob_aggregation", "calibrations", "consensus", "measures"}
    require(fitted.keys() == names, "the description of its forest cannot be read")
    trees = take_trees(shelf.below("trees"), schema)
    model._groves = [Grove(*_grown(grove, Growth, schema), part) for grove, part in grove_of(fitted["groves"], trees)]
    take_growing(model, fitted)
    require(fitted["aggregation"] in AGGREGATIONS, "its aggregation is unknown")
    require(model.aggregation in ("auto", *AGGREGATIONS), "its aggregation is unknown")
    try:
        model._check_aggregation(fitted["aggregation"])
    except ValueError:
        refuse("its aggregation is not possible with its monotone constraints")
    model.aggregation_ = fitted["aggregation"]
    known = fitted["calibrations"]
    sound = isinstance(known, list) and all(isinstance(name, str) and name in AGGREGATIONS for name in known)
    require(sound and len(set(known)) == len(known), "its calibrations are of an unknown aggregation")
    if known:
        model._calibrations = {name: take_calibration(shelf.below(f"calibration.{name}")) for name in known}
    if "oob_scores" in shelf:
        model.oob_scores_ = shelf.take("oob_scores", np.float64, None)
        require(fitted["oob_aggregation"] in AGGREGATIONS, "its out-of-bag scores are of an unknown aggregation")
        model.oob_aggregation_ = fitted["oob_aggregation"]
    else:
        require(fitted["oob_aggregation"] is None, "its out-of-bag scores are missing")
    if fitted["consensus"] is not None:
        require(model.aggregation_ in KEMENY, "it has a consensus, and its aggregation needs none")
        consensus = take_consensus(shelf.below("consensus"), fitted["consensus"], trees)
        require(consensus.found.strict == (model.aggregation_ == "kemeny"), "its consensus is of another aggregation")
        model._consensus = {model.aggregation_: consensus}
    take_measures(model, fitted["measures"], _MEASURES)


def take_growing(model: Any, fitted: dict[str, Any]) -> None:
    """How rows were drawn, and what was tried."""
    model._draw = take_draw(fitted["draw"])
    model.trials_ = decode(fitted["trials"])
    require(isinstance(model.trials_, list), "its trials cannot be read")
    require(all(type(each) is Trial for each in model.trials_), "its trials cannot be read")


def grove_of(value: Any, trees: list[Any]) -> list[tuple[dict[str, Any], tuple[Any, ...]]]:
    """What is known of each grove, and its trees."""
    require(isinstance(value, list) and 1 <= len(value) <= _MOST_GROVES, "its groves cannot be read")
    found, begin = [], 0
    for grove in value:
        sound = isinstance(grove, dict) and grove.keys() == {"growth", "number", "n_trees"}
        require(sound and is_number(grove["number"], 0, _MOST_GROVES), "a grove cannot be read")
        require(is_number(grove["n_trees"], 0, len(trees) - begin), "a grove has trees that do not exist")
        end = begin + grove["n_trees"]
        found.append((grove, tuple(trees[begin:end])))
        begin = end
    require(begin == len(trees), "some of its trees are in no grove")
    return found


def _grown(grove: dict[str, Any], cls: type, schema: Schema) -> tuple[Any, int]:
    growth = decode(grove["growth"])
    require(type(growth) is cls, "the parameters of its trees are missing")
    try:
        growth.check(schema)
    except (ValueError, TypeError, OverflowError, AttributeError):
        refuse("the parameters of its trees are invalid")
    return growth, grove["number"]


def take_draw(value: Any) -> Draw:
    """How rows were drawn, checked."""
    draw = decode(value)
    require(type(draw) is Draw and type(draw.replace) is bool, "the sampling of its rows is missing")
    require(
        is_number(draw.size, 0, 1 << 62) and is_number(draw.seed, 0, 1 << 62), "the sampling of its rows is invalid"
    )
    sizes = draw.class_sizes
    pair = sizes is None or (
        isinstance(sizes, tuple) and len(sizes) == 2 and all(is_number(n, 0, 1 << 62) for n in sizes)
    )
    require(pair, "the sampling of its rows is invalid")
    return draw


def is_number(value: Any, least: int, most: int) -> bool:
    """Whether it is a whole number in a range."""
    return type(value) is int and least <= value <= most
