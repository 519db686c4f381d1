"""The fitted model of boosting: many small trees as flat arrays; a margin is a sum of leaf values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..data.schema import Schema
from ..tree.walk import category_codes

__all__ = ["BoostedTrees", "sum_of"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class BoostedTrees:
    """Rounds of trees by one or several boosters; the margin is the mean of the boosters' sums.

    Trees are stored by round, and within a round by booster. Tree t has the inner nodes ``node_bounds[t]`` to
    ``node_bounds[t + 1]``, the leaves ``leaf_bounds[t]`` to ``leaf_bounds[t + 1]`` and the words ``set_bounds[t]`` to
    ``set_bounds[t + 1]`` of ``sets``.

    Attributes
    ----------
    schema : Schema
    start : float
        Margin before the first round.
    n_boosters : int
    feature, threshold, left, right, missing_left, set_offset, sets : arrays
        Inner nodes, as in `RankingTree`; children, leaves and sets are counted from the first one of the tree.
    gain : array
        Decrease of the loss by each cut, to second order.
    value : array
        Values of the leaves, including the learning rate.
    node_bounds, leaf_bounds, set_bounds : arrays of length n_trees + 1
    """

    schema: Schema
    start: float
    n_boosters: int
    feature: np.ndarray
    threshold: np.ndarray
    left: np.ndarray
    right: np.ndarray
    missing_left: np.ndarray
    set_offset: np.ndarray
    sets: np.ndarray
    gain: np.ndarray
    value: np.ndarray
    node_bounds: np.ndarray
    leaf_bounds: np.ndarray
    set_bounds: np.ndarray
    _cache: dict[str, Any] = field(default_factory=dict, init=False)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_cache": {}}  # the core's object is created again on first use

    def __repr__(self) -> str:
        return f"BoostedTrees({self.n_rounds} rounds of {self.n_boosters} boosters, {len(self.value)} leaves)"

    @property
    def n_trees(self) -> int:
        return len(self.node_bounds) - 1

    @property
    def n_rounds(self) -> int:
        return self.n_trees // self.n_boosters

    @property
    def _sum(self) -> _core.TreeSum:
        if "sum" not in self._cache:
            self._cache["sum"] = sum_of([self], [1.0])
        return self._cache["sum"]

    def margin(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Margin of each row of a float64 block, categories coded as in the schema."""
        return self.start + self.added(X, 0, self.n_rounds, n_threads)

    def added(self, X: np.ndarray, first: int, last: int, n_threads: int = 1) -> np.ndarray:
        """What rounds first to last - 1 add to the margin."""
        return self._sum.sum(X, first * self.n_boosters, last * self.n_boosters, n_threads) / self.n_boosters

    @property
    def importance(self) -> np.ndarray:
        """Share of each feature in the gains of all cuts; all 0 if there are no cuts."""
        gains = np.bincount(self.feature, weights=self.gain, minlength=self.schema.n_features)
        return gains / gains.sum() if gains.any() else gains


def sum_of(parts: Sequence[BoostedTrees], factors: Sequence[float]) -> _core.TreeSum:
    """The sum of the leaf values of all trees, those of each part multiplied by its factor.

    Parameters
    ----------
    parts : sequence of BoostedTrees
        Their trees are summed in this order.
    factors : sequence of floats
    """

    def together(name: str) -> np.ndarray:
        return np.concatenate([getattr(trees, name) for trees in parts])

    def bounds(name: str) -> np.ndarray:
        return np.cumsum(np.concatenate([[0], *(np.diff(getattr(trees, name)) for trees in parts)]), dtype=np.int64)

    nodes = ("feature", "threshold", "left", "right", "missing_left", "set_offset", "sets")
    arrays: dict[str, Any] = {name: together(name) for name in nodes}
    arrays |= {name: bounds(name) for name in ("node_bounds", "leaf_bounds", "set_bounds")}
    forest = _core.Forest.of_arrays(**arrays, n_codes=category_codes(parts[0].schema))
    values = np.concatenate([trees.value * factor for trees, factor in zip(parts, factors)])
    return _core.TreeSum(forest, values, arrays["leaf_bounds"])
