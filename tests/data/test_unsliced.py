"""Texts of a slice of a column, in every version of pyarrow that is allowed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from rankforest.data.reading.apply import as_text, without
from rankforest.data.sink import csv_lines
from rankforest.data.unsliced import unsliced

TEXTS = [str(1 + i) for i in range(300)]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
def test_values_of_a_slice_stay(kind: pa.DataType) -> None:
    part = pa.array(TEXTS, kind)[256:]
    for _ in range(20):
        found = without(part, ["257"])
        found.validate(full=True)
        assert found.to_pylist() == [None, *TEXTS[257:]]
    assert as_text(part).offset == 0


def test_chunks_of_a_slice_stay() -> None:
    parts = pa.chunked_array([pa.array(TEXTS)[200:], pa.array(TEXTS)[:3]])
    assert [chunk.offset for chunk in unsliced(parts).chunks] == [0, 0]
    assert unsliced(parts).to_pylist() == [*TEXTS[200:], *TEXTS[:3]]


def test_quoted_lines_of_a_slice() -> None:
    batch = pa.record_batch({"a": pa.array([*TEXTS, "x, y"])}).slice(256)
    assert csv_lines(batch).decode().splitlines() == [*TEXTS[256:], '"x, y"']
