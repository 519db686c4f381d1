"""The total of a scorecard as part of a program: a small decision graph for each feature or pair."""

from __future__ import annotations

from ..scorecard.card import Axis, Scorecard, Steps
from .program import Graph, TreeSum

__all__ = ["total_of_card"]


class _Nodes:
    """The nodes of a graph, each before its children."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, float, tuple[int, ...] | None]] = []
        self.left: list[int] = []
        self.right: list[int] = []

    def add(self, feature: int, threshold: float, codes: tuple[int, ...] | None = None) -> int:
        self.rows.append((feature, threshold, codes))
        self.left.append(0)
        self.right.append(0)
        return len(self.rows) - 1

    def ask(self, axis: Axis, ends: list[int], missing: int) -> int:
        """The first node of the question where on an axis a row is; missing values always go right.

        Parameters
        ----------
        axis : Axis
        ends : list of int
            The leaf, as ``~leaf``, of each step.
        missing : int
            That of a missing value.
        """
        if axis.edges is not None:
            first = self.add(axis.feature, float("inf"))
            self.left[first], self.right[first] = self._below(axis, ends, 0, len(ends)), missing
            return first
        assert axis.groups is not None, "a step needs edges or groups"
        first = self.add(axis.feature, float("nan"), tuple(range(len(axis.groups))))
        self.right[first], before = missing, first
        for k in range(len(ends) - 1):  # one group after the other, as a person reads them
            node = self.add(axis.feature, float("nan"), tuple(c for c, group in enumerate(axis.groups) if group == k))
            if before == first:
                self.left[before] = node
            else:
                self.right[before] = node
            self.left[node], before = ends[k], node
        if before == first:
            self.left[first] = ends[-1]
        else:
            self.right[before] = ends[-1]
        return first

    def _below(self, axis: Axis, ends: list[int], start: int, stop: int) -> int:
        """Steps from `start` up to `stop`, by halves."""
        if stop - start == 1:
            return ends[start]
        assert axis.edges is not None, "groups have no order"
        middle = (start + stop) // 2
        node = self.add(axis.feature, float(axis.edges[middle - 1]))
        self.left[node] = self._below(axis, ends, start, middle)
        self.right[node] = self._below(axis, ends, middle, stop)
        return node

    def graph(self, n_leaves: int) -> Graph:
        feature, threshold, codes = zip(*self.rows) if self.rows else ((), (), ())
        return Graph(
            feature=feature,
            threshold=threshold,
            codes=codes,
            missing_left=(False,) * len(feature),
            left=tuple(self.left),
            right=tuple(self.right),
            n_leaves=n_leaves,
        )


def total_of_card(card: Scorecard) -> tuple[tuple[Graph, ...], TreeSum]:
    """The graphs of a card, one for each term, and their sum; the leaf of a row is its code.

    Parameters
    ----------
    card : Scorecard
    """
    graphs = []
    for term in card.terms:
        nodes, n_codes = _Nodes(), len(term.table)
        if isinstance(term, Steps):
            nodes.ask(term, [~k for k in range(n_codes - 1)], ~(n_codes - 1))
        else:
            _ask_pair(nodes, *term.axes)
        graphs.append(nodes.graph(n_codes))
    tables = tuple(term.table for term in card.terms)
    return tuple(graphs), TreeSum(tuple(range(len(graphs))), tables, offset=float(card.offset))


def _ask_pair(nodes: _Nodes, one: Axis, other: Axis) -> None:
    """First the one axis, whose ends are then asked for the other."""
    width, n = other.n_steps + 1, one.n_steps + 1
    nodes.ask(one, [-1 - k for k in range(n - 1)], -n)
    first_nodes = len(nodes.rows)
    starts = []
    for k in range(n):
        starts.append(nodes.ask(other, [~(k * width + step) for step in range(width - 1)], ~(k * width + width - 1)))
    for side in (nodes.left, nodes.right):
        side[:first_nodes] = [starts[~child] if child < 0 else child for child in side[:first_nodes]]
