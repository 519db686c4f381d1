"""Row counts of trees of ordered labels, from the masses of their leaves."""

from __future__ import annotations

import numpy as np

from ..data.parts import check_bounds
from .checks import owners_of
from .lean_sums import sum_up

__all__ = ["NEEDS", "grow", "shrink"]

Arrays = dict[str, np.ndarray]
NEEDS = frozenset({"node_count", "leaf_count", "leaf_mass", "left", "right", "node_bounds", "leaf_bounds"})


def shrink(arrays: Arrays) -> Arrays:
    """Nothing instead of `node_count` and `leaf_count`."""
    return {name: array for name, array in arrays.items() if name not in ("node_count", "leaf_count")}


def grow(arrays: Arrays) -> Arrays:
    """The counts again."""
    nodes, leaves = arrays["node_bounds"], arrays["leaf_bounds"]
    check_bounds(nodes, len(arrays["left"]), "node_bounds")
    check_bounds(leaves, len(arrays["leaf_mass"]), "leaf_bounds")
    count = arrays["leaf_mass"].sum(axis=1)
    tree = owners_of(nodes)
    child = np.column_stack([arrays["left"], arrays["right"]]).astype(np.int64)
    inner = child >= 0
    leaf = np.where(inner, 0, ~child + leaves[:-1][tree][:, None])
    sides = np.where(inner, 0.0, count[leaf])[:, :, None]
    found = sum_up(sides, np.where(inner, child + nodes[:-1][tree][:, None], -1))[:, 0]
    return arrays | {"leaf_count": count, "node_count": found}
