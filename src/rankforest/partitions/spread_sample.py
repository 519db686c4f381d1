"""A training sample whose rows stay in their partitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from .. import _core
from ..data.coded_table import TableOutline
from ..data.ordered_sample import OrderedSample
from ..data.sample import Sample
from ..data.training_rows import TrainingRows
from .boosters import SpreadBoosters
from .spread import Spread
from .spread_binned import SpreadBinned
from .spread_rows import SpreadRows, answers_of
from .spread_state import SpreadState

__all__ = ["SpreadOrderedSample", "SpreadSample", "SpreadValues", "Way", "spread_sample"]

T = TypeVar("T")


class Way(Protocol):
    """Where trees are grown."""

    def grown(self, sample: Any, grow: Callable[..., T], how: dict[str, Any]) -> T:
        """`Sample.grown`."""
        ...

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
        """`Sample.grown_on_draws`, of the trees with these numbers."""
        ...

    def boosters(self, held_out: np.ndarray, params: Sequence[_core.BoostParams]) -> SpreadBoosters:
        """`Sample.boosters`, without first trees."""
        ...


@dataclass(frozen=True)
class SpreadValues:
    """The values of some rows in partitions, of which one asks several times; stands for `Values`."""

    binned: SpreadBinned
    rows: np.ndarray

    def answers(self, ask: Callable[[np.ndarray], np.ndarray], part: np.ndarray | None = None) -> np.ndarray:
        return answers_of(self.binned.take(self.rows if part is None else self.rows[part]), ask)


class _InPartitions(Sample):
    """What a sample in partitions does differently."""

    way: Way
    binned: Any  # SpreadBinned

    @property
    def is_local(self) -> bool:
        return False

    def relabelled(self, order: np.ndarray) -> Self:
        weights = None if self.weights is None else self.weights[order]
        labels = self.labels[order]
        return replace(
            self, labels=labels, weights=weights, binned=replace(self.binned, labels=labels, weights=weights)
        )

    def grown(self, grow: Callable[..., T], **how: Any) -> T:
        return self.way.grown(self, grow, how)

    def grown_on_draws(
        self,
        grow: Callable[..., Sequence[Any]],
        growth: Any,
        draw: Any,
        *,
        first_tree: int,
        n_trees: int,
        n_threads: int,
        progress: Callable[[int], None] | None,
    ) -> Sequence[Any]:
        numbers = range(first_tree, first_tree + n_trees)
        return self.way.grown_on_draws(self, grow, growth, draw, numbers, n_threads, progress)

    def boosters(
        self, held_out: np.ndarray, params: Sequence[_core.BoostParams], first: dict[str, np.ndarray] | None = None
    ) -> Any:
        boosters = self.way.boosters(held_out, params)
        if first is not None:
            boosters.resume(_core.boosted_trees(boosters.head, first, len(params)))
        return boosters

    def states_of(self, make: Callable[..., T], rows: np.ndarray, *arguments: Any) -> Any:
        return SpreadState(self.binned.spread, make, rows, arguments)

    def answers(self, ask: Callable[[np.ndarray], np.ndarray], rows: np.ndarray | None = None) -> np.ndarray:
        return answers_of(self.binned if rows is None else self.binned.take(rows), ask)

    def values_of(self, rows: np.ndarray) -> Any:
        return SpreadValues(self.binned, rows)

    def training_rows(self) -> TrainingRows:
        return SpreadRows(self.binned, self.labels, self.weights)


@dataclass(frozen=True)
class SpreadSample(_InPartitions, Sample):
    """Rows of two classes in partitions; `table` is a `TableOutline`, and `binned` a `SpreadBinned`."""

    way: Way


@dataclass(frozen=True)
class SpreadOrderedSample(_InPartitions, OrderedSample):
    """The same with ordered labels."""

    way: Way


def spread_sample(spread: Spread, way: Way, levels: np.ndarray | None = None) -> Any:
    """The sample of all rows; with `levels`, of ordered labels."""
    head, binned = TableOutline(spread.schema, spread.n_rows), SpreadBinned(spread)
    if levels is None:
        return SpreadSample(head, binned, spread.labels, spread.weights, way)  # type: ignore[arg-type]
    return SpreadOrderedSample(head, binned, spread.labels, spread.weights, levels, way)  # type: ignore[arg-type]
