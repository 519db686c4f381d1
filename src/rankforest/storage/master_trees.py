"""Ranking trees of either kind, in the order of the model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.schema import Schema
from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from ..tree.rule_tree import RuleTree
from .errors import require
from .ranking_trees import put_ranking_trees, take_ranking_trees
from .rule_trees import put_rule_trees, take_rule_trees
from .shelf import Shelf

__all__ = ["put_trees", "take_trees"]


def put_trees(shelf: Shelf, trees: Sequence[MasterTree]) -> None:
    """Put the axis-parallel trees, and the trees of other rules if there are any."""
    schema = trees[0].schema
    of_rules = [tree for tree in trees if isinstance(tree, RuleTree)]
    shelf.put("by_rule", np.array([isinstance(tree, RuleTree) for tree in trees], dtype=np.uint8))
    put_ranking_trees(shelf, [tree for tree in trees if isinstance(tree, RankingTree)], schema)
    if of_rules:
        put_rule_trees(shelf.below("rules"), of_rules, schema)


def take_trees(shelf: Shelf, schema: Schema) -> list[MasterTree]:
    """The same trees, checked; at least one."""
    by_rule = shelf.take("by_rule", np.uint8, None)
    require(len(by_rule) >= 1 and (by_rule <= 1).all(), "it has no tree, or a tree of an unknown kind")
    n_rules = int(by_rule.sum())
    ranking = iter(take_ranking_trees(shelf, len(by_rule) - n_rules, schema))
    of_rules = iter(take_rule_trees(shelf.below("rules"), n_rules, schema) if n_rules else [])
    return [next(of_rules if rule else ranking) for rule in by_rule.tolist()]
