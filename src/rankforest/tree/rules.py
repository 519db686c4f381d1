"""A ranking tree in words: conditions, the rule that makes a cell's left child, and the whole tree as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.schema import Feature
from .ranking_tree import RankingTree

__all__ = ["Condition", "export_text", "left_rule"]


@dataclass(frozen=True)
class Condition:
    """What a path through inner nodes asks of one feature."""

    feature: Feature
    above: float = -math.inf  # numeric: above < x <= up_to
    up_to: float = math.inf
    categories: frozenset[Any] | None = None  # categorical: one of these
    missing: bool = True  # whether a missing value fulfils it

    def __str__(self) -> str:
        name = self.feature.name
        if self.feature.categories is not None:
            listed = [str(c) for c in self.feature.categories if self.categories is not None and c in self.categories]
            if not listed:
                return f"{name} is missing"
            words = f"{name} is {listed[0]}" if len(listed) == 1 else f"{name} in {{{', '.join(listed)}}}"
        elif self.above == math.inf:
            return f"{name} is missing"
        elif self.above == -math.inf and self.up_to == math.inf:
            return f"{name} is anything" if self.missing else f"{name} is not missing"
        elif self.above == -math.inf:
            words = f"{name} <= {self.up_to:.6g}"
        elif self.up_to == math.inf:
            words = f"{name} > {self.above:.6g}"
        else:
            words = f"{self.above:.6g} < {name} <= {self.up_to:.6g}"
        return f"{words} or missing" if self.missing else words


def _narrow(tree: RankingTree, node: int, goes_left: bool, path: dict[int, Condition]) -> dict[int, Condition]:
    """The conditions of a path after one more inner node."""
    j = int(tree.feature[node])
    feature = tree.schema.features[j]
    # "or missing" is said only of features that had missing values when the tree was grown
    everything = None if feature.categories is None else frozenset(feature.categories)
    before = path.get(j, Condition(feature, categories=everything, missing=bool(tree.has_missing[j])))
    missing = before.missing and bool(tree.missing_left[node]) == goes_left
    if feature.categories is not None:
        words = tree.sets[tree.set_offset[node] :]
        chosen = frozenset(
            c for i, c in enumerate(feature.categories)
            if bool(int(words[(i + 1) >> 6]) >> ((i + 1) & 63) & 1) == goes_left
        )  # fmt: skip
        after = Condition(feature, categories=(before.categories or frozenset()) & chosen, missing=missing)
    elif goes_left:
        after = Condition(feature, before.above, min(before.up_to, float(tree.threshold[node])), missing=missing)
    else:
        after = Condition(feature, max(before.above, float(tree.threshold[node])), before.up_to, missing=missing)
    return {**path, j: after}


def _side(tree: RankingTree, child: int, cell: int) -> int | None:
    """Master child that an inner child leads to; None while it is still inside the split of `cell`."""
    if child >= 0:
        owner = int(tree.owner[child])
        return None if owner == cell else owner
    return int(tree.terminal_cell[~child])


def left_rule(tree: RankingTree, cell: int) -> list[list[Condition]]:
    """The left (better) child of a split cell as a list of alternatives, each a list of conditions that all hold.

    Inner subtrees whose leaves all go to the same child are read as one.
    """
    left = int(tree.cell_left[cell])

    sides: dict[int, int | None] = {}  # inner node -> master child that all its leaves go to, None where they differ

    def common_side(child: int) -> int | None:
        outside = _side(tree, child, cell)
        return outside if outside is not None else sides[child]

    for node in np.flatnonzero(tree.owner == cell)[::-1]:  # children come after parents
        one, other = common_side(int(tree.left[node])), common_side(int(tree.right[node]))
        sides[int(node)] = one if one == other else None

    def paths(child: int, path: dict[int, Condition]) -> Iterator[list[Condition]]:
        side = common_side(child)
        if side is None:
            yield from paths(int(tree.left[child]), _narrow(tree, child, True, path))
            yield from paths(int(tree.right[child]), _narrow(tree, child, False, path))
        elif side == left:
            yield list(path.values())

    return list(paths(int(tree.cell_entry[cell]), {}))


def export_text(tree: RankingTree, *, max_depth: int | None = None, max_alternatives: int = 6) -> str:
    """The tree as text: better cells first, each split with the rule of its better side.

    Parameters
    ----------
    tree : RankingTree
    max_depth : int or None
        Master nodes deeper than this are summed up in a line.
    max_alternatives : int
        Most alternatives printed of a rule.
    """
    lines: list[str] = []
    stratum = {int(leaf): i for i, leaf in enumerate(tree.leaves)}

    def describe(cell: int) -> str:
        negatives, positives = tree.cell_mass[cell]
        return f"{tree.cell_count[cell]:.0f} rows, {positives / (negatives + positives):.1%} positive"

    def visit(cell: int, indent: str, lead: str) -> None:
        if tree.cell_left[cell] < 0:
            lines.append(f"{indent}{lead}stratum {stratum[cell] + 1}: {describe(cell)}")
            return
        depth = int(tree.cell_depth[cell])
        if max_depth is not None and depth >= max_depth:
            below = [stratum[leaf] + 1 for leaf in _leaves_below(tree, cell)]
            lines.append(f"{indent}{lead}strata {below[0]}-{below[-1]}: {describe(cell)}")
            return
        lines.append(f"{indent}{lead}{describe(cell)}; split adds {tree.cell_gain[cell] / 2:.4f} to the AUC")
        rule = left_rule(tree, cell)
        inside = indent + ("    " if lead else "")
        for i, alternative in enumerate(rule[:max_alternatives]):
            words = " and ".join(map(str, alternative)) or "always"
            lines.append(f"{inside}  {'better if' if i == 0 else '       or'} {words}")
        if len(rule) > max_alternatives:
            lines.append(f"{inside}         or {len(rule) - max_alternatives} more")
        visit(int(tree.cell_left[cell]), inside, "[+] ")
        visit(int(tree.cell_right[cell]), inside, "[-] ")

    visit(0, "", "")
    return "\n".join(lines)


def _leaves_below(tree: RankingTree, cell: int) -> list[int]:
    found, open_cells = [], [cell]
    while open_cells:
        at = open_cells.pop()
        if tree.cell_left[at] < 0:
            found.append(at)
        else:
            open_cells += [int(tree.cell_right[at]), int(tree.cell_left[at])]
    return found
