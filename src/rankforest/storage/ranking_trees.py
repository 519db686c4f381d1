"""Ranking trees as arrays: the concatenated arrays of all trees, with the start of each tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.left_out import LeftOut
from ..data.parts import check_bounds, check_finite
from ..data.schema import Schema
from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from .checks import check_cells, check_inner_trees, check_nodes
from .errors import ModelFileError, require
from .shelf import Shelf

__all__ = [
    "put_cells",
    "put_ranking_trees",
    "put_together",
    "split_up",
    "take_apart",
    "take_cells",
    "take_ranking_trees",
]

MOST_TREES = 1 << 20  # a tree takes a few kilobytes in memory, even if it has few bytes in the file

# The arrays of a tree, grouped by what their entries belong to: name -> (type, further lengths).
_I, _F, _B = np.int32, np.float64, np.uint8
CELLS: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "cell_parent": (_I, ()),
    "cell_left": (_I, ()),
    "cell_right": (_I, ()),
    "cell_depth": (_I, ()),
    "cell_mass": (_F, (2,)),
    "cell_count": (_F, ()),
    "cell_gain": (_F, ()),
}
NODES: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "feature": (_I, ()),
    "threshold": (_F, ()),
    "digits": (_B, ()),
    "left": (_I, ()),
    "right": (_I, ()),
    "missing_left": (_B, ()),
    "set_offset": (_I, ()),
    "owner": (_I, ()),
    "node_mass": (_F, (2,)),
    "left_mass": (_F, (2,)),
    "node_count": (_F, ()),
    "left_count": (_F, ()),
}
TERMINALS: dict[str, tuple[type[np.generic], tuple[int, ...]]] = {
    "terminal_cell": (_I, ()),
    "terminal_mass": (_F, (2,)),
    "terminal_count": (_F, ()),
}
GROUPS = {"cell": CELLS | {"cell_entry": (_I, ())}, "node": NODES, "terminal": TERMINALS}


def put_together(shelf: Shelf, groups: Any, trees: Sequence[Any]) -> None:
    """Put the concatenated arrays of all trees, and the bounds of each group."""
    if len(trees) > MOST_TREES:
        raise ModelFileError(
            f"The model has {len(trees)} trees, and a model file stores at most {MOST_TREES}; use pickle or joblib."
        )
    for group, kinds in groups.items():
        for name, (dtype, tail) in kinds.items():
            parts = [getattr(tree, name) for tree in trees]
            if parts and (name in shelf.without or isinstance(parts[0], LeftOut)):
                shelf.leave_out(name)
                continue
            assert all(part.dtype == dtype for part in parts), f"{name} is of another type"
            shelf.put(name, np.concatenate([np.zeros((0, *tail), dtype), *parts]))
        first = next(iter(kinds))
        lengths = [len(getattr(tree, first)) for tree in trees]
        shelf.put(f"{group}_bounds", np.cumsum([0, *lengths], dtype=np.int64))


def take_apart(shelf: Shelf, groups: Any, n_trees: int, least: dict[str, int]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The concatenated arrays of all trees, and the checked bounds of each group."""
    require(n_trees <= MOST_TREES, f"it has more than {MOST_TREES} trees")
    arrays: dict[str, np.ndarray] = {}
    bounds: dict[str, np.ndarray] = {}
    for group, kinds in groups.items():
        total = None
        for name, (dtype, tail) in kinds.items():
            arrays[name] = shelf.take(name, dtype, total, *tail)
            total = total if isinstance(arrays[name], LeftOut) else len(arrays[name])
        bounds[group] = shelf.take(f"{group}_bounds", np.int64, n_trees + 1)
        check_bounds(bounds[group], int(total or 0), f"{group}_bounds", least=least.get(group, 0))
    return arrays, bounds


def split_up(groups: Any, arrays: dict[str, Any], bounds: dict[str, Any], tree: int) -> dict[str, np.ndarray]:
    """The arrays of one tree."""
    found = {}
    for group, kinds in groups.items():
        part = slice(bounds[group][tree], bounds[group][tree + 1])
        for name in kinds:
            found[name] = arrays[name] if isinstance(arrays[name], LeftOut) else arrays[name][part]
    return found


