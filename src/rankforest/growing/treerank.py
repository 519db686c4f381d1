"""TreeRank: split cells until nothing is gained.

With LeafRank the core grows whole trees, also where its inner trees are judged on held-out rows. Any other rule splits
cell by cell, in the loop of this file; with LeafRank this loop gives the same tree.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .. import _core
from ..data.constraints import CodedConstraints
from ..data.parameters import at_least, bound, feature_count
from ..data.sample import Sample, fixed_point
from ..data.schema import Schema
from ..data.storable import storable
from ..splitting.axis_parallel import AxisParallel
from ..splitting.cell import Cell, Division, RuleFailed, SplittingRule
from ..splitting.leafrank import LeafRank
from ..tree.graft import graft
from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from ..tree.rule_tree import RuleTree

__all__ = ["GrowTree", "Growth", "grow_by_rule", "grow_tree", "grow_trees"]


@storable
@dataclass(frozen=True)
class Growth:
    """Parameters of the growth of a master tree, with the names of `TreeRank`."""

    splitter: SplittingRule
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    max_features: Any = None
    monotonic_cst: tuple[int | tuple[int, ...], ...] | None = None  # as in CodedConstraints
    top: float = 1.0  # cells right of this share of the list are not split
    interaction_cst: str | tuple[tuple[int, ...], ...] | None = None  # as in CodedConstraints

    @property
    def constraints(self) -> CodedConstraints | None:
        """The constraints; None if there are none."""
        if self.monotonic_cst is None and self.interaction_cst is None:
            return None
        return CodedConstraints(self.monotonic_cst, self.interaction_cst)

    def check(self, schema: Schema) -> None:
        """Raise an error if a parameter is invalid, before any work starts."""
        self.to_core(schema.n_features, 0)
        self.splitter.check(schema)
        if self.constraints is None:
            return
        self.constraints.check(schema)
        if not self.splitter.axis_parallel:
            raise ValueError(
                "monotonic_cst needs a splitter with axis-parallel cuts; set splitter to a LeafRank, or "
                "monotonic_cst to None."
            )

    def to_core(self, n_features: int, seed: int) -> _core.MasterParams:
        """These parameters, checked, as the core's record; those of LeafRank where that is the rule."""
        params = _core.MasterParams()
        if isinstance(self.splitter, LeafRank):
            inner = self.splitter.to_core(n_features)
            if self.constraints is not None:
                inner.constraints = self.constraints.to_core()
            params.inner = inner
        params.max_depth = bound("max_depth", self.max_depth)
        params.max_leaf_nodes = bound("max_leaf_nodes", self.max_leaf_nodes, least=2)
        params.min_samples_leaf = at_least("min_samples_leaf", self.min_samples_leaf, 1)
        params.max_features = feature_count("max_features", self.max_features, n_features)
        params.top = self.top
        params.seed = seed
        return params

    def root(self, sample: Sample, *, seed: int, tree: int = 0) -> Cell:
        """The cell of all rows."""
        return Cell(
            sample=sample,
            rows=np.arange(sample.n_rows),
            key=_core.root_key(seed, tree),
            max_features=feature_count("max_features", self.max_features, sample.table.n_features),
            constraints=self.constraints,
            min_samples_leaf=self.min_samples_leaf,
        )

    def settled(self, sample: Sample, *, seed: int) -> Growth:
        """The same growth, with the choices that its rule would make for each tree made once on this sample."""
        return replace(self, splitter=self.splitter.settled(self.root(sample, seed=seed)))


@dataclass(frozen=True)
class GrowTree:
    """How one tree is grown: on a sample, or on several parts of a sample."""

    growth: Growth
    seed: int
    n_threads: int = 1

    def __call__(self, sample: Sample) -> MasterTree:
        return grow_tree(sample, self.growth, seed=self.seed, n_threads=self.n_threads)

    def on_parts(self, sample: Sample, parts: Sequence[np.ndarray]) -> list[MasterTree]:
        """A tree on each part, given the positions of its rows; side by side where the core grows them."""
        if sample.is_local and _judges_held_out(self.growth):
            return list(_grow_held_out(sample, parts, self.growth, seed=self.seed, n_threads=self.n_threads))
        return [sample.take(rows).grown(self) for rows in parts]


