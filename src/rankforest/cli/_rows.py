"""Single rows of a file, and samples of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ..data.data_file import DataFile, DataFileError
from ..data.match import file_rows
from ..data.table import read_table
from ._model import Loaded
from ._scoring import score_batches

__all__ = ["rows_at", "sample_of"]


def rows_at(loaded: Loaded, data: DataFile, numbers: list[int]) -> dict[int, pa.Table]:
    """The features of some rows, numbered from 1, each as a table of one row."""
    found: dict[int, pa.Table] = {}
    n_rows = 0
    for _, features, before in score_batches(loaded, data):
        n_rows = before + features.num_rows
        for number in numbers:
            if before < number <= n_rows:
                found[number] = features.slice(number - 1 - before, 1)
                with file_rows(data, number - 1):
                    read_table(found[number], schema=loaded.schema)  # raises an error that names this row
        if len(found) == len(set(numbers)):
            return found
    absent = next(number for number in numbers if number not in found)
    raise DataFileError(
        f"{data.path} has {n_rows} rows, so there is no row {absent}; give a number from 1 to {n_rows}."
    )


def sample_of(loaded: Loaded, data: DataFile, n: int) -> pa.Table:
    """At most n rows drawn from the whole file, in one pass: the same every time."""
    rng = np.random.default_rng(0)
    parts: list[pa.Table] = []
    keys = np.empty(0)
    for _, features, _ in score_batches(loaded, data):
        drawn = rng.random(features.num_rows)
        # the rows with the n smallest keys are a uniform sample
        some = np.sort(np.argsort(drawn, kind="stable")[:n])
        parts.append(features.take(some))
        keys = np.append(keys, drawn[some])
        if len(keys) > 4 * n:
            kept = np.sort(np.argsort(keys, kind="stable")[:n])
            parts, keys = [pa.concat_tables(parts).take(kept)], keys[kept]
    kept = np.sort(np.argsort(keys, kind="stable")[:n])
    return pa.concat_tables(parts).take(kept)
