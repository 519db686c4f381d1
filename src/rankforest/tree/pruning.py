"""The right size of a ranking tree (2011 paper, section 4).

Collapsing a master node removes the Lambda / 2 of every split below it from the AUC, so the nested subtrees of
cost-complexity pruning, and the best subtree of every size, need no data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .. import _core
from .master_tree import MasterTree
from .subtree import collapse

__all__ = [
    "BestSubtrees",
    "PruningPath",
    "auc_along",
    "best_subtrees",
    "cell_mass_on",
    "lambdas_of",
    "lambdas_on",
    "pruning_path",
    "strata_mass",
    "sums_along",
    "weakest_link",
]


@dataclass(frozen=True)
class PruningPath:
    """The nested subtrees that maximise AUC - lambda * leaves, from the whole tree to the root alone.

    Attributes
    ----------
    tree : MasterTree
        The tree that is pruned.
    collapse_at : array
        For each master node, the lambda at which its split is removed; 0 for leaves.
    """

    tree: MasterTree
    collapse_at: np.ndarray

    @cached_property
    def lambdas(self) -> np.ndarray:
        """Where the best subtree changes, increasing from 0: subtree i is best in [lambdas[i], lambdas[i + 1])."""
        return np.unique(np.append(self.collapse_at[self.tree.cell_left >= 0], 0.0))

    @cached_property
    def n_leaves(self) -> np.ndarray:
        """Leaves of each subtree: one more than its splits."""
        splits = np.sort(self.collapse_at[self.tree.cell_left >= 0])
        return 1 + len(splits) - np.searchsorted(splits, self.lambdas, side="right")

    @cached_property
    def auc(self) -> np.ndarray:
        """AUC of each subtree on the training rows as the tree counts them (see `MasterTree.held_out`)."""
        return auc_along(self, self.tree.cell_gain, self.lambdas)

    def prune(self, complexity: float) -> MasterTree:
        """The subtree that is best for lambda = complexity."""
        return collapse(self.tree, self.collapse_at <= complexity)

    def __len__(self) -> int:
        return len(self.lambdas)


def pruning_path(tree: MasterTree) -> PruningPath:
    """Weakest-link pruning: again and again collapse the node that loses the least AUC per leaf removed.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(500, random_state=0)
    >>> path = pruning_path(TreeRank(max_depth=2).fit(sample.X, sample.y).tree_)
    >>> path.n_leaves[0], path.n_leaves[-1]
    (np.int64(4), np.int64(1))
    """
    own = tree.cell_gain / 2.0
    return PruningPath(tree, weakest_link(tree.cell_parent, tree.cell_left, tree.cell_right, own))


def weakest_link(parent: np.ndarray, left: np.ndarray, right: np.ndarray, own: np.ndarray) -> np.ndarray:
    """The lambda at which each node of a binary tree collapses; 0 for leaves.

    Parameters
    ----------
    parent, left, right : arrays of int
        The tree, parents before children; -1 if there is none.
    own : array
        What the split of each node gains, on top of what the splits below it gain; not negative.
    """
    return _core.weakest_link(*(array.tolist() for array in (parent, left, right, own)))


def lambdas_on(tree: MasterTree, X_cells: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Lambda of every split of the tree on another sample.

    Parameters
    ----------
    X_cells : array of int
        Stratum of each row.
    labels : array
        0 or 1 per row.
    """
    return lambdas_of(tree, cell_mass_on(tree, X_cells, labels, weights))


def lambdas_of(tree: MasterTree, mass: np.ndarray) -> np.ndarray:
    """Lambda of every split, given the mass (negatives, positives) of another sample in every master node."""
    alpha, beta = (mass / mass[0]).T
    left = tree.cell_left
    return np.where(left >= 0, alpha * beta[left] - beta * alpha[left], 0.0)


