"""Cells that no tree ranks above another cell, and scores of cells that respect this.

A median ranking of the trees respects it by itself. Let no tree rank the cell c above the cell d, and one tree rank it
below. If c were above d, then moving c down to d, or moving d up to c, would bring the ranking closer to the trees
(tests/theory/test_median_keeps_order.py). What remains is to place rows whose cell is not in the ranking.
"""

from __future__ import annotations

import numpy as np

__all__ = ["between_neighbours", "never_above", "raised"]

_TREES_FIRST = 8  # that all pairs of cells are compared by; few pairs are left for the others
_PAIRS_AT_ONCE = 1 << 24


def never_above(lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions (i, j) of the pairs in which no tree ranks cell i of `lower` above cell j of `upper`.

    Parameters
    ----------
    lower, upper : arrays of int of shape (n, n_trees) and (m, n_trees)
        Stratum of each cell in each tree, 0 = best.

    Examples
    --------
    >>> i, j = never_above(np.array([[2, 1], [0, 3]]), np.array([[1, 1], [2, 0]]))
    >>> i.tolist(), j.tolist()
    ([0, 0], [0, 1])
    """
    n_trees, size = upper.shape[1], max(1, _PAIRS_AT_ONCE // max(1, len(lower)))
    found: list[tuple[np.ndarray, np.ndarray]] = [(np.empty(0, np.intp), np.empty(0, np.intp))]
    for start in range(0, len(upper), size):
        block = upper[start : start + size]
        below = np.ones((len(lower), len(block)), dtype=bool)
        for tree in range(min(_TREES_FIRST, n_trees)):
            below &= lower[:, tree, None] >= block[None, :, tree]
        i, j = np.nonzero(below)
        for tree in range(_TREES_FIRST, n_trees):
            kept = lower[i, tree] >= block[j, tree]
            i, j = i[kept], j[kept]
        found.append((i, j + start))
    return np.concatenate([i for i, _ in found]), np.concatenate([j for _, j in found])


def raised(score: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """The scores of cells, each raised to the highest score of the cells that no tree ranks above it.

    Examples
    --------
    >>> raised(np.array([0.2, 0.9, 0.4]), np.array([[0, 0], [1, 0], [2, 5]]))
    array([0.9, 0.9, 0.4])
    """
    i, j = never_above(cells, cells)
    found = score.copy()
    np.maximum.at(found, j, score[i])
    return found


def between_neighbours(score: np.ndarray, cells: np.ndarray, wanted: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The wanted scores of rows, moved as little as needed to keep the order of the rows and of the cells.

    A row gets at least the score of every cell that no tree ranks above it, and at most that of every cell that it is
    never above. Both bounds follow the order of the trees; so the result does, wherever `score` and `wanted` do.

    Parameters
    ----------
    score, cells : arrays of shape (n,) and (n, n_trees)
        Scores of the known cells, and their strata.
    wanted, rows : arrays of shape (m,) and (m, n_trees)
        The same of the rows to place.

    Examples
    --------
    >>> known, rows = np.array([[4, 4], [2, 2]]), np.array([[3, 3], [1, 9]])
    >>> between_neighbours(np.array([0.3, 0.6]), known, np.array([0.9, 0.5]), rows)
    array([0.6, 0.5])
    """
    least, most = np.full(len(rows), -np.inf), np.full(len(rows), np.inf)
    i, j = never_above(cells, rows)
    np.maximum.at(least, j, score[i])
    j, i = never_above(rows, cells)
    np.minimum.at(most, j, score[i])
    return np.maximum(least, np.minimum(wanted, most))
