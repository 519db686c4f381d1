"""Fits on partitions of one process, beside local fits."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankforest import save_model
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.read_hold_out import read_hold_out
from rankforest.data.read_weights import read_weights
from rankforest.data.table import read_table
from rankforest.partitions import InProcess, Part, PartRows, Traffic, fit_on_parts
from rankforest.partitions.rows import assemble


def table(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Numbers with missing values, few distinct numbers, categories; labels of two classes; weights, some of them 0."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = (x[:, 0] + 0.5 * np.abs(x[:, 1]) + rng.normal(size=n) > 0.3).astype(int)
    x[rng.random(n) < 0.1, 1] = np.nan
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    frame["few"] = rng.integers(0, 4, n)
    frame["city"] = pd.Categorical(np.array(["Lyon", "Oslo", "Rome", "Kyiv", "Bonn"])[rng.integers(0, 5, n)])
    frame.loc[rng.random(n) < 0.05, "city"] = None
    return frame, y, rng.integers(0, 4, n) / 4.0


def levels_of(frame: pd.DataFrame, seed: int = 0) -> np.ndarray:
    """Ordered labels."""
    noise = np.random.default_rng(seed).normal(size=len(frame))
    return np.digitize(frame["a"] + 0.3 * noise, [-0.7, 0.2, 1.0])


def parts_of(rows: PartRows, n_parts: int, seed: int = 0) -> list[Part]:
    """The rows in partitions of different sizes, one of them empty if there are several, in a random order."""
    rng = np.random.default_rng(seed)
    bounds = np.sort(rng.integers(0, rows.n_rows + 1, n_parts - 1))
    if n_parts > 2:
        bounds[1] = bounds[0]
    ends = [0, *bounds.tolist(), rows.n_rows]
    found = []
    for first, last in pairwise(ends):
        weights = None if rows.weights is None else rows.weights[first:last]
        found.append(PartRows(rows.codes[first:last], rows.labels[first:last], weights, first))
    return [InProcess.parts_of(found)[i] for i in rng.permutation(n_parts)]


def fit_spread(
    model: Any,
    X: Any,
    y: Any,
    weights: Any = None,
    *,
    n_parts: int,
    way: str | None,
    engine: Any = None,
    traffic: Traffic | None = None,
    groups: Any = None,
) -> Any:
    """The model, fitted on partitions."""
    whole = read_table(X, categorical=model.categorical_features)
    labels, read = model._read_labels(y, whole.n_rows), read_weights(weights, n_rows=whole.n_rows)
    codes = labels.codes
    kept_table, kept_weights = whole, read
    if read is not None:
        kept_table, codes, kept_weights = whole.take(read > 0), codes[read > 0], read[read > 0]
    bins = find_bins(kept_table, max_bins=model._most_bins)
    rows = PartRows(bin_table(kept_table, bins).codes, codes, kept_weights, 0)
    parts = parts_of(rows, n_parts)
    fitted = fit_on_parts(
        model, engine or InProcess(), parts,
        schema=whole.schema, bins=bins, labels=labels, weights=read, way=way, traffic=traffic,
        hold_out=read_hold_out(groups, None, n_rows=whole.n_rows),
    )  # fmt: skip
    assert fitted is model
    return fitted


class Cluster(InProcess):
    """Sends everything as bytes; the rows of a worker that is lost are made again, without their states.

    Parameters
    ----------
    loses : callable
        Given the number of a function that runs, whether the rows that it needs are made again.
    twice : bool
        Whether every function runs twice.
    """

    def __init__(self, loses: Callable[[int], bool] = lambda n: False, *, twice: bool = False) -> None:
        super().__init__(n_workers=2)
        self.loses, self.twice, self.n_calls = loses, twice, 0
        self.kept: dict[Any, PartRows] = {}

    def _run(self, key: Any, rows: Callable[[], PartRows], function: Callable[..., Any], *arguments: Any) -> Any:
        self.n_calls += 1
        if key not in self.kept or self.loses(self.n_calls):
            self.kept[key] = pickle.loads(pickle.dumps(rows()))
        for _ in range(2 if self.twice else 1):
            sent = pickle.loads(pickle.dumps((function, arguments)))
            found = pickle.loads(pickle.dumps(sent[0](self.kept[key], *sent[1])))
        return found

    def each(
        self, function: Callable[..., Any], parts: Sequence[Part], *arguments: Any, own: Sequence[Any] | None = None
    ) -> list[Any]:
        firsts = [()] * len(parts) if own is None else [(each,) for each in own]
        return [
            self._run((part.first, part.n_rows), partial(getattr, part, "rows"), function, *first, *arguments)
            for part, first in zip(parts, firsts)
        ]

    def jobs(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        arguments: Sequence[tuple[Any, ...]],
        *,
        near: Sequence[Any] | None = None,
    ) -> Iterator[Any]:
        for each in arguments:
            yield self._run("all", lambda: assemble([part.rows for part in parts]), function, *each)

    def on_rows(
        self,
        function: Callable[..., Any],
        parts: Sequence[Part],
        pick: Callable[..., PartRows],
        arguments: Sequence[tuple[Any, ...]],
    ) -> Iterator[Any]:
        for each in arguments:
            picked = self.each(pick, parts, *each)
            yield self._run(("bag", self.n_calls), partial(assemble, picked), function, *each)


def file_of(model: Any, path: Path) -> bytes:
    """The model file."""
    save_model(model, path)
    return path.read_bytes()
