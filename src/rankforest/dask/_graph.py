"""A graph of tasks, written down directly: `dask.delayed` takes seconds for the thousands of tasks of a sort."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import uuid4

import dask
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph

__all__ = ["Graph", "Runner"]

_FAN_IN = 8  # results that one task of a reduction merges


class Graph:
    """Tasks on the partitions of collections; a task is known by its key, and keys may be arguments of tasks."""

    def __init__(self, parts: Iterable[Delayed]) -> None:
        self._parts = list(parts)
        self._tasks: dict[Any, Any] = {}
        self._name = f"rankforest-{uuid4().hex}"

    def add(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """A task; its arguments are keys, lists of keys, or values that are neither tuples nor strings."""
        key = f"{self._name}-{len(self._tasks)}"
        self._tasks[key] = (function, *arguments)
        return key

    def add_each(self, key: Any, n: int) -> list[Any]:
        """One task for each entry of a result that is a list of `n`."""
        return [self.add(operator.getitem, key, i) for i in range(n)]

    def add_reduction(self, merge: Callable[[list[Any]], Any], keys: Sequence[Any]) -> Any:
        """The task at the root of a tree that merges results a few at a time."""
        level = list(keys)
        while True:
            level = [self.add(merge, level[i : i + _FAN_IN]) for i in range(0, len(level), _FAN_IN)]
            if len(level) == 1:
                return level[0]

    def tasks(self, keys: Iterable[Any]) -> list[Delayed]:
        """Some of the tasks, to be run or to depend on."""
        graph = HighLevelGraph.from_collections(self._name, self._tasks, dependencies=self._parts)  # type: ignore[arg-type]
        return [Delayed(key, graph, layer=self._name) for key in keys]


class Runner:
    """Runs tasks on a cluster: that of the client, or Dask's default scheduler if there is none."""

    def __init__(self, client: Any = None) -> None:
        self._client = client

    def compute(self, tasks: Sequence[Delayed]) -> list[Any]:
        """Results of the tasks, on this machine."""
        if self._client is None:
            return list(dask.compute(*tasks))
        return list(self._client.compute(list(tasks), sync=True))

    def persist(self, tasks: Sequence[Delayed]) -> list[Delayed]:
        """The tasks with their results kept where they are computed."""
        if self._client is None:
            return list(dask.persist(*tasks))
        return list(self._client.persist(list(tasks)))
