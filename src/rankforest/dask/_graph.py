"""A graph of tasks, written down directly: `dask.delayed` takes seconds for the thousands of tasks of a sort."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import uuid4

import dask
from dask._task_spec import Alias, List, Task, TaskRef
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph

__all__ = ["Graph", "Runner", "renamed"]

_FAN_IN = 8  # results that one task of a reduction merges


class Graph:
    """Tasks on the partitions of collections; what `add` returns, and partitions, may be arguments of tasks."""

    def __init__(self, parts: Iterable[Delayed]) -> None:
        self._parts = list(parts)
        self._tasks: dict[Any, Any] = {}
        self._name = f"rankforest-{uuid4().hex}"

    def add(self, function: Callable[..., Any], *arguments: Any) -> TaskRef:
        """A task; its arguments are tasks, partitions, lists of them, or plain values."""
        key = f"{self._name}-{len(self._tasks)}"
        self._tasks[key] = Task(key, function, *map(_argument, arguments))
        return TaskRef(key)

    def add_each(self, task: TaskRef, n: int) -> list[TaskRef]:
        """One task for each entry of a result that is a list of `n`."""
        return [self.add(operator.getitem, task, i) for i in range(n)]

    def add_reduction(self, merge: Callable[[list[Any]], Any], tasks: Sequence[TaskRef]) -> TaskRef:
        """The task at the root of a tree that merges results a few at a time."""
        level = list(tasks)
        while True:
            level = [self.add(merge, level[i : i + _FAN_IN]) for i in range(0, len(level), _FAN_IN)]
            if len(level) == 1:
                return level[0]

    def tasks(self, chosen: Iterable[TaskRef]) -> list[Delayed]:
        """Some of the tasks, to be run or to depend on."""
        graph = HighLevelGraph.from_collections(self._name, self._tasks, dependencies=self._parts)  # type: ignore[arg-type]
        return [Delayed(task.key, graph, layer=self._name) for task in chosen]


def _argument(given: Any) -> Any:
    if isinstance(given, Delayed):
        return TaskRef(given.key)
    return List(*map(_argument, given)) if isinstance(given, list) else given


def renamed(names: Iterable[Any], tasks: Sequence[Delayed], layer: str) -> HighLevelGraph:
    """The graph in which tasks have other names."""
    aliases: dict[Any, Any] = {name: Alias(name, task.key) for name, task in zip(names, tasks)}
    return HighLevelGraph.from_collections(layer, aliases, dependencies=tasks)  # type: ignore[arg-type]


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
