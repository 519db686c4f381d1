"""Where the training rows are: the partitions of an engine, and what the client knows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from weakref import WeakSet

import numpy as np

from ..data.binning import Bins
from ..data.schema import Schema
from .engine import Engine, Part
from .rows import PartRows
from .selection import Selection
from .traffic import Traffic, n_bytes

__all__ = ["Head", "Spread", "SpreadBinned"]


@dataclass(frozen=True)
class Head:
    """What the client knows of the table of features: everything but the values."""

    schema: Schema
    n_rows: int

    @property
    def n_features(self) -> int:
        return self.schema.n_features

    def take(self, rows: np.ndarray) -> Head:
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == bool else len(rows)
        return replace(self, n_rows=n_rows)


@dataclass(frozen=True, eq=False)
class Spread:
    """Training rows in the partitions of an engine.

    Attributes
    ----------
    engine : Engine
    parts : tuple of Part
        In the order of the rows.
    schema, bins
        Of the whole table.
    labels, weights : arrays
        Of all rows; weights may be None.
    traffic : Traffic
    living : set
        Users of the partitions that have states there, see `Live`.
    """

    engine: Engine
    parts: tuple[Part, ...]
    schema: Schema
    bins: Bins
    labels: np.ndarray
    weights: np.ndarray | None
    traffic: Traffic = field(default_factory=Traffic)
    living: WeakSet[Any] = field(default_factory=WeakSet)

    def __post_init__(self) -> None:
        at = 0
        for part in self.parts:
            if part.first != at:
                raise ValueError(f"A partition begins with row {part.first}, and the ones before it end at row {at}.")
            at += part.n_rows
        if at != len(self.labels):
            raise ValueError(f"The partitions hold {at} rows, and there are labels of {len(self.labels)} rows.")

    @classmethod
    def over(
        cls,
        engine: Engine,
        parts: Sequence[Part],
        schema: Schema,
        bins: Bins,
        labels: np.ndarray,
        weights: np.ndarray | None,
    ) -> Spread:
        """The same for partitions in any order."""
        ordered = tuple(sorted(parts, key=lambda part: (part.first, part.n_rows)))
        return cls(engine, ordered, schema, bins, labels, weights)

    @property
    def n_rows(self) -> int:
        return len(self.labels)

    def names_of_living(self) -> tuple[str, ...]:
        """Names of the states in the partitions that somebody still uses; workers forget all others."""
        return tuple(sorted(user.name for user in self.living))

    def each(self, function: Callable[..., Any], *arguments: Any, own: Sequence[Any] | None = None) -> list[Any]:
        """`Engine.each`, counted."""
        found = self.engine.each(function, self.parts, *arguments, own=own)
        self._count((function, arguments), own, n_bytes(found))
        return found

    def total(self, function: Callable[..., Any], *arguments: Any, own: Sequence[Any] | None = None) -> Any:
        """`Engine.total`, counted."""
        found = self.engine.total(function, self.parts, *arguments, own=own)
        self._count((function, arguments), own, n_bytes(found))
        return found

    def jobs(
        self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], near: Sequence[Any] | None = None
    ) -> Iterator[Any]:
        """`Engine.jobs`, counted."""
        yield from self._counted(function, arguments, self.engine.jobs(function, self.parts, arguments, near=near))

    def on_rows(
        self, function: Callable[..., Any], pick: Callable[..., PartRows], arguments: Sequence[tuple[Any, ...]]
    ) -> Iterator[Any]:
        """`Engine.on_rows`, counted; the engine counts the rows that it brings together, if it can."""
        yield from self._counted(function, arguments, self.engine.on_rows(function, self.parts, pick, arguments))

    def _counted(
        self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], results: Iterator[Any]
    ) -> Iterator[Any]:
        for each, found in zip(arguments, results):
            self.traffic.count(n_bytes((function, each)), n_bytes(found))
            yield found

    def _count(self, shared: Any, own: Sequence[Any] | None, received: int) -> None:
        of_own = 0 if own is None else sum(n_bytes(each) for each in own)
        self.traffic.count(n_bytes(shared) * len(self.parts) + of_own, received)

    def slices(self, rows: np.ndarray) -> list[np.ndarray]:
        """Of row numbers that do not decrease, those of each partition, counted from its first row."""
        bounds = np.searchsorted(rows, [*(part.first for part in self.parts), self.n_rows])
        return [
            (rows[start:stop] - part.first).astype(np.uint32)
            for part, start, stop in zip(self.parts, bounds[:-1], bounds[1:])
        ]


@dataclass(frozen=True, eq=False)
class SpreadBinned:
    """The codes of training rows in partitions; stands for a `BinnedTable`.

    Attributes
    ----------
    spread : Spread
    rows : array or None
        Numbers of the rows in the whole table, not decreasing; None is all rows.
    labels, weights : arrays or None
        Labels and weights of these rows if they are not those of the partitions.
    """

    spread: Spread
    rows: np.ndarray | None = None
    labels: np.ndarray | None = None
    weights: np.ndarray | None = None

    @property
    def bins(self) -> Bins:
        return self.spread.bins

    @property
    def selection(self) -> Selection | None:
        """The rows, in a form that is small to send; None is all."""
        return None if self.rows is None else Selection.of(self.rows, self.spread.n_rows)

    @property
    def own_selections(self) -> list[Selection | None]:
        """The rows of each partition; None is all of them."""
        if self.rows is None:
            return [None] * len(self.spread.parts)
        bounds = np.searchsorted(self.rows, [*(part.first for part in self.spread.parts), self.spread.n_rows])
        return [
            Selection.of(self.rows[start:stop] - part.first, part.n_rows)
            for part, start, stop in zip(self.spread.parts, bounds[:-1], bounds[1:])
        ]

    @cached_property
    def counts(self) -> tuple[np.ndarray, ...]:
        """Number of rows of each code of each feature, "missing" first."""
        sizes = self.bins.n_bins + 1
        found = self.spread.total(count_codes, sizes, own=self.own_selections)
        return tuple(np.split(found, np.cumsum(sizes)[:-1]))

    @cached_property
    def has_missing(self) -> np.ndarray:
        """Whether each feature has a missing value."""
        return np.array([counts[0] > 0 for counts in self.counts])

    def take(self, rows: np.ndarray) -> SpreadBinned:
        """Some of the rows: a mask, or positions that do not decrease."""
        numbers = np.flatnonzero(rows) if rows.dtype == bool else rows
        return SpreadBinned(
            self.spread,
            numbers if self.rows is None else self.rows[numbers],
            None if self.labels is None else self.labels[rows],
            None if self.weights is None else self.weights[rows],
        )


def count_codes(rows: PartRows, selection: Selection | None, sizes: np.ndarray) -> np.ndarray:
    """Number of rows of each code, feature after feature."""
    codes = rows.codes if selection is None else rows.codes[selection.positions()]
    return np.concatenate([np.bincount(codes[:, j], minlength=size) for j, size in enumerate(sizes.tolist())])