def grow_tree(sample: Sample, growth: Growth, *, seed: int, tree: int = 0, n_threads: int = 1) -> MasterTree:
    """A ranking tree, grown in the core if the rule supports it; `tree` is its number in a forest."""
    if tree == 0 and isinstance(growth.splitter, LeafRank) and growth.splitter.grows_in_core:
        return grow_trees(sample, growth, seed=seed, n_threads=n_threads)[0]
    if sample.is_local and _judges_held_out(growth):
        rows = np.arange(sample.n_rows)
        return _grow_held_out(sample, [rows], growth, seed=seed, tree=tree, n_threads=n_threads)[0]
    return grow_by_rule(sample, growth, seed=seed, tree=tree)


def _judges_held_out(growth: Growth) -> bool:
    """Whether the rule is a LeafRank whose inner trees are judged on held-out rows."""
    return isinstance(growth.splitter, LeafRank) and not growth.splitter.grows_in_core


def _grow_held_out(
    sample: Sample, parts: Sequence[np.ndarray], growth: Growth, *, seed: int, tree: int = 0, n_threads: int = 1
) -> list[RankingTree]:
    """Ranking trees of a LeafRank that is judged on held-out rows, one on each part of the rows, in the core."""
    assert isinstance(growth.splitter, LeafRank)
    jobs = []
    for rows in parts:
        weights = None if sample.weights is None else sample.weights[rows]
        masses, units = fixed_point(weights, sample.labels[rows])
        params = growth.to_core(sample.table.n_features, seed)
        inner = params.inner
        inner.class_unit = [1.0, units[1] / units[0]]
        params.inner = inner
        jobs.append((rows.astype(np.int32), masses, units[0], params))
    held_out, key = growth.splitter.held_out_to_core(), _core.root_key(seed, tree)
    if sample.hold_out.groups is not None:
        held_out.groups = sample.hold_out.groups.tolist()
    grown = _core.grow_held_out(sample.binned.core, sample.labels, jobs, held_out, key, n_threads)
    trees = [RankingTree.of_core(arrays, sample.table.schema, sample.binned) for arrays in grown]
    return [replace(tree, held_out=held_out.held_out and tree.n_leaves > 1) for tree in trees]


def grow_trees(sample: Sample, growth: Growth, *, seed: int, n_trees: int = 1, n_threads: int = 1) -> list[RankingTree]:
    """Ranking trees of LeafRank, grown in the core."""
    params = growth.to_core(sample.table.n_features, seed)
    inner = params.inner
    inner.class_unit = [1.0, sample.units[1] / sample.units[0]]
    params.inner = inner
    binned = sample.binned
    grown = _core.grow(
        binned.core, sample.labels, sample.masses, sample.units[0], params, 0, True, n_trees, 0, n_threads
    )
    return [RankingTree.of_core(arrays, sample.table.schema, binned) for arrays in grown]


@dataclass(eq=False)
class _Node:
    """A cell of the tree while it grows."""

    cell: Cell
    division: Division | None = None
    held_out: bool = False  # whether its rows come from held-out routing
    gain: float = 0.0  # Lambda, as a share of the whole sample
    before: np.ndarray = field(default_factory=lambda: np.zeros(2))  # mass of the cells to its left
    left: _Node | None = None
    right: _Node | None = None
    index: int = field(default=-1)  # in preorder


