"""Groves (the trees of one kind in a forest), and the growing of ranking trees on drawn rows.

The core grows all ranking trees in one call. Splitting rules in Python, and pruning, need one tree at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed

from .. import _core
from ..data.sample import Sample
from ..growing.prune import right_sized
from ..growing.treerank import Growth, GrowTree, grow_tree
from ..splitting.leafrank import LeafRank
from ..tree.master_tree import MasterTree
from ..tree.pruning_options import Pruning
from ..tree.ranking_tree import RankingTree
from .sampling import Draw

__all__ = [
    "Grove",
    "GrowTrees",
    "PruneTree",
    "equal_shares",
    "few_trees_and_bits",
    "grow_grove",
    "grow_ranking_trees",
    "trees_and_bits",
]

# The trees of each grove have their own numbers, and therefore their own samples.
TREES_OF_A_GROVE = 1 << 20

BITS_AT_ONCE = 1 << 28  # of the out-of-bag rows of several trees: 32 MB

Progress = Callable[[int], None]


class GrowTrees(Protocol):
    """How trees of one kind are grown, each on rows drawn for it. A tree depends only on the seed and its number."""

    def __call__(
        self,
        growth: Any,
        sample: Any,
        draw: Draw,
        *,
        first_tree: int,
        n_trees: int,
        n_threads: int,
        progress: Progress | None,
    ) -> Sequence[Any]: ...


@dataclass(frozen=True)
class Grove:
    """Trees of one kind.

    Attributes
    ----------
    growth : Growth or OrdinalGrowth
        The kind.
    number : int
        Number of the grove in the forest.
    trees : tuple of MasterTree or OrdinalTree
    earlier : bool
        Whether the trees are of an earlier fit, before a refresh: none of the training rows is known to them.
    """

    growth: Any
    number: int
    trees: tuple[Any, ...] = ()
    earlier: bool = False

    def __post_init__(self) -> None:
        directions = self.growth.monotonic_cst if isinstance(self.growth, Growth) else None
        if directions is not None:  # the rates of ranking trees depend on them
            object.__setattr__(self, "trees", tuple(_under(tree, directions) for tree in self.trees))

    @property
    def first_tree(self) -> int:
        """Number of its first tree."""
        return self.number * TREES_OF_A_GROVE

    def out_of_bag(
        self, draw: Draw, labels: np.ndarray, n_threads: int, start: int = 0, stop: int | None = None
    ) -> np.ndarray:
        """Out-of-bag bits of some of its trees: for each, the rows that it was not trained on."""
        n_trees = len(self.trees[start:stop])
        if self.earlier:
            return np.tile(np.packbits(np.ones(len(labels), dtype=bool), bitorder="little"), (n_trees, 1))
        return draw.out_of_bag(labels, self.first_tree + start, n_trees, n_threads)


def _under(tree: MasterTree, directions: tuple[int | tuple[int, ...], ...]) -> MasterTree:
    if not isinstance(tree, RankingTree) or tree.monotonic_cst == directions:
        return tree
    return replace(tree, monotonic_cst=directions)


def grow_grove(
    grove: Grove,
    n_more: int,
    sample: Any,
    draw: Draw,
    grow: GrowTrees,
    *,
    n_threads: int,
    progress: Progress | None = None,
) -> Grove:
    """The grove with `n_more` additional trees."""
    if n_more <= 0:
        return grove
    first = grove.first_tree + len(grove.trees)
    grown = draw.grown(
        sample, grow, grove.growth, first_tree=first, n_trees=n_more, n_threads=n_threads, progress=progress
    )
    return replace(grove, trees=(*grove.trees, *grown))


def equal_shares(n_trees: int, n_groves: int) -> list[int]:
    """Number of trees of each grove, as equal as possible."""
    return [n_trees // n_groves + (g < n_trees % n_groves) for g in range(n_groves)]


def trees_and_bits(
    groves: Sequence[Grove], draw: Draw, labels: np.ndarray, n_threads: int
) -> tuple[list[Any], np.ndarray]:
    """All trees of a forest, and the out-of-bag bits of each: the training rows that it was not trained on."""
    trees = [tree for grove in groves for tree in grove.trees]
    return trees, np.concatenate([grove.out_of_bag(draw, labels, n_threads) for grove in groves])


def few_trees_and_bits(
    groves: Sequence[Grove], draw: Draw, labels: np.ndarray, n_threads: int
) -> Iterator[tuple[list[Any], np.ndarray]]:
    """The same, so many trees at a time that the bits stay small; all trees at once if they are small together."""
    if sum(len(grove.trees) for grove in groves) * len(labels) <= BITS_AT_ONCE:
        yield trees_and_bits(groves, draw, labels, n_threads)
        return
    most = max(1, BITS_AT_ONCE // len(labels))
    for grove in groves:
        for start in range(0, len(grove.trees), most):
            trees = list(grove.trees[start : start + most])
            yield trees, grove.out_of_bag(draw, labels, n_threads, start, start + most)


# ---- ranking trees


@dataclass(frozen=True)
class PruneTree:
    """Pruning of each tree of a forest on the rows drawn for it."""

    growth: Growth
    pruning: Pruning
    top: float

    def __call__(self, sample: Sample, tree: MasterTree, number: int) -> MasterTree:
        grow = GrowTree(self.growth, number)
        return right_sized(tree, grow, sample, self.growth, self.pruning, seed=number, top=self.top)[0]


def grow_ranking_trees(
    growth: Growth,
    sample: Sample,
    draw: Draw,
    *,
    first_tree: int,
    n_trees: int,
    n_threads: int,
    progress: Progress | None = None,
    prune: PruneTree | None = None,
) -> list[MasterTree]:
    """Ranking trees of one growth, each pruned on the rows drawn for it if pruning is set."""
    splitter = growth.splitter
    if isinstance(splitter, LeafRank) and splitter.grows_in_core and prune is None:
        return list(_in_core(growth, first_tree, n_trees, sample, draw, n_threads, progress))
    return _one_by_one(growth, first_tree, n_trees, sample, draw, n_threads, prune, progress)


def _in_core(
    growth: Growth, first: int, n_trees: int, sample: Sample, draw: Draw, n_threads: int, progress: Progress | None
) -> list[RankingTree]:
    params = growth.to_core(sample.table.n_features, draw.seed)
    inner = params.inner
    masses, units = sample.with_spare_bits
    inner.class_unit = [1.0, units[1] / units[0]]
    params.inner = inner
    grown = _core.grow(
        sample.binned.core,
        sample.labels,
        masses,
        units[0],
        params,
        draw.size,
        draw.replace,
        n_trees,
        first,
        n_threads,
        progress,
        None,
        draw.class_sizes,
        draw.given,
        draw.groups,
    )
    return [RankingTree.of_core(arrays, sample.table.schema, sample.binned) for arrays in grown]


def _one_by_one(
    growth: Growth,
    first: int,
    n_trees: int,
    sample: Sample,
    draw: Draw,
    n_threads: int,
    prune: PruneTree | None,
    progress: Progress | None,
) -> list[MasterTree]:
    def grow(tree: int) -> MasterTree:
        times = draw.times(sample.labels, tree)
        drawn = sample.take(np.repeat(np.arange(sample.n_rows), times)) if draw.leaves_rows_out else sample
        grown = grow_tree(drawn, growth, seed=draw.seed, tree=tree)
        pruned = grown if prune is None else prune(drawn, grown, tree)
        if progress is not None:
            progress(tree)
        return pruned

    # threads: the core and most classifiers release the GIL, and nothing needs to be copied
    jobs = (delayed(grow)(tree) for tree in range(first, first + n_trees))
    return list(Parallel(n_jobs=n_threads, prefer="threads")(jobs))
