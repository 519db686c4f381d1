"""Rates of the finest cells of a tree under monotone constraints.

Two rows that differ in a constrained feature alone take one path down the master tree until a split parts them, and the
better one then goes to the better child. So it is enough that

- all rates in the better child of a cell are at least as high as those in the other one: a bound between the two, the
  middle of their own rates, is passed down from cell to cell;
- the rates of the leaves of one inner tree follow its constrained cuts: a bound between the two sides of such a cut is
  passed down in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .ranking_tree import RankingTree

__all__ = ["bounded_rates"]


def bounded_rates(tree: RankingTree, monotonic_cst: Sequence[int | tuple[int, ...]]) -> np.ndarray:
    """Smoothed rate of each finest cell, moved as far as the constraints demand.

    Parameters
    ----------
    tree : RankingTree
        Grown under the constraints.
    monotonic_cst : sequence with an entry per feature
        As in `CodedConstraints`.
    """
    rates = np.clip(tree.smoothed_rate(tree.terminal_mass), *_within_inner_trees(tree, monotonic_cst))
    low, high = _between_cells(tree)
    return np.clip(rates, low[tree.terminal_cell], high[tree.terminal_cell])


def _between_cells(tree: RankingTree) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the rates of each cell."""
    rate = tree.smoothed_rate(tree.cell_mass)
    low, high = np.zeros(len(rate)), np.ones(len(rate))
    for cell in np.flatnonzero(tree.cell_left >= 0).tolist():  # parents come before children
        better, other = int(tree.cell_left[cell]), int(tree.cell_right[cell])
        middle = np.clip(rate[[better, other]], low[cell], high[cell]).mean()
        low[[better, other]], high[[better, other]] = low[cell], high[cell]
        low[better] = high[other] = middle
    return low, high


def _within_inner_trees(
    tree: RankingTree, monotonic_cst: Sequence[int | tuple[int, ...]]
) -> tuple[np.ndarray, np.ndarray]:
    """Bounds of the rates of each terminal among the leaves of its inner tree."""
    n_nodes, n_terminals = len(tree.feature), len(tree.terminal_cell)
    of_left = tree.smoothed_rate(tree.left_mass)
    of_right = tree.smoothed_rate(tree.node_mass - tree.left_mass)
    low, high = np.zeros(n_nodes), np.ones(n_nodes)
    ends = np.zeros(n_terminals), np.ones(n_terminals)
    left, right, owner = tree.left.tolist(), tree.right.tolist(), tree.owner.tolist()
    for node in range(n_nodes):  # children come after parents; the first node of each inner tree is unbounded
        sides = [[low[node], high[node]], [low[node], high[node]]]
        direction = _direction(tree, node, monotonic_cst)
        if direction:
            middle = np.clip([of_left[node], of_right[node]], low[node], high[node]).mean()
            lower, upper = (0, 1) if direction > 0 else (1, 0)
            sides[lower][1] = sides[upper][0] = middle
        for child, (least, most) in zip((left[node], right[node]), sides):
            if child < 0:
                ends[0][~child], ends[1][~child] = least, most
            elif owner[child] == owner[node]:
                low[child], high[child] = least, most
    return ends


def _direction(tree: RankingTree, node: int, monotonic_cst: Sequence[int | tuple[int, ...]]) -> int:
    """1 if the right side of a cut must not have lower rates than the left one, -1 for the reverse, 0 if it may."""
    entry = monotonic_cst[int(tree.feature[node])]
    if isinstance(entry, tuple):
        start = int(tree.set_offset[node])
        lowest, highest = (int(tree.sets[start + (code >> 6)]) >> (code & 63) & 1 for code in (entry[0], entry[-1]))
        return int(lowest > highest)
    return 0 if np.isinf(tree.threshold[node]) else entry
