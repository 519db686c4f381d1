"""The order of boxes under monotone constraints: by their rates, as far as the constraints allow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .ranking_tree import RankingTree

__all__ = ["never_below", "sorted_under"]


def never_below(tree: RankingTree, cells: np.ndarray, monotonic_cst: Sequence[int | tuple[int, ...]]) -> np.ndarray:
    """Whether the constraints forbid that one box is ranked below another one.

    They do if two rows, one in each box, can differ in a constrained feature alone, the first with the better value.

    Parameters
    ----------
    tree : RankingTree
        Every split is a single cut.
    cells : array of int
        Master nodes, none below another one.
    monotonic_cst : sequence of -1, 0, 1 and tuples, one per feature
        A tuple has the codes of categories, the first category being 1, from the worst to the best.

    Returns
    -------
    array of bool of shape (m, m)
        Entry (i, j): box i must not be ranked below box j.
    """
    low, high, missing, groups = _bounds(tree, cells)
    n_features = len(monotonic_cst)
    # whether two boxes have a value of each feature in common
    shared = np.zeros((n_features, len(cells), len(cells)), dtype=bool)
    for j in range(n_features):
        sets = groups[j]
        if sets is None:
            shared[j] = np.maximum.outer(low[:, j], low[:, j]) < np.minimum.outer(high[:, j], high[:, j])
        else:
            shared[j] = [[bool(one & other) for other in sets] for one in sets]
        shared[j] |= np.logical_and.outer(missing[:, j], missing[:, j])
    differ = (~shared).sum(axis=0)
    above = np.zeros((len(cells), len(cells)), dtype=bool)
    for j, entry in enumerate(monotonic_cst):
        if not entry:
            continue
        alone = differ - ~shared[j] == 0
        order, sets = entry if isinstance(entry, tuple) else None, groups[j]
        if order is not None and sets is not None:
            least, most = _places(sets, order)
            higher = np.greater.outer(most, least)
        else:
            higher = np.greater.outer(high[:, j], low[:, j])  # box i has a value above one of box j
        above |= alone & (higher.T if entry == -1 else higher)
    np.fill_diagonal(above, False)
    return above


def sorted_under(above: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Positions of the boxes, best first: always the one with the highest rate of those that may come next.

    Examples
    --------
    >>> sorted_under(np.array([[False, True], [False, False]]), np.array([0.2, 0.7]))
    array([0, 1])
    """
    waiting = np.ones(len(rate), dtype=bool)
    order: list[int] = []
    while waiting.any():
        free = waiting & ~above[waiting].any(axis=0)
        order.append(int(np.argmax(np.where(free, rate, -np.inf))))
        waiting[order[-1]] = False
    return np.array(order)


def _places(sets: Sequence[int], order: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """First and last place in the order of the categories of each box; a box without any has no place."""
    inside = np.array([[bool(bits >> code & 1) for code in order] for bits in sets])
    places = np.arange(len(order), dtype=np.float64)
    least = np.where(inside, places, np.inf).min(axis=1)
    return least, np.where(inside, places, -np.inf).max(axis=1)


def _bounds(tree: RankingTree, cells: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[list[int] | None]]:
    """Low and high ends of each box in each feature, whether it holds missing values, and its categories as bits."""
    features = tree.schema.features
    shape = (len(cells), len(features))
    low, high, missing = np.full(shape, -np.inf), np.full(shape, np.inf), np.ones(shape, dtype=bool)
    every = [None if f.categories is None else [(2 << len(f.categories)) - 2] * len(cells) for f in features]
    for i, cell in enumerate(cells.tolist()):
        at = cell
        while at > 0:
            parent = int(tree.cell_parent[at])
            node = int(tree.cell_entry[parent])
            j, to = int(tree.feature[node]), int(tree.left[node])
            is_left = int(tree.owner[to] if to >= 0 else tree.terminal_cell[~to]) == at
            missing[i, j] &= bool(tree.missing_left[node]) == is_left
            groups = every[j]
            if groups is not None:
                words = tree.sets[tree.set_offset[node] :][: (len(features[j].categories or ()) >> 6) + 1]
                bits = sum(int(word) << (64 * k) for k, word in enumerate(words))
                groups[i] &= bits if is_left else ~bits
            elif is_left:
                high[i, j] = min(high[i, j], tree.threshold[node])
            else:
                low[i, j] = max(low[i, j], tree.threshold[node])
            at = parent
    return low, high, missing, every
