"""TreeRank: split cells until nothing is gained. Axis-parallel rules are grown inside the core."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..data.binning import BinnedTable
from ..data.schema import Schema
from ..splitting.leafrank import LeafRank
from ..splitting.parameters import at_least, bound, chosen, feature_count
from ..tree.ranking_tree import RankingTree

__all__ = ["MISSING", "Growth", "fixed_point", "grow_trees"]

MISSING = ("learned", "cell_mean")


@dataclass(frozen=True)
class Growth:
    """How a master ranking tree grows; the names are those of `TreeRank`."""

    splitter: LeafRank
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    max_features: Any = None
    missing: str = "learned"
    monotonic_cst: tuple[int, ...] | None = None  # one per feature

    def to_core(self, n_features: int, seed: int) -> _core.MasterParams:
        """These parameters, checked, as the core's record."""
        inner = self.splitter.to_core(n_features)
        inner.missing = chosen("missing", self.missing, MISSING)
        inner.monotonic = self.monotonic_cst or ()
        params = _core.MasterParams()
        params.inner = inner
        params.max_depth = bound("max_depth", self.max_depth)
        params.max_leaf_nodes = bound("max_leaf_nodes", self.max_leaf_nodes, least=2)
        params.min_samples_split = at_least("min_samples_split", self.min_samples_split, 2)
        params.min_samples_leaf = at_least("min_samples_leaf", self.min_samples_leaf, 1)
        params.max_features = feature_count("max_features", self.max_features, n_features)
        params.seed = seed
        return params


def fixed_point(weights: np.ndarray | None, labels: np.ndarray) -> tuple[np.ndarray | None, tuple[float, float]]:
    """Weights as whole multiples of a power of two, and that power for each class.

    Sums of whole numbers are exact: they depend neither on the order of the rows nor on threads, and a weight of 2 is
    exactly two rows. Equal weights need no table at all.

    Examples
    --------
    >>> import numpy as np
    >>> masses, unit = fixed_point(np.array([0.5, 1.0, 2.0]), np.array([0, 0, 1]))
    >>> masses * np.array([unit[0], unit[0], unit[1]])
    array([0.5, 1. , 2. ])
    >>> fixed_point(np.array([3.0, 3.0]), np.array([0, 1]))
    (None, (3.0, 3.0))
    """
    if weights is None:
        return None, (1.0, 1.0)
    if weights.min() == weights.max():
        return None, (float(weights[0]), float(weights[0]))
    # the total of a class stays below 2^52, so that it and all its parts are exact as doubles too
    totals = np.bincount(labels, weights=weights, minlength=2).tolist()
    units = [math.ldexp(1.0, max(math.frexp(total)[1] - 52, -1074)) for total in totals]  # -1074: the least double
    masses = np.maximum(np.rint(weights / np.array(units)[labels]), 1.0).astype(np.int64)
    return masses, (units[0], units[1])


def grow_trees(
    table: BinnedTable,
    labels: np.ndarray,
    weights: np.ndarray | None,
    growth: Growth,
    schema: Schema,
    *,
    seed: int,
    n_trees: int = 1,
    n_threads: int = 1,
) -> list[RankingTree]:
    """Ranking trees on a binned table; labels are 0 or 1, weights positive."""
    params = growth.to_core(table.bins.n_features, seed)
    masses, units = fixed_point(weights, labels)
    inner = params.inner
    inner.class_unit = [1.0, units[1] / units[0]]
    params.inner = inner
    grown = _core.grow(table.core, labels, masses, units[0], params, 0, True, n_trees, 0, n_threads)
    return [RankingTree(schema=schema, has_missing=table.has_missing, **arrays) for arrays in grown]
