"""The reasons of all rows of a file, written batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ..data.data_file import DataFile
from ..data.match import file_rows
from ..data.sink import write_batches
from ..fitting.progress import progress
from ._errors import WrongUsage
from ._kept import KeptColumns
from ._model import Loaded
from ._reasons import background_rows
from ._reasons_pairs import LINES, lines_of_pairs
from ._rows import explained_scores
from ._say import between
from ._scoring import score_batches

__all__ = ["Columns", "stream_reasons"]

_ROWS = 4096  # explained at once


@dataclass(frozen=True)
class Columns:
    """The file of the reasons.

    Attributes
    ----------
    path, format : str
    kept : tuple of str
        Columns of the data file.
    prefix : str
        Of the columns of the features.
    interactions : bool
        Whether there is a line for each feature and each pair of features, instead of a column for each feature.
    """

    path: str
    format: str
    kept: tuple[str, ...]
    prefix: str
    interactions: bool = False


def stream_reasons(
    loaded: Loaded, data: DataFile, background: DataFile | None, columns: Columns, tell: Callable[[float], None]
) -> dict[str, Any]:
    """Explain a file, write the contributions, and return a few figures.

    Parameters
    ----------
    loaded : Loaded
    data, background : DataFile, or None as in `reasons_of_row`
    columns : Columns
    tell : callable
        Called with the finished share of the work.
    """
    model, scale = loaded.model, loaded.model.score_parts().scale
    named = [f"{columns.prefix}{name}" for name in loaded.schema.names]
    names = ["row", *columns.kept, "base", *named, scale]
    if columns.interactions:
        names = ["row", *columns.kept, *(name for name, _ in LINES)]
    twice = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if twice is not None:
        raise WrongUsage(
            f"The output would have two columns {twice!r}; rename those of the features with --prefix, for instance "
            "--prefix by_."
        )
    listed = explained_scores(loaded, data, lambda share: tell(0.1 * share))
    own = background is None and model.one_card() is not None
    some = None if own else background_rows(loaded, data, listed, background)[0]
    kept = KeptColumns(loaded, data, columns.kept, as_text=columns.format.startswith("csv"))
    kinds = [field.type for field in kept.fields]
    of_values = [pa.float64()] * (len(named) + 2)
    added = [kind for _, kind in LINES] if columns.interactions else of_values
    schema = pa.schema(list(zip(names, [pa.int64(), *kinds, *added])))
    at_once = max(1, _ROWS // (len(named) ** 2 if columns.interactions else 1))

    def batches() -> Iterator[Any]:
        for start, beside, features in _in_parts(loaded, data, kept, at_once):
            shares = [0.1 + 0.9 * n / len(listed) for n in (start, start + features.num_rows)]
            with file_rows(data, start), progress(between(tell, *shares)):
                found = model.explain(features, some, interactions=columns.interactions)
            numbers = np.arange(start + 1, start + 1 + features.num_rows)
            if found.interaction_values is not None:
                of_row, lines = lines_of_pairs(loaded.schema.names, found.interaction_values)
                cells = [
                    pa.array(numbers[of_row]),
                    *(pa.array(column).take(pa.array(of_row)) for column in beside),
                    *lines,
                ]
            else:
                cells = [pa.array(numbers), *beside, *map(pa.array, [found.base_values, *found.values.T, found.scores])]
            yield pa.record_batch(cells, schema=schema)
            tell(0.1 + 0.9 * numbers[-1] / len(listed))

    write_batches(columns.path, columns.format, schema, batches())
    return {"output": columns.path, "rows": len(listed), "columns": names, "scale": scale}


def _in_parts(
    loaded: Loaded, data: DataFile, kept: KeptColumns, size: int
) -> Iterator[tuple[int, list[Any], pa.Table]]:
    """Rows before, kept columns and features, so many rows at a time."""
    for batch, features, before in score_batches(loaded, data, kept.names):
        for start in range(0, features.num_rows, size):
            part = batch.slice(start, size)
            yield before + start, kept.of(part), features.slice(start, size)
