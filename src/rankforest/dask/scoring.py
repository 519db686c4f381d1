"""Lazy scores: a fitted model is asked about every partition of a Dask array or frame.

An array gives an array with the same chunks, a frame gives a series or frame with the same index and divisions. The
model is one task that all partitions share. Nothing is computed before the user asks for it.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import dask.array as da
import numpy as np
import pandas as pd
from dask import delayed
from dask.delayed import Delayed

from ._collections import in_partition, is_array, rows_of
from ._graph import renamed

__all__ = ["ask", "blocks_of"]


@dataclass(frozen=True)
class _Question:
    """A method of a model, its arguments, and what it says of no rows."""

    method: str
    arguments: dict[str, Any]
    empty: np.ndarray

    def of_rows(self, rows: Any, number: int, model: Any) -> np.ndarray:
        if not len(rows):
            return self.empty
        with in_partition(number):
            return np.asarray(getattr(model, self.method)(rows, **self.arguments))

    def of_frame(self, frame: pd.DataFrame, model: Any, partition_info: Any = None) -> pd.Series | pd.DataFrame:
        number = 0 if partition_info is None else partition_info["number"]
        return _indexed(self.of_rows(frame, number, model), self.method, frame.index)


def ask(model: Any, method: str, X: Any, **arguments: Any) -> Any:
    """What a method of a fitted model says of each row, as a lazy collection.

    Parameters
    ----------
    model : estimator
        Fitted, and local.
    method : str
        Name of a method that takes a table and gives one value, or one row of values, for each of its rows.
    X : Dask array or frame
    **arguments
        Further arguments of the method.

    Returns
    -------
    Dask array, series or frame
    """
    parts = rows_of(X, "X")
    question = _Question(method, arguments, _example(model, method, X, arguments)[:0])
    task = _as_task(model)
    if is_array(X):
        say = delayed(question.of_rows, pure=False)
        return blocks_of([say(part, number, task) for number, part in enumerate(parts)], X.chunks[0], question.empty)
    meta = _indexed(question.empty, method, X._meta.index[:0])
    return X.map_partitions(question.of_frame, task, meta=meta)


def _as_task(model: Any) -> Delayed:
    """A fitted model as one task; it scores with one thread, because a worker scores several partitions at once."""
    sent = copy.copy(model)
    if "n_jobs" in sent.get_params(deep=False):
        sent.n_jobs = None
    return delayed(sent, name=f"model-{uuid4().hex}", traverse=False)


def _example(model: Any, method: str, X: Any, arguments: dict[str, Any]) -> np.ndarray:
    """What the method says of one row without values: its shape and type; a wrong number or name of columns is refused.

    Only the columns of `X` are read, so that this costs nothing.
    """
    if is_array(X):
        row: Any = np.full((1, X.shape[1]), np.nan)
    else:
        categorical = {feature.name for feature in model.schema_.features if feature.categories is not None}
        row = pd.DataFrame({name: [None] if str(name) in categorical else [np.nan] for name in X.columns})
    return np.asarray(getattr(model, method)(row, **arguments))


def blocks_of(tasks: list[Delayed], lengths: tuple[int, ...], empty: np.ndarray) -> da.Array:
    """One block of an array per task; `da.concatenate` would leave out the empty ones."""
    width = empty.shape[1:]
    name = f"rows-{uuid4().hex}"
    graph = renamed([(name, i, *(0 for _ in width)) for i in range(len(tasks))], tasks, name)
    return da.Array(graph, name, chunks=(lengths, *((k,) for k in width)), meta=empty)


def _indexed(values: np.ndarray, name: str, index: pd.Index) -> pd.Series | pd.DataFrame:
    """Values with the index of a frame; if there are several per row, their columns are counted from 0."""
    return pd.Series(values, index, name=name) if values.ndim == 1 else pd.DataFrame(values, index)
