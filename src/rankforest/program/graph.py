"""From the arrays of a tree to the decision graph of a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.schema import Feature, Schema
from .program import Graph

__all__ = ["graph_of"]


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
