"""A ranking tree in words: conditions, the rules of its splits and strata, and the whole tree as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ..data.schema import Feature
from .master_tree import MasterTree
from .ranking_tree import RankingTree
from .rule_tree import RuleTree

__all__ = [
    "Condition",
    "Said",
    "Verdict",
    "cell_rules",
    "export_text",
    "in_words",
    "left_rule",
    "narrow",
    "side_rule",
    "strata_rules",
    "stratum_rule",
]

# Conditions by position of their feature, and the share of training mass that fulfils them all.
_Box = tuple[dict[int, "Condition"], float]


@dataclass(frozen=True)
class Condition:
    """What a path through inner nodes asks of one feature."""

    feature: Feature
    above: float = -math.inf  # numeric: above < x <= up_to
    up_to: float = math.inf
    categories: frozenset[Any] | None = None  # categorical: one of these
    missing: bool = True  # whether a missing value fulfils it

    def __str__(self) -> str:
        return self.words()

    def words(self, digits: int = 6) -> str:
        """The condition in words, numbers with so many digits.

        Examples
        --------
        >>> Condition(Feature("age", "numeric"), up_to=30.125, missing=False).words(digits=3)
        'age <= 30.1'
        """
        name, style = self.feature.name, f".{digits}g"
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
            words = f"{name} <= {self.up_to:{style}}"
        elif self.up_to == math.inf:
            words = f"{name} > {self.above:{style}}"
        else:
            words = f"{self.above:{style}} < {name} <= {self.up_to:{style}}"
        return f"{words} or missing" if self.missing else words

    def holds(self, value: float) -> bool:
        """Whether a value, coded as in the schema, fulfils the condition; a code of no category is a missing value.

        Examples
        --------
        >>> Condition(Feature("age", "numeric"), up_to=30.0, missing=False).holds(25.0)
        True
        """
        categories = self.feature.categories
        if math.isnan(value) or (categories is not None and not 0 <= value < len(categories)):
            return self.missing
        if categories is None:
            return self.above < value <= self.up_to
        return self.categories is not None and categories[int(value)] in self.categories

    def meet(self, other: Condition) -> Condition | None:
        """What both conditions ask of the feature; None where nothing fulfils them.

        Examples
        --------
        >>> age = Feature("age", "numeric")
        >>> print(Condition(age, above=20.0, missing=False).meet(Condition(age, up_to=30.0)))
        20 < age <= 30
        """
        missing = self.missing and other.missing
        if self.feature.categories is not None:
            both = (self.categories or frozenset()) & (other.categories or frozenset())
            return Condition(self.feature, categories=both, missing=missing) if both or missing else None
        above, up_to = max(self.above, other.above), min(self.up_to, other.up_to)
        if above < up_to:
            return Condition(self.feature, above, up_to, missing=missing)
        return Condition(self.feature, above=math.inf) if missing else None

    def is_anything(self, may_miss: bool) -> bool:
        """Whether every value fulfils it; missing ones too if there are any."""
        if self.missing < may_miss:
            return False
        if self.feature.categories is not None:
            return self.categories is not None and len(self.categories) == len(self.feature.categories)
        return self.above == -math.inf and self.up_to == math.inf


@dataclass(frozen=True)
class Verdict:
    """What a rule that is not of the axis-parallel kind says of a row: one side of its division."""

    division: Any
    cell: int
    better: bool

    def __str__(self) -> str:
        return self.words()

    def words(self, digits: int = 6) -> str:
        """The verdict in words; there are no numbers to round."""
        return f"{self.division.words(self.better)} at node {self.cell}"

    def holds(self, row: np.ndarray) -> bool:
        """Whether a coded row is on this side."""
        return bool(self.division.goes_left(row[None, :])[0]) == self.better


Said = Condition | Verdict


def narrow(
    tree: Any, node: int, goes_left: bool, path: dict[int, Condition], may_miss: np.ndarray
) -> dict[int, Condition]:
    """The conditions of a path after one more node of an axis-parallel tree."""
    j = int(tree.feature[node])
    feature = tree.schema.features[j]
    everything = None if feature.categories is None else frozenset(feature.categories)
    before = path.get(j, Condition(feature, categories=everything, missing=bool(may_miss[j])))
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


def left_rule(tree: MasterTree, cell: int) -> Sequence[Sequence[Said]]:
    """The left (better) child of a split cell as a list of alternatives, each a list of conditions that all hold.

    Inner subtrees whose leaves all go to the same child are read as one. "Or missing" is said only of features that
    had missing values when the tree was grown.
    """
    if not isinstance(tree, RankingTree):
        return side_rule(tree, cell)
    return _as_rule(_side_boxes(tree, cell, int(tree.cell_left[cell]), tree.has_missing))


def side_rule(
    tree: MasterTree, cell: int, *, better: bool = True, may_miss: np.ndarray | None = None
) -> Sequence[Sequence[Said]]:
    """One side of a split in as few alternatives as merging neighbours gives, the one with most training mass first.

    Exactly one alternative holds for a row that goes to this side, none for a row that goes to the other.

    Parameters
    ----------
    tree : MasterTree
        Of a tree whose cells are not cut along the axes, a rule is one verdict.
    cell : int
        A master node that is split.
    better : bool
        The left side, or the right one.
    may_miss : array of bool or None
        Features whose missing values the rule speaks of; None is those with missing values in training.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> tree = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1]).tree_
    >>> print(in_words(side_rule(tree, 0)), "|", in_words(side_rule(tree, 0, better=False)))
    x0 > 2.5 | x0 <= 2.5
    """
    may_miss = tree.has_missing if may_miss is None else may_miss
    if isinstance(tree, RuleTree):
        division = tree.divisions[cell]
        inside = getattr(division, "tree", None)  # a small axis-parallel tree speaks for itself
        if inside is not None:
            return side_rule(inside, 0, better=better, may_miss=may_miss)
        return [[Verdict(division, cell, better)]]
    assert isinstance(tree, RankingTree)
    child = int(tree.cell_left[cell] if better else tree.cell_right[cell])
    return _as_rule(_inside(tree, [({}, 1.0)], cell, child, may_miss))


def stratum_rule(tree: RankingTree, stratum: int) -> list[list[Condition]]:
    """A stratum as a list of alternatives, each a list of conditions that all hold, at most one per feature.

    Exactly one alternative holds for a row of the stratum, none for any other row, where values are missing only of
    features that had missing values in training. The alternatives with most training mass, as far as the tree knows
    it, come first. A deep tree can have very many.

    Parameters
    ----------
    tree : RankingTree
    stratum : int
        From 0, the best, as `RankingTree.apply` counts.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 0])
    >>> [in_words(stratum_rule(model.tree_, s)) for s in range(model.tree_.n_leaves)]
    ['1.5 < x0 <= 2.5', 'x0 <= 1.5', 'x0 > 2.5']
    """
    if not 0 <= stratum < tree.n_leaves:
        raise ValueError(f"stratum is {stratum}; the strata of this tree are 0 to {tree.n_leaves - 1}.")
    path = [int(tree.leaves[stratum])]
    while path[-1] > 0:
        path.append(int(tree.cell_parent[path[-1]]))
    boxes: list[_Box] = [({}, 1.0)]
    for child, cell in reversed(list(pairwise(path))):
        boxes = _inside(tree, boxes, cell, child, tree.has_missing)
    return _as_rule(boxes)


def strata_rules(tree: MasterTree, *, max_alternatives: int = 3, max_followed: int = 32) -> tuple[str, ...]:
    """Every stratum in words, best first; of many alternatives those with most training mass.

    Parameters
    ----------
    tree : MasterTree
    max_alternatives : int
        Most alternatives told of one stratum.
    max_followed : int
        Most alternatives followed down the tree; where there are more, the words end with "or others".

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    >>> strata_rules(model.tree_)
    ('x0 > 1.5', 'x0 <= 1.5')
    """
    words = cell_rules(tree, max_alternatives=max_alternatives, max_followed=max_followed)
    return tuple(words[leaf] for leaf in tree.leaves.tolist())


def cell_rules(tree: MasterTree, *, max_alternatives: int = 3, max_followed: int = 32) -> tuple[str, ...]:
    """The same of every master node: what its rows have in common.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    >>> cell_rules(model.tree_)
    ('all rows', 'x0 > 1.5', 'x0 <= 1.5')
    """
    if not isinstance(tree, RankingTree):
        return _ways(tree, max_alternatives)
    words = [""] * len(tree.cell_parent)
    open_cells: list[tuple[int, list[_Box], bool]] = [(0, [({}, 1.0)], False)]
    while open_cells:
        cell, boxes, cut = open_cells.pop()
        words[cell] = in_words(_as_rule(boxes), max_alternatives=max_alternatives, others=cut)
        if tree.cell_left[cell] < 0:
            continue
        for child in (int(tree.cell_right[cell]), int(tree.cell_left[cell])):  # the last one in is the first one out
            found = _meet_all(tree, boxes, cell, child, tree.has_missing)
            # what will hardly be told is dropped before the merge, which is the slow part
            few = _largest_first(found)[: 2 * max_followed]
            below = _largest_first(_merge(few, tree.has_missing))
            lost = cut or len(few) < len(found) or len(below) > max_followed
            open_cells.append((child, below[:max_followed], lost))
    return tuple(words)


def _ways(tree: MasterTree, max_alternatives: int) -> tuple[str, ...]:
    """Every master node by the rules on its way from the root."""
    words: list[str] = []
    for end in range(len(tree.cell_parent)):
        cell, said = end, []
        while (parent := int(tree.cell_parent[cell])) >= 0:
            rule = side_rule(tree, parent, better=int(tree.cell_left[parent]) == cell)
            one = in_words(rule, max_alternatives=max_alternatives)
            said.append(f"({one})" if len(rule) > 1 or one.endswith(" or missing") else one)
            cell = parent
        words.append(" and ".join(reversed(said)) or _conjunction([]))
    return tuple(words)


def in_words(rule: Sequence[Sequence[Said]], *, max_alternatives: int | None = None, others: bool = False) -> str:
    """A rule in one line.

    Parameters
    ----------
    rule : list of lists of Condition
        Alternatives.
    max_alternatives : int or None
        Most alternatives told; the others are counted.
    others : bool
        Whether there are more alternatives than those in `rule`, nobody knows how many.

    Examples
    --------
    >>> age = Feature("age", "numeric")
    >>> in_words([[Condition(age, up_to=30.0, missing=False)], [Condition(age, above=50.0, missing=False)]])
    'age <= 30; or age > 50'
    """
    most = len(rule) if max_alternatives is None else max_alternatives
    told = [_conjunction(alternative) for alternative in rule[:most]]
    if others:
        told.append("others")
    elif len(rule) > most:
        told.append(f"{len(rule) - most} more")
    return "; or ".join(told)


def _conjunction(conditions: Sequence[Said]) -> str:
    """Conditions joined by "and"; among several, one that ends with "or missing" stands in brackets."""
    words = [str(condition) for condition in conditions]
    if len(words) > 1:
        words = [f"({one})" if one.endswith(" or missing") else one for one in words]
    return " and ".join(words) or "all rows"


def _side_boxes(tree: RankingTree, cell: int, child: int, may_miss: np.ndarray) -> list[_Box]:
    """The ways through the split of `cell` into one of its children, each with its share of the cell's mass."""
    sides: dict[int, int | None] = {}  # inner node -> master child that all its leaves go to, None where they differ

    def common_side(at: int) -> int | None:
        outside = _side(tree, at, cell)
        return outside if outside is not None else sides[at]

    for node in np.flatnonzero(tree.owner == cell)[::-1]:  # children come after parents
        one, other = common_side(int(tree.left[node])), common_side(int(tree.right[node]))
        sides[int(node)] = one if one == other else None

    def paths(at: int, path: dict[int, Condition], mass: float) -> Iterator[_Box]:
        side = common_side(at)
        if side is None:
            left = float(tree.left_mass[at].sum())
            yield from paths(int(tree.left[at]), narrow(tree, at, True, path, may_miss), left)
            yield from paths(int(tree.right[at]), narrow(tree, at, False, path, may_miss), mass - left)
        elif side == child:
            yield path, mass / total

    total = float(tree.cell_mass[cell].sum())
    return list(paths(int(tree.cell_entry[cell]), {}, total))


