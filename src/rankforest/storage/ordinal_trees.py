"""Trees of ordered labels as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.parts import check_finite, check_moderate
from ..data.schema import Schema
from ..tree.ordinal_tree import OrdinalTree
from .checks import check_nodes, check_plain_trees
from .errors import require
from .ranking_trees import SETS, put_missing, put_together, split_up, take_apart, take_missing
from .shelf import Shelf

__all__ = ["put_ordinal_trees", "take_ordinal_trees"]


def _groups(n_levels: int) -> dict[str, Any]:
    nodes = {
        "feature": (np.int32, ()),
        "threshold": (np.float64, ()),
        "digits": (np.uint8, ()),
        "left": (np.int32, ()),
        "right": (np.int32, ()),
        "missing_left": (np.uint8, ()),
        "set_offset": (np.int32, ()),
        "node_gain": (np.float64, ()),
        "node_count": (np.float64, ()),
    }
    leaves = {"leaf_mass": (np.float64, (n_levels,)), "leaf_count": (np.float64, ())}
    return {"node": nodes, "leaf": leaves} | SETS


def put_ordinal_trees(shelf: Shelf, trees: Sequence[OrdinalTree]) -> None:
    """Put the concatenated trees, and their common levels."""
    put_together(shelf, _groups(len(trees[0].levels)), trees)
    put_missing(shelf, trees, trees[0].schema.n_features)
    shelf.put("levels", np.asarray(trees[0].levels, dtype=np.float64))


def take_ordinal_trees(shelf: Shelf, schema: Schema) -> list[OrdinalTree]:
    """The same trees, checked; at least one."""
    levels = shelf.take("levels", np.float64, None)
    check_moderate(levels, "levels")
    require((np.diff(levels) > 0).all(), "its levels do not increase")
    n_trees = len(shelf.take("node_bounds", np.int64, None)) - 1
    require(n_trees >= 1, "it has no tree")
    groups = _groups(len(levels))
    arrays, bounds = take_apart(shelf, groups, n_trees, {"leaf": 1})
    check_nodes(arrays, schema, bounds["node"], bounds["leaf"], bounds["set"])
    check_plain_trees(arrays, bounds["node"], bounds["leaf"])
    check_finite(arrays["node_gain"], "node_gain")
    for name in ("node_count", "leaf_mass", "leaf_count"):
        check_finite(arrays[name], name, least=0.0)
        check_moderate(arrays[name], name)
    require((arrays["leaf_mass"].sum(axis=1) > 0).all(), "a leaf of a tree is empty")
    missing = take_missing(shelf, n_trees, schema.n_features)
    return [
        OrdinalTree(schema=schema, has_missing=missing[t], levels=levels, **split_up(groups, arrays, bounds, t))
        for t in range(n_trees)
    ]
