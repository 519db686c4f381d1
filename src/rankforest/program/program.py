"""A fitted model as a program: features, decision graphs and a few ways to combine their values.

A model returns its program, and an export prints it. A program does not depend on estimators, and a printer depends on
programs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.schema import Feature
from ..data.sums import WeightedSum

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
    "interpolation",
    "steps",
    "used_features",
]


@dataclass(frozen=True, eq=False)
class Graph:
    """An acyclic decision graph whose nodes come before their children; it starts at node 0.

    Attributes
    ----------
    feature : tuple of int
        Of each node.
    threshold : tuple of float
        Values up to it go left; infinite if all values that are not missing go left, NaN for a node with a set.
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
        The labels of "level", or the label of "probability".
    sums : tuple of WeightedSum
        Further features that are computed from the others, before the graphs are walked; they have the positions after
        those of `features`. Missing where a part is.
    constraints : tuple of str
        What the score keeps, a sentence of printable letters for each constraint.
    """

    model: str
    features: tuple[Feature, ...]
    graphs: tuple[Graph, ...]
    outputs: Mapping[str, Expression]
    labels: tuple[Any, ...] | None = None
    sums: tuple[WeightedSum, ...] = ()
    constraints: tuple[str, ...] = ()

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


def used_features(program: Program) -> tuple[int, ...]:
    """Positions of the features that the outputs depend on, those of sums included."""
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
    n_features = len(program.features)
    for added in [j for j in found if j >= n_features]:
        found.remove(added)
        found.update(feature for feature, _ in program.sums[added - n_features].terms)
    return tuple(sorted(found))
