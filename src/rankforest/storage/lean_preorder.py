"""The children of binary trees in preorder: one byte for each node says which of its children are nodes.

In preorder a child that is a node follows its parent, or the last node below the left child. Leaves are numbered from
left to right.
"""

from __future__ import annotations

import numpy as np

from ..data.parts import check_bounds, need
from .checks import owners_of

__all__ = ["NEEDS", "grow", "shrink"]

Arrays = dict[str, np.ndarray]
NEEDS = frozenset({"left", "right", "node_bounds", "leaf_bounds"})


def shrink(arrays: Arrays) -> Arrays:
    """`inner_sides` instead of `left` and `right`: 2 for the left child plus 1 for the right one."""
    left = dict(arrays)
    sides = 2 * (left.pop("left") >= 0) + (left.pop("right") >= 0)
    left["inner_sides"] = sides.astype(np.uint8)
    return left


def grow(arrays: Arrays) -> Arrays:
    """The children again."""
    left = dict(arrays)
    code, bounds = left.pop("inner_sides"), left["node_bounds"]
    check_bounds(bounds, len(code), "node_bounds")
    need((code <= 3).all(), "its inner_sides contain a number above 3")
    inner = np.column_stack([code >= 2, code % 2 == 1])
    place = np.arange(len(code))
    last = _last_of_left(inner, place)
    nodes = np.column_stack([place + 1, last + 1])
    # leaves from left to right: a left leaf when its node is reached, a right leaf after all nodes on the left
    nodes_of, side_of = np.nonzero(~inner)
    reached = np.where(side_of == 0, nodes_of, last[nodes_of])
    order = np.lexsort((-nodes_of, side_of, reached))
    tree = owners_of(bounds)
    in_tree = np.empty(len(order), dtype=np.int64)
    first = np.append(0, np.cumsum(np.bincount(tree[nodes_of], minlength=len(bounds) - 1)))
    in_tree[order] = np.arange(len(order))
    in_tree -= first[tree[nodes_of]]
    children = nodes - bounds[:-1][tree][:, None]
    children[nodes_of, side_of] = ~in_tree
    left["left"], left["right"] = (np.ascontiguousarray(children[:, side], dtype=np.int32) for side in (0, 1))
    return left


def _last_of_left(inner: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The last node on the left of every node; the node itself if its left child is a leaf.

    `open_nodes` counts the children that are still to come: it falls by one, for the first time, with the last node of
    the next subtree.
    """
    open_nodes = np.cumsum(inner.sum(axis=1) - 1)
    n = len(place)
    key = open_nodes * (n + 1) + place
    order = np.argsort(key, kind="stable")
    at = np.searchsorted(key[order], (open_nodes - 1) * (n + 1) + place)
    found = order[np.minimum(at, n - 1)] if n else place
    return np.where(inner[:, 0], found, place)
