"""A tree of ordered labels in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..words import number, rows
from .conditions import Condition, in_words, narrow
from .ordinal_tree import OrdinalTree

__all__ = ["leaf_rules", "ordinal_text"]


def leaf_rules(tree: OrdinalTree) -> list[str]:
    """The conditions of every leaf in words, from left to right."""
    rules: list[str] = []
    open_nodes: list[tuple[int, dict[int, Condition]]] = [(0 if tree.n_nodes else ~0, {})]
    while open_nodes:
        node, path = open_nodes.pop()
        if node < 0:
            said = [c for j, c in sorted(path.items()) if not c.is_anything(bool(tree.has_missing[j]))]
            rules.append(in_words([said]))
            continue
        left, right = (narrow(tree, node, side, path, tree.has_missing) for side in (True, False))
        open_nodes += [(int(tree.right[node]), right), (int(tree.left[node]), left)]
    return rules


def ordinal_text(tree: OrdinalTree, classes: Sequence[Any] | np.ndarray, *, max_depth: int | None = None) -> str:
    """The tree as text: every node with its rows, the condition of its left side, and what its leaves predict.

    Parameters
    ----------
    tree : OrdinalTree
    classes : sequence of labels
        From the lowest to the highest.
    max_depth : int or None
        Nodes deeper than this are summed up in a line.
    """
    lines: list[str] = []
    mass, count = tree.node_mass, np.append(tree.node_count, tree.leaf_count)
    shares = mass / mass.sum(axis=1, keepdims=True)
    median = np.argmax(np.cumsum(shares, axis=1) >= 0.5 * (1.0 - 1e-12), axis=1)
    mean = shares @ tree.levels
    open_nodes: list[tuple[int, str]] = [(0, "")]
    while open_nodes:
        at, lead = open_nodes.pop()
        depth = int(tree.depth[at])
        described = f"{rows(count[at])}, mean {number(mean[at], 3)}"
        cut = at < tree.n_nodes and (max_depth is None or depth < max_depth)
        lines.append(f"{'    ' * depth}{lead}{described}" + ("" if cut else f": predicts {classes[median[at]]}"))
        if not cut:
            continue
        for side, child in zip((False, True), tree.children[at][::-1].tolist()):
            (condition,) = narrow(tree, at, side, {}, tree.has_missing).values()
            open_nodes.append((child, f"{condition}: "))
    return "\n".join(lines)
