"""A graph of tasks, written down directly: `dask.delayed` takes seconds for the thousands of tasks of a sort.

A task is a tuple of a function and the keys of its arguments, as in Dask's specification of graphs. All other arguments
are inside the function, so that Dask does not look for tasks in them. Each partition has a task made by `dask.delayed`,
because Dask takes the key of a persisted partition in a tuple for a plain value.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import dask
from dask.delayed import Delayed, delayed
from dask.highlevelgraph import HighLevelGraph

__all__ = ["Graph", "Runner", "TaskKey", "renamed"]

_FAN_IN = 8  # results that one task of a reduction merges


@dataclass(frozen=True)
class TaskKey:
    """A task of a graph, as an argument of others."""

    key: str


@dataclass(frozen=True)
class _Place:
    """Stands for the n-th of the results that a task is given."""

    number: int


@dataclass(frozen=True)
class _Call:
    """A call with results of other tasks in some of its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __call__(self, *results: Any) -> Any:
        return self.function(*(_filled(argument, results) for argument in self.arguments))


def _filled(argument: Any, results: Sequence[Any]) -> Any:
    if isinstance(argument, list):
        return [_filled(one, results) for one in argument]
    return results[argument.number] if isinstance(argument, _Place) else argument


class Graph:
    """Tasks on the partitions of collections; what `add` returns, and partitions, may be arguments of tasks."""

    def __init__(self, parts: Iterable[Delayed]) -> None:
        self._tasks: dict[Any, Any] = {}
        self._name = f"rankforest-{uuid4().hex}"
        given = delayed(_same, pure=False)
        self._parts = {
            part.key: given(part, dask_key_name=f"{self._name}-part-{number}") for number, part in enumerate(parts)
        }

    def add(self, function: Callable[..., Any], *arguments: Any) -> TaskKey:
        """A task; its arguments are tasks, partitions, lists of them, or plain values."""
        needed: list[Any] = []

        def place(argument: Any) -> Any:
            if isinstance(argument, list):
                return [place(one) for one in argument]
            if not isinstance(argument, TaskKey | Delayed):
                return argument
            needed.append(self._parts[argument.key].key if isinstance(argument, Delayed) else argument.key)
            return _Place(len(needed) - 1)

        call = _Call(function, tuple(map(place, arguments)))
        key = f"{self._name}-{len(self._tasks)}"
        self._tasks[key] = (call, *needed)
        return TaskKey(key)

    def add_each(self, task: TaskKey, n: int) -> list[TaskKey]:
        """One task for each entry of a result that is a list of `n`."""
        return [self.add(operator.getitem, task, i) for i in range(n)]

    def add_reduction(self, merge: Callable[[list[Any]], Any], tasks: Sequence[TaskKey]) -> TaskKey:
        """The task at the root of a tree that merges results a few at a time."""
        level = list(tasks)
        while True:
            level = [self.add(merge, level[i : i + _FAN_IN]) for i in range(0, len(level), _FAN_IN)]
            if len(level) == 1:
                return level[0]

    def tasks(self, chosen: Iterable[TaskKey]) -> list[Delayed]:
        """Some of the tasks, to be run or to depend on."""
        graph = HighLevelGraph.from_collections(self._name, self._tasks, dependencies=[*self._parts.values()])
        return [Delayed(task.key, graph, layer=self._name) for task in chosen]


def _same(result: Any) -> Any:
    return result


def renamed(names: Iterable[Any], tasks: Sequence[Delayed], layer: str) -> HighLevelGraph:
    """The graph in which tasks have other names."""
    others: dict[Any, Any] = {name: (_same, task.key) for name, task in zip(names, tasks)}
    return HighLevelGraph.from_collections(layer, others, dependencies=tasks)  # type: ignore[arg-type]


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
