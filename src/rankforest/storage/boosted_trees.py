"""Boosted trees of one kind as arrays, with the factor of their margins in the team."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..boosting.team import Member
from ..boosting.trees import BoostedTrees
from ..data.left_out import LeftOut
from ..data.parts import check_bounds, check_finite, check_moderate
from ..data.schema import Schema
from .checks import check_nodes, check_plain_trees
from .errors import require
from .shelf import Shelf

__all__ = ["put_member", "take_member"]

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


def put_member(shelf: Shelf, member: Member) -> dict[str, Any]:
    """Put the trees on the shelf, and return everything else as JSON."""
    for name in (*_NODES, *_BOUNDS, "sets", "value"):
        array = getattr(member.trees, name)
        if name in shelf.without or isinstance(array, LeftOut):
            shelf.leave_out(name)
        else:
            shelf.put(name, array)
    return {
        "start": float(member.trees.start),
        "n_boosters": member.trees.n_boosters,
        "centre": member.centre,
        "factor": member.factor,
    }


def take_member(shelf: Shelf, value: Any, schema: Schema) -> Member:
    """The same, checked."""
    names = {"start", "n_boosters", "centre", "factor"}
    require(isinstance(value, dict) and value.keys() == names, "a booster cannot be read")
    numbers = [value[name] for name in ("start", "centre", "factor")]
    require(all(type(number) is float for number in numbers), "a booster cannot be read")
    check_moderate(np.array(numbers), "boosters")
    n_boosters: Any = value["n_boosters"]
    require(type(n_boosters) is int and 1 <= n_boosters <= 1 << 40, "a booster cannot be read")
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
    require((len(bounds["node_bounds"]) - 1) % n_boosters == 0, "a round has fewer trees than boosters")
    check_nodes(arrays, schema, *(bounds[name] for name in _BOUNDS))
    check_plain_trees(arrays, bounds["node_bounds"], bounds["leaf_bounds"])
    check_moderate(leaf_value, "value")
    check_finite(arrays["gain"], "gain")
    trees = BoostedTrees(
        schema=schema, start=value["start"], n_boosters=n_boosters, value=leaf_value, sets=sets, **arrays,
        **bounds,
    )  # fmt: skip
    return Member(trees, value["centre"], value["factor"])
