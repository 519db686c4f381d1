"""Checks of the arrays of a file, for all trees at once, before they are used.

Walks end, because children come after parents. Nothing is read outside of an array, because every index is in range.
And the trees are valid: cells are in preorder, and inner trees have no shared branches.
"""

from __future__ import annotations

import numpy as np

from ..data.left_out import LeftOut
from ..data.schema import Schema
from .errors import require

__all__ = [
    "check_cells",
    "check_inner_trees",
    "check_nodes",
    "check_plain_trees",
    "owners_of",
]


def owners_of(bounds: np.ndarray) -> np.ndarray:
    """Index of the tree of each entry."""
    return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))


def check_cells(arrays: dict[str, np.ndarray], bounds: np.ndarray) -> None:
    """Master trees: cells in preorder, the left child first, every cell but the root with one parent.

    In preorder a split is followed by its left child, and a leaf by a cell that is not deeper. The cells of one depth
    are, in pairs, the children of the splits one level above.
    """
    parent, left, right, depth = (arrays[f"cell_{name}"] for name in ("parent", "left", "right", "depth"))
    n = len(parent)
    tree = owners_of(bounds)
    start = bounds[:-1][tree]
    split = left >= 0
    last = np.zeros(n, dtype=bool)
    last[bounds[1:] - 1] = True
    require((depth[bounds[:-1]] == 0).all() and (parent[bounds[:-1]] == -1).all(), "a tree has no root")
    require(not (split & last).any(), "a tree ends with a split")
    inside = ~last[:-1]
    after_split = depth[1:] == depth[:-1] + 1
    fine = np.where(split[:-1], after_split, (depth[1:] <= depth[:-1]) & (depth[1:] > 0))
    require((fine | ~inside).all(), "the cells of a tree are not in preorder")
    require((left[~split] == -1).all() and (right[~split] == -1).all(), "a leaf of a tree has a child")
    position = np.arange(n) - start
    require((left[split] == position[split] + 1).all(), "a cell of a tree is not followed by its left child")
    # cells by tree and depth: the cells of a level are, in pairs, the children of the splits one level above
    order = np.lexsort((np.arange(n), depth, tree))
    splits = order[split[order]]
    children = order[depth[order] > 0]
    require(len(children) == 2 * len(splits), "the cells of a tree do not come in pairs")
    pairs = children.reshape(-1, 2)
    same = (tree[pairs] == tree[splits][:, None]).all() and (depth[pairs] == depth[splits][:, None] + 1).all()
    require(same, "the cells of a tree do not come in pairs")
    linked = (position[pairs[:, 0]] == left[splits]).all() and (position[pairs[:, 1]] == right[splits]).all()
    require(linked, "a cell of a tree has a child with another parent")
    require((parent[pairs] == position[splits][:, None]).all(), "a cell of a tree has a parent without this child")


def check_nodes(
    arrays: dict[str, np.ndarray],
    schema: Schema,
    node_bounds: np.ndarray,
    end_bounds: np.ndarray,
    set_bounds: np.ndarray,
) -> None:
    """Axis-parallel nodes: valid features, thresholds and sets of categories, and children that come later.

    Parameters
    ----------
    node_bounds, end_bounds, set_bounds : arrays
        Start of the nodes, the terminals (or leaves) and the words of the sets of each tree.
    """
    feature, threshold, set_offset = arrays["feature"], arrays["threshold"], arrays["set_offset"]
    n_codes = np.array([0 if f.categories is None else len(f.categories) + 1 for f in schema.features], dtype=np.int64)
    tree = owners_of(node_bounds)
    n_nodes, n_ends, n_words = (np.diff(bounds)[tree] for bounds in (node_bounds, end_bounds, set_bounds))
    position = np.arange(len(feature)) - node_bounds[:-1][tree]
    require(((feature >= 0) & (feature < len(n_codes))).all(), "a node of a tree cuts on a feature that does not exist")
    require((arrays["missing_left"] <= 1).all(), "its missing_left contains values other than 0 and 1")
    categorical = n_codes[feature] > 0
    require(
        (categorical == (set_offset >= 0)).all(),
        "a node of a tree has a threshold for a categorical feature, or a set of categories for a numeric one",
    )
    require(not np.isnan(threshold[~categorical]).any(), "a node of a tree has no threshold")
    digits = arrays.get("digits")
    few = digits is None or isinstance(digits, LeftOut) or (digits <= 17).all()
    require(few, "a threshold of a tree has more than 17 digits")
    words = (n_codes[feature] + 63) // 64
    reach = (set_offset + words <= n_words) | ~categorical
    require(reach.all() and (set_offset >= -1).all(), "a set of categories of a tree is out of range")
    for child in (arrays["left"], arrays["right"]):
        later = (child > position) & (child < n_nodes)
        end = ~child.astype(np.int64) < n_ends
        fine = np.where(child >= 0, later, end)
        require(fine.all(), "a node of a tree points to a child that does not exist or comes before it")


