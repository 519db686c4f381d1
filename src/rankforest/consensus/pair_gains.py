"""The Kemeny problem as a sum over pairs: the gain of each order of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankforest import _core
from rankforest.consensus._inputs import FloatArray, Levels

__all__ = ["PairGains"]


@dataclass(frozen=True, eq=False)
class PairGains:
    """Gains of pairs of items, times the weights of the two items.

    In a profile of mass V let x rankings put k before l, y put l before k, and t = V - x - y tie them. Ranking k before
    l costs ``y + t / 2 = (V - (x - y)) / 2``, the other order ``(V + (x - y)) / 2``, a tie
    ``(x + y) / 2 = (V - t) / 2``: every cost is (V - gain) / 2, with the gain ``x - y``, ``y - x`` or ``t``.

    Attributes
    ----------
    margin : ndarray of shape (n, n)
        ``x - y``, antisymmetric.
    tied : ndarray of shape (n, n)
        ``t``, symmetric, 0 on the diagonal.
    """

    margin: NDArray[Any]
    tied: NDArray[Any]

    @classmethod
    def of_profile(
        cls, profile: FloatArray, ranking_weights: FloatArray | None, weights: FloatArray | None, n_threads: int
    ) -> PairGains:
        """Whole numbers without weights, floats with weights."""
        return cls(*_core.pair_gains(profile, ranking_weights, weights, n_threads))

    @property
    def n_items(self) -> int:
        return len(self.margin)

    @property
    def whole(self) -> bool:
        """Are all gains whole numbers?"""
        return self.margin.dtype.kind == "i"

    def take(self, items: NDArray[Any]) -> PairGains:
        """The gains among some of the items."""
        block = np.ix_(items, items)
        return PairGains(np.ascontiguousarray(self.margin[block]), np.ascontiguousarray(self.tied[block]))

    def best(self, strict: bool) -> float:
        """Sum over pairs of the largest gain: no ranking gains more."""
        most = np.abs(self.margin)
        if not strict:
            np.maximum(most, self.tied, out=most)
        return float(most.sum(dtype=np.float64)) / 2

    def of(self, levels: Levels) -> float:
        """Total gain of a ranking, given the bucket of each item."""
        order = np.argsort(levels, kind="stable")
        ordered = levels[order]
        gain = 0.0
        for place, k in enumerate(order):
            end = np.searchsorted(ordered, ordered[place], side="right")
            gain += float(self.margin[k, order[end:]].sum(dtype=np.float64))
            gain += float(self.tied[k, order[place + 1 : end]].sum(dtype=np.float64))
        return gain

    def components(self, strict: bool) -> list[NDArray[np.intp]]:
        """Components that some optimal ranking lists one after the other; the proof is in ``core/components.hpp``."""
        component = _core.majority_components(self.margin, self.tied, strict)
        order = np.argsort(component, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(component[order])) + 1)
