"""From a fitted estimator to the program that the exports print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..boosting.kinds import Team
from ..boosting.trees import BoostedTrees
from ..data.encoding import Standardization
from ..data.schema import Schema
from ..estimators.rank_consensus import _LEAST
from ..forest.aggregation import KEMENY, SUMMED, values_of
from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from .errors import ExportError
from .program import (
    Combination,
    Expression,
    Graph,
    Linear,
    Logit,
    Program,
    Squash,
    TreeMedian,
    TreeSum,
    graph_of,
    interpolation,
    steps,
)

__all__ = ["program_of"]


def program_of(model: Any) -> Program:
    """The program of a fitted model.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> list(program_of(TreeRank().fit([[1.0], [2.0], [3.0]], [0, 0, 1])).outputs)
    ['score', 'stratum', 'probability']
    """
    reader = _READERS.get(type(model).__name__) if type(model).__module__.startswith("rankforest.") else None
    if reader is None:
        raise ExportError(
            f"model is a {type(model).__name__}, which cannot be exported; give one of {', '.join(_READERS)}."
        )
    check_is_fitted(model)
    return reader(model)


# ---- one tree


def _tree_rank(model: Any) -> Program:
    tree = _axis_parallel(model.tree_, "The tree")
    graph = graph_of(tree, tree.schema, tree.stratum_of_terminal)
    outputs = {
        "score": TreeSum((0,), (tree.leaf_score,)),
        "stratum": TreeSum((0,), (np.arange(tree.n_leaves, dtype=np.float64),)),
        "probability": TreeSum((0,), (tree.leaf_probability,)),
    }
    return Program("TreeRank", tree.schema.features, (graph,), outputs, (model.pos_label_,))


def _ordinal_tree(model: Any) -> Program:
    tree = model.tree_
    outputs = {
        "score": TreeSum((0,), (tree.leaf_mean,)),
        "level": TreeSum((0,), (tree.leaf_median.astype(np.float64),)),
    }
    graph = graph_of(tree, tree.schema, np.arange(tree.n_leaves))
    return Program("OrdinalRankingTree", tree.schema.features, (graph,), outputs, tuple(model.classes_))


def _axis_parallel(tree: MasterTree, which: str) -> RankingTree:
    if not isinstance(tree, RankingTree):
        raise ExportError(
            f"{which} is cut by rules other than axis-parallel ones, such as a classifier or cubes, which no export "
            "can express; fit with a LeafRank as splitter."
        )
    return tree


# ---- many trees


def _ranking_forest(model: Any) -> Program:
    how = model.aggregation_
    if how in KEMENY:
        raise ExportError(
            f"aggregation is {how!r}, a search over rankings that no export can express; call "
            "set_aggregation('mean_rank') first."
        )
    trees = [_axis_parallel(tree, f"Tree {t} of the forest") for t, tree in enumerate(model.trees_)]
    graphs = tuple(_forest_graph(tree, how) for tree in trees)
    score = _together(how, [values_of(tree, how) for tree in trees])
    calibration = model._calibration(how)
    outputs = {"score": score, "probability": interpolation(score, calibration.score, calibration.probability)}
    return Program("RankingForest", trees[0].schema.features, graphs, outputs, (model.pos_label_,))


def _forest_graph(tree: RankingTree, how: str) -> Graph:
    return graph_of(
        tree, tree.schema, np.arange(len(tree.terminal_cell)) if how == "proba" else tree.stratum_of_terminal
    )


def _together(how: str, values: Sequence[np.ndarray]) -> TreeSum | TreeMedian:
    graphs = tuple(range(len(values)))
    if how in (*SUMMED, "mean"):
        return TreeSum(graphs, tuple(values), divisor=float(len(values)))
    return TreeMedian(graphs, tuple(values))


def _ordinal_forest(model: Any) -> Program:
    trees = model.trees_
    graphs = tuple(graph_of(tree, tree.schema, np.arange(tree.n_leaves)) for tree in trees)
    score = _together(model.aggregation, [tree.leaf_mean for tree in trees])
    return Program("OrdinalRankingForest", trees[0].schema.features, graphs, {"score": score}, tuple(model.classes_))


# ---- boosting


def _rank_boost(model: Any) -> Program:
    team: Team = model.team_
    graphs, margin = _margin(team)
    return _calibrated("RankBoost", model, team.members[0].trees.schema, graphs, Squash(margin))


def _calibrated(name: str, model: Any, schema: Schema, graphs: tuple[Graph, ...], score: Expression) -> Program:
    calibration = model._calibration
    outputs = {"score": score, "probability": interpolation(score, calibration.score, calibration.probability)}
    return Program(name, schema.features, graphs, outputs, (model.pos_label_,))


def _margin(team: Team, first: int = 0) -> tuple[tuple[Graph, ...], TreeSum]:
    """The trees of boosting, and their sum, where the first of them is graph number `first`."""
    schema = team.members[0].trees.schema
    graphs: list[Graph] = []
    values: list[np.ndarray] = []
    for member in team.members:
        for tree, value in _boosted(member.trees):
            graphs.append(graph_of(tree, schema, np.arange(len(value))))
            values.append(value * (member.factor / member.trees.n_boosters))
    numbers = tuple(range(first, first + len(graphs)))
    return tuple(graphs), TreeSum(numbers, tuple(values), offset=team.start())


def _boosted(trees: BoostedTrees) -> list[tuple[SimpleNamespace, np.ndarray]]:
    """The trees one by one, with the values of their leaves."""
    found = []
    names = ("feature", "threshold", "left", "right", "missing_left", "set_offset")
    for t in range(len(trees.node_bounds) - 1):
        nodes = slice(trees.node_bounds[t], trees.node_bounds[t + 1])
        sets = trees.sets[trees.set_bounds[t] : trees.set_bounds[t + 1]]
        leaves = slice(trees.leaf_bounds[t], trees.leaf_bounds[t + 1])
        arrays = {name: getattr(trees, name)[nodes] for name in names}
        found.append((SimpleNamespace(**arrays, sets=sets), trees.value[leaves]))
    return found


# ---- one direction


def _threshold_ranker(model: Any) -> Program:
    if not hasattr(model, "coef_"):
        raise ExportError(
            f"kernel is {model.kernel!r}, and exports support only linear scores; fit with kernel='linear'."
        )
    scaling: Standardization = model.standardization_
    score = _linear(scaling, model.coef_)
    outputs: dict[str, Expression] = {"score": score, "level": steps(score, model.thresholds_)}
    return Program(type(model).__name__, scaling.schema.features, (), outputs, tuple(model.classes_))


def _linear(scaling: Standardization, coef: np.ndarray) -> Linear:
    encoding, weight = scaling.encoding, coef / scaling.scale
    assert encoding.means is not None
    numbers = []
    for k, j in enumerate(encoding.numeric):
        missing = float(weight[k] * (encoding.means[k] - scaling.mean[k]))
        numbers.append((int(j), float(scaling.mean[k]), float(weight[k]), missing))
    categories, first = [], len(encoding.numeric)
    for j, codes in encoding.categories:
        columns = slice(first, first + len(codes))
        missing = float(-weight[columns] @ scaling.mean[columns])
        of_code = np.full(len(scaling.schema.features[j].categories or ()), missing)
        of_code[codes.astype(np.intp)] += weight[columns]
        categories.append((j, tuple(of_code.tolist()), missing))
        first += len(codes)
    return Linear(tuple(numbers), tuple(categories))


# ---- models around a model


def _rank_consensus(model: Any) -> Program:
    forest = _ranking_forest(model.forest_)
    graphs, of_booster = _margin(model.booster_.team_, len(forest.graphs))
    of_forest = Logit(forest.outputs["score"], _LEAST)
    weights = [float(weight / scale.spread) for weight, scale in zip(model.weights_, model._scales)]
    offset = -sum(weight * scale.centre for weight, scale in zip(weights, model._scales))
    score = Squash(Combination((of_forest, of_booster), tuple(weights), offset))
    schema = model.forest_.trees_[0].schema
    return _calibrated("RankConsensus", model, schema, (*forest.graphs, *graphs), score)


_NO_LOTS = {"BestInstances": "ties='nearest', 'include' or 'exclude'", "FalseAlarmConstrained": "a confidence"}


def _flagger(model: Any) -> Program:
    name = type(model).__name__
    inside = program_of(model.estimator_)
    if getattr(model.estimator_, "pos_label_", model.pos_label_) != model.pos_label_:
        raise ExportError(f"The model inside ranks the other label; fit it with the pos_label of {name}.")
    if model.tie_chance_ > 0.0:
        raise ExportError(
            f"{name} flags rows with the score {model.threshold_:.6g} by lot, and lots cannot be exported; fit it with "
            f"{_NO_LOTS[name]}."
        )
    score = Combination((inside.outputs["score"],), (1.0,), -model.threshold_)
    return Program(name, inside.features, inside.graphs, {"score": score}, (model.pos_label_,))


_READERS: dict[str, Callable[[Any], Program]] = {
    "TreeRank": _tree_rank,
    "RankingForest": _ranking_forest,
    "RankBoost": _rank_boost,
    "RankConsensus": _rank_consensus,
    "OrdinalRankingTree": _ordinal_tree,
    "OrdinalRankingForest": _ordinal_forest,
    "PRank": _threshold_ranker,
    "OAPBPM": _threshold_ranker,
    "BestInstances": _flagger,
    "FalseAlarmConstrained": _flagger,
}
