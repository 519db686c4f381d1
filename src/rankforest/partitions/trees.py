"""Trees one by one: all codes are copied to every worker, and each worker grows its share of the trees."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .. import _core
from .boosters_by_job import BoostersByJob
from .local import SampleSpec
from .rows import PartRows
from .spread import Spread

__all__ = ["Trees"]

T = TypeVar("T")

_JOBS_PER_WORKER = 4  # more than one, so that workers that are done early find more to do


@dataclass(frozen=True)
class Trees:
    """The way where the codes of all rows fit a worker."""

    spread: Spread

    def grown(self, sample: Any, grow: Callable[..., T], how: dict[str, Any]) -> T:
        (found,) = self.spread.jobs(grow_one, [(SampleSpec.of(sample), grow, how)])
        return found

    def grown_on_draws(
        self,
        sample: Any,
        grow: Callable[..., Sequence[Any]],
        growth: Any,
        draw: Any,
        numbers: range,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> list[Any]:
        spec = SampleSpec.of(sample)
        size = max(1, math.ceil(len(numbers) / (_JOBS_PER_WORKER * self.spread.engine.n_workers)))
        shares = [numbers[start : start + size] for start in range(0, len(numbers), size)]
        found: list[Any] = []
        for share, trees in zip(shares, self.spread.jobs(grow_share, [(spec, grow, growth, draw, s) for s in shares])):
            found += trees
            if progress is not None:
                for number in share:
                    progress(number)
        return found

    def boosters(self, held_out: np.ndarray, params: Sequence[_core.BoostParams]) -> BoostersByJob:
        return BoostersByJob(self.spread, held_out, params)


def grow_one(rows: PartRows, spec: SampleSpec, grow: Callable[..., T], how: dict[str, Any]) -> T:
    """What a function grows on a sample."""
    return grow(spec.of_all(rows), **how)


def grow_share(
    rows: PartRows, spec: SampleSpec, grow: Callable[..., Sequence[Any]], growth: Any, draw: Any, numbers: range
) -> list[Any]:
    """Trees of these numbers, each on rows drawn for it."""
    sample, first, n_trees = spec.of_all(rows), numbers.start, len(numbers)
    return list(grow(growth, sample, draw, first_tree=first, n_trees=n_trees, n_threads=1, progress=None))
