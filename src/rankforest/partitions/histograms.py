"""Histograms summed: trees grow on the client, and rows never leave their partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .. import _core
from .boosters_by_histogram import BoostersByHistogram
from .spread import Spread

__all__ = ["Histograms"]

T = TypeVar("T")


@dataclass(frozen=True)
class Histograms:
    """The way where not even the rows of one tree fit a worker."""

    spread: Spread

    def grown(self, sample: Any, grow: Callable[..., T], how: dict[str, Any]) -> T:
        return grow(sample, **how)

    def grown_on_draws(
        self,
        sample: Any,
        grow: Callable[..., Sequence[Any]],
        growth: Any,
        draw: Any,
        numbers: range,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> Sequence[Any]:
        first, n_trees = numbers.start, len(numbers)
        draw = draw.without_groups  # the partitions know the groups, see `FarRows.grow`
        return grow(growth, sample, draw, first_tree=first, n_trees=n_trees, n_threads=n_threads, progress=progress)

    def boosters(self, held_out: np.ndarray, params: Sequence[_core.BoostParams]) -> BoostersByHistogram:
        return BoostersByHistogram(self.spread, held_out, params)
