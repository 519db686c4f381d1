"""Arrays of trees that follow from others are not stored, and come back when a file is read.

A pass replaces some arrays of trees by fewer or smaller ones. It is used where it gives back every bit. The file lists
the passes, and the reader undoes them, the last one first. What comes back is checked as if it had been stored.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.parts import InvalidParts
from . import lean_children, lean_counts, lean_cuts, lean_gains, lean_masses, lean_missing, lean_preorder
from .errors import refuse, require

__all__ = ["LEAST_NODES", "fat", "lean"]

Arrays = dict[str, np.ndarray]
LEAST_NODES = 256  # smaller trees are stored as they are
_MOST_PASSES = 10_000

# Each pass: arrays that it reads, the way to smaller arrays (None if the trees are of another form), the way back.
_PASSES: dict[str, tuple[frozenset[str], Callable[[Arrays], Arrays | None], Callable[[Arrays], Arrays]]] = {
    "gains": (lean_gains.NEEDS, lean_gains.shrink, lean_gains.grow),
    "missing": (lean_missing.NEEDS, lean_missing.shrink, lean_missing.grow),
    "cells": (lean_masses.OF_CELLS, lean_masses.shrink_cells, lean_masses.grow_cells),
    "masses": (lean_masses.OF_NODES, lean_masses.shrink_nodes, lean_masses.grow_nodes),
    "counts": (lean_counts.NEEDS, lean_counts.shrink, lean_counts.grow),
    "preorder": (lean_preorder.NEEDS, lean_preorder.shrink, lean_preorder.grow),
    "children": (lean_children.NEEDS, lean_children.shrink, lean_children.grow),
    "cuts": (lean_cuts.NEEDS, lean_cuts.shrink, lean_cuts.grow),
}


def lean(arrays: Arrays) -> tuple[list[list[str]], Arrays]:
    """The passes that were made, as JSON (prefix of the trees, pass), and the arrays that are left."""
    made: list[list[str]] = []
    left = dict(arrays)
    for prefix in sorted(name.removesuffix("threshold") for name in arrays if f".{name}".endswith(".threshold")):
        if len(arrays[prefix + "threshold"]) < LEAST_NODES:
            continue
        for name, (needs, shrink, grow) in _PASSES.items():
            found = _of_trees(prefix, left)
            smaller = shrink(found) if found.keys() >= needs else None
            if smaller is not None and _same(grow(smaller), found):
                left = _with_trees(prefix, left, smaller)
                made.append([prefix, name])
    return made, left


def fat(made: Any, arrays: Arrays) -> Arrays:
    """All arrays again; raises ModelFileError if they cannot be made."""
    sound = isinstance(made, list) and len(made) <= _MOST_PASSES
    require(sound, "the list of arrays that were left out cannot be read")
    for each in reversed(made):
        known = isinstance(each, list) and len(each) == 2 and isinstance(each[0], str) and each[1] in [*_PASSES]
        require(known, "the list of arrays that were left out cannot be read")
        prefix, name = each
        try:
            with np.errstate(all="ignore"):  # absurd numbers are refused by the checks of the trees
                arrays = _with_trees(prefix, arrays, _PASSES[name][2](_of_trees(prefix, arrays)))
        except InvalidParts:
            raise
        except (IndexError, KeyError, ValueError, OverflowError, TypeError):
            refuse(f"the arrays of {prefix!r} do not belong together")
    return arrays


def _of_trees(prefix: str, arrays: Arrays) -> Arrays:
    """The arrays right below a prefix."""
    below = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    return {name: array for name, array in below.items() if "." not in name}


def _with_trees(prefix: str, arrays: Arrays, trees: Arrays) -> Arrays:
    gone = {prefix + name for name in _of_trees(prefix, arrays)}
    kept = {name: array for name, array in arrays.items() if name not in gone}
    return kept | {prefix + name: array for name, array in trees.items()}


def _same(some: Arrays, others: Arrays) -> bool:
    """Whether two sets of arrays agree bit for bit."""
    return some.keys() == others.keys() and all(
        some[name].dtype == array.dtype and some[name].shape == array.shape and some[name].tobytes() == array.tobytes()
        for name, array in others.items()
    )
