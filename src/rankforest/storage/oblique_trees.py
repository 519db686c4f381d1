"""A ranking tree that cuts on weighted sums of features, as arrays."""

from __future__ import annotations

import numpy as np

from ..data.parts import check_bounds
from ..data.schema import Schema
from ..data.sums import WeightedSum, widened_schema
from ..tree.oblique_tree import ObliqueTree
from .errors import require
from .ranking_trees import put_ranking_trees, take_ranking_trees
from .shelf import Shelf

__all__ = ["put_oblique_tree", "take_oblique_tree"]

_MOST_SUMS = 1 << 16
_LARGEST = 10**9  # weight


def put_oblique_tree(shelf: Shelf, tree: ObliqueTree) -> None:
    """The parts of its sums, and the tree of rows with sums."""
    parts = [part for each in tree.sums for part in each.terms]
    shelf.put("feature_of_part", np.array([feature for feature, _ in parts], dtype=np.int64))
    shelf.put("weight_of_part", np.array([weight for _, weight in parts], dtype=np.int64))
    shelf.put("part_bounds", np.cumsum([0, *(len(each.terms) for each in tree.sums)], dtype=np.int64))
    put_ranking_trees(shelf, [tree.wide], tree.wide.schema)


def take_oblique_tree(shelf: Shelf, schema: Schema) -> ObliqueTree:
    """The same tree, checked."""
    feature = shelf.take("feature_of_part", np.int64, None)
    weight = shelf.take("weight_of_part", np.int64, len(feature))
    bounds = shelf.take("part_bounds", np.int64, None)
    require(1 < len(bounds) <= _MOST_SUMS, "a tree has a wrong number of sums")
    check_bounds(bounds, len(feature), "part_bounds", least=1)
    require(((feature >= 0) & (feature < schema.n_features)).all(), "a sum has a feature that does not exist")
    require(not schema.is_categorical[feature].any(), "a sum has a part that is no number")
    require(((weight != 0) & (np.abs(weight) <= _LARGEST)).all(), "a sum has an invalid weight")
    sums = []
    for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist()):
        terms = tuple(zip(feature[begin:end].tolist(), weight[begin:end].tolist()))
        require(len({j for j, _ in terms}) == len(terms), "a sum has the same feature twice")
        sums.append(WeightedSum(terms))
    wide = take_ranking_trees(shelf, 1, widened_schema(schema, sums))[0]
    return ObliqueTree.of(wide, sums, schema)
