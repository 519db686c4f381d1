"""One ranking tree from the single splits of its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .ranking_tree import NODE_ARRAYS, RankingTree

__all__ = ["graft"]


def graft(cells: Mapping[str, Any], splits: Sequence[RankingTree | None]) -> RankingTree:
    """Join trees of one split each: the terminals of a cell's split become the first inner node of the child's.

    Parameters
    ----------
    cells : mapping
        The fields of `MasterTree`, cells in preorder.
    splits : sequence of RankingTree or None
        For each cell a tree with one split, or None for a leaf.
    """
    entry = np.full(len(splits), -1, dtype=np.int32)
    n_nodes = n_words = 0
    for cell, split in enumerate(splits):
        if split is not None:
            entry[cell] = n_nodes
            n_nodes += len(split.feature)
    terminal_cell: list[int] = []
    terminal_mass: list[np.ndarray] = []
    terminal_count: list[float] = []

    def terminal(cell: int, mass: np.ndarray, count: float) -> int:
        terminal_cell.append(cell)
        terminal_mass.append(mass)
        terminal_count.append(count)
        return ~(len(terminal_cell) - 1)

    parts = {name: [np.zeros(shape, dtype=dtype)] for name, (shape, dtype) in _EMPTY.items()}
    for cell, split in enumerate(splits):
        if split is None:
            continue
        # where each terminal of the split leads to in the whole tree
        child = np.where(split.stratum_of_terminal == 0, cells["cell_left"][cell], cells["cell_right"][cell])
        target = [
            int(entry[c]) if entry[c] >= 0 else terminal(int(c), split.terminal_mass[t], float(split.terminal_count[t]))
            for t, c in enumerate(child)
        ]
        for name in (*NODE_ARRAYS, "sets"):
            parts[name].append(getattr(split, name))
        for name in ("left", "right"):
            inside = getattr(split, name)
            led = [int(c) + int(entry[cell]) if c >= 0 else target[~c] for c in inside.tolist()]
            parts[name].append(np.array(led, dtype=np.int32))
        parts["set_offset"].append(np.where(split.set_offset >= 0, split.set_offset + n_words, -1).astype(np.int32))
        parts["owner"].append(np.full(len(split.feature), cell, dtype=np.int32))
        n_words += len(split.sets)
    if not n_nodes:
        terminal(0, cells["cell_mass"][0], float(cells["cell_count"][0]))
    joined: dict[str, Any] = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    return RankingTree(
        **cells,
        **joined,
        terminal_cell=np.array(terminal_cell, dtype=np.int32),
        terminal_mass=np.array(terminal_mass),
        terminal_count=np.array(terminal_count),
        cell_entry=entry,
    )


_EMPTY: dict[str, tuple[Any, Any]] = {
    "feature": (0, np.int32),
    "threshold": (0, np.float64),
    "digits": (0, np.uint8),
    "left": (0, np.int32),
    "right": (0, np.int32),
    "missing_left": (0, np.uint8),
    "set_offset": (0, np.int32),
    "sets": (0, np.uint64),
    "owner": (0, np.int32),
    "node_mass": ((0, 2), np.float64),
    "left_mass": ((0, 2), np.float64),
    "node_count": (0, np.float64),
    "left_count": (0, np.float64),
}
