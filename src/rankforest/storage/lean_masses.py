"""Masses and row counts of nodes, terminals and cells from those of the ways out of inner trees.

An inner tree splits a cell. A node has the sum of what leaves its inner tree below it, a terminal what enters it, and a
cell what its inner tree, or what its terminals, have.
"""

from __future__ import annotations

import numpy as np

from ..data.parts import check_bounds, need
from .checks import owners_of
from .lean_children import NODE, ways_of
from .lean_sums import sum_up

__all__ = ["OF_CELLS", "OF_NODES", "grow_cells", "grow_nodes", "shrink_cells", "shrink_nodes"]

Arrays = dict[str, np.ndarray]
_NODE_ARRAYS = ("node_mass", "left_mass", "node_count", "left_count", "terminal_mass", "terminal_count")
_STRUCTURE = (
    "left", "right", "owner", "terminal_cell", "node_bounds", "terminal_bounds", "cell_bounds", "cell_left",
    "cell_right", "cell_entry",
)  # fmt: skip
OF_NODES = frozenset({*_NODE_ARRAYS, *_STRUCTURE})
OF_CELLS = OF_NODES | {"cell_mass", "cell_count"}


def _stacked(arrays: Arrays, of: str) -> np.ndarray:
    """Masses and counts in three columns."""
    return np.column_stack([arrays[f"{of}_mass"], arrays[f"{of}_count"]])


def _put_apart(arrays: Arrays, of: str, found: np.ndarray) -> None:
    """The same again; without a third column every row counts its mass."""
    arrays[f"{of}_mass"] = np.ascontiguousarray(found[:, :2])
    arrays[f"{of}_count"] = found[:, 2].copy() if found.shape[1] == 3 else found[:, 0] + found[:, 1]


def shrink_nodes(arrays: Arrays) -> Arrays:
    """`exit_mass` (and `exit_count`, where rows have weights) instead of the arrays of nodes and terminals."""
    left = {name: array for name, array in arrays.items() if name not in _NODE_ARRAYS}
    out = ways_of(arrays) != NODE
    here, below, ends = (_stacked(arrays, of) for of in ("node", "left", "terminal"))
    leaving = np.stack([below, here - below], axis=1)[out]
    leaving = np.concatenate([leaving, ends[_alone(left)]])
    left["exit_mass"] = np.ascontiguousarray(leaving[:, :2])
    if (leaving[:, 2] != leaving[:, 0] + leaving[:, 1]).any():
        left["exit_count"] = np.ascontiguousarray(leaving[:, 2])
    return left


def grow_nodes(arrays: Arrays) -> Arrays:
    """The arrays of nodes and terminals again."""
    left = dict(arrays)
    leaving = left.pop("exit_mass")
    if "exit_count" in left:
        leaving = np.column_stack([leaving, left.pop("exit_count")])
    n = len(left["left"])
    check_bounds(left["node_bounds"], n, "node_bounds")
    ways = ways_of(left)
    out, alone = ways != NODE, _alone(left)
    need(len(leaving) == out.sum() + alone.sum(), "its exits do not match its nodes")
    sides = np.zeros((n, 2, leaving.shape[1]))
    sides[out] = leaving[: int(out.sum())]
    tree = owners_of(left["node_bounds"])
    child = np.column_stack([left["left"], left["right"]]) + left["node_bounds"][:-1][tree][:, None]
    here = sum_up(sides, np.where(out, -1, child))
    ends = np.zeros((len(left["terminal_cell"]), leaving.shape[1]))
    ends[alone] = leaving[int(out.sum()) :]
    begin = left["terminal_bounds"][:-1][tree]
    for side, name in enumerate(("left", "right")):
        to_end = left[name] < 0
        ends[~left[name][to_end] + begin[to_end]] = sides[to_end, side]
    for of, found in (("node", here), ("left", sides[:, 0]), ("terminal", ends)):
        _put_apart(left, of, found)
    return left


def _alone(arrays: Arrays) -> np.ndarray:
    """Terminals of trees without nodes."""
    check_bounds(arrays["terminal_bounds"], len(arrays["terminal_cell"]), "terminal_bounds")
    need(len(arrays["terminal_bounds"]) == len(arrays["node_bounds"]), "its terminals do not match its nodes")
    return (np.diff(arrays["node_bounds"]) == 0)[owners_of(arrays["terminal_bounds"])]


def shrink_cells(arrays: Arrays) -> Arrays:
    """Nothing instead of `cell_mass` and `cell_count`."""
    return {name: array for name, array in arrays.items() if name not in ("cell_mass", "cell_count")}


def grow_cells(arrays: Arrays) -> Arrays:
    """The masses and counts of cells again."""
    left = dict(arrays)
    n_cells = len(left["cell_entry"])
    for name, length in (("cell", n_cells), ("node", len(left["left"])), ("terminal", len(left["terminal_cell"]))):
        check_bounds(left[f"{name}_bounds"], length, f"{name}_bounds")
    of_cell, of_end = owners_of(left["cell_bounds"]), owners_of(left["terminal_bounds"])
    cell_of_end = left["terminal_cell"] + left["cell_bounds"][:-1][of_end]
    need(((cell_of_end >= 0) & (cell_of_end < n_cells)).all(), "a terminal of a tree has no cell")
    split = left["cell_entry"] >= 0
    first = (left["cell_entry"] + left["node_bounds"][:-1][of_cell])[split]
    ends, nodes = _stacked(left, "terminal"), _stacked(left, "node")
    found = np.column_stack([np.bincount(cell_of_end, weights=each, minlength=n_cells) for each in ends.T])
    found[split] = nodes[first]
    _put_apart(left, "cell", found)
    return left
