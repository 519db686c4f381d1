"""RankBoost in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boosting.kinds import BoostingTrial, Member, Team
from ..boosting.trees import BoostedTrees
from ..data.schema import Schema
from ..estimators._booster import Booster
from .calibration import put_calibration, take_calibration
from .checks import check_bounds, check_finite, check_moderate, check_nodes, check_plain_trees
from .errors import refuse, require
from .ranking_forest import is_number, measures_to, take_measures
from .shelf import Shelf
from .values import decode, encode

__all__ = ["put_rank_boost", "take_rank_boost"]

_MOST_MEMBERS = 100
_NODES: dict[str, type[np.generic]] = {
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "missing_left": np.uint8,
    "set_offset": np.int32,
    "gain": np.float64,
}
_BOUNDS = ("node_bounds", "leaf_bounds", "set_bounds")
_PER_ROW = ("curve", "held_out")


def put_rank_boost(model: Booster, shelf: Shelf) -> dict[str, Any]:
    """The members of the team, what was measured on held-out rows, and the map to probabilities."""
    team = model.team_
    for i, member in enumerate(team.members):
        below = shelf.below(f"members.{i}")
        for name in (*_NODES, *_BOUNDS, "sets", "value"):
            below.put(name, getattr(member.trees, name))
    for name in _PER_ROW:
        if getattr(team, name) is not None:
            shelf.put(name, getattr(team, name))
    if hasattr(model, "held_out_scores_"):
        shelf.put("held_out_scores", model.held_out_scores_)
    put_calibration(shelf.below("calibration"), model._calibration)
    members = [
        {"start": float(m.trees.start), "n_boosters": m.trees.n_boosters, "centre": m.centre, "factor": m.factor}
        for m in team.members
    ]
    return {
        "members": members,
        "trials": encode(list(team.trials), "trials_"),
        "measures": measures_to(model, ("held_out_auc_",)),
    }


def take_rank_boost(model: Booster, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    require(fitted.keys() == {"members", "trials", "measures"}, "what it says of its boosters cannot be read")
    members = fitted["members"]
    require(isinstance(members, list) and 1 <= len(members) <= _MOST_MEMBERS, "its boosters cannot be read")
    made = tuple(_member(value, shelf.below(f"members.{i}"), schema) for i, value in enumerate(members))
    trials = _trials(fitted["trials"], len(made), schema)
    curve, held_out = (shelf.take(name, np.float64, None) if name in shelf else None for name in _PER_ROW)
    model.team_ = Team(made, trials, curve, held_out)
    if curve is not None:
        model.validation_curve_ = curve
    if "held_out_scores" in shelf:
        model.held_out_scores_ = shelf.take("held_out_scores", np.float64, None)
    take_measures(model, fitted["measures"], ("held_out_auc_",))
    model._calibration = take_calibration(shelf.below("calibration"))


def _member(value: Any, shelf: Shelf, schema: Schema) -> Member:
    names = {"start", "n_boosters", "centre", "factor"}
    require(isinstance(value, dict) and value.keys() == names, "a booster cannot be read")
    numbers = [value[name] for name in ("start", "centre", "factor")]
    require(all(type(number) is float for number in numbers), "a booster cannot be read")
    check_moderate(np.array(numbers), "boosters")
    require(is_number(value["n_boosters"], 1, 1 << 40), "a booster cannot be read")
    arrays: dict[str, np.ndarray] = {}
    for name, dtype in _NODES.items():
        arrays[name] = shelf.take(name, dtype, len(arrays["feature"]) if arrays else None)
    bounds = {"node_bounds": shelf.take("node_bounds", np.int64, None)}
    for name in ("leaf_bounds", "set_bounds"):
        bounds[name] = shelf.take(name, np.int64, len(bounds["node_bounds"]))
    leaf_value, sets = shelf.take("value", np.float64, None), shelf.take("sets", np.uint64, None)
    check_bounds(bounds["node_bounds"], len(arrays["feature"]), "node_bounds")
    check_bounds(bounds["leaf_bounds"], len(leaf_value), "leaf_bounds", least=1)
    check_bounds(bounds["set_bounds"], len(sets), "set_bounds")
    require((len(bounds["node_bounds"]) - 1) % value["n_boosters"] == 0, "a round has less trees than boosters")
    check_nodes(arrays, schema, *(bounds[name] for name in _BOUNDS))
    check_plain_trees(arrays, bounds["node_bounds"], bounds["leaf_bounds"])
    check_moderate(leaf_value, "value")
    check_finite(arrays["gain"], "gain")
    trees = BoostedTrees(
        schema=schema, start=value["start"], n_boosters=value["n_boosters"], value=leaf_value, sets=sets, **arrays,
        **bounds,
    )  # fmt: skip
    return Member(trees, value["centre"], value["factor"])


def _trials(value: Any, n_members: int, schema: Schema) -> tuple[BoostingTrial, ...]:
    trials = decode(value)
    require(
        isinstance(trials, list) and all(type(trial) is BoostingTrial for trial in trials), "its trials cannot be read"
    )
    for trial in trials:
        sound = is_number(trial.n_rounds, 0, 1 << 40) and type(trial.auc) is float and type(trial.weight) is float
        require(sound and 0.0 <= trial.weight <= 1.0, "a trial cannot be read")
        try:
            trial.boosting.to_core(schema.n_features, 0)
        except (ValueError, TypeError, OverflowError, AttributeError):
            refuse("the parameters of its boosters are not sound")
    require(sum(trial.weight > 0.0 for trial in trials) == n_members, "its trials do not match its boosters")
    return tuple(trials)
