"""The engine of a Dask cluster: functions on partitions become plain tasks, which may run twice and anywhere.

Partitions are futures that the client holds during the fit. Nothing is scattered, and no task is bound to a worker, so
Dask computes again what a lost worker held. No task opens a connection of its own.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from uuid import uuid4
from weakref import WeakSet

import dask
from distributed import Client, Future, get_worker, span
from distributed.protocol import pickle

from ..partitions.engine import Part
from ..partitions.rows import PartRows, assemble
from ..partitions.traffic import n_bytes

__all__ = ["ClusterTraffic", "DaskEngine", "client_of"]

_FAN_IN = 8  # results that one task adds up
_SMALL = 2**15  # bytes of arguments that are sent with each task; larger ones are a task that the others share
_AHEAD = 2  # jobs in flight per thread of the cluster


@dataclass
class ClusterTraffic:
    """What a fit asked of the cluster.

    Attributes
    ----------
    bytes_sent : int
        Bytes of arguments and results of tasks. The copies of all codes in the way "trees" are not among them.
        Results that another task of the same worker reads are, though they do not travel.
    n_tasks : int
    n_rounds : int
        How often this machine waited for results.
    """

    bytes_sent: int = 0
    n_tasks: int = 0
    n_rounds: int = 0


def client_of(client: Any = None) -> Client:
    """The given client, or the current one of this process."""
    if client is not None:
        if not isinstance(client, Client):
            raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}.")
        return client
    try:
        return Client.current()
    except ValueError:
        raise ValueError(
            "There is no Dask cluster; start one with client = distributed.Client(), or pass client=..."
        ) from None


class DaskEngine:
    """Runs functions on partitions as tasks of a Dask cluster; see `rankforest.partitions.engine.Engine`.

    It is a context: at its end, also by an error or Ctrl-C, all its tasks are cancelled and their results dropped.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._name = f"rankforest-{uuid4().hex}"
        # The scheduler never forgets a span or a group of tasks. So all tasks are in one span, and a task of each name
        # is kept to the end, so that its group does not end and begin again in every round.
        with span("rankforest"):
            self._in_span = dask.get_annotations()
        self._kept: dict[str, Future] = {}
        self._numbers = itertools.count()
        self._futures: WeakSet[Future] = WeakSet()
        self._whole: dict[tuple[str, ...], Future] = {}  # all rows of partitions, put together
        self._orders: dict[tuple[str, ...], list[int]] = {}  # of partitions, by the worker that has them
        self._addresses: dict[Any, str] = {}  # of the worker of the last job near each place
        self.traffic = ClusterTraffic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cancel(list(self._futures))

    @property
    def n_workers(self) -> int:
        """Threads of the cluster, each of which runs one function at a time."""
        return max(sum(self._client.nthreads().values()), 1)

    @property
    def worker_memory(self) -> int | None:
        """Memory limit of the smallest worker."""
        limits = [worker["memory_limit"] for worker in self._client.scheduler_info(n_workers=-1)["workers"].values()]
        return min((limit for limit in limits if limit), default=None)

    # ---- the protocol

    def each(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> list[Any]:
        return self.results(self._on_each(function, parts, arguments, own, _applied))

    def total(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> Any:
        found = self._on_each(function, parts, arguments, own, _applied_and_counted)
        level = [found[i] for i in self._by_worker(parts)]
        while len(level) > 1:
            level = self._map(_added, [level[i : i + _FAN_IN] for i in range(0, len(level), _FAN_IN)])
        [total] = self.results(level)
        return total

    def _by_worker(self, parts: Sequence[Part]) -> Sequence[int]:
        """The partitions in such an order that those of one worker are neighbours: their sums need not travel.

        It is found out once. If workers leave, some sums travel, and nothing else changes.
        """
        which = tuple(part.rows.key for part in parts)
        if which not in self._orders:
            held = self._client.who_has([part.rows for part in parts])
            homes = [(sorted(held.get(key, ())) or [""])[0] for key in which]
            self._orders[which] = sorted(range(len(parts)), key=homes.__getitem__)
        return self._orders[which]

    def jobs(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        arguments: Sequence[tuple[Any, ...]],
        *,
        near: Sequence[Any] | None = None,
    ) -> Iterator[Any]:
        # a task of its own, whose result Dask copies once to every worker with a job
        which = tuple(part.rows.key for part in parts)
        if which not in self._whole:
            [self._whole[which]] = self._map(assemble, [[part.rows for part in parts]])
        whole = self._whole[which]
        if near is None:
            return self._in_order([self._map(_applied, [self._sent(function, job)], [whole])[0]] for job in arguments)
        return self._near(function, whole, arguments, near)

    def _near(
        self, function: Callable[..., Any], whole: Future, arguments: Sequence[tuple[Any, ...]], near: Sequence[Any]
    ) -> Iterator[Any]:
        """Jobs with a wish for a worker; Dask takes another if that one has gone, and may move a job that waits."""

        def started() -> Iterator[list[Future]]:
            for job, place in zip(arguments, near):
                wish = {"workers": [self._addresses[place]]} if place in self._addresses else {}
                yield self._map(_applied_there, [self._sent(function, job)], [whole], **wish)

        for place, (address, found) in zip(near, self._in_order(started())):
            self._addresses[place] = address
            yield found

    def on_rows(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        pick: Callable[..., PartRows],
        arguments: Sequence[tuple[Any, ...]],
    ) -> Iterator[Any]:
        return self._in_order(self._job_on_rows(function, parts, pick, job) for job in arguments)

    def _job_on_rows(
        self, function: Callable[..., Any], parts: Sequence[Part], pick: Callable[..., PartRows], job: tuple[Any, ...]
    ) -> list[Future]:
        sent = self._sent((pick, function), job, len(parts) + 1)
        picked = self._map(_picked, [sent] * len(parts), [part.rows for part in parts])
        return [*self._map(_applied_to_picked, [sent], [picked]), *picked]

    # ---- tasks

    def keep(self, futures: Sequence[Future]) -> None:
        """Futures that end with this engine."""
        self._futures.update(futures)
        self.traffic.n_tasks += len(futures)

    def _key(self, name: str) -> str:
        return f"{name}-{self._name}-{next(self._numbers)}"

    def _map(self, function: Callable[..., Any], *arguments: Sequence[Any], **wish: Any) -> list[Future]:
        """One task for each set of arguments."""
        name = getattr(function, "__name__", type(function).__name__).strip("_")
        keys = [self._key(name) for _ in arguments[0]]
        with dask.annotate(**self._in_span):
            if name not in self._kept:
                self._kept[name] = self._client.submit(_nothing, key=self._key(name), pure=False)
                self.keep([self._kept[name]])
            futures = self._client.map(
                function, *arguments, key=keys, pure=False, allow_other_workers=bool(wish), **wish
            )
        self.keep(futures)
        return list(futures)

    def _on_each(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        arguments: tuple[Any, ...],
        own: Sequence[Any] | None,
        apply: Callable[..., Any],
    ) -> list[Future]:
        sent = [self._sent(function, arguments, len(parts))] * len(parts)
        rows = [part.rows for part in parts]
        if own is None:
            return self._map(apply, sent, rows)
        self.traffic.bytes_sent += n_bytes(own)
        return self._map(apply, sent, rows, own)

    def _sent(self, function: Any, arguments: tuple[Any, ...], n_tasks: int = 1) -> Any:
        """A function, or several, and its arguments as bytes; if they are many, as a task that others share."""
        data = pickle.dumps((function, arguments))
        self.traffic.bytes_sent += len(data) * n_tasks
        if len(data) <= _SMALL:
            return data
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self._map(_Bytes, [data])[0]

    # ---- results

    def results(self, futures: list[Future]) -> list[Any]:
        """Results of tasks on this machine; an error, or Ctrl-C, cancels them.

        If several tasks fail, the error is that of the first of them in the given order, whichever failed first.
        """
        self.traffic.n_rounds += 1
        try:
            found = self._client.gather(futures)
        except Exception as error:
            first = _first_error(futures, error)
            self._cancel(futures)
            raise first from None
        except BaseException:
            self._cancel(futures)
            raise
        self.traffic.bytes_sent += sum(each.n_sent if isinstance(each, _Counted) else n_bytes(each) for each in found)
        return [each.result if isinstance(each, _Counted) else each for each in found]

    def _in_order(self, started: Iterator[list[Future]]) -> Iterator[Any]:
        """Results of jobs, with a bounded number of jobs in flight; a job is its future and those that it needs."""
        waiting: deque[list[Future]] = deque()
        try:
            for job in started:
                waiting.append(job)
                if len(waiting) > _AHEAD * self.n_workers:
                    yield self.results(waiting[0][:1])[0]
                    waiting.popleft()
            while waiting:
                yield self.results(waiting[0][:1])[0]
                waiting.popleft()
        finally:
            self._cancel([future for job in waiting for future in job])

    def _cancel(self, futures: list[Future]) -> None:
        if futures and self._client.status == "running":
            self._client.cancel(futures, force=True)


def _nothing() -> None:
    """A task whose name matters."""


def _first_error(futures: list[Future], found: Exception) -> BaseException:
    """The error of the first task that failed; earlier tasks are waited for, later ones are not."""
    for future in futures:
        error: BaseException | None = future.exception()
        if error is not None:
            return error
    return found


class _Bytes:
    """Bytes as the result of a task: Dask would take plain bytes for a key."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __sizeof__(self) -> int:
        return len(self.data)


def _opened(sent: bytes | _Bytes) -> Any:
    return pickle.loads(sent.data if isinstance(sent, _Bytes) else sent)


def _applied(sent: bytes | _Bytes, rows: PartRows, *own: Any) -> Any:
    function, arguments = _opened(sent)
    return function(rows, *own, *arguments)


def _applied_there(sent: bytes | _Bytes, rows: PartRows) -> tuple[str, Any]:
    return get_worker().address, _applied(sent, rows)


def _picked(sent: bytes | _Bytes, rows: PartRows) -> PartRows:
    (pick, _), arguments = _opened(sent)
    return pick(rows, *arguments)


def _applied_to_picked(sent: bytes | _Bytes, picked: list[PartRows]) -> _Counted:
    (_, function), arguments = _opened(sent)
    return _Counted.of(function(assemble(picked), *arguments), sum(part.n_bytes for part in picked))


def _applied_and_counted(sent: bytes | _Bytes, rows: PartRows, *own: Any) -> _Counted:
    return _Counted.of(_applied(sent, rows, *own))


def _added(results: list[_Counted]) -> _Counted:
    total = results[0].result
    for each in results[1:]:
        total = total + each.result
    return _Counted.of(total, sum(each.n_sent for each in results))


@dataclass(frozen=True)
class _Counted:
    """The result of a task that read results of other tasks, or will be read by one.

    Attributes
    ----------
    result : Any
    n_bytes : int
        Its size.
    n_sent : int
        The same, and the sizes of all results that it was made of.
    """

    result: Any
    n_bytes: int
    n_sent: int

    @classmethod
    def of(cls, result: Any, before: int = 0) -> _Counted:
        size = n_bytes(result)
        return cls(result, size, before + size)

    def __sizeof__(self) -> int:  # Dask asks, and runs a sum where most of its terms are
        return object.__sizeof__(self) + self.n_bytes
