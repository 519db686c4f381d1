"""A bag per tree: the rows that are drawn for a tree are brought to the worker that grows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from .. import _core
from ..data.sample import Sample, as_masses
from ..forest.sampling import Draw
from .boosters_by_histogram import BoostersByHistogram
from .draws import DrawnRows
from .local import SampleSpec
from .rows import PartRows
from .spread import Spread

__all__ = ["Bags"]

T = TypeVar("T")


@dataclass(frozen=True)
class Bags:
    """The way where the rows of one tree fit a worker."""

    spread: Spread

    def grown(self, sample: Any, grow: Callable[..., T], how: dict[str, Any]) -> T:
        (found,) = self.spread.on_rows(grow_picked, pick_sample, [(SampleSpec.of(sample), grow, how)])
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
        masses, units = sample.with_spare_bits
        bag = Bag(SampleSpec.of(sample), sample.binned.has_missing, units, masses is not None)
        drawn = DrawnRows.of(draw, self.spread.labels, self.spread.parts)
        arguments = [(replace(drawn, tree=number), bag, grow, growth) for number in numbers]
        found = []
        for number, tree in zip(numbers, self.spread.on_rows(grow_bag, pick_drawn, arguments)):
            found.append(tree)
            if progress is not None:
                progress(number)
        return found

    def boosters(self, held_out: np.ndarray, params: Sequence[_core.BoostParams]) -> BoostersByHistogram:
        return BoostersByHistogram(self.spread, held_out, params)  # a booster reads all rows, so a bag does not help


def pick_sample(rows: PartRows, spec: SampleSpec, *_: Any) -> PartRows:
    """The rows of a partition that are in a sample."""
    return spec.pick(rows)


def grow_picked(rows: PartRows, spec: SampleSpec, grow: Callable[..., T], how: dict[str, Any]) -> T:
    """What a function grows on a sample, given its rows."""
    return grow(spec.of_picked(rows), **how)


def pick_drawn(rows: PartRows, drawn: DrawnRows, *_: Any) -> PartRows:
    """The rows of a partition that are drawn for a tree."""
    times = drawn.times(rows)
    if times is None:
        return rows
    which = np.flatnonzero(times)
    return replace(rows.take(which), times=times[which])


def grow_bag(rows: PartRows, drawn: DrawnRows, bag: Bag, grow: Callable[..., Sequence[Any]], growth: Any) -> Any:
    """The tree of a bag, given its rows."""
    times = np.ones(rows.n_rows, dtype=np.uint32) if rows.times is None else rows.times
    draw = AsDrawn(0, False, None, drawn.draw.seed, times)
    (tree,) = grow(growth, bag.sample(rows), draw, first_tree=drawn.tree, n_trees=1, n_threads=1, progress=None)
    return tree


@dataclass(frozen=True)
class Bag:
    """What a job must know of a sample besides the rows that are drawn for its tree.

    Attributes
    ----------
    spec : SampleSpec
    has_missing : array of bool
        Whether each feature has a missing value in any row, drawn or not.
    units : pair of float
        What one unit of mass of each class weighs.
    has_masses : bool
        Whether the rows have masses; they have none if all weights are equal.
    """

    spec: SampleSpec
    has_missing: np.ndarray
    units: tuple[float, float]
    has_masses: bool

    def sample(self, rows: PartRows) -> Sample:
        """The sample of the drawn rows, with the masses that they have among all rows."""
        sample = self.spec.of_picked(rows)
        sample.binned.__dict__["has_missing"] = self.has_missing
        masses = None
        if self.has_masses and sample.weights is not None:
            unit_of = sample.labels if self.spec.levels is None else np.zeros_like(sample.labels)
            masses = as_masses(sample.weights, unit_of, self.units)
        sample.__dict__["with_spare_bits"] = masses, self.units
        return sample


@dataclass(frozen=True)
class AsDrawn(Draw):
    """The draw of rows that have been drawn already."""

    counts: np.ndarray

    @property
    def given(self) -> np.ndarray:
        return self.counts

    @property
    def leaves_rows_out(self) -> bool:
        return True

    def times(self, labels: np.ndarray, tree: int) -> np.ndarray:
        return self.counts
