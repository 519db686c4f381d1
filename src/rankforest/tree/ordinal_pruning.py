"""The right size of a tree of ordered labels: cost-complexity pruning by the absolute error, and depth.

A node that predicts its median label has a loss on any sample, and the gain of its cut is the decrease of this loss.
The loss of a subtree is the loss of the root minus the gains of its cuts, so one pass over the rows evaluates all
subtrees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .ordinal_tree import OrdinalTree, median_level
from .pruning import sums_along, weakest_link

__all__ = ["OrdinalPath", "collapse_ordinal", "depth_path", "loss_and_gains", "ordinal_pruning_path"]

_LARGE = 2000  # nodes; in a larger tree, branches that gain less than one row per leaf are collapsed first


@dataclass(frozen=True)
class OrdinalPath:
    """Nested subtrees, from the whole tree to the root alone.

    Attributes
    ----------
    tree : OrdinalTree
        The tree that is pruned.
    collapse_at : array
        For each node, the complexity at which its cut is removed.
    complexities : array
        Where the subtree changes, increasing: the first is that of the whole tree, the last that of the root alone.
    """

    tree: OrdinalTree
    collapse_at: np.ndarray
    complexities: np.ndarray

    @cached_property
    def n_leaves(self) -> np.ndarray:
        """Leaves of each subtree."""
        return 1 + sums_along(self.collapse_at, np.ones(len(self.collapse_at)), self.complexities).astype(int)

    @cached_property
    def error(self) -> np.ndarray:
        """Mean absolute error of each subtree on the training rows."""
        return self.error_on(self.tree.leaf_mass, self.complexities)

    def error_on(self, leaf_mass: np.ndarray, complexities: np.ndarray) -> np.ndarray:
        """Mean absolute error of the subtree of each complexity on some rows, given their mass per leaf and label."""
        root, gains = loss_and_gains(self.tree, leaf_mass)
        return (root - sums_along(self.collapse_at, gains, complexities)) / leaf_mass.sum()

    def prune(self, complexity: float) -> OrdinalTree:
        """The subtree of a complexity."""
        return collapse_ordinal(self.tree, self.collapse_at <= complexity)

    def __len__(self) -> int:
        return len(self.complexities)


def ordinal_pruning_path(tree: OrdinalTree) -> OrdinalPath:
    """Weakest-link pruning: again and again collapse the node that loses the least absolute error per leaf removed.

    The complexity of a subtree is in units of the mean absolute error on the training rows. In a large tree there are
    thousands of branches that decrease the error by less than one label step of one row per leaf. They are collapsed at
    once.
    """
    _, gains = loss_and_gains(tree, tree.leaf_mass)
    own = np.maximum(gains, 0.0) / tree.leaf_mass.sum()  # a cut never increases the loss of medians, except by rounding
    if tree.n_nodes <= _LARGE:
        collapse_at = _weakest_link(tree, own)
    else:
        one_row = float(np.diff(tree.levels).min()) / tree.leaf_count.sum()
        kept = worth_keeping(tree, own, one_row)
        collapse_at = np.full(tree.n_nodes, one_row)
        below = _weakest_link(collapse_ordinal(tree, ~kept), own[kept])
        collapse_at[kept] = np.maximum(below, one_row)
    return OrdinalPath(tree, collapse_at, np.unique(np.append(collapse_at, 0.0)))


def _weakest_link(tree: OrdinalTree, own: np.ndarray) -> np.ndarray:
    """The complexity at which each node collapses."""
    n, n_all = tree.n_nodes, tree.n_nodes + tree.n_leaves
    left, right = (np.append(side, np.full(tree.n_leaves, -1)) for side in tree.children.T.reshape(2, n))
    parent = np.full(n_all, -1)
    parent[tree.children.ravel()] = np.repeat(np.arange(n), 2)
    return weakest_link(parent, left, right, np.append(own, np.zeros(tree.n_leaves)))[:n]


def worth_keeping(tree: OrdinalTree, own: np.ndarray, complexity: float) -> np.ndarray:
    """The nodes of the smallest subtree that is best for one complexity: level by level from below, then from above."""
    net = np.zeros(tree.n_nodes + tree.n_leaves)  # what the branch of a node gains, less what its leaves cost
    depth = tree.depth[: tree.n_nodes]
    order = np.argsort(-depth, kind="stable")
    levels = np.split(order, np.flatnonzero(np.diff(depth[order])) + 1)
    for nodes in levels:
        net[nodes] = own[nodes] - complexity + np.maximum(net[tree.children[nodes]], 0.0).sum(axis=1)
    kept = net > 1e-12 * complexity
    for nodes in reversed(levels):
        kept[tree.children[nodes]] &= kept[nodes, None]
    return kept[: tree.n_nodes]


def depth_path(tree: OrdinalTree) -> OrdinalPath:
    """Subtrees by depth: the complexity of the subtree of depth d is -d."""
    return OrdinalPath(tree, -tree.depth[: tree.n_nodes].astype(np.float64), -np.arange(tree.max_depth, -1.0, -1.0))


def loss_and_gains(tree: OrdinalTree, leaf_mass: np.ndarray) -> tuple[float, np.ndarray]:
    """Absolute loss of the root, and its decrease by the cut of each node, given the mass of the rows per leaf."""
    guess = tree.levels[median_level(tree.node_mass)]
    distance = np.abs(guess[:, None] - tree.levels)
    loss = (tree.with_sums(leaf_mass) * distance).sum(axis=1)
    return float(loss[0]), loss[: tree.n_nodes] - loss[tree.children].reshape(-1, 2).sum(axis=1)


def collapse_ordinal(tree: OrdinalTree, chosen: np.ndarray) -> OrdinalTree:
    """The tree in which the chosen nodes, and all below them, are cut no more."""
    if not chosen.any():
        return tree
    kept: list[int] = []  # nodes, in preorder
    leaves: list[int] = []  # nodes or leaves that are leaves now, from left to right
    left, right = tree.left.copy(), tree.right.copy()
    open_nodes: list[tuple[int, np.ndarray | None, int]] = [(0, None, 0)]
    children = tree.children.tolist()
    while open_nodes:
        at, side, parent = open_nodes.pop()
        if at >= tree.n_nodes or chosen[at]:
            number = ~len(leaves)
            leaves.append(at)
        else:
            number = len(kept)
            kept.append(at)
            open_nodes += [(children[at][1], right, at), (children[at][0], left, at)]
        if side is not None:
            side[parent] = number
    nodes = np.array(kept, dtype=np.intp)
    count = np.append(tree.node_count, tree.leaf_count)
    names = ("feature", "threshold", "digits", "missing_left", "set_offset", "node_gain", "node_count")
    return replace(
        tree,
        left=left[nodes],
        right=right[nodes],
        leaf_mass=tree.node_mass[leaves],
        leaf_count=count[leaves],
        **{name: getattr(tree, name)[nodes] for name in names},  # sets stay whole
    )
