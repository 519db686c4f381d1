"""Small models of every kind for fits on a cluster, and their local twins."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import dask.array as da
import numpy as np
import pytest

import rankforest
import rankforest.dask
from rankforest import LeafRank, RankBoost, RankingForest
from rankforest.dask.engine import DaskEngine

SMALL = LeafRank(max_depth=2)
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "tree": ("TreeRank", {"max_depth": 3}),
    "forest": ("RankingForest", {"n_estimators": 5, "splitter": SMALL}),
    "boosting": ("RankBoost", {"n_estimators": 4, "n_folds": 2, "max_leaf_nodes": 4, "cuts": "best"}),
    "consensus": (
        "RankConsensus",
        {
            "forest": RankingForest(3, splitter=SMALL),
            "booster": RankBoost(3, n_folds=2, max_leaf_nodes=4, cuts="best"),
        },
    ),
    "ordinal tree": ("OrdinalRankingTree", {"max_depth": 3}),
    "ordinal forest": ("OrdinalRankingForest", {"n_estimators": 4, "max_depth": 3, "cuts": "best", "max_features": 2}),
}

# every kind, and every way to grow trees and boosters (which need all rows: a bag of some does not help them)
FITS: list[tuple[str, str | None]] = [(kind, None) for kind in KINDS]
FITS += [("forest", "bags"), ("forest", "histograms"), ("boosting", "histograms")]


def local_model(kind: str, **more: Any) -> Any:
    name, parameters = KINDS[kind]
    return getattr(rankforest, name)(**parameters, random_state=0, **more)


def cluster_model(kind: str, **more: Any) -> Any:
    name, parameters = KINDS[kind]
    return getattr(rankforest.dask, name)(**parameters, random_state=0, **more)


def rows(kind: str, n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with missing values, and the labels of the kind."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 3] = rng.integers(0, 5, n)
    y = np.digitize(X[:, 0] + 0.5 * np.abs(X[:, 1]) + 0.5 * rng.normal(size=n), [-0.5, 0.3, 1.0])
    X[rng.random(n) < 0.1, 1] = np.nan
    return X, y if "ordinal" in kind else (y > 1).astype(int)


def split(values: np.ndarray, sizes: Any) -> da.Array:
    """An array in partitions of these sizes, or in so many of about the same size."""
    if isinstance(sizes, int):
        sizes = tuple(len(part) for part in np.array_split(np.arange(len(values)), sizes))
    return da.from_array(values, chunks=(sizes, *(-1 for _ in values.shape[1:])))


def at_call(monkeypatch: pytest.MonkeyPatch, number: int, action: Callable[[], None]) -> list[int]:
    """Something that happens in the middle of a fit: when the client asks for results for the n-th time, before them.

    Tasks are then under way. The list that is returned counts the calls.
    """
    calls = [0]
    results = DaskEngine.results

    def counting(self: DaskEngine, futures: list[Any]) -> list[Any]:
        calls[0] += 1
        if calls[0] == number:
            action()
        return results(self, futures)

    monkeypatch.setattr(DaskEngine, "results", counting)
    return calls


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
