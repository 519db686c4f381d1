"""Where the training rows are: the partitions of an engine, and what the client knows of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet

import numpy as np

from ..data.binning import Bins
from ..data.schema import Schema
from .engine import Engine, Part
from .rows import PartRows
from .traffic import Traffic, n_bytes

__all__ = ["Spread"]


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
    groups : array or None
        Group of each row, from 0 on, if bags have whole groups.
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
    groups: np.ndarray | None = None
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
    def of_any_order(
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
        self._count((function, arguments), own, len(self.parts), n_bytes(found))
        return found

    def total(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        own: Sequence[Any] | None = None,
        parts: Sequence[Part] | None = None,
    ) -> Any:
        """`Engine.total`, counted; of all partitions, or of some of them."""
        parts = self.parts if parts is None else parts
        found = self.engine.total(function, parts, *arguments, own=own)
        self._count((function, arguments), own, len(parts), n_bytes(found))
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

    def _count(self, shared: Any, own: Sequence[Any] | None, n_parts: int, received: int) -> None:
        of_own = 0 if own is None else sum(n_bytes(each) for each in own)
        self.traffic.count(n_bytes(shared) * n_parts + of_own, received)

    def slices(self, rows: np.ndarray) -> list[np.ndarray]:
        """Of row numbers that do not decrease, those of each partition, counted from its first row."""
        bounds = np.searchsorted(rows, [*(part.first for part in self.parts), self.n_rows])
        return [
            (rows[start:stop] - part.first).astype(np.uint32)
            for part, start, stop in zip(self.parts, bounds[:-1], bounds[1:])
        ]
