"""Sums over everything below the nodes of binary trees."""

from __future__ import annotations

import numpy as np

from ..data.parts import need

__all__ = ["sum_up"]


def sum_up(sides: np.ndarray, child: np.ndarray) -> np.ndarray:
    """Fill in the sides that lead to nodes, the deepest nodes first, and return the sum of both sides.

    Parameters
    ----------
    sides : array of shape (n_nodes, 2, n_columns)
        What both sides of a node have; changed where a side leads to a node.
    child : array of shape (n_nodes, 2)
        The node on that side; -1 if there is none.
    """
    inner = child >= 0
    later = (child > np.arange(len(child))[:, None]) & (child < len(child))
    need((later | ~inner).all(), "a node of a tree points to a child that does not exist or comes before it")
    n_parents = np.bincount(child[inner], minlength=len(child))
    need((n_parents <= 1).all(), "a tree has a node with several parents")
    levels = [np.flatnonzero(n_parents == 0)]
    while len(levels[-1]):
        below = child[levels[-1]]
        levels.append(below[below >= 0])
    total = np.zeros((len(child), sides.shape[2]))
    one, other = sides[:, 0], sides[:, 1]
    for nodes in reversed(levels):
        for side, of_side in enumerate((one, other)):
            down = nodes[inner[nodes, side]]
            of_side[down] = total[child[down, side]]
        total[nodes] = one[nodes] + other[nodes]
    return total
