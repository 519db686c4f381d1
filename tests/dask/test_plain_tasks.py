"""What a fit may ask of a cluster: plain tasks that may run anywhere, no connections of its own, and no floats kept."""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import Client, wait

import rankforest.dask
import rankforest.partitions
from cluster_fits import FITS, cluster_model, local_model, rows, split
from rankforest.dask.engine import DaskEngine

MOVES = {
    "rebalance",
    "replicate",
    "scatter",
    "run",
    "run_on_scheduler",
    "register_plugin",
    "get_executor",
    "publish_dataset",
}
CONNECTIONS = {"socket", "asyncio", "multiprocessing", "subprocess", "http", "urllib", "zmq", "tornado"}


def sources() -> Iterator[ast.Module]:
    for package in (rankforest.dask, rankforest.partitions):
        for path in Path(str(package.__file__)).parent.glob("*.py"):
            yield ast.parse(path.read_text(encoding="utf-8"))


def test_nothing_moves_rows_or_connects() -> None:
    for node in (node for source in sources() for node in ast.walk(source)):
        if isinstance(node, ast.Attribute):
            assert node.attr not in MOVES, node.lineno
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            assert not CONNECTIONS & {name.split(".")[0] for name in names}


def pinned(dask_scheduler: Any) -> list[str]:
    """Tasks that insist on a worker."""
    tasks = dask_scheduler.tasks.values()
    return [task.key for task in tasks if task.worker_restrictions and not task.loose_restrictions]


def ports() -> set[int]:
    """Ports on which a worker listens."""
    return {each.laddr.port for each in psutil.Process().net_connections("inet") if each.status == psutil.CONN_LISTEN}


def float_tables(dask_worker: Any) -> list[str]:
    """Results on a worker that are the values of a partition, or hold them."""

    def is_table(value: Any) -> bool:
        return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.size >= 48 * 4

    found = []
    for key, each in dask_worker.data.items():
        if any(map(is_table, [each, *getattr(each, "__dict__", {}).values()])):
            found.append(str(key))
    return found


def test_tables_of_floats_are_found(client: Client) -> None:
    X, _ = rows("tree")
    kept = split(X, 5).persist()
    wait(kept)
    assert sum(map(len, client.run(float_tables).values())) == 5


@pytest.mark.parametrize(("kind", "way"), FITS)
def test_tasks_may_run_anywhere_and_floats_are_gone(
    kind: str, way: str | None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at whenever the client waits."""
    X, y = rows(kind)
    before = client.run(ports)
    results = DaskEngine.results
    seen: list[list[str]] = []

    def looking(self: DaskEngine, futures: list[Any]) -> list[Any]:
        assert client.run_on_scheduler(pinned) == []
        found = results(self, futures)
        seen.append([key for keys in client.run(float_tables).values() for key in keys])
        assert client.run(ports) == before
        return found

    monkeypatch.setattr(DaskEngine, "results", looking)
    cluster_model(kind).fit(split(X, 5), split(y, 5), way=way)
    assert len(seen) > 4
    assert not any(seen[3:])  # labels, survey and codes are the first three


def test_a_fit_that_waits_does_not_hold_up_another(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one stops in its middle until the second one has ended."""
    reached, go_on = threading.Event(), threading.Event()
    results = DaskEngine.results
    waits: dict[DaskEngine, int] = {}

    def waiting(self: DaskEngine, futures: list[Any]) -> list[Any]:
        waits[self] = waits.get(self, 0) + 1
        if threading.current_thread() is not threading.main_thread() and waits[self] == 5:
            reached.set()
            assert go_on.wait(120)
        return results(self, futures)

    monkeypatch.setattr(DaskEngine, "results", waiting)
    X, y = rows("forest")
    given = split(X, 5), split(y, 5)
    wanted = local_model("forest").fit(X, y).score_samples(X)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(cluster_model("forest", client=client).fit, *given)
        try:
            assert reached.wait(60)
            second = cluster_model("forest", client=client).fit(*given)
            assert not first.done()
        finally:
            go_on.set()
        for model in (first.result(60), second):
            np.testing.assert_array_equal(model.to_local().score_samples(X), wanted)
