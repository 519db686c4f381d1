"""A ranking tree of boxes in any order: the leaves of a tree of single cuts, sorted by their rate.

A tree of single cuts ranks its leaves from left to right, so all leaves left of a cut are above all leaves right of it.
Sorted by their rates the same leaves rank better (concavification, section 1 of the 2011 paper's rule for a given
partition). The strata are then cut apart by a second tree, whose splits divide the sorted list in two: a prefix and the
rest. Which prefix is taken first does not change the ranking. Of few strata those splits are taken whose rules have the
fewest conditions in all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .graft import graft
from .ranking_tree import RankingTree

__all__ = ["ordered_boxes"]

_MOST_COMPARED = 16  # strata; of more the split with the largest gain of AUC is taken, as looking at all takes long


@dataclass(frozen=True)
class _Cut:
    """A cut of the tree of boxes, as far as a cell of the ranking tree needs it."""

    node: int
    left: _Cut | int  # 0: all below goes to the better child; 1: to the worse one
    right: _Cut | int


def ordered_boxes(boxes: RankingTree, stratum: np.ndarray, mass: np.ndarray, count: np.ndarray) -> RankingTree:
    """The tree that ranks the leaves of another one in a given order.

    Parameters
    ----------
    boxes : RankingTree
        Every split is a single cut.
    stratum : array of int
        Stratum, 0 the best, of each leaf of `boxes`; several leaves may share one.
    mass, count : arrays
        (negatives, positives) and rows of each leaf.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> from rankforest.tree.rules import strata_rules
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> boxes = model.tree_
    >>> strata_rules(ordered_boxes(boxes, np.array([1, 0]), boxes.leaf_mass, boxes.cell_count[boxes.leaves]))
    ('x0 <= 2.5', 'x0 > 2.5')
    """
    return _Ordered(boxes, stratum, mass, count).tree()


class _Ordered:
    def __init__(self, boxes: RankingTree, stratum: np.ndarray, mass: np.ndarray, count: np.ndarray) -> None:
        self.boxes, self.stratum, self.mass, self.count = boxes, stratum, mass, count
        self.n_strata = int(stratum.max()) + 1
        self.leaf = {int(cell): k for k, cell in enumerate(boxes.leaves)}
        strata_mass = np.zeros((self.n_strata, 2))
        np.add.at(strata_mass, stratum, mass)
        self.knots = np.vstack([np.zeros(2), np.cumsum(strata_mass, axis=0)])
        self.rows = np.append(0.0, np.cumsum(np.bincount(stratum, weights=count, minlength=self.n_strata)))

    def tree(self) -> RankingTree:
        """Cells in preorder: intervals of strata, each with the rule that divides it."""
        where = self._shortest() if self.n_strata <= _MOST_COMPARED else None
        parent: list[int] = []
        left: list[int] = []
        right: list[int] = []
        depth: list[int] = []
        gain: list[float] = []
        splits: list[RankingTree | None] = []
        mass, count = [], []
        open_cells = [(0, self.n_strata, -1, 0, False)]
        while open_cells:
            first, last, above, level, is_left = open_cells.pop()
            cell = len(parent)
            if above >= 0:
                (left if is_left else right)[above] = cell
            parent.append(above)
            left.append(-1)
            right.append(-1)
            depth.append(level)
            mass.append(self.knots[last] - self.knots[first])
            count.append(self.rows[last] - self.rows[first])
            if last - first == 1:
                gain.append(0.0)
                splits.append(None)
                continue
            middle = self._best_prefix(first, last) if where is None else where[first, last]
            gain.append(self._gain(first, middle, last))
            splits.append(self._split(first, middle, last))
            open_cells += [(middle, last, cell, level + 1, False), (first, middle, cell, level + 1, True)]
        cells: dict[str, Any] = {
            "schema": self.boxes.schema,
            "has_missing": self.boxes.has_missing,
            "cell_parent": np.array(parent, dtype=np.int32),
            "cell_left": np.array(left, dtype=np.int32),
            "cell_right": np.array(right, dtype=np.int32),
            "cell_depth": np.array(depth, dtype=np.int32),
            "cell_mass": np.array(mass),
            "cell_count": np.array(count),
            "cell_gain": np.array(gain),
            "held_out": False,
        }
        return graft(cells, splits)

    # ---- where a list of strata is divided

    def _gain(self, first: int, middle: int, last: int) -> float:
        """Lambda of a split."""
        better, cell = self.knots[middle] - self.knots[first], self.knots[last] - self.knots[first]
        total = self.knots[-1]
        return float((cell[0] * better[1] - cell[1] * better[0]) / (total[0] * total[1]))

    def _best_prefix(self, first: int, last: int) -> int:
        return first + 1 + int(np.argmax([self._gain(first, middle, last) for middle in range(first + 1, last)]))

    def _shortest(self) -> dict[tuple[int, int], int]:
        """Where each interval is divided, so that all rules together have the fewest conditions."""
        cost = {(k, k + 1): 0.0 for k in range(self.n_strata)}
        where: dict[tuple[int, int], int] = {}
        for length in range(2, self.n_strata + 1):
            for first in range(self.n_strata - length + 1):
                last = first + length
                ways = {
                    middle: _conditions(self._rule(first, middle, last), self.boxes.feature)
                    + cost[first, middle]
                    + cost[middle, last]
                    + length / 1000.0  # of equally short ones a tree that is less deep
                    for middle in range(first + 1, last)
                }
                best = min(ways, key=lambda middle: ways[middle])
                where[first, last], cost[first, last] = best, ways[best]
        return where

    # ---- the rule of a split

    def _rule(self, first: int, middle: int, last: int) -> _Cut:
        """The cuts that divide an interval: those of the boxes, without what all rows of the cell have in common."""
        boxes = self.boxes
        found: dict[int, _Cut | int | None] = {}
        for cell in range(len(boxes.cell_parent) - 1, -1, -1):  # children come after parents
            if cell in self.leaf:
                k = int(self.stratum[self.leaf[cell]])
                found[cell] = int(k >= middle) if first <= k < last else None
                continue
            node = int(boxes.cell_entry[cell])
            below, above = (found.pop(self._child(int(c))) for c in (boxes.left[node], boxes.right[node]))
            if below is None or above is None:
                found[cell] = above if below is None else below
            else:
                found[cell] = below if isinstance(below, int) and below == above else _Cut(node, below, above)
        rule = found[0]
        assert isinstance(rule, _Cut)
        return rule

    def _child(self, to: int) -> int:
        """The cell that a side of a cut leads to."""
        return int(self.boxes.owner[to] if to >= 0 else self.boxes.terminal_cell[~to])

    def _split(self, first: int, middle: int, last: int) -> RankingTree:
        """A tree of one split."""
        boxes = self.boxes
        inside = (self.stratum >= first) & (self.stratum < last)
        held, rows = np.zeros((len(boxes.cell_parent), 2)), np.zeros(len(boxes.cell_parent))
        held[boxes.leaves[inside]], rows[boxes.leaves[inside]] = self.mass[inside], self.count[inside]
        for cell in range(len(rows) - 1, 0, -1):
            held[boxes.cell_parent[cell]] += held[cell]
            rows[boxes.cell_parent[cell]] += rows[cell]

        nodes: list[int] = []
        links: list[list[int]] = [[], []]
        sides: list[int] = []
        parts: list[int] = []  # the cell of `boxes` that holds the rows of each terminal
        open_cuts: list[tuple[_Cut, int, int]] = [(self._rule(first, middle, last), -1, 0)]
        while open_cuts:
            cut, above, side = open_cuts.pop()
            at = len(nodes)
            nodes.append(cut.node)
            if above >= 0:
                links[side][above] = at
            for which, (to, led) in enumerate(((cut.left, boxes.left), (cut.right, boxes.right))):
                links[which].append(0)
                if isinstance(to, _Cut):
                    open_cuts.append((to, at, which))
                else:
                    links[which][at] = ~len(sides)
                    sides.append(to)
                    parts.append(self._child(int(led[cut.node])))
        owners = boxes.owner[nodes]
        lefts = [self._child(int(boxes.left[node])) for node in nodes]
        set_offset, sets = _own_sets(boxes, nodes)
        knots = self.knots[[first, middle, last]]
        counts = self.rows[[first, middle, last]]
        gain = self._gain(first, middle, last)
        return replace(
            boxes,
            cell_parent=np.array([-1, 0, 0], dtype=np.int32),
            cell_left=np.array([1, -1, -1], dtype=np.int32),
            cell_right=np.array([2, -1, -1], dtype=np.int32),
            cell_depth=np.array([0, 1, 1], dtype=np.int32),
            cell_mass=np.array([knots[2] - knots[0], knots[1] - knots[0], knots[2] - knots[1]]),
            cell_count=np.array([counts[2] - counts[0], counts[1] - counts[0], counts[2] - counts[1]]),
            cell_gain=np.array([gain, 0.0, 0.0]),
            feature=boxes.feature[nodes],
            threshold=boxes.threshold[nodes],
            digits=boxes.digits[nodes],
            missing_left=boxes.missing_left[nodes],
            left=np.array(links[0], dtype=np.int32),
            right=np.array(links[1], dtype=np.int32),
            set_offset=set_offset,
            sets=sets,
            owner=np.zeros(len(nodes), dtype=np.int32),
            node_mass=held[owners],
            left_mass=held[lefts],
            node_count=rows[owners],
            left_count=rows[lefts],
            terminal_cell=np.array(sides, dtype=np.int32) + 1,
            terminal_mass=held[parts],
            terminal_count=rows[parts],
            cell_entry=np.array([0, -1, -1], dtype=np.int32),
        )


def _own_sets(boxes: RankingTree, nodes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The words of the sets of some nodes, and where those of each node begin; -1 where it has none."""
    offsets, words = [], [np.zeros(0, dtype=np.uint64)]
    n_words = 0
    for node in nodes:
        start = int(boxes.set_offset[node])
        categories = boxes.schema.features[int(boxes.feature[node])].categories
        if start < 0 or categories is None:
            offsets.append(-1)
            continue
        own = boxes.sets[start : start + (len(categories) >> 6) + 1]
        offsets.append(n_words)
        words.append(own)
        n_words += len(own)
    return np.array(offsets, dtype=np.int32), np.concatenate(words)


def _conditions(rule: _Cut, feature: np.ndarray) -> int:
    """Conditions of the shorter one of the two sides."""
    found = [0, 0]
    open_cuts: list[tuple[_Cut | int, frozenset[int]]] = [(rule, frozenset())]
    while open_cuts:
        cut, path = open_cuts.pop()
        if isinstance(cut, int):
            found[cut] += len(path)
        else:
            path = path | {int(feature[cut.node])}
            open_cuts += [(cut.left, path), (cut.right, path)]
    return min(found)
