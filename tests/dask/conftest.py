"""A cluster of worker processes, one for each module of tests, and the file of a model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from rankforest import save_model


@pytest.fixture(scope="session")
def _quick_start() -> None:
    """Workers are forked from a process that has imported everything: they start, and start again, in no time."""
    forkserver.set_forkserver_preload(["distributed", "rankforest.dask", "rankforest.storage.model"])
    forkserver.ensure_running()


@pytest.fixture(scope="module")
def cluster(_quick_start: None) -> Iterator[LocalCluster]:
    """Two workers of one thread, each a process of its own."""
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        started = LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL
        )
        try:
            yield started
        finally:
            with suppress(KeyError):  # at its end it may look for a worker that it has removed already
                started.close()


@pytest.fixture(scope="module")
def client(cluster: LocalCluster) -> Iterator[Client]:
    with Client(cluster) as connected:
        yield connected


@pytest.fixture
def file_of(tmp_path: Path) -> Callable[[Any], bytes]:
    """The bytes of the model file."""

    def file(model: Any) -> bytes:
        path = tmp_path / "model.rf"
        save_model(model, path)
        return path.read_bytes()

    return file
