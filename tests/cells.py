"""Samples and cells as tree growth makes them, and simple splitting rules for tests of the protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.schema import Schema
from rankforest.data.table import read_table
from rankforest.splitting.cell import Cell, Division, RuleFailed, SplittingRule


def sample_of(X: Any, y: Any, w: Any = None, *, categorical: Any = None, max_bins: int = 255) -> Sample:
    """A table, binned, with labels 0 and 1."""
    table = read_table(X, categorical=categorical)
    weights = None if w is None else np.asarray(w, dtype=np.float64)
    binned = bin_table(table, find_bins(table, max_bins=max_bins))
    return Sample(table, binned, np.asarray(y, dtype=np.uint8), weights)


def cell_of(X: Any, y: Any, w: Any = None, *, categorical: Any = None, key: int = 1, **fields: Any) -> Cell:
    """A cell of all rows of a table."""
    sample = sample_of(X, y, w, categorical=categorical)
    return Cell(sample=sample, rows=np.arange(sample.n_rows), key=key, **fields)


@dataclass(frozen=True)
class Above:
    """Rows whose first feature is above a threshold go left."""

    threshold: float

    def goes_left(self, X: np.ndarray) -> np.ndarray:
        return X[:, 0] > self.threshold

    def words(self, better: bool) -> str:
        return f"{'above' if better else 'not above'} {self.threshold:g}"


class Fixed(SplittingRule):
    """A rule that always returns the same threshold, or raises an error on request."""

    def __init__(self, threshold: float, fails: Callable[[Cell], bool] = lambda cell: False) -> None:
        self.threshold = threshold
        self.fails = fails

    def check(self, schema: Schema) -> None:
        pass

    def learn(self, cell: Cell) -> Division | None:
        if self.fails(cell):
            raise RuleFailed(f"no threshold of {self.threshold:g} here")
        return Above(self.threshold)


class Memory(ClassifierMixin, BaseEstimator):
    """Memorises the labels of its training rows, and predicts `otherwise` for other rows."""

    def __init__(self, otherwise: int = 0) -> None:
        self.otherwise = otherwise

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> Memory:
        self.classes_ = np.unique(y)
        self.known_ = {row.tobytes(): label for row, label in zip(X, y)}
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return np.array([self.known_.get(row.tobytes(), self.otherwise) for row in X])


class Stump(ClassifierMixin, BaseEstimator):
    """Predicts positive if the first column is above its mean; raises `error` for fewer than `least` rows.

    Keeps what it was fitted with.
    """

    def __init__(self, least: int = 0, error: Any = ValueError) -> None:
        self.least = least
        self.error = error

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: Any = None) -> Stump:
        if len(X) < self.least:
            raise self.error(f"{len(X)} rows are too few.\nMore words.")
        self.classes_ = np.unique(y)
        self.seen_ = X.copy(), y.copy(), sample_weight.copy()
        self.mean_ = float(X[:, 0].mean())
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return (X[:, 0] > self.mean_).astype(int)
