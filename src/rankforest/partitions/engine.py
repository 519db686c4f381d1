"""The engine seam: what runs functions on the partitions, for instance a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .rows import PartRows

__all__ = ["Engine", "Part"]


@dataclass(frozen=True)
class Part:
    """A partition as the client knows it.

    Attributes
    ----------
    rows : Any
        The `PartRows`, or what stands for them in the engine: a future, a key, a file.
    first : int
        Number of its first row in the whole table.
    n_rows : int
    """

    rows: Any
    first: int
    n_rows: int


class Engine(Protocol):
    """Runs functions on partitions.

    All functions are module-level functions, or callable objects, that can be pickled, and depend on nothing but their
    arguments: any of them may run twice, and anywhere. An error of a function is raised on the client.

    Attributes
    ----------
    n_workers : int
        Number of functions that run at the same time.
    worker_memory : int or None
        Bytes that one worker may use; None if unknown.
    """

    @property
    def n_workers(self) -> int: ...

    @property
    def worker_memory(self) -> int | None: ...

    def each(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> list[Any]:
        """``function(rows, *arguments)`` of every partition, in the order of the partitions.

        With `own`, one more argument per partition: ``function(rows, own[i], *arguments)``.
        """
        ...

    def total(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> Any:
        """The sum of ``each``, added up a tree: results have ``+``, and any order gives the same bits."""
        ...

    def jobs(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        arguments: Sequence[tuple[Any, ...]],
        *,
        near: Sequence[Any] | None = None,
    ) -> Iterator[Any]:
        """``function(all rows, *arguments[i])`` for independent jobs, yielded in order.

        All rows are put together once per worker, by `assemble`, and stay there. A job had better run where the last
        job with the same `near[i]` ran, because it may find states there.
        """
        ...

    def on_rows(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        pick: Callable[..., PartRows],
        arguments: Sequence[tuple[Any, ...]],
    ) -> Iterator[Any]:
        """Jobs that need some of the rows only: ``function(picked rows, *arguments[i])``, yielded in order.

        The rows of job i are ``pick(rows, *arguments[i])`` of every partition, put together by `assemble`.
        """
        ...
