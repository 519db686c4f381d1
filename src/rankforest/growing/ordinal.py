"""Trees of ordered labels, grown in the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..data.constraints import CodedConstraints
from ..data.ordered_sample import OrderedSample
from ..data.parameters import at_least, bound, chosen, feature_count
from ..data.storable import storable
from ..splitting.leafrank import CUTS
from ..tree.ordinal_tree import OrdinalTree

__all__ = ["ORDINAL_CRITERIA", "OrdinalGrowth", "grow_ordinal_tree", "grow_ordinal_trees"]

ORDINAL_CRITERIA = ("ranking", "ordinal_gini", "weighted_information_gain", "gini")
_FIRST_KIND = 2  # in the core the criteria of LeafRank come first


@storable
@dataclass(frozen=True)
class OrdinalGrowth:
    """Parameters of the growth of a tree of ordered labels, with the names of `OrdinalRankingTree`."""

    criterion: str = "ranking"
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1
    max_features: Any = None
    cuts: str = "best"
    constraints: CodedConstraints | None = field(default=None, repr=False)

    def to_core(self, n_features: int) -> _core.InnerParams:
        """These parameters, checked, as the core's record."""
        params = _core.InnerParams()
        params.criterion = _FIRST_KIND + chosen("criterion", self.criterion, ORDINAL_CRITERIA)
        params.random_cuts = chosen("cuts", self.cuts, CUTS) == 1
        params.max_depth = bound("max_depth", self.max_depth)
        params.max_leaf_nodes = bound("max_leaf_nodes", self.max_leaf_nodes, least=2)
        params.min_samples_leaf = at_least("min_samples_leaf", self.min_samples_leaf, 1)
        params.max_features = feature_count("max_features", self.max_features, n_features)
        if self.constraints is not None:
            params.constraints = self.constraints.to_core()
        return params


def grow_ordinal_tree(sample: OrderedSample, growth: OrdinalGrowth, *, seed: int) -> OrdinalTree:
    """One tree, on all rows."""
    return grow_ordinal_trees(sample, growth, seed=seed)[0]


def grow_ordinal_trees(
    sample: OrderedSample,
    growth: OrdinalGrowth,
    *,
    seed: int,
    n_trees: int = 1,
    first_tree: int = 0,
    draw: tuple[int, bool] = (0, True),
    n_threads: int = 1,
    progress: Callable[[int], None] | None = None,
    times: np.ndarray | None = None,
    groups: np.ndarray | None = None,
) -> list[OrdinalTree]:
    """Trees first_tree, first_tree + 1, ... of a seed.

    Parameters
    ----------
    draw : (int, bool)
        Number of rows drawn for each tree (0 takes every row once), and whether with replacement.
    times : array or None
        How often each row of a single tree counts, if its rows have been drawn already.
    groups : array or None
        Group of each row, if so many whole groups are drawn.
    """
    params = growth.to_core(sample.table.n_features)
    params.levels = np.asarray(sample.levels, dtype=np.float64).tolist()
    size, replace = draw
    masses, (unit, _) = sample.with_spare_bits if size or times is not None else (sample.masses, sample.units)
    grown = _core.grow_ordinal(
        sample.binned.core, sample.labels, masses, unit, params, seed, size, replace, n_trees, first_tree, n_threads,
        progress, times, groups,
    )  # fmt: skip
    schema, binned = sample.table.schema, sample.binned
    return [
        OrdinalTree(
            schema=schema,
            has_missing=binned.has_missing,
            levels=sample.levels,
            digits=binned.bins.digits_of(arrays),
            **arrays,
        )
        for arrays in grown
    ]
