"""TreeRank in a model file."""

from __future__ import annotations

from typing import Any

from ..data.schema import Schema
from ..estimators.tree_rank import TreeRank
from .errors import require
from .master_trees import put_trees, take_trees
from .pruning import put_pruning, take_pruning
from .shelf import Shelf

__all__ = ["put_tree_rank", "take_tree_rank"]


def put_tree_rank(model: TreeRank, shelf: Shelf) -> dict[str, Any]:
    """The tree, and the grown tree that it was cut from."""
    trees = [model.grown_tree_] if model.tree_ is model.grown_tree_ else [model.grown_tree_, model.tree_]
    put_trees(shelf.below("tree"), trees, model.tree_.schema)
    return {"pruning": put_pruning(shelf.below("pruning"), model.pruning_)}


def take_tree_rank(model: TreeRank, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    trees = take_trees(shelf.below("tree"), schema)
    require(len(trees) <= 2 and fitted.keys() == {"pruning"}, "it has more trees than a fitted and a grown one")
    model.grown_tree_, model.tree_ = trees[0], trees[-1]
    model.pruning_ = take_pruning(shelf.below("pruning"), fitted["pruning"], trees[0])
