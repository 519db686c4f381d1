"""The engine of one process: partitions are `PartRows` in memory, and functions run one after the other."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

from .engine import Part
from .rows import PartRows, assemble

__all__ = ["InProcess"]


class InProcess:
    """An engine without a cluster, for tests and as an example.

    Parameters
    ----------
    n_workers : int
        How many workers to act as.
    worker_memory : int or None
        Bytes that a worker has.
    """

    def __init__(self, n_workers: int = 1, worker_memory: int | None = None) -> None:
        self.n_workers = n_workers
        self.worker_memory = worker_memory
        self._whole: tuple[tuple[int, ...], PartRows] | None = None

    @staticmethod
    def parts_of(rows: Sequence[PartRows]) -> list[Part]:
        """Partitions of this engine."""
        return [Part(each, each.first, each.n_rows) for each in rows]

    def each(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> list[Any]:
        firsts = [()] * len(parts) if own is None else [(each,) for each in own]
        return [function(part.rows, *first, *arguments) for part, first in zip(parts, firsts)]

    def total(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> Any:
        return reduce(operator.add, self.each(function, parts, *arguments, own=own))

    def jobs(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        arguments: Sequence[tuple[Any, ...]],
        *,
        near: Sequence[Any] | None = None,
    ) -> Iterator[Any]:
        which = tuple(id(part.rows) for part in parts)
        if self._whole is None or self._whole[0] != which:
            self._whole = which, assemble([part.rows for part in parts])
        for each in arguments:
            yield function(self._whole[1], *each)

    def on_rows(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        pick: Callable[..., PartRows],
        arguments: Sequence[tuple[Any, ...]],
    ) -> Iterator[Any]:
        for each in arguments:
            yield function(assemble([pick(part.rows, *each) for part in parts]), *each)
