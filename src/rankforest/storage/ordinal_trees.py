"""Trees of ordered labels in a model file, alone and in forests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..data.schema import Schema
from ..estimators.ordinal_forest import OrdinalRankingForest
from ..estimators.ordinal_tree import OrdinalRankingTree
from ..forest.growing import Grove
from ..forest.ordinal import ORDINAL_AGGREGATIONS
from ..growing.ordinal import OrdinalGrowth
from ..growing.ordinal_size import OrdinalCrossValidated
from ..tree.ordinal_pruning import OrdinalPath
from ..tree.ordinal_tree import OrdinalTree
from .checks import check_finite, check_moderate, check_nodes, check_plain_trees
from .errors import refuse, require
from .ranking_forest import grove_of, groves_to, is_number, measures_to, take_growing, take_measures
from .ranking_trees import SETS, put_missing, put_together, split_up, take_apart, take_missing
from .shelf import Shelf
from .values import decode

__all__ = ["put_ordinal_forest", "put_ordinal_tree", "take_ordinal_forest", "take_ordinal_tree"]

_MEASURES = ("oob_error_", "oob_c_index_", "_instability")


def _groups(n_levels: int) -> dict[str, Any]:
    nodes = {
        "feature": (np.int32, ()),
        "threshold": (np.float64, ()),
        "digits": (np.uint8, ()),
        "left": (np.int32, ()),
        "right": (np.int32, ()),
        "missing_left": (np.uint8, ()),
        "set_offset": (np.int32, ()),
        "node_gain": (np.float64, ()),
        "node_count": (np.float64, ()),
    }
    leaves = {"leaf_mass": (np.float64, (n_levels,)), "leaf_count": (np.float64, ())}
    return {"node": nodes, "leaf": leaves} | SETS


def _put_trees(shelf: Shelf, trees: Sequence[OrdinalTree]) -> None:
    put_together(shelf, _groups(len(trees[0].levels)), trees)
    put_missing(shelf, trees, trees[0].schema.n_features)
    shelf.put("levels", np.asarray(trees[0].levels, dtype=np.float64))


def _take_trees(shelf: Shelf, schema: Schema, n_levels: int) -> list[OrdinalTree]:
    levels = shelf.take("levels", np.float64, n_levels)
    check_moderate(levels, "levels")
    require((np.diff(levels) > 0).all(), "its levels do not increase")
    n_trees = len(shelf.take("node_bounds", np.int64, None)) - 1
    require(n_trees >= 1, "it has no tree")
    groups = _groups(n_levels)
    arrays, bounds = take_apart(shelf, groups, n_trees, {"leaf": 1})
    check_nodes(arrays, schema, bounds["node"], bounds["leaf"], bounds["set"])
    check_plain_trees(arrays, bounds["node"], bounds["leaf"])
    check_finite(arrays["node_gain"], "node_gain")
    for name in ("node_count", "leaf_mass", "leaf_count"):
        check_finite(arrays[name], name, least=0.0)
        check_moderate(arrays[name], name)
    require((arrays["leaf_mass"].sum(axis=1) > 0).all(), "a leaf of a tree is empty")
    missing = take_missing(shelf, n_trees, schema.n_features)
    return [
        OrdinalTree(schema=schema, has_missing=missing[t], levels=levels, **split_up(groups, arrays, bounds, t))
        for t in range(n_trees)
    ]


# ---- one tree


def put_ordinal_tree(model: OrdinalRankingTree, shelf: Shelf) -> dict[str, Any]:
    """The tree, the grown tree that it was cut from, and how its size was chosen."""
    trees = [model.grown_tree_] if model.tree_ is model.grown_tree_ else [model.grown_tree_, model.tree_]
    _put_trees(shelf.below("tree"), trees)
    found = model.pruning_
    if found is None:
        return {"n_folds": None}
    below = shelf.below("pruning")
    below.put("collapse_at", found.path.collapse_at)
    below.put("complexities", found.path.complexities)
    below.put("error", found.error)
    below.put("standard_error", found.standard_error)
    return {"n_folds": int(found.n_folds)}


def take_ordinal_tree(model: OrdinalRankingTree, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    trees = _take_trees(shelf.below("tree"), schema, len(model.classes_))
    require(len(trees) <= 2 and fitted.keys() == {"n_folds"}, "it has more trees than a fitted and a grown one")
    model.grown_tree_, model.tree_ = trees[0], trees[-1]
    model.levels_ = trees[0].levels
    model.pruning_ = None
    if fitted["n_folds"] is None:
        return
    require(is_number(fitted["n_folds"], 2, 1 << 32), "its pruning has an invalid number of folds")
    below = shelf.below("pruning")
    collapse_at = below.take("collapse_at", np.float64, trees[0].n_nodes)
    complexities = below.take("complexities", np.float64, None)
    n = len(complexities)
    error, standard_error = (below.take(name, np.float64, n) for name in ("error", "standard_error"))
    for array in (collapse_at, complexities, error, standard_error):
        require(not np.isnan(array).any(), "the pruning table contains NaN")
    require(n >= 1 and (np.diff(complexities) > 0).all(), "the pruning table is not sorted")
    path = OrdinalPath(trees[0], collapse_at, complexities)
    model.pruning_ = OrdinalCrossValidated(path, error, standard_error, fitted["n_folds"])


# ---- forests


def put_ordinal_forest(model: OrdinalRankingForest, shelf: Shelf) -> dict[str, Any]:
    """The trees grove by grove, and what was measured out of bag."""
    _put_trees(shelf.below("trees"), model.trees_)
    if hasattr(model, "oob_proba_"):
        shelf.put("oob_proba", model.oob_proba_)
        shelf.put("oob_scores", model.oob_scores_)
    return {**groves_to(model), "measures": measures_to(model, _MEASURES)}


def take_ordinal_forest(model: OrdinalRankingForest, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    names = {"groves", "draw", "trials", "measures"}
    require(fitted.keys() == names, "the description of its forest cannot be read")
    require(model.aggregation in ORDINAL_AGGREGATIONS, "its aggregation is unknown")
    trees = _take_trees(shelf.below("trees"), schema, len(model.classes_))
    model.levels_ = trees[0].levels
    model._groves = [
        Grove(_growth(grove["growth"], schema), grove["number"], part)
        for grove, part in grove_of(fitted["groves"], trees)
    ]
    take_growing(model, fitted)
    if "oob_proba" in shelf:
        model.oob_proba_ = shelf.take("oob_proba", np.float64, None, len(model.classes_))
        model.oob_scores_ = shelf.take("oob_scores", np.float64, len(model.oob_proba_))
    take_measures(model, fitted["measures"], _MEASURES)


def _growth(value: Any, schema: Schema) -> OrdinalGrowth:
    growth = decode(value)
    require(type(growth) is OrdinalGrowth, "the parameters of its trees are missing")
    try:
        growth.to_core(schema.n_features)
    except (ValueError, TypeError, OverflowError, AttributeError):
        refuse("the parameters of its trees are invalid")
    return growth
