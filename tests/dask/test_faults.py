"""Workers that die, Ctrl-C, fits at the same time: the model stays the same, and nothing is left behind."""

from __future__ import annotations

import _thread
import logging
import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from distributed import Client, LocalCluster, SubprocessCluster

from cluster_fits import FITS, at_call, cluster_model, local_model, rows, split, wait_until
from rankforest.dask.engine import DaskEngine

FileOf = Callable[[Any], bytes]


def n_tasks(client: Client) -> int:
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def start_workers(cluster: LocalCluster, client: Client) -> None:
    """Two workers, also where one that was killed while it started was given up."""

    def started() -> bool:
        cluster.scale(2)
        return len(client.nthreads()) == 2

    wait_until(started)


BY_HISTOGRAMS = [(kind, "histograms") for kind in ("tree", "consensus", "ordinal tree")]


@pytest.mark.parametrize(("kind", "way"), [*FITS, *BY_HISTOGRAMS])
def test_a_killed_worker_costs_time_only(
    kind: str, way: str | None, cluster: LocalCluster, client: Client, file_of: FileOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rows(kind)
    start_workers(cluster, client)
    victims: list[int] = []

    def kill() -> None:
        """The worker with most results: codes of partitions are among them."""
        held = client.has_what()
        address = max(held, key=lambda worker: len(held[worker]))
        victims.append(client.run(os.getpid, workers=[address])[address])
        os.kill(victims[0], signal.SIGKILL)

    at_call(monkeypatch, 5, kill)  # labels, survey and neighbours are the first three
    model = cluster_model(kind).fit(split(X, 7), split(y, 7), way=way)
    assert victims
    wait_until(lambda: victims[0] not in client.run(os.getpid, on_error="ignore").values())
    assert file_of(model) == file_of(local_model(kind).fit(X, y))


@pytest.mark.parametrize("call", [2, 6])  # while rows are read, and while trees grow
def test_ctrl_c_leaves_no_tasks_behind(call: int, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows("forest")
    model = cluster_model("forest", client=client)
    calls = at_call(monkeypatch, call, _thread.interrupt_main)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores the signal
    try:
        with pytest.raises(KeyboardInterrupt):
            model.fit(split(X, 7), split(y, 7))
    finally:
        signal.signal(signal.SIGINT, before)
    assert calls[0] == call, "nothing is asked for afterwards"
    assert not hasattr(model, "classes_")
    wait_until(lambda: n_tasks(client) == 0)


def test_an_error_leaves_no_tasks_behind(client: Client) -> None:
    X, y = rows("tree")
    X[100, 0] = float("inf")
    with pytest.raises(ValueError, match="Partition 2"):
        cluster_model("tree").fit(split(X, 6), split(y, 6))
    wait_until(lambda: n_tasks(client) == 0)


def _fails(number: int, seconds: float) -> None:
    time.sleep(seconds)
    raise ValueError(f"Partition {number}: bad value")


def test_the_first_bad_partition_is_named_though_a_later_one_fails_sooner(client: Client) -> None:
    with DaskEngine(client) as engine:
        futures = client.map(_fails, [0, 1], [0.5, 0.0], pure=False)
        engine.keep(futures)
        wait_until(lambda: futures[1].status == "error")
        with pytest.raises(ValueError, match=r"^Partition 0: bad value$"):
            engine.results(futures)


def test_the_scheduler_does_not_grow_with_the_forest(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = rows("forest")
    seen: dict[int, int] = {}
    for n_trees in (20, 200):
        most = [0]
        results = DaskEngine.results

        def watched(self: DaskEngine, futures: list[Any], most: list[int] = most, results: Any = results) -> Any:
            most[0] = max(most[0], n_tasks(client))
            return results(self, futures)

        with monkeypatch.context() as patched:
            patched.setattr(DaskEngine, "results", watched)
            cluster_model("forest").set_params(n_estimators=n_trees).fit(split(X, 3), split(y, 3), way="bags")
        seen[n_trees] = most[0]
        wait_until(lambda: n_tasks(client) == 0)
    assert seen[200] <= seen[20] + 10


def scheduler_memory(client: Client) -> tuple[int, int]:
    """Bytes in memory and number of objects of the scheduler."""

    def measure(dask_scheduler: Any) -> tuple[int, int]:
        import gc

        import psutil

        gc.collect()
        return psutil.Process().memory_info().rss, len(gc.get_objects())

    found: tuple[int, int] = client.run_on_scheduler(measure)
    return found


@pytest.mark.parametrize(
    ("kind", "way", "few", "many"), [("forest", "bags", 20, 200), ("boosting", "histograms", 4, 20)]
)
def test_the_memory_of_the_scheduler_stays_flat(
    kind: str, way: str, few: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler has a process of its own. Its lists of past work, which end at some length, are kept short."""
    monkeypatch.setenv("DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH", "10")
    monkeypatch.setenv("DASK_DISTRIBUTED__DIAGNOSTICS__COMPUTATIONS__MAX_HISTORY", "2")
    X, y = rows(kind)
    with (
        SubprocessCluster(n_workers=1, worker_kwargs={"nthreads": 1}, silence_logs=logging.CRITICAL) as cluster,
        Client(cluster) as client,
    ):
        seen = []
        for n_trees in (few, many):
            model = cluster_model(kind, client=client).set_params(n_estimators=n_trees)
            model.fit(split(X, 3), split(y, 3), way=way)
            seen.append(scheduler_memory(client))
        (bytes_before, objects_before), (bytes_after, objects_after) = seen
    assert objects_after < objects_before + 2000
    assert bytes_after < bytes_before + 5 * 10**6


def test_two_fits_at_the_same_time(client: Client, file_of: FileOf) -> None:
    wanted, given = {}, {}
    for kind in ("forest", "ordinal forest"):
        X, y = rows(kind)
        wanted[kind] = file_of(local_model(kind).fit(X, y))
        given[kind] = split(X, 5), split(y, 5)
    with ThreadPoolExecutor(2) as pool:
        fits = {kind: pool.submit(cluster_model(kind, client=client).fit, *rows) for kind, rows in given.items()}
        for kind, fit in fits.items():
            assert file_of(fit.result(timeout=120)) == wanted[kind]
