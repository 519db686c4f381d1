"""Fits on partitions of one process, beside local fits."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rankforest import save_model
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.labels import read_weights
from rankforest.data.table import read_table
from rankforest.partitions import InProcess, Part, PartRows, fit_on_parts


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
    model: Any, X: Any, y: Any, weights: Any = None, *, n_parts: int, way: str | None, engine: Any = None
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
        schema=whole.schema, bins=bins, labels=labels, weights=read, way=way,
    )  # fmt: skip
    assert fitted is model
    return fitted


def file_of(model: Any, path: Path) -> bytes:
    """The model file."""
    save_model(model, path)
    return path.read_bytes()
