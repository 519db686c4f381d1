"""The margin of boosted trees as part of a program."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from ..boosting.team import Team
from ..boosting.trees import BoostedTrees
from .graph import graph_of
from .program import Graph, TreeSum

__all__ = ["margin_of_team"]


def margin_of_team(team: Team, first: int = 0) -> tuple[tuple[Graph, ...], TreeSum]:
    """The graphs of boosted trees, and their sum.

    Parameters
    ----------
    team : Team
    first : int
        Number of the first of these graphs in the program.
    """
    graphs: list[Graph] = []
    values: list[np.ndarray] = []
    for member in team.members:
        for tree, value in _one_by_one(member.trees):
            graphs.append(graph_of(tree, member.trees.schema, np.arange(len(value))))
            values.append(value * (member.factor / member.trees.n_boosters))
    numbers = tuple(range(first, first + len(graphs)))
    return tuple(graphs), TreeSum(numbers, tuple(values), offset=team.start())


def _one_by_one(trees: BoostedTrees) -> list[tuple[SimpleNamespace, np.ndarray]]:
    """The arrays of each tree, with the values of its leaves."""
    found = []
    names = ("feature", "threshold", "left", "right", "missing_left", "set_offset")
    for t in range(len(trees.node_bounds) - 1):
        nodes = slice(trees.node_bounds[t], trees.node_bounds[t + 1])
        sets = trees.sets[trees.set_bounds[t] : trees.set_bounds[t + 1]]
        leaves = slice(trees.leaf_bounds[t], trees.leaf_bounds[t + 1])
        arrays = {name: getattr(trees, name)[nodes] for name in names}
        found.append((SimpleNamespace(**arrays, sets=sets), trees.value[leaves]))
    return found
