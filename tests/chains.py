"""Trees that are one long chain, where every split separates one row. Deeper than Python's recursion limit."""

from __future__ import annotations

import numpy as np

from rankforest import OrdinalRankingTree, TreeRank
from rankforest.data.schema import Feature, Schema
from rankforest.tree.ordinal_tree import OrdinalTree
from rankforest.tree.ranking_tree import RankingTree

DEPTH = 3100


def chain_rows(depth: int = DEPTH) -> tuple[np.ndarray, np.ndarray]:
    """The rows 0, 1, ..., depth, in falling order of their share of positives: the first half are positive."""
    return np.arange(depth + 1.0)[:, None], (np.arange(depth + 1) < depth // 2).astype(int)


def ranking_chain(depth: int = DEPTH) -> RankingTree:
    """Split k sends x <= k + 1/2 to a leaf at its left; the others go on at its right."""
    _, y = chain_rows(depth)
    nodes, cells = np.arange(depth), np.arange(2 * depth + 1)
    is_split = (cells % 2 == 0) & (cells < 2 * depth)
    first = np.append(y, 0)[:-1]
    left_mass = np.column_stack([1.0 - first[:-1], first[:-1]])
    below = np.cumsum(np.column_stack([1.0 - y, y])[::-1], axis=0)[::-1]  # of the rows k, k + 1, ...
    cell_mass = np.empty((2 * depth + 1, 2))
    cell_mass[0::2], cell_mass[1::2] = below, left_mass
    return RankingTree(
        schema=Schema((Feature("x0", "numeric"),), named=False),
        has_missing=np.zeros(1, dtype=bool),
        cell_parent=np.where(cells % 2, cells - 1, cells - 2).clip(-1).astype(np.int32),
        cell_left=np.where(is_split, cells + 1, -1).astype(np.int32),
        cell_right=np.where(is_split, cells + 2, -1).astype(np.int32),
        cell_depth=((cells + 1) // 2).astype(np.int32),
        cell_mass=cell_mass,
        cell_count=cell_mass.sum(axis=1),
        cell_gain=np.where(is_split, 1e-9, 0.0),
        feature=np.zeros(depth, dtype=np.int32),
        threshold=nodes + 0.5,
        digits=np.full(depth, 5, dtype=np.uint8),
        left=(~nodes).astype(np.int32),
        right=np.where(nodes < depth - 1, nodes + 1, ~np.int64(depth)).astype(np.int32),
        missing_left=np.zeros(depth, dtype=np.uint8),
        set_offset=np.full(depth, -1, dtype=np.int32),
        sets=np.zeros(0, dtype=np.uint64),
        owner=(2 * nodes).astype(np.int32),
        node_mass=below[:-1],
        left_mass=left_mass,
        node_count=below[:-1].sum(axis=1),
        left_count=left_mass.sum(axis=1),
        terminal_cell=np.append(2 * nodes + 1, 2 * depth).astype(np.int32),
        terminal_mass=np.vstack([left_mass, below[-1:]]),
        terminal_count=np.ones(depth + 1),
        cell_entry=np.where(is_split, cells // 2, -1).astype(np.int32),
    )


def inner_chain(depth: int = DEPTH) -> RankingTree:
    """One split whose inner tree is a chain: every second row is on the better side."""
    chain = ranking_chain(depth)
    better = np.arange(depth + 1) % 2 == 0
    mass = np.array([[depth + 1 - better.sum(), better.sum()], [0, better.sum()], [depth + 1 - better.sum(), 0]])
    left_mass = np.column_stack([1.0 - better[:-1], better[:-1]])
    return RankingTree(
        **{
            **{name: getattr(chain, name) for name in chain.__getstate__()},
            "cell_parent": np.array([-1, 0, 0], dtype=np.int32),
            "cell_left": np.array([1, -1, -1], dtype=np.int32),
            "cell_right": np.array([2, -1, -1], dtype=np.int32),
            "cell_depth": np.array([0, 1, 1], dtype=np.int32),
            "cell_mass": mass.astype(float),
            "cell_count": mass.sum(axis=1).astype(float),
            "cell_gain": np.array([1.0, 0.0, 0.0]),
            "owner": np.zeros(depth, dtype=np.int32),
            "left_mass": left_mass,
            "terminal_cell": np.where(better, 1, 2).astype(np.int32),
            "cell_entry": np.array([0, -1, -1], dtype=np.int32),
        }
    )


def ordinal_chain(depth: int = DEPTH) -> OrdinalTree:
    """The same chain as a tree of ordered labels."""
    chain, (_, y) = ranking_chain(depth), chain_rows(depth)
    names = ("schema", "has_missing", "feature", "threshold", "digits", "left", "right", "missing_left", "set_offset")
    return OrdinalTree(
        **{name: getattr(chain, name) for name in names},
        levels=np.array([0.0, 1.0]),
        sets=chain.sets,
        node_gain=np.full(depth, 1e-9),
        node_count=chain.node_count,
        leaf_mass=np.column_stack([1.0 - y, y]).astype(float),
        leaf_count=np.ones(depth + 1),
    )


def tree_rank(tree: RankingTree) -> TreeRank:
    """A fitted model whose tree is replaced by this one."""
    model = TreeRank(max_depth=1).fit(np.arange(20.0)[:, None], np.arange(20) < 10)
    model.tree_ = model.grown_tree_ = tree
    return model


def ordinal_tree(tree: OrdinalTree) -> OrdinalRankingTree:
    """The same for ordered labels."""
    model = OrdinalRankingTree(max_depth=1, pruning=None).fit(np.arange(20.0)[:, None], np.arange(20) < 10)
    model.tree_ = model.grown_tree_ = tree
    return model
