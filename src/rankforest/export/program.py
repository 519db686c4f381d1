"""What all exports print: a model as features, decision graphs and a few ways to combine their values.

A program knows nothing of estimators, and a printer of a target nothing but programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.schema import Feature, Schema

__all__ = [
    "Combination",
    "Expression",
    "Graph",
    "Linear",
    "Logit",
    "Piecewise",
    "Program",
    "Squash",
    "TreeMedian",
    "TreeSum",
    "graph_of",
    "interpolation",
    "steps",
    "used_features",
]


@dataclass(frozen=True, eq=False)
class Graph:
    """A decision graph without circles, whose nodes come before their children; it begins at node 0.

    Attributes
    ----------
    feature : tuple of int
        Of each node.
    threshold : tuple of float
        Values up to it go left; infinite where every value that is not missing does, NaN for a node with a set.
    codes : tuple of (tuple of int or None)
        Codes of the categories that go left, never none of them; None for a node with a threshold.
    missing_left : tuple of bool
        Whether missing values, and categories that were not seen in fit, go left.
    left, right : tuple of int
        A later node, or ``~leaf``.
    n_leaves : int
        A graph without nodes has the leaf 0 alone.
    """

    feature: tuple[int, ...]
    threshold: tuple[float, ...]
    codes: tuple[tuple[int, ...] | None, ...]
    missing_left: tuple[bool, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    n_leaves: int

    @property
    def n_nodes(self) -> int:
        return len(self.feature)


@dataclass(frozen=True, eq=False)
class TreeSum:
    """offset + (sum over the graphs of the value of the leaf a row ends in) / divisor."""

    graphs: tuple[int, ...]  # positions in the program
    values: tuple[np.ndarray, ...]  # of the leaves, for each of these graphs
    offset: float = 0.0
    divisor: float = 1.0


@dataclass(frozen=True, eq=False)
class TreeMedian:
    """Median over the graphs of the value of the leaf a row ends in."""

    graphs: tuple[int, ...]
    values: tuple[np.ndarray, ...]


@dataclass(frozen=True, eq=False)
class Linear:
    """Sum of weight * (x - centre) over the numbers, and of a value for each category.

    Attributes
    ----------
    numbers : tuple of (feature, centre, weight, value where it is missing)
    categories : tuple of (feature, values by code, value where it is missing or was not seen)
    """

    numbers: tuple[tuple[int, float, float, float], ...]
    categories: tuple[tuple[int, tuple[float, ...], float], ...]


@dataclass(frozen=True, eq=False)
class Squash:
    """1/2 + m / (2 + 2|m|)."""

    of: Expression


@dataclass(frozen=True, eq=False)
class Logit:
    """log(p / (1 - p)), with p no nearer to 0 and 1 than `least`."""

    of: Expression
    least: float


@dataclass(frozen=True, eq=False)
class Piecewise:
    """``below`` up to the first start; from start j on ``value[j] + slope[j] * (x - start[j])``."""

    of: Expression
    below: float
    start: np.ndarray  # increasing
    value: np.ndarray
    slope: np.ndarray


@dataclass(frozen=True, eq=False)
class Combination:
    """offset + sum of weight * part."""

    of: tuple[Expression, ...]
    weights: tuple[float, ...]
    offset: float = 0.0


Expression = TreeSum | TreeMedian | Linear | Squash | Logit | Piecewise | Combination


@dataclass(frozen=True, eq=False)
class Program:
    """A fitted model, ready to be printed.

    Attributes
    ----------
    model : str
        Name of the estimator.
    features : tuple of Feature
    graphs : tuple of Graph
    outputs : mapping from name to Expression
        "score" first, as `score_samples` gives it.
    labels : tuple or None
        What "level" counts, or, where there is "probability", the label it is of alone.
    """

    model: str
    features: tuple[Feature, ...]
    graphs: tuple[Graph, ...]
    outputs: Mapping[str, Expression]
    labels: tuple[Any, ...] | None = None

    @property
    def n_nodes(self) -> int:
        return sum(graph.n_nodes for graph in self.graphs)


def interpolation(of: Expression, x: np.ndarray, y: np.ndarray) -> Piecewise:
    """What `numpy.interp` computes: linear between knots (x not decreasing), constant outside.

    Examples
    --------
    >>> found = interpolation(Linear((), ()), np.array([0.0, 1.0, 1.0, 3.0]), np.array([0.0, 1.0, 2.0, 4.0]))
    >>> found.start, found.value, found.slope
    (array([0., 1., 3.]), array([0., 2., 4.]), array([1., 1., 0.]))
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    width = np.diff(x)
    kept = np.append(width > 0, True)
    slope = np.append(np.divide(np.diff(y), width, out=np.zeros(len(width)), where=width > 0), 0.0)
    return Piecewise(of, float(y[0]), x[kept], y[kept], slope[kept])


