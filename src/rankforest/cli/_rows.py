"""Rows of a file: by their numbers, their scores, and some that stand for all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from ..data.data_file import DataFile, DataFileError
from ..data.match import file_rows
from ..data.table import read_table
from ..shapley.background import evenly_spaced
from ._errors import WrongUsage
from ._model import Loaded
from ._scoring import Unseen, score_batches

__all__ = ["explained_scores", "rows_at", "some_rows"]


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
    raise WrongUsage(f"{data.path} has {n_rows} rows, so there is no row {absent}; give a number from 1 to {n_rows}.")


def explained_scores(loaded: Loaded, data: DataFile, tell: Callable[[float], None]) -> np.ndarray:
    """The score of every row of a file, on the scale on which explanations of the model add up.

    Parameters
    ----------
    loaded : Loaded
    data : DataFile
    tell : callable
        Called with the finished share of the file.
    """
    parts, unseen = loaded.model.score_parts(), Unseen(loaded.schema)
    found: list[np.ndarray] = []
    for _, features, before in score_batches(loaded, data):
        with file_rows(data, before):
            found += [parts.scores(block) for block in read_table(features, schema=loaded.schema).blocks()]
        unseen.see(features)
        tell(data.share_read)
    if not found:
        raise DataFileError(f"{data.path} has a header but no rows; give rows to explain.")
    unseen.tell(data.path)
    return np.concatenate(found)


def some_rows(loaded: Loaded, data: DataFile, scores: np.ndarray) -> pa.Table:
    """At most 100 rows of a file to compare with, evenly spaced in the order of their scores."""
    numbers = sorted(int(position) + 1 for position in evenly_spaced(scores))
    return pa.concat_tables(rows_at(loaded, data, numbers).values())
