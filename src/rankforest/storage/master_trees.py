"""Ranking trees of any kind, in the order of the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.schema import Schema
from ..tree.master_tree import MasterTree
from ..tree.oblique_tree import ObliqueTree
from ..tree.ranking_tree import RankingTree
from ..tree.rule_tree import RuleTree
from .errors import require
from .oblique_trees import put_oblique_tree, take_oblique_tree
from .ranking_trees import put_ranking_trees, take_ranking_trees
from .rule_trees import put_rule_trees, take_rule_trees
from .shelf import Shelf

__all__ = ["put_trees", "take_trees"]

_CUTS, _RULES, _SUMS = 0, 1, 2


def put_trees(shelf: Shelf, trees: Sequence[MasterTree]) -> None:
    """Put the axis-parallel trees, and the trees of other rules and of sums if there are any."""
    schema = trees[0].schema
    of_rules = [tree for tree in trees if isinstance(tree, RuleTree)]
    kinds = [_RULES if isinstance(t, RuleTree) else _SUMS if isinstance(t, ObliqueTree) else _CUTS for t in trees]
    shelf.put("by_rule", np.array(kinds, dtype=np.uint8))
    put_ranking_trees(shelf, [tree for tree in trees if isinstance(tree, RankingTree)], schema)
    if of_rules:
        put_rule_trees(shelf.below("rules"), of_rules, schema)
    for i, tree in enumerate(trees):
        if isinstance(tree, ObliqueTree):
            put_oblique_tree(shelf.below(f"sums{i}"), tree)


def take_trees(shelf: Shelf, schema: Schema) -> list[MasterTree]:
    """The same trees, checked; at least one."""
    by_rule = shelf.take("by_rule", np.uint8, None)
    require(len(by_rule) >= 1 and (by_rule <= _SUMS).all(), "it has no tree, or a tree of an unknown kind")
    n_rules = int((by_rule == _RULES).sum())
    ranking = iter(take_ranking_trees(shelf, int((by_rule == _CUTS).sum()), schema))
    of_rules = iter(take_rule_trees(shelf.below("rules"), n_rules, schema) if n_rules else [])
    return [
        take_oblique_tree(shelf.below(f"sums{i}"), schema)
        if kind == _SUMS
        else next(of_rules if kind == _RULES else ranking)
        for i, kind in enumerate(by_rule.tolist())
    ]