def cell_mass_on(tree: MasterTree, X_cells: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Mass (negatives, positives) of another sample in every master node."""
    mass = np.zeros((len(tree.cell_parent), 2))
    mass[tree.leaves] = strata_mass(tree, X_cells, labels, weights)
    for node in range(len(mass) - 1, 0, -1):
        mass[tree.cell_parent[node]] += mass[node]
    return mass


def strata_mass(tree: MasterTree, X_cells: np.ndarray, labels: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Mass (negatives, positives) of another sample in each stratum."""
    mass = np.zeros((tree.n_leaves, 2))
    for k in (0, 1):
        of_class = labels == k
        weight = None if weights is None else weights[of_class]
        mass[:, k] = np.bincount(X_cells[of_class], weights=weight, minlength=tree.n_leaves)
    return mass


def auc_along(path: PruningPath, lambdas_of_splits: np.ndarray, complexities: np.ndarray) -> np.ndarray:
    """AUC of the subtree of each complexity, given the Lambda of every split on some sample.

    The AUC telescopes over splits on any sample, so one pass over the rows evaluates all subtrees.
    """
    splits = path.tree.cell_left >= 0
    return 0.5 + 0.5 * sums_along(path.collapse_at[splits], lambdas_of_splits[splits], complexities)


def sums_along(collapse_at: np.ndarray, values: np.ndarray, complexities: np.ndarray) -> np.ndarray:
    """For each complexity, the sum of the values of the splits that are still there: those that collapse later.

    Examples
    --------
    >>> sums_along(np.array([1.0, 2.0, 2.0]), np.array([10.0, 5.0, 1.0]), np.array([0.0, 1.0, 2.0]))
    array([16.,  6.,  0.])
    """
    order = np.argsort(collapse_at, kind="stable")
    # sums from the end
    tail = np.append(np.cumsum(values[order][::-1])[::-1], 0.0)
    return tail[np.searchsorted(collapse_at[order], complexities, side="right")]


@dataclass(frozen=True)
class BestSubtrees:
    """The subtree with the largest AUC of every size.

    Attributes
    ----------
    auc : array
        auc[k - 1] is the largest AUC of a subtree with k leaves on the training rows as the tree counts them.
    left_leaves : tuple of arrays
        Of each cell: left_leaves[cell][k - 1] of the k leaves of its best branch lie to the left.
    """

    tree: MasterTree
    auc: np.ndarray
    left_leaves: tuple[np.ndarray, ...]

    def prune(self, n_leaves: int) -> MasterTree:
        """The best subtree with the given number of leaves."""
        if not 1 <= n_leaves <= len(self.auc):
            raise ValueError(f"n_leaves is {n_leaves}; the tree has subtrees of 1 to {len(self.auc)} leaves.")
        chosen = np.zeros(len(self.tree.cell_parent), dtype=bool)
        open_cells = [(0, n_leaves)]
        while open_cells:
            cell, leaves = open_cells.pop()
            if leaves == 1:
                chosen[cell] = True
                continue
            to_left = int(self.left_leaves[cell][leaves - 1])
            open_cells.append((int(self.tree.cell_left[cell]), to_left))
            open_cells.append((int(self.tree.cell_right[cell]), leaves - to_left))
        return collapse(self.tree, chosen)


def best_subtrees(tree: MasterTree) -> BestSubtrees:
    """Dynamic programming on (node, leaves): a split's best subtree of k leaves shares them between its children."""
    n = len(tree.cell_parent)
    best: list[np.ndarray] = [np.zeros(1)] * n
    left_leaves: list[np.ndarray] = [np.ones(1, dtype=int)] * n
    for cell in range(n - 1, -1, -1):
        if tree.cell_left[cell] < 0:
            continue
        left, right = best[tree.cell_left[cell]], best[tree.cell_right[cell]]
        total = np.full(len(left) + len(right), -math.inf)
        share = np.ones(len(total), dtype=int)
        total[0] = 0.0
        for i, value in enumerate(left):  # i + 1 leaves to the left
            reach = slice(i + 1, i + 1 + len(right))
            candidate = value + right + tree.cell_gain[cell] / 2.0
            better = candidate > total[reach]
            total[reach][better] = candidate[better]
            share[reach][better] = i + 1
        best[cell], left_leaves[cell] = total, share
    return BestSubtrees(tree, 0.5 + best[0], tuple(left_leaves))
