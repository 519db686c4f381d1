"""LeafRank pruned by cross-validation: the inner tree is pruned to the size that divides held-out rows best.

A leaf of the inner tree goes left if it has a larger share of the cell's positives than of its negatives; the smaller
of the two shares is its cost. The costs sum to 1 - (beta - alpha), twice the balanced error of the division.
Weakest-link pruning of the inner tree by cost plus lambda times leaves gives nested trees, and lambda is the one with
the least cost on held-out rows; or the largest one within a standard error of it, where the first cut alone is the
smallest tree.

The core does the same for whole trees (core/held_out_division.hpp); this is the way of rows that are elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ..tree.pruning import weakest_link
from ..tree.ranking_tree import NODE_ARRAYS, RankingTree
from .axis_parallel import AxisParallel
from .cell import Cell, Cut

__all__ = ["InnerPath", "divide_pruned"]


@dataclass(frozen=True)
class InnerPath:
    """The nested prunings of an inner tree.

    Attributes
    ----------
    tree : RankingTree
        A tree with a single split.
    """

    tree: RankingTree

    @property
    def total(self) -> np.ndarray:
        """(negatives, positives) of the cell that the tree was grown in."""
        return self.tree.cell_mass[0]

    @cached_property
    def _nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Parent, left, right and mass of all nodes: inner nodes first, terminal t as node n_inner + t."""
        tree, n_inner = self.tree, len(self.tree.feature)
        left, right = (np.where(c >= 0, c, n_inner + ~c) for c in (tree.left.astype(int), tree.right.astype(int)))
        parent = np.full(n_inner + len(tree.terminal_cell), -1)
        parent[left] = parent[right] = np.arange(n_inner)
        none = np.full(len(tree.terminal_cell), -1)
        mass = np.vstack([tree.node_mass, tree.terminal_mass])
        return parent, np.append(left, none), np.append(right, none), mass

    @cached_property
    def is_positive(self) -> np.ndarray:
        """Whether each node would go left as a leaf; terminals keep their side."""
        mass = self.tree.node_mass
        of_inner = mass[:, 1] * self.total[0] > mass[:, 0] * self.total[1]
        return np.append(of_inner, self.tree.stratum_of_terminal == 0)

    @cached_property
    def collapse_at(self) -> np.ndarray:
        """The smallest lambda at which each node is a leaf; 0 for terminals."""
        parent, left, right, mass = self._nodes
        cost = (mass * self.total[::-1]).min(axis=1)  # common denominator: a cut without gain has exactly 0
        own = np.where(left >= 0, cost - cost[left] - cost[right], 0.0) / self.total.prod()
        return weakest_link(parent, left, right, np.maximum(own, 0.0))

    @property
    def lambdas(self) -> np.ndarray:
        """The lambdas at which the tree changes, increasing, from 0."""
        return np.unique(np.append(self.collapse_at, 0.0))

    def leaf_of_terminal(self, complexity: ArrayLike) -> np.ndarray:
        """The leaf above (or at) each terminal, when the tree is pruned by a lambda.

        For several lambdas, one row each.
        """
        parent = self._nodes[0]
        above = np.arange(len(self.tree.feature), len(parent))  # the terminals
        limit = np.asarray(complexity)[..., None]
        leaf = np.broadcast_to(above, (*limit.shape[:-1], len(above)))
        while (above >= 0).any():  # a node collapses no later than its parent: the highest one is the leaf
            leaf = np.where((above >= 0) & (self.collapse_at[above] <= limit), above, leaf)
            above = np.where(above >= 0, parent[above], -1)
        return leaf

    @property
    def leaf_of_first_cut(self) -> np.ndarray:
        """The side of the first cut that each terminal is on."""
        parent = self._nodes[0]
        above = np.arange(len(self.tree.feature), len(parent))
        while (parent[above] > 0).any():
            above = np.where(parent[above] > 0, parent[above], above)
        return above

    def prune(self, leaf: np.ndarray) -> AxisParallel | None:
        """The division after pruning, given the leaf above each terminal; None if all rows would go to one side."""
        side = self.is_positive[leaf]
        if side.all() or not side.any():
            return None
        tree, n_inner = self.tree, len(self.tree.feature)
        kept = np.ones(n_inner, dtype=bool)
        is_leaf = np.zeros(len(self._nodes[0]), dtype=bool)
        is_leaf[leaf] = True
        for node in range(n_inner):
            above = self._nodes[0][node]
            kept[node] = not is_leaf[node] and (above < 0 or bool(kept[above]))
        place = np.cumsum(kept) - 1
        leaves = np.flatnonzero(is_leaf)
        terminal = np.full(len(is_leaf), -1)
        terminal[leaves] = np.arange(len(leaves))
        # a leaf that was an inner node has that node's mass and count
        mass = self._nodes[3][leaves]
        count = np.append(tree.node_count, tree.terminal_count)[leaves]
        goes_left = self.is_positive[leaves]

        def child(nodes: np.ndarray) -> np.ndarray:
            to = nodes[:n_inner][kept]
            return np.where(is_leaf[to], ~terminal[to], place[np.minimum(to, n_inner - 1)]).astype(np.int32)

        cell_mass = np.array([mass.sum(axis=0), mass[goes_left].sum(axis=0), mass[~goes_left].sum(axis=0)])
        share = cell_mass[1] / self.total
        return AxisParallel(
            replace(
                tree,
                **{name: getattr(tree, name)[kept] for name in (*NODE_ARRAYS, "set_offset", "owner")},
                left=child(self._nodes[1]),
                right=child(self._nodes[2]),
                terminal_cell=np.where(goes_left, 1, 2).astype(np.int32),
                terminal_mass=mass,
                terminal_count=count,
                cell_mass=cell_mass,
                cell_count=np.array([count.sum(), count[goes_left].sum(), count[~goes_left].sum()]),
                cell_gain=np.array([share[1] - share[0], 0.0, 0.0]),
            )
        )


