"""Programs of ranking trees and forests, of two labels or of ordered ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..forest.aggregation import KEMENY, SUMMED, values_of
from ..tree.master_tree import MasterTree
from ..tree.oblique_tree import ObliqueTree
from ..tree.ordinal_tree import OrdinalTree
from ..tree.ranking_tree import RankingTree
from .errors import ExportError
from .graph import graph_of
from .program import Graph, Program, TreeMedian, TreeSum

__all__ = ["of_ordinal_forest", "of_ordinal_tree", "of_tree", "score_of_forest"]


def of_tree(name: str, tree: MasterTree, pos_label: Any) -> Program:
    """The program of one ranking tree: score, stratum and probability.

    Parameters
    ----------
    name : str
        Of the estimator.
    tree : MasterTree
    pos_label : label

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> list(of_tree("TreeRank", TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1]).tree_, 1).outputs)
    ['score', 'stratum', 'probability']
    """
    sums = tree.sums if isinstance(tree, ObliqueTree) else ()
    cut = _axis_parallel(tree.wide if isinstance(tree, ObliqueTree) else tree, "The tree")
    graph = graph_of(cut, cut.schema, cut.stratum_of_terminal)
    outputs = {
        "score": TreeSum((0,), (cut.leaf_score,)),
        "stratum": TreeSum((0,), (np.arange(cut.n_leaves, dtype=np.float64),)),
        "probability": TreeSum((0,), (cut.leaf_probability,)),
    }
    return Program(name, tree.schema.features, (graph,), outputs, (pos_label,), sums=sums)


def score_of_forest(trees: Sequence[MasterTree], how: str) -> tuple[tuple[Graph, ...], TreeSum | TreeMedian]:
    """The graphs of a forest of ranking trees, and its score by an aggregation."""
    if how in KEMENY:
        raise ExportError(
            f"aggregation is {how!r}, a search over rankings that no export can express; call "
            "set_aggregation('mean_rank') first."
        )
    cut = [_axis_parallel(tree, f"Tree {t} of the forest") for t, tree in enumerate(trees)]
    graphs = tuple(
        graph_of(tree, tree.schema, np.arange(len(tree.terminal_cell)) if how == "proba" else tree.stratum_of_terminal)
        for tree in cut
    )
    return graphs, _together(how, [values_of(tree, how) for tree in cut])


def of_ordinal_tree(name: str, tree: OrdinalTree, classes: np.ndarray) -> Program:
    """The program of one tree of ordered labels: score and level."""
    outputs = {
        "score": TreeSum((0,), (tree.leaf_mean,)),
        "level": TreeSum((0,), (tree.leaf_median.astype(np.float64),)),
    }
    graph = graph_of(tree, tree.schema, np.arange(tree.n_leaves))
    return Program(name, tree.schema.features, (graph,), outputs, tuple(classes))


def of_ordinal_forest(name: str, trees: Sequence[OrdinalTree], how: str, classes: np.ndarray) -> Program:
    """The program of a forest of ordered labels: its score."""
    graphs = tuple(graph_of(tree, tree.schema, np.arange(tree.n_leaves)) for tree in trees)
    score = _together(how, [tree.leaf_mean for tree in trees])
    return Program(name, trees[0].schema.features, graphs, {"score": score}, tuple(classes))


def _axis_parallel(tree: MasterTree, which: str) -> RankingTree:
    if not isinstance(tree, RankingTree):
        raise ExportError(
            f"{which} is cut by rules other than axis-parallel ones, such as a classifier or cubes, which no export "
            "can express; fit with a LeafRank as splitter."
        )
    return tree


def _together(how: str, values: Sequence[np.ndarray]) -> TreeSum | TreeMedian:
    graphs = tuple(range(len(values)))
    if how in (*SUMMED, "mean"):
        return TreeSum(graphs, tuple(values), divisor=float(len(values)))
    return TreeMedian(graphs, tuple(values))