def steps(of: Expression, thresholds: np.ndarray) -> Piecewise:
    """How many thresholds (not decreasing) are at most as large as the value.

    Examples
    --------
    >>> steps(Linear((), ()), np.array([0.0, 1.0, 1.0])).value
    array([1., 3.])
    """
    kept = np.append(np.diff(thresholds) > 0, True)
    value = np.arange(1.0, len(thresholds) + 1)[kept]
    return Piecewise(of, 0.0, np.asarray(thresholds, dtype=np.float64)[kept], value, np.zeros(len(value)))


def graph_of(tree: Any, schema: Schema, label: np.ndarray) -> Graph:
    """The graph of a tree's arrays, which are those of `RankingTree`.

    Nodes whose two sides lead to the same place are left out, as the core does, and so are those never reached.

    Parameters
    ----------
    tree : object with the arrays feature, threshold, left, right, missing_left, set_offset, sets
    schema : Schema
    label : array of int
        The leaf that each terminal becomes.
    """
    codes = [_codes(tree, node, schema) for node in range(len(tree.feature))]
    arrays = [getattr(tree, name).tolist() for name in ("feature", "threshold", "missing_left", "left", "right")]
    feature, threshold, missing_left, left, right = arrays
    for node, chosen in enumerate(codes):  # only missing values go left: better all categories do, and those right
        if chosen == () and missing_left[node]:
            codes[node] = tuple(range(len(schema.features[feature[node]].categories or ())))
            left[node], right[node], missing_left[node] = right[node], left[node], False
    place: list[int] = []  # where a node really leads, last nodes first

    def lead(child: int) -> int:
        return place[len(feature) - 1 - child] if child >= 0 else ~int(label[~child])

    for node in reversed(range(len(feature))):
        one, other = lead(left[node]), lead(right[node])
        left[node], right[node] = one, other
        always = _side_of_all(threshold[node], codes[node], bool(missing_left[node]), schema.features[feature[node]])
        place.append(node if one != other and always is None else one if always in (None, "left") else other)
    start = place[-1] if feature else ~int(label[0])
    reached = sorted(_reached(start, left, right))
    number = {node: k for k, node in enumerate(reached)}

    def renumbered(child: int) -> int:
        return number[child] if child >= 0 else child

    return Graph(
        feature=tuple(feature[node] for node in reached),
        threshold=tuple(float("inf") if _is_any(threshold[n], codes[n]) else threshold[n] for n in reached),
        codes=tuple(codes[node] for node in reached),
        missing_left=tuple(bool(missing_left[node]) for node in reached),
        left=tuple(renumbered(left[node]) for node in reached),
        right=tuple(renumbered(right[node]) for node in reached),
        n_leaves=int(label.max()) + 1,
    )


def _codes(tree: Any, node: int, schema: Schema) -> tuple[int, ...] | None:
    offset = int(tree.set_offset[node])
    if offset < 0:
        return None
    n_categories = len(schema.features[int(tree.feature[node])].categories or ())
    words = [int(word) for word in tree.sets[offset : offset + n_categories // 64 + 1]]
    return tuple(c for c in range(n_categories) if words[(c + 1) >> 6] >> ((c + 1) & 63) & 1)


def _is_any(threshold: float, codes: tuple[int, ...] | None) -> bool:
    """Whether all values that are not missing go left."""
    return codes is None and threshold != threshold


def _side_of_all(threshold: float, codes: tuple[int, ...] | None, missing_left: bool, feature: Feature) -> str | None:
    """The side that every row takes; None where there are two."""
    if missing_left:
        everything = codes is not None and len(codes) == len(feature.categories or ())
        return "left" if everything or _is_any(threshold, codes) else None
    return "right" if codes == () else None


def _reached(start: int, left: list[int], right: list[int]) -> set[int]:
    found: set[int] = set()
    open_nodes = [start]
    while open_nodes:
        node = open_nodes.pop()
        if node >= 0 and node not in found:
            found.add(node)
            open_nodes += [left[node], right[node]]
    return found


def used_features(program: Program) -> tuple[int, ...]:
    """Positions of the features that the outputs depend on."""
    found: set[int] = set()
    open_parts: list[Expression] = list(program.outputs.values())
    while open_parts:
        part = open_parts.pop()
        if isinstance(part, TreeSum | TreeMedian):
            for g in part.graphs:
                found.update(program.graphs[g].feature)
        elif isinstance(part, Linear):
            found.update(number[0] for number in part.numbers)
            found.update(category[0] for category in part.categories)
        else:
            open_parts += list(part.of) if isinstance(part, Combination) else [part.of]
    return tuple(sorted(found))