def _inside(tree: RankingTree, boxes: list[_Box], cell: int, child: int, may_miss: np.ndarray) -> list[_Box]:
    """What is left of the boxes of a cell in one of its children: few and disjoint, the largest first."""
    return _largest_first(_merge(_meet_all(tree, boxes, cell, child, may_miss), may_miss))


def _largest_first(boxes: list[_Box]) -> list[_Box]:
    return sorted(boxes, key=lambda box: -box[1])


def _meet_all(tree: RankingTree, boxes: list[_Box], cell: int, child: int, may_miss: np.ndarray) -> list[_Box]:
    """The boxes of a cell, each cut by each way into one of its children; empty ones are dropped.

    The tree does not know the mass of a box across splits; it is taken as if splits were independent in the cell.
    """
    found: list[_Box] = []
    for side, side_share in _side_boxes(tree, cell, child, may_miss):
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


def _merge(boxes: list[_Box], may_miss: np.ndarray) -> list[_Box]:
    """Fewer boxes with the same union: boxes that differ in one feature only are joined where they touch."""
    before = len(boxes) + 1
    while len(boxes) < before:
        before = len(boxes)
        for j in sorted({j for conditions, _ in boxes for j in conditions}):
            groups: dict[tuple[Any, ...], list[_Box]] = {}
            for conditions, share in boxes:  # positions are sorted; the feature itself would be slow to hash
                rest = tuple((k, c.above, c.up_to, c.categories, c.missing) for k, c in conditions.items() if k != j)
                groups.setdefault(rest, []).append((conditions, share))
            boxes = [box for group in groups.values() for box in _join(group, j, bool(may_miss[j]))]
    return boxes


def _join(group: list[_Box], j: int, may_miss: bool) -> list[_Box]:
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


def _as_rule(boxes: list[_Box]) -> list[list[Condition]]:
    return [list(conditions.values()) for conditions, _ in boxes]


def export_text(tree: MasterTree, *, max_depth: int | None = None, max_alternatives: int = 6) -> str:
    """The tree as text: better cells first, each split with the rule of its better side.

    Parameters
    ----------
    tree : MasterTree
    max_depth : int or None
        Master nodes deeper than this are summed up in a line.
    max_alternatives : int
        Most alternatives printed of a rule.
    """
    lines: list[str] = []
    stratum = {int(leaf): i for i, leaf in enumerate(tree.leaves)}

    held_out = "held-out " if tree.held_out else ""

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
        lines.append(f"{indent}{lead}{describe(cell)}; split adds {tree.cell_gain[cell] / 2:.4f} to the {held_out}AUC")
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


def _leaves_below(tree: MasterTree, cell: int) -> list[int]:
    found, open_cells = [], [cell]
    while open_cells:
        at = open_cells.pop()
        if tree.cell_left[at] < 0:
            found.append(at)
        else:
            open_cells += [int(tree.cell_right[at]), int(tree.cell_left[at])]
    return found
