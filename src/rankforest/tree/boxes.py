"""Cells of a ranking tree as unions of boxes: cut by the splits of their path, and merged where they touch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .conditions import Condition, narrow
from .ranking_tree import RankingTree

__all__ = ["Box", "inside", "largest_first", "meet_all", "merge", "side_boxes"]

# Conditions by position of their feature, and the share of the training mass that meets all of them.
Box = tuple[dict[int, Condition], float]


def _side(tree: RankingTree, child: int, cell: int) -> int | None:
    """Master child that an inner child leads to; None while it is still inside the split of `cell`."""
    if child >= 0:
        owner = int(tree.owner[child])
        return None if owner == cell else owner
    return int(tree.terminal_cell[~child])


def side_boxes(tree: RankingTree, cell: int, child: int, may_miss: np.ndarray) -> list[Box]:
    """The paths through the split of `cell` into one of its children, each with its share of the cell's mass."""
    sides: dict[int, int | None] = {}  # inner node -> master child that all its leaves go to, None where they differ

    def common_side(at: int) -> int | None:
        outside = _side(tree, at, cell)
        return outside if outside is not None else sides[at]

    for node in np.flatnonzero(tree.owner == cell)[::-1]:  # children come after parents
        one, other = common_side(int(tree.left[node])), common_side(int(tree.right[node]))
        sides[int(node)] = one if one == other else None

    total = float(tree.cell_mass[cell].sum())
    found: list[Box] = []
    open_paths: list[tuple[int, dict[int, Condition], float]] = [(int(tree.cell_entry[cell]), {}, total)]
    while open_paths:
        at, path, mass = open_paths.pop()
        side = common_side(at)
        if side is None:
            left = float(tree.left_mass[at].sum())
            open_paths.append((int(tree.right[at]), narrow(tree, at, False, path, may_miss), mass - left))
            open_paths.append((int(tree.left[at]), narrow(tree, at, True, path, may_miss), left))
        elif side == child:
            found.append((path, mass / total))
    return found


def inside(tree: RankingTree, boxes: list[Box], cell: int, child: int, may_miss: np.ndarray) -> list[Box]:
    """The parts of the boxes of a cell in one of its children: merged and disjoint, the largest first."""
    return largest_first(merge(meet_all(tree, boxes, cell, child, may_miss), may_miss))


def largest_first(boxes: list[Box]) -> list[Box]:
    return sorted(boxes, key=lambda box: -box[1])


def meet_all(tree: RankingTree, boxes: list[Box], cell: int, child: int, may_miss: np.ndarray) -> list[Box]:
    """The boxes of a cell, each cut by each way into one of its children; empty ones are dropped.

    The mass of a box across splits is not known; it is estimated as if splits were independent in the cell.
    """
    found: list[Box] = []
    for side, side_share in side_boxes(tree, cell, child, may_miss):
        for box, share in boxes:
            both = _meet(box, side, may_miss)
            if both is not None:
                found.append((both, share * side_share))
    return found


def _meet(one: dict[int, Condition], other: dict[int, Condition], may_miss: np.ndarray) -> dict[int, Condition] | None:
    """The intersection of two boxes without the conditions that always hold; None where it is empty."""
    both: dict[int, Condition] = {}
    for j in sorted({**one, **other}):
        condition = one.get(j, other.get(j))
        assert condition is not None
        met = condition.meet(other.get(j, condition))
        if met is None:
            return None
        if not met.is_anything(bool(may_miss[j])):
            both[j] = met
    return both


def merge(boxes: list[Box], may_miss: np.ndarray) -> list[Box]:
    """Fewer boxes with the same union: boxes that differ in one feature only are merged where they touch."""
    before = len(boxes) + 1
    while len(boxes) < before:
        before = len(boxes)
        for j in sorted({j for conditions, _ in boxes for j in conditions}):
            groups: dict[tuple[Any, ...], list[Box]] = {}
            for conditions, share in boxes:  # positions are sorted; the feature itself would be slow to hash
                rest = tuple((k, c.above, c.up_to, c.categories, c.missing) for k, c in conditions.items() if k != j)
                groups.setdefault(rest, []).append((conditions, share))
            boxes = [box for group in groups.values() for box in _join(group, j, bool(may_miss[j]))]
    return boxes


def _join(group: list[Box], j: int, may_miss: bool) -> list[Box]:
    """Disjoint boxes that differ in feature `j` only, joined: categories always, intervals where they touch."""
    if len(group) == 1:
        return group
    rest = {k: condition for k, condition in group[0][0].items() if k != j}
    runs: list[tuple[Condition, float]] = []
    ordered = sorted(((box[j], share) for box, share in group), key=lambda part: part[0].above)
    for condition, share in ordered:  # what is only "missing" has above = inf, and comes last
        if not runs:
            runs.append((condition, share))
            continue
        last, last_share = runs[-1]
        missing = last.missing or condition.missing
        if condition.feature.categories is not None:
            union = (last.categories or frozenset()) | (condition.categories or frozenset())
            runs[-1] = (Condition(last.feature, categories=union, missing=missing), last_share + share)
        elif condition.above == math.inf:
            runs[-1] = (Condition(last.feature, last.above, last.up_to, missing=missing), last_share + share)
        elif condition.above == last.up_to:
            runs[-1] = (Condition(last.feature, last.above, condition.up_to, missing=missing), last_share + share)
        else:
            runs.append((condition, share))
    return [
        (rest if run.is_anything(may_miss) else dict(sorted({**rest, j: run}.items())), share) for run, share in runs
    ]
