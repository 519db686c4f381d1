"""A worker that arrives in the middle of a fit. The cluster is one of which no worker was killed before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from distributed import Client, LocalCluster

from cluster_fits import at_call, cluster_model, local_model, rows, split, wait_until


@pytest.mark.parametrize(
    ("kind", "way"), [("tree", None), ("forest", None), ("boosting", None), ("boosting", "histograms")]
)
def test_a_worker_may_come(
    kind: str,
    way: str | None,
    cluster: LocalCluster,
    client: Client,
    file_of: Callable[[Any], bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = rows(kind)
    before = set(client.nthreads())

    def add() -> None:
        cluster.scale(3)
        client.wait_for_workers(3)

    at_call(monkeypatch, 5, add)
    model = cluster_model(kind).fit(split(X, 7), split(y, 7), way=way)
    now = set(client.nthreads())
    assert before < now
    assert len(now) == 3
    assert file_of(model) == file_of(local_model(kind).fit(X, y))
    cluster.scale(2)
    wait_until(lambda: len(client.nthreads()) == 2)
