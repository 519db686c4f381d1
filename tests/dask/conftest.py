"""A cluster of worker processes, one for each module of tests, and the file of a model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from rankforest import save_model


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two workers of one thread, each a process of its own."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.CRITICAL
    ) as started:
        yield started


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
