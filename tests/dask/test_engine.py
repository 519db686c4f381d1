"""What the engine of a cluster counts, and what the scheduler keeps of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from distributed import Client

from rankforest.dask.engine import DaskEngine
from rankforest.partitions.engine import Part
from rankforest.partitions.rows import PartRows

SIZE = 10_000
ROWS = 50


def some_rows(first: int) -> PartRows:
    return PartRows(np.zeros((ROWS, SIZE // ROWS), np.uint8), np.zeros(ROWS, np.uint8), None, first)


def ones(rows: PartRows, *_: Any) -> np.ndarray:
    return np.ones(SIZE, dtype=np.uint8)


def every_row(rows: PartRows, *_: Any) -> PartRows:
    return rows


@pytest.fixture
def engine(client: Client) -> Iterator[DaskEngine]:
    with DaskEngine(client) as started:
        yield started


@pytest.fixture
def parts(client: Client, engine: DaskEngine) -> list[Part]:
    """Nine partitions."""
    futures = client.map(some_rows, range(0, 9 * ROWS, ROWS), pure=False)
    engine.keep(futures)
    return [Part(future, ROWS * i, ROWS) for i, future in enumerate(futures)]


def results_sent(engine: DaskEngine, size: int) -> int:
    """How many results of a size were counted, if nothing else is large."""
    return round(engine.traffic.bytes_sent / size)


def test_a_result_of_each_partition_is_counted(engine: DaskEngine, parts: list[Part]) -> None:
    engine.each(ones, parts)
    assert results_sent(engine, SIZE) == 9


def test_an_argument_of_each_partition_is_counted(engine: DaskEngine, parts: list[Part]) -> None:
    engine.each(ones, parts, own=[np.zeros(2 * SIZE, np.uint8)] * 9)
    assert results_sent(engine, SIZE) == 9 + 18


def test_every_sum_is_counted(engine: DaskEngine, parts: list[Part]) -> None:
    """Those of the partitions, of the first eight and of the last one, and the last sum."""
    np.testing.assert_array_equal(engine.total(ones, parts), np.full(SIZE, 9))
    assert results_sent(engine, SIZE) == 9 + 2 + 1


def test_rows_that_are_brought_together_are_counted(engine: DaskEngine, parts: list[Part]) -> None:
    assert len(list(engine.on_rows(ones, parts, every_row, [(), ()]))) == 2
    assert results_sent(engine, SIZE) == 2 * (9 + 1)  # a partition has as many bytes as the answer


def test_the_scheduler_keeps_one_span_and_one_group_of_a_kind(
    client: Client, engine: DaskEngine, parts: list[Part]
) -> None:
    def kept(dask_scheduler: Any) -> tuple[int, int]:
        spans = dask_scheduler.extensions["spans"].spans
        return len(spans), sum(len(span.groups) for span in spans.values())

    seen = []
    for _ in range(4):
        engine.total(ones, parts)
        seen.append(client.run_on_scheduler(kept))
    assert len(set(seen)) == 1