def put_routing(shelf: Shelf, trees: Sequence[MasterTree]) -> None:
    """Which trees have held-out counts of their training rows."""
    shelf.put("held_out", np.array([tree.held_out for tree in trees], dtype=np.uint8))


def take_routing(shelf: Shelf, n_trees: int) -> list[bool]:
    flags = shelf.take("held_out", np.uint8, n_trees)
    require((flags <= 1).all(), "its held_out contains values other than 0 and 1")
    return flags.astype(bool).tolist()


def put_missing(shelf: Shelf, trees: Sequence[Any], n_features: int) -> None:
    """Which features had missing values in the sample of each tree."""
    shelf.put("has_missing", np.array([t.has_missing for t in trees], dtype=np.uint8).reshape(len(trees), n_features))


def take_missing(shelf: Shelf, n_trees: int, n_features: int) -> np.ndarray:
    flags = shelf.take("has_missing", np.uint8, n_trees, n_features)
    require((flags <= 1).all(), "its has_missing contains values other than 0 and 1")
    return flags.astype(bool)


SETS = {"set": {"sets": (np.uint64, ())}}


def put_ranking_trees(shelf: Shelf, trees: Sequence[RankingTree], schema: Schema) -> None:
    """Put axis-parallel trees."""
    put_together(shelf, GROUPS | SETS, trees)
    put_missing(shelf, trees, schema.n_features)
    put_routing(shelf, trees)


def take_ranking_trees(shelf: Shelf, n_trees: int, schema: Schema) -> list[RankingTree]:
    """The same trees, checked."""
    groups = GROUPS | SETS
    arrays, bounds = take_apart(shelf, groups, n_trees, {"cell": 1, "terminal": 1})
    check_master(arrays, bounds["cell"])
    check_nodes(arrays, schema, bounds["node"], bounds["terminal"], bounds["set"])
    check_inner_trees(arrays, bounds)
    for name in ("node_mass", "left_mass", "node_count", "left_count", "terminal_mass", "terminal_count"):
        check_finite(arrays[name], name, least=0.0)
    missing, held_out = take_missing(shelf, n_trees, schema.n_features), take_routing(shelf, n_trees)
    of_tree: list[dict[str, Any]] = [split_up(groups, arrays, bounds, t) for t in range(n_trees)]
    return [
        RankingTree(schema=schema, has_missing=missing[t], held_out=held_out[t], **of_tree[t]) for t in range(n_trees)
    ]


def check_master(arrays: dict[str, np.ndarray], bounds: np.ndarray) -> None:
    """Check the cells of master trees: their order, and masses above 0."""
    check_cells(arrays, bounds)
    check_finite(arrays["cell_gain"], "cell_gain")
    mass, count = arrays["cell_mass"], arrays["cell_count"]
    check_finite(mass, "cell_mass", least=0.0)
    check_finite(count, "cell_count", least=0.0)
    with np.errstate(over="ignore"):
        sums = mass.sum(axis=1)
        totals = np.add.reduceat(sums, bounds[:-1]) if len(bounds) > 1 else np.zeros(0)
    require((sums > 0).all() and (count > 0).all(), "a cell of a tree is empty")
    require(np.isfinite(totals).all(), "the weights of the cells of a tree are too large")


def put_cells(shelf: Shelf, trees: Sequence[MasterTree], schema: Schema) -> None:
    """Put the master trees, without the rules that cut their cells."""
    put_together(shelf, {"cell": CELLS}, trees)
    put_missing(shelf, trees, schema.n_features)
    put_routing(shelf, trees)


def take_cells(shelf: Shelf, n_trees: int, schema: Schema) -> list[dict[str, Any]]:
    """The fields of `MasterTree` of every tree, checked."""
    groups = {"cell": CELLS}
    arrays, bounds = take_apart(shelf, groups, n_trees, {"cell": 1})
    check_master(arrays, bounds["cell"])
    missing, held_out = take_missing(shelf, n_trees, schema.n_features), take_routing(shelf, n_trees)
    return [
        {
            "schema": schema,
            "has_missing": missing[t],
            "held_out": held_out[t],
            **split_up(groups, arrays, bounds, t),
        }
        for t in range(n_trees)
    ]
