"""The scores of trees and forests as parts whose Shapley values are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .. import _core
from ..boosting.team import Team
from ..forest.aggregation import KEMENY, SUMMED, sum_of_trees
from ..tree.master_tree import MasterTree
from ..tree.oblique_tree import ObliqueTree
from ..tree.ordinal_tree import OrdinalTree
from ..tree.walk import forest_with, make_tree_sum
from .score_parts import Part
from .subsets import AnyScore
from .tree_terms import TreeTerms

__all__ = [
    "mean_of_trees",
    "part_of_forest",
    "part_of_ordinal_trees",
    "part_of_team",
    "part_of_tree",
    "sum_of_ordinal_tree",
]

Score = Callable[[np.ndarray], np.ndarray]


def part_of_tree(tree: MasterTree, score: Score) -> Part:
    """The score of a single ranking tree; `score` is the same as a function of coded rows."""
    if isinstance(tree, ObliqueTree):
        return AnyScore(score, tree.is_used, _OBLIQUE)
    found = mean_of_trees([tree], "mean_rank")
    return found or AnyScore(score, np.ones(tree.schema.n_features, dtype=bool), _NOT_AXIS_PARALLEL)


def part_of_forest(trees: Sequence[MasterTree], how: str, score: Score) -> Part:
    """The score of a forest by an aggregation; `score` is the same as a function of coded rows."""
    found = mean_of_trees(trees, how)
    if found is not None:
        return found
    what = _NOT_AXIS_PARALLEL
    if how in KEMENY or how not in SUMMED:
        what = (
            f"aggregation is {how!r}, which is no mean over the trees; call set_aggregation('mean_rank'), or compare "
            "rows that differ in few features."
        )
    return AnyScore(score, np.ones(trees[0].schema.n_features, dtype=bool), what)


def mean_of_trees(trees: Sequence[MasterTree], how: str) -> TreeTerms | None:
    """The mean over the trees; None if the aggregation is none, or if the trees are not axis-parallel."""
    trees_sum = sum_of_trees(trees, how) if how in SUMMED else None
    return None if trees_sum is None else TreeTerms(trees_sum, len(trees), divisor=float(len(trees)))


def part_of_ordinal_trees(trees: Sequence[OrdinalTree]) -> TreeTerms:
    """The mean of the labels of ordinal trees."""
    forest = forest_with(trees[0], [tree.dag for tree in trees])
    return TreeTerms(make_tree_sum(forest, [tree.leaf_mean for tree in trees]), len(trees), divisor=float(len(trees)))


def sum_of_ordinal_tree(tree: OrdinalTree) -> _core.TreeSum:
    """The mean label of a single ordinal tree as a sum that the core knows; not cached."""
    return make_tree_sum(_core.Forest([tree.dag]), [tree.leaf_mean])


def part_of_team(team: Team) -> TreeTerms:
    """The margin of boosted trees."""
    return TreeTerms(team.trees_sum, team.n_trees, offset=team.start())


_OBLIQUE = (
    "the tree cuts on sums of many features, whose graphs cannot be walked; fit with oblique=False, or compare rows "
    "that differ in few features."
)
_NOT_AXIS_PARALLEL = (
    "the tree is cut by rules other than axis-parallel ones, whose graphs cannot be walked; fit with a LeafRank as "
    "splitter, or compare rows that differ in few features."
)