def grow_by_rule(sample: Sample, growth: Growth, *, seed: int, tree: int = 0) -> MasterTree:
    """A ranking tree of any rule, grown cell by cell.

    A cell whose rule fails stays a leaf, with a warning that names it.
    """
    params = growth.to_core(sample.table.n_features, seed)
    root_cell = growth.root(sample, seed=seed, tree=tree)
    rule = growth.splitter.settled(root_cell)
    root = _Node(root_cell)
    units = np.array([1.0, sample.units[1] / sample.units[0]])
    limit = growth.top * float(root_cell.mass @ units)

    def split(node: _Node) -> bool:
        cell = node.cell
        if len(cell.path) >= params.max_depth or not cell.mass.all():
            return False
        if growth.top < 1.0 and float(node.before @ units) >= limit:  # right of the control line
            return False
        try:
            cut = rule.divide(cell)
        except RuleFailed as failure:
            warnings.warn(f"{cell.name[0].upper()}{cell.name[1:]} stays a leaf: {failure}.", stacklevel=2)
            return False
        if cut is None or min(cut.left.sum(), (~cut.left).sum()) < params.min_samples_leaf:
            return False
        features = cut.division.features if isinstance(cut.division, AxisParallel) else ()
        children = [_Node(child) for child in cell.children(cut.left, features)]
        pairs = float(cell.mass[0] * cell.mass[1])
        better = children[0].cell.mass
        gain = float(better[1] * cell.mass[0] - better[0] * cell.mass[1])  # (beta - alpha) * pairs
        if gain <= _core.LEAST_GAIN * pairs:
            return False
        share = cell.mass / root_cell.mass
        node.division, node.held_out = cut.division, cut.held_out
        node.gain = gain / pairs * share[0] * share[1]
        node.left, node.right = children
        node.left.before, node.right.before = node.before, node.before + better
        return True

    if growth.max_leaf_nodes is None:
        _grow_all(root, split)
    else:
        _grow_best_first(root, split, growth.max_leaf_nodes)
    return _freeze(root, sample)


def _grow_all(root: _Node, split: Any) -> None:
    open_nodes = [root]
    while open_nodes:
        node = open_nodes.pop()
        if split(node):
            open_nodes += [child for child in (node.right, node.left) if child is not None]


def _grow_best_first(root: _Node, split: Any, max_leaf_nodes: int) -> None:
    """Best-first growth: every node of the frontier is split in advance, and the largest gain is kept next."""
    frontier = [root] if split(root) else []
    n_leaves = 1
    while frontier and n_leaves < max_leaf_nodes:
        node = max(frontier, key=lambda candidate: candidate.gain)
        frontier.remove(node)
        n_leaves += 1
        if n_leaves < max_leaf_nodes:
            frontier += [child for child in (node.left, node.right) if child is not None and split(child)]
    for node in frontier:
        node.division, node.held_out, node.gain, node.left, node.right = None, False, 0.0, None, None


def _freeze(root: _Node, sample: Sample) -> MasterTree:
    """The grown nodes as a fitted tree; a RankingTree if all its cuts are axis-parallel."""
    nodes: list[_Node] = []
    parents: list[int] = []
    open_nodes: list[tuple[_Node, int]] = [(root, -1)]
    while open_nodes:
        node, parent = open_nodes.pop()
        node.index = len(nodes)
        nodes.append(node)
        parents.append(parent)
        if node.left is not None and node.right is not None:
            open_nodes += [(node.right, node.index), (node.left, node.index)]

    def indices(children: list[_Node | None]) -> np.ndarray:
        return np.array([-1 if child is None else child.index for child in children], dtype=np.int32)

    cells: dict[str, Any] = {
        "schema": sample.table.schema,
        "has_missing": sample.binned.has_missing,
        "cell_parent": np.array(parents, dtype=np.int32),
        "cell_left": indices([node.left for node in nodes]),
        "cell_right": indices([node.right for node in nodes]),
        "cell_depth": np.array([len(node.cell.path) for node in nodes], dtype=np.int32),
        "cell_mass": np.array([node.cell.mass for node in nodes]) * np.array(sample.units),
        "cell_count": np.array([len(node.cell.rows) for node in nodes], dtype=np.float64),
        "cell_gain": np.array([node.gain for node in nodes]),
        "held_out": any(node.held_out for node in nodes),
    }
    divisions = tuple(node.division for node in nodes)
    if all(division is None or isinstance(division, AxisParallel) for division in divisions):
        return graft(cells, [division.tree if isinstance(division, AxisParallel) else None for division in divisions])
    return RuleTree(divisions=divisions, **cells)