def divide_pruned(
    learn: Callable[[Cell], AxisParallel | None],
    cell: Cell,
    n_folds: int,
    *,
    held_out: bool,
    one_standard_error: bool = False,
) -> Cut | None:
    """Cut a cell with its pruned inner tree.

    Its training rows are routed by the pruned tree, or by trees that were not trained on them (held-out routing).
    """
    folds = cell.folds(n_folds)
    whole = learn(cell) if folds is not None else None
    if folds is None or whole is None:
        return None
    path = InnerPath(whole.tree)
    lambdas = path.lambdas
    complexities = np.append(np.sqrt(lambdas[:-1] * lambdas[1:]), lambdas[-1])

    def sizes(path: InnerPath) -> np.ndarray:
        """The leaf above each terminal for every size; the last one is the first cut alone."""
        return np.vstack([path.leaf_of_terminal(complexities), path.leaf_of_first_cut])

    sides = np.zeros((len(complexities) + 1, len(cell.rows)), dtype=bool)
    for fold in range(int(folds.max()) + 1):
        unseen = np.flatnonzero(folds == fold)
        division = learn(cell.take(folds != fold))
        if division is None:
            continue
        fold_path = InnerPath(division.tree)
        terminals = cell.answers(division.tree.terminals, unseen)
        sides[:, unseen] = fold_path.is_positive[sizes(fold_path)][:, terminals]
    gains = cell.gain(sides)
    best = len(complexities) - 1 - int(np.argmax(gains[-2::-1]))  # the smallest of equally good ones
    if gains[best] <= 0.0:
        return None
    if one_standard_error:
        least = gains[best] - _standard_error(cell, sides[best], folds)
        best = int(np.flatnonzero((gains >= least) & (gains > 0.0))[-1])
    pruned = path.prune(sizes(path)[best])
    if pruned is None:
        return None
    return Cut(pruned, sides[best], held_out=True) if held_out else Cut(pruned, cell.answers(pruned.goes_left))


def _standard_error(cell: Cell, left: np.ndarray, folds: np.ndarray) -> float:
    """Of the mean over the folds of their gains; sums in the order of the folds, as in the core."""
    n_folds = int(folds.max()) + 1
    gains = [float(cell.take(folds == fold).gain(left[folds == fold])) for fold in range(n_folds)]
    total = squares = 0.0
    for gain in gains:
        total += gain
    for gain in gains:
        squares += (gain - total / n_folds) * (gain - total / n_folds)
    return math.sqrt(squares / (n_folds - 1) / n_folds)