def check_inner_trees(arrays: dict[str, np.ndarray], bounds: dict[str, np.ndarray]) -> None:
    """The inner tree of every split: one entry, no shared branches, and terminals in the two children of its cell."""
    owner, terminal_cell = arrays["owner"], arrays["terminal_cell"]
    cell_entry, cell_parent, cell_left = (arrays[f"cell_{name}"] for name in ("entry", "parent", "left"))
    node_bounds, cell_bounds, terminal_bounds = (bounds[name] for name in ("node", "cell", "terminal"))
    of_cell, of_node, of_terminal = owners_of(cell_bounds), owners_of(node_bounds), owners_of(terminal_bounds)
    n_cells = np.diff(cell_bounds)
    split = cell_left >= 0
    require(((owner >= 0) & (owner < n_cells[of_node])).all(), "an inner node of a tree belongs to no cell")
    cell = owner + cell_bounds[:-1][of_node]  # from here on cells, nodes and terminals count over all trees
    require(split[cell].all(), "an inner node of a tree belongs to a leaf")
    require(((terminal_cell >= 0) & (terminal_cell < n_cells[of_terminal])).all(), "a terminal of a tree has no cell")
    end_cell = terminal_cell + cell_bounds[:-1][of_terminal]
    require(not split[end_cell].any(), "a terminal of a tree is in a cell that is split")
    entered = np.zeros(len(cell_left), dtype=bool)
    entered[end_cell] = True
    require((entered | split).all(), "a leaf of a tree has no terminal")
    require(((cell_entry >= 0) == split).all(), "a split of a tree has no inner node")
    in_range = cell_entry[split] < np.diff(node_bounds)[of_cell[split]]
    require(in_range.all(), "a split of a tree has no inner node")
    entry = cell_entry.astype(np.int64) + node_bounds[:-1][of_cell]
    require((cell[entry[split]] == np.flatnonzero(split)).all(), "the first node of a split belongs to another split")
    is_entry = np.zeros(len(owner), dtype=bool)
    is_entry[entry[split]] = True
    require((cell_entry[cell_bounds[:-1]] <= 0).all(), "a tree does not start at its first node")

    n_parents, n_terminal_parents = np.zeros(len(owner), dtype=np.int64), np.zeros(len(terminal_cell), dtype=np.int64)
    parent_cell = cell_parent + cell_bounds[:-1][of_cell]
    for child in (arrays["left"], arrays["right"]):
        to_node = child >= 0
        source, node = cell[to_node], child[to_node] + node_bounds[:-1][of_node[to_node]]
        within = cell[node] == source
        n_parents += np.bincount(node[within], minlength=len(owner))
        fine = np.where(within, ~is_entry[node], is_entry[node] & (parent_cell[cell[node]] == source))
        require(fine.all(), "an inner tree leads into a cell that is not below it")
        end = ~child[~to_node].astype(np.int64) + terminal_bounds[:-1][of_node[~to_node]]
        require(
            (parent_cell[end_cell[end]] == cell[~to_node]).all(), "an inner tree ends in a cell that is not below it"
        )
        n_terminal_parents += np.bincount(end, minlength=len(terminal_cell))
    require((n_parents[~is_entry] == 1).all(), "an inner tree has a node without exactly one parent")
    alone = np.diff(node_bounds)[of_terminal] == 0
    require((n_terminal_parents[~alone] == 1).all(), "a terminal of a tree does not have exactly one parent")
    single = np.diff(terminal_bounds)[np.diff(node_bounds) == 0] == 1
    require(single.all(), "a tree without inner nodes has several terminals")


def check_plain_trees(arrays: dict[str, np.ndarray], node_bounds: np.ndarray, leaf_bounds: np.ndarray) -> None:
    """Ordinary binary trees: one more leaf than nodes; every node but the first, and every leaf, with one parent."""
    require((np.diff(leaf_bounds) == np.diff(node_bounds) + 1).all(), "a tree does not have one more leaf than nodes")
    tree = owners_of(node_bounds)
    n_parents, n_leaf_parents = np.zeros(int(node_bounds[-1]), np.int64), np.zeros(int(leaf_bounds[-1]), np.int64)
    for child in (arrays["left"], arrays["right"]):
        inner = child >= 0
        n_parents += np.bincount(child[inner] + node_bounds[:-1][tree[inner]], minlength=len(n_parents))
        leaf = ~child[~inner].astype(np.int64) + leaf_bounds[:-1][tree[~inner]]
        n_leaf_parents += np.bincount(leaf, minlength=len(n_leaf_parents))
    first = np.zeros(len(n_parents), dtype=bool)
    first[node_bounds[:-1][np.diff(node_bounds) > 0]] = True
    require((n_parents == ~first).all(), "a tree has a node without exactly one parent")
    alone = (np.diff(node_bounds) == 0)[owners_of(leaf_bounds)]
    require((n_leaf_parents == ~alone).all(), "a tree has a leaf without exactly one parent")
