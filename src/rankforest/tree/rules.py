"""Rules of a ranking tree: of its splits, its strata and its master nodes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from .boxes import Box, inside, largest_first, meet_all, merge, side_boxes
from .conditions import Condition, Said, Verdict, bracketed, conjunction, in_words
from .master_tree import MasterTree
from .oblique_tree import ObliqueTree
from .ranking_tree import RankingTree
from .rule_tree import RuleTree

__all__ = ["cell_rules", "left_rule", "side_rule", "strata_rules", "stratum_rule"]


def left_rule(tree: MasterTree, cell: int) -> Sequence[Sequence[Said]]:
    """The left child of a split cell as a list of alternatives, each a list of conditions that all hold.

    Positives are more likely there than in the right child. Inner subtrees whose leaves all go to the same child count
    as one leaf. "Or missing" is added only for features that had missing values when the tree was grown.
    """
    if isinstance(tree, ObliqueTree):
        return left_rule(tree.wide, cell)
    if not isinstance(tree, RankingTree):
        return side_rule(tree, cell)
    return _as_rule(side_boxes(tree, cell, int(tree.cell_left[cell]), tree.has_missing))


def side_rule(
    tree: MasterTree, cell: int, *, better: bool = True, may_miss: np.ndarray | None = None
) -> Sequence[Sequence[Said]]:
    """One side of a split as merged alternatives, the one with the most training mass first.

    Exactly one alternative holds for a row that goes to this side, none for a row that goes to the other.

    Parameters
    ----------
    tree : MasterTree
        In a tree that is not axis-parallel, a rule is one verdict.
    cell : int
        A master node that is split.
    better : bool
        The left side, where positives are more likely, or the right one.
    may_miss : array of bool or None
        Features whose missing values the rule mentions; None means those with missing values in training.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> tree = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1]).tree_
    >>> print(in_words(side_rule(tree, 0)), "|", in_words(side_rule(tree, 0, better=False)))
    x0 > 2.5 | x0 <= 2.5
    """
    if isinstance(tree, ObliqueTree):
        return side_rule(tree.wide, cell, better=better, may_miss=may_miss)
    may_miss = tree.has_missing if may_miss is None else may_miss
    if isinstance(tree, RuleTree):
        division = tree.divisions[cell]
        own = getattr(division, "tree", None)  # a small axis-parallel tree has its own conditions
        if own is not None:
            return side_rule(own, 0, better=better, may_miss=may_miss)
        return [[Verdict(division, cell, better)]]
    assert isinstance(tree, RankingTree)
    child = int(tree.cell_left[cell] if better else tree.cell_right[cell])
    return _as_rule(inside(tree, [({}, 1.0)], cell, child, may_miss))


def stratum_rule(tree: RankingTree, stratum: int) -> list[list[Condition]]:
    """A stratum as a list of alternatives, each a list of conditions that all hold, at most one per feature.

    Exactly one alternative holds for a row of the stratum, none for any other row, where values are missing only of
    features that had missing values in training. The alternatives with most training mass, as far as the tree knows
    it, come first. A deep tree can have very many.

    Parameters
    ----------
    tree : RankingTree
    stratum : int
        From 0, where positives are most likely, as `RankingTree.apply` counts.

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
    boxes: list[Box] = [({}, 1.0)]
    for child, cell in reversed(list(pairwise(path))):
        boxes = inside(tree, boxes, cell, child, tree.has_missing)
    return _as_rule(boxes)


def strata_rules(tree: MasterTree, *, max_alternatives: int = 3, max_followed: int = 32) -> tuple[str, ...]:
    """Every stratum in words, from the left; of many alternatives those with the most training mass.

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
    if isinstance(tree, ObliqueTree):
        return cell_rules(tree.wide, max_alternatives=max_alternatives, max_followed=max_followed)
    if not isinstance(tree, RankingTree):
        return _ways(tree, max_alternatives)
    words = [""] * len(tree.cell_parent)
    open_cells: list[tuple[int, list[Box], bool]] = [(0, [({}, 1.0)], False)]
    while open_cells:
        cell, boxes, cut = open_cells.pop()
        words[cell] = in_words(_as_rule(boxes), max_alternatives=max_alternatives, others=cut)
        if tree.cell_left[cell] < 0:
            continue
        for child in (
            int(tree.cell_right[cell]),
            int(tree.cell_left[cell]),
        ):  # a stack: left comes first
            found = meet_all(tree, boxes, cell, child, tree.has_missing)
            # alternatives that will hardly be printed are dropped before the merge, which is the slow part
            few = largest_first(found)[: 2 * max_followed]
            below = largest_first(merge(few, tree.has_missing))
            lost = cut or len(few) < len(found) or len(below) > max_followed
            open_cells.append((child, below[:max_followed], lost))
    return tuple(words)


def _ways(tree: MasterTree, max_alternatives: int) -> tuple[str, ...]:
    """Every master node by the rules on its way from the root."""
    words = [conjunction([])]
    for cell in range(1, len(tree.cell_parent)):  # parents come before children
        parent = int(tree.cell_parent[cell])
        rule = side_rule(tree, parent, better=int(tree.cell_left[parent]) == cell)
        one = in_words(rule, max_alternatives=max_alternatives)
        one = f"({one})" if len(rule) > 1 else bracketed(one)
        words.append(one if parent == 0 else f"{words[parent]} and {one}")
    return tuple(words)


def _as_rule(boxes: list[Box]) -> list[list[Condition]]:
    return [list(conditions.values()) for conditions, _ in boxes]
