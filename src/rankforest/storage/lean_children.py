"""The two children of every node: what they are in one byte, and the number of the first one.

A child is a node of the same inner tree, an end (a terminal or a leaf), or the first node of the left or right cell
below. Two children that are both nodes, or both ends, have consecutive numbers, because they were made together.
"""

from __future__ import annotations

import numpy as np

from ..data.parts import check_bounds, need
from .checks import owners_of

__all__ = ["NEEDS", "NODE", "grow", "shrink", "ways_of"]

Arrays = dict[str, np.ndarray]
NEEDS = frozenset({"left", "right", "node_bounds"})
NODE, END, LEFT_CELL, RIGHT_CELL = range(4)


def ways_of(arrays: Arrays) -> np.ndarray:
    """What the left and the right child of every node are, in two columns."""
    children = np.column_stack([arrays["left"], arrays["right"]])
    ways = np.where(children >= 0, NODE, END)
    if "cell_entry" in arrays:
        for way, first in zip((LEFT_CELL, RIGHT_CELL), _first_nodes(arrays)):
            ways[(children >= 0) & (children == first[:, None])] = way
    return ways


def _first_nodes(arrays: Arrays) -> list[np.ndarray]:
    """First node of the left and of the right cell below the cell of every node; -1 where it is not split."""
    begin = arrays["cell_bounds"][:-1][owners_of(arrays["node_bounds"])]
    cell = arrays["owner"] + begin
    return [arrays["cell_entry"][arrays[name][cell] + begin] for name in ("cell_left", "cell_right")]


def shrink(arrays: Arrays) -> Arrays | None:
    """`ways`, `inner_child` and `end_child` instead of `left` and `right`."""
    left = dict(arrays)
    ways = ways_of(arrays)
    one, other = left.pop("left").astype(np.int64), left.pop("right").astype(np.int64)
    position = np.arange(len(one)) - left["node_bounds"][:-1][owners_of(left["node_bounds"])]
    for way, name in ((NODE, "inner_child"), (END, "end_child")):
        here = ways == way
        both = here.all(axis=1)
        step = 1 if way == NODE else -1  # the end e is the child ~e
        if (other[both] != one[both] + step).any():
            return None
        first = np.where(here[:, 0], one, other)
        some = here.any(axis=1)
        left[name] = first[some] - position[some] if way == NODE else np.diff(~first[some], prepend=0)
    left["ways"] = (4 * ways[:, 0] + ways[:, 1]).astype(np.uint8)
    return left


def grow(arrays: Arrays) -> Arrays:
    """The children again."""
    left = dict(arrays)
    code = left.pop("ways")
    bounds = left["node_bounds"]
    check_bounds(bounds, len(code), "node_bounds")
    need((code < 16).all(), "its ways contain a number above 15")
    ways = np.column_stack([code // 4, code % 4])
    position = np.arange(len(code)) - bounds[:-1][owners_of(bounds)]
    children = np.full(ways.shape, -1, dtype=np.int64)
    for way, name in ((NODE, "inner_child"), (END, "end_child")):
        here = ways == way
        some = here.any(axis=1)
        given = left.pop(name)
        first = given + position[some] if way == NODE else ~np.cumsum(given)
        step = 1 if way == NODE else -1
        both = here[some].all(axis=1)
        for side in (0, 1):
            mine = here[some, side]
            children[here[:, side], side] = (first + step * side * both)[mine]
    if (ways >= LEFT_CELL).any():
        for way, first in zip((LEFT_CELL, RIGHT_CELL), _first_nodes(left)):
            children = np.where(ways == way, first[:, None], children)
    need((children == children.astype(np.int32)).all(), "a node of a tree points to a child that does not exist")
    left["left"], left["right"] = (np.ascontiguousarray(children[:, side], dtype=np.int32) for side in (0, 1))
    return left
