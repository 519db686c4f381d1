"""Result of an aggregation: the ranking, its cost, and a lower bound of the cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from rankforest.consensus._inputs import FloatArray

__all__ = ["MedianRanking"]


@dataclass(frozen=True, eq=False, repr=False)
class MedianRanking:
    """A consensus of some rankings.

    Attributes
    ----------
    ranking : ndarray of shape (n_items,)
        Mid-ranks, 1 = best; tied items share their mean rank. It is a ranking like those of the profile.
    cost : float
        Sum over the rankings of the plain distance to this one (``normalize=None``), times their weights.
    lower_bound : float
        No ranking costs less (no strict ranking, if ``strict``).
    optimal : bool
        Whether the ranking is proved optimal: the cost equals the lower bound, exactly without weights, and up to the
        rounding of the solver, about 1e-8 of the cost, with weights.
    mean_distance : float
        The mean over the rankings of the distance in [0, 1] (``normalize="distinct"``).
    distance : {"kendall", "footrule"}
        What the cost is a sum of.
    method : str
        The requested method.
    solver : {"rule", "assignment", "exact", "local search"}
        How it was found. "exact": every component of the majority graph was solved by a bound that is met or by the
        integer program; "local search": at least one was not.
    strict : bool
        Whether ties were excluded.
    n_restarts : int
        Number of searches in each component; 0 if none was needed.
    component_sizes : tuple of int
        Sizes of the groups that were ranked one by one, from the best; a method that ranks all at once has one.
    """

    ranking: FloatArray
    cost: float
    lower_bound: float
    optimal: bool
    mean_distance: float
    distance: Literal["kendall", "footrule"]
    method: str
    solver: Literal["rule", "assignment", "exact", "local search"]
    strict: bool
    n_restarts: int = 0
    component_sizes: tuple[int, ...] = ()

    @property
    def gap(self) -> float:
        """Upper bound of the share of the cost that a better ranking could save."""
        return 0.0 if self.optimal else (self.cost - self.lower_bound) / self.cost

    @property
    def order(self) -> NDArray[np.intp]:
        """Items from best to worst; tied items by their index."""
        return np.argsort(self.ranking, kind="stable")

    @property
    def buckets(self) -> list[list[int]]:
        """Items from best to worst, tied items together."""
        level = rankdata(self.ranking, method="dense")
        return [np.flatnonzero(level == bucket + 1).tolist() for bucket in range(int(level.max()))]

    def __repr__(self) -> str:
        n_buckets = len(np.unique(self.ranking))
        items = f"{len(self.ranking)} item{'s' if len(self.ranking) > 1 else ''}"
        shape = (
            items if n_buckets == len(self.ranking) else f"{items} in {n_buckets} bucket{'s' if n_buckets > 1 else ''}"
        )
        if self.optimal:
            proof = "proved optimal" + (" among strict rankings" if self.strict else "")
        else:
            proof = f"lower bound {self.lower_bound:.10g} (gap {self.gap:.2%})"
        cost = f"{self.distance} cost {self.cost:.10g}"
        return f"MedianRanking({shape}, {cost}, {proof}, method={self.method!r}, {self.solver})"
