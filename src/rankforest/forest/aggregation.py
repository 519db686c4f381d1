"""From the rankings of many trees to one score per row.

Every score lies in [0, 1], and higher is better.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import _core
from ..tree.bounded_rates import bounded_rates
from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from ..tree.walk import cached_on, forest_with, make_tree_sum

__all__ = [
    "AGGREGATIONS",
    "KEMENY",
    "MATRIX_CELLS",
    "SUMMED",
    "score_block",
    "sum_of_one",
    "sum_of_trees",
    "tree_score_block",
    "values_of",
]

KEMENY = ("kemeny", "kemeny_ties")  # one median ranking of all cells: without ties, and with
AGGREGATIONS = ("proba", "mean_rank", "median_rank", "negative_rank", "plugin", *KEMENY)
SUMMED = ("proba", "mean_rank", "negative_rank", "plugin")  # means over the trees, summed in the core

MATRIX_CELLS = 1 << 23  # most scores of single trees in memory at once


def values_of(tree: MasterTree, aggregation: str) -> np.ndarray:
    """Value of each finest cell (proba) or of each stratum (all other aggregations) of a tree."""
    match aggregation:
        case "proba":
            return finest_rates(tree)
        case "negative_rank":
            return tree.leaf_negative_score
        case "plugin":
            return tree.leaf_plugin_score
        case _:
            return tree.leaf_score


def finest_rates(tree: MasterTree) -> np.ndarray:
    """Smoothed rate of positives of each finest cell.

    The finest cell of a row is the inner leaf through which it enters its stratum. In a tree that is not axis-parallel
    it is the stratum. Monotone constraints bound the rates.
    """
    if isinstance(tree, RankingTree) and tree.monotonic_cst is not None:
        return bounded_rates(tree, tree.monotonic_cst)
    return tree.smoothed_rate(tree.terminal_mass if isinstance(tree, RankingTree) else tree.leaf_mass)


def _in_core(trees: Sequence[MasterTree]) -> list[RankingTree] | None:
    found = [tree for tree in trees if isinstance(tree, RankingTree)]
    return found if len(found) == len(trees) else None


def forest_of(trees: Sequence[RankingTree], aggregation: str) -> _core.Forest:
    """The forest as the core walks it; made once per set of trees, and cached on the first tree."""
    return forest_with(trees[0], [_dag_of(tree, aggregation) for tree in trees]) if trees else _core.Forest([])


def _dag_of(tree: RankingTree, aggregation: str) -> _core.Dag:
    return tree.terminal_dag if aggregation == "proba" else tree.strata_dag


def sum_of_one(tree: RankingTree, aggregation: str) -> _core.TreeSum:
    """The value of a single tree as a sum that the core knows; not cached."""
    return make_tree_sum(_core.Forest([_dag_of(tree, aggregation)]), [values_of(tree, aggregation)])


def sum_of_trees(trees: Sequence[MasterTree], aggregation: str) -> _core.TreeSum | None:
    """Sum of the values of the trees; None if the core does not know their cuts. Cached on the first tree."""
    in_core = _in_core(trees)
    if in_core is None:
        return None

    def make() -> _core.TreeSum:
        return make_tree_sum(forest_of(in_core, aggregation), [values_of(tree, aggregation) for tree in trees])

    return cached_on(trees[0], "sum", (aggregation, list(trees)), make)


def tree_score_block(trees: Sequence[MasterTree], X: np.ndarray, aggregation: str, n_threads: int) -> np.ndarray:
    """Score of every row (first axis) by every tree (second)."""
    values = [values_of(tree, aggregation) for tree in trees]
    in_core = _in_core(trees)
    if in_core is not None:
        return _core.tree_scores(forest_of(in_core, aggregation), values, X, n_threads)
    return np.column_stack([value[_cells(tree, X, aggregation)] for tree, value in zip(trees, values)])


def _cells(tree: MasterTree, X: np.ndarray, aggregation: str) -> np.ndarray:
    return tree.terminals(X) if aggregation == "proba" and isinstance(tree, RankingTree) else tree.apply(X)


def score_block(
    groves: Sequence[tuple[MasterTree, ...]], X: np.ndarray, aggregation: str, n_threads: int
) -> np.ndarray:
    """Score of every row of a block: the mean over the trees of all groves, or their median for "median_rank".

    The sum over the trees is kept for these tuples. They are compared as they are, so that a single row is scored
    without a look at each of the trees.
    """

    def all_trees() -> list[MasterTree]:
        return [tree for grove in groves for tree in grove]

    if aggregation in SUMMED:
        first, n_trees = next(tree for grove in groves for tree in grove), sum(map(len, groves))
        key = (aggregation, list(groves))
        total = cached_on(first, "sum of groves", key, lambda: sum_of_trees(all_trees(), aggregation))
        if total is not None:
            return total.sum(X, 0, n_trees, n_threads) / n_trees
    trees, out = all_trees(), np.empty(len(X))
    at_once = max(1, MATRIX_CELLS // max(1, len(trees)))
    for start in range(0, len(X), at_once):
        scores = tree_score_block(trees, np.ascontiguousarray(X[start : start + at_once]), aggregation, n_threads)
        middle = np.median if aggregation == "median_rank" else np.mean
        out[start : start + at_once] = middle(scores, axis=1)
    return out
