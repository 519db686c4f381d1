"""Subtrees: they keep the root and the order of the cells; the cells below the chosen ones are removed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from .master_tree import MasterTree
from .oblique_tree import ObliqueTree
from .ranking_tree import NODE_ARRAYS, RankingTree

__all__ = ["collapse", "strata_below", "subtree"]


def subtree(tree: MasterTree, nodes: Iterable[int]) -> MasterTree:
    """The tree in which the given master nodes are leaves.

    Parameters
    ----------
    tree : MasterTree
    nodes : iterable of int
        Master nodes; what is below them is dropped. Nodes below other given nodes, and leaves, change nothing.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> tree = TreeRank(max_depth=2).fit(sample.X, sample.y).tree_
    >>> tree.n_leaves, subtree(tree, [tree.cell_left[0]]).n_leaves
    (4, 3)
    """
    chosen = np.zeros(len(tree.cell_parent), dtype=bool)
    for node in nodes:
        if not isinstance(node, Integral) or not 0 <= node < len(chosen):
            raise ValueError(f"node {node} is not in the tree; its master nodes are 0 to {len(chosen) - 1}.")
        chosen[node] = True
    return collapse(tree, chosen)


def collapse(tree: MasterTree, chosen: np.ndarray) -> MasterTree:
    """The same, with the nodes given as a boolean array."""
    if isinstance(tree, ObliqueTree):
        wide = collapse(tree.wide, chosen)
        assert isinstance(wide, RankingTree)
        return tree if wide is tree.wide else tree.of_wide(wide)
    split = (tree.cell_left >= 0) & ~chosen
    kept = np.zeros(len(split), dtype=bool)
    kept[0] = True
    for node in range(1, len(kept)):  # parents come before children
        parent = tree.cell_parent[node]
        kept[node] = kept[parent] and split[parent]
    split &= kept
    if np.array_equal(split, tree.cell_left >= 0):
        return tree
    inside = _inner_nodes if isinstance(tree, RankingTree) else _divisions
    return replace(tree, **_cells(tree, kept, split), **inside(tree, kept, split))


def strata_below(tree: MasterTree, cell: int) -> tuple[int, int]:
    """First and last stratum, from 0, inside a master node."""
    ends = []
    for children in (tree.cell_left, tree.cell_right):
        at = cell
        while children[at] >= 0:
            at = int(children[at])
        ends.append(int(np.searchsorted(tree.leaves, at)))
    return ends[0], ends[1]


def _cells(tree: MasterTree, kept: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """The master nodes that are left."""
    new_cell = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    return {
        "cell_parent": np.where(tree.cell_parent[kept] >= 0, new_cell[tree.cell_parent[kept]], -1).astype(np.int32),
        "cell_left": np.where(split[kept], new_cell[tree.cell_left[kept]], -1).astype(np.int32),
        "cell_right": np.where(split[kept], new_cell[tree.cell_right[kept]], -1).astype(np.int32),
        "cell_depth": tree.cell_depth[kept],
        "cell_mass": tree.cell_mass[kept],
        "cell_count": tree.cell_count[kept],
        "cell_gain": np.where(split, tree.cell_gain, 0.0)[kept],
    }


def _divisions(tree: Any, kept: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """The fitted rules of the splits that are left."""
    return {"divisions": tuple(tree.divisions[cell] if split[cell] else None for cell in np.flatnonzero(kept))}


def _inner_nodes(tree: Any, kept: np.ndarray, split: np.ndarray) -> dict[str, Any]:
    """The inner nodes of the splits that are left, and the terminals they lead to."""
    new_cell = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
    inner = split[tree.owner] if len(tree.owner) else np.zeros(0, dtype=bool)
    new_node = np.where(inner, np.cumsum(inner) - 1, -1).astype(np.int32)

    # Terminals: those that are left, and the inner leaves that led into a cell which is now a leaf.
    cells, masses, counts = [], [], []

    def add(cell: int, mass: np.ndarray, count: float) -> int:
        cells.append(new_cell[cell])
        masses.append(mass)
        counts.append(count)
        return ~(len(cells) - 1)

    left, right = tree.left[inner].copy(), tree.right[inner].copy()
    right_mass, right_count = tree.node_mass - tree.left_mass, tree.node_count - tree.left_count
    for i, node in enumerate(np.flatnonzero(inner).tolist()):
        for children, mass, count in ((left, tree.left_mass, tree.left_count), (right, right_mass, right_count)):
            child = int(children[i])
            if child >= 0 and inner[child]:
                children[i] = new_node[child]
            else:
                cell = tree.owner[child] if child >= 0 else tree.terminal_cell[~child]
                children[i] = add(int(cell), mass[node], float(count[node]))
    if not split[0]:
        add(0, tree.cell_mass[0], float(tree.cell_count[0]))

    return {
        **{name: getattr(tree, name)[inner] for name in (*NODE_ARRAYS, "set_offset")},  # sets stay whole
        "left": left,
        "right": right,
        "owner": new_cell[tree.owner[inner]],
        "terminal_cell": np.array(cells, dtype=np.int32),
        "terminal_mass": np.array(masses, dtype=np.float64).reshape(-1, 2),
        "terminal_count": np.array(counts, dtype=np.float64),
        "cell_entry": np.where(split[kept], new_node[np.where(split, tree.cell_entry, -1)[kept]], -1).astype(np.int32),
    }
