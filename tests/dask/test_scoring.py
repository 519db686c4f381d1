"""Lazy scores of partitions are those of all rows, with known chunks, types and index."""

from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

from rankforest import RankBoost, TreeRank
from rankforest.dask.ranks import lazy_ranks
from rankforest.dask.scoring import ask
from rankforest.data import simulate

METHODS = ("score_samples", "decision_function", "predict", "predict_proba", "apply")


@pytest.fixture(scope="module")
def sample() -> simulate.Sample:
    return simulate.rf10(700, random_state=0)


@pytest.fixture(scope="module")
def tree(sample: simulate.Sample) -> TreeRank:
    return TreeRank(max_depth=3, n_jobs=-1).fit(sample.X, np.where(sample.y == 1, "good", "bad"))


@pytest.mark.parametrize("method", METHODS)
def test_an_array(method: str, tree: TreeRank, sample: simulate.Sample) -> None:
    X = da.from_array(sample.X, chunks=((300, 0, 400), -1))
    lazy, wanted = ask(tree, method, X), getattr(tree, method)(sample.X)
    assert isinstance(lazy, da.Array)
    assert lazy.chunks[0] == X.chunks[0]
    assert (lazy.shape, lazy.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), wanted)


@pytest.mark.parametrize("method", METHODS)
def test_a_frame(method: str, sample: simulate.Sample) -> None:
    frame = pd.DataFrame(sample.X[:, :3], columns=list("abc"), index=np.arange(len(sample.y)) * 2)
    frame["kind"] = np.where(frame["a"] > 0, "up", "down")
    tree = TreeRank(max_depth=3).fit(frame, sample.y)
    split = dd.from_pandas(frame, npartitions=4)
    lazy = ask(tree, method, split)
    assert lazy.divisions == split.divisions
    wanted = getattr(tree, method)(frame)
    found = lazy.compute(scheduler="sync")
    pd.testing.assert_index_equal(found.index, frame.index)
    np.testing.assert_array_equal(found.to_numpy(), wanted)
    if wanted.ndim == 1:
        assert found.dtype == lazy.dtype
    empty = ask(tree, method, split[split["a"] > 1e9]).compute(scheduler="sync")  # partitions without rows
    assert len(empty) == 0


def test_columns_are_checked_at_once(tree: TreeRank) -> None:
    with pytest.raises(ValueError, match="features"):
        ask(tree, "predict", da.zeros((4, 3), chunks=(2, 3)))
    with pytest.raises(
        ValueError, match=r"^X is split by columns into 2 blocks, and a partition must hold whole rows; "
    ):
        ask(tree, "predict", da.zeros((4, 10), chunks=(4, 5)))


def test_a_bad_value_is_named(tree: TreeRank, sample: simulate.Sample) -> None:
    X = sample.X.copy()
    X[350, 2] = np.inf
    with pytest.raises(ValueError, match=r"^Partition 1: .* contains inf in row 50; "):
        ask(tree, "score_samples", da.from_array(X, chunks=(300, -1))).compute(scheduler="sync")


@pytest.mark.parametrize("distinct", [5, 10**9])
@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("size", [7, 60])
def test_ranks(distinct: int, few: bool, size: int) -> None:
    scores = np.random.default_rng(0).integers(distinct, size=300) / 7
    lazy = lazy_ranks(da.from_array(scores, chunks=size), few=few)
    assert lazy.chunks == da.from_array(scores, chunks=size).chunks
    np.testing.assert_array_equal(lazy.compute(scheduler="sync"), rankdata(-scores))
    series = pd.Series(scores, np.arange(300) + 9)
    lazy = lazy_ranks(dd.from_pandas(series, chunksize=size), few=few)
    pd.testing.assert_series_equal(
        lazy.compute(scheduler="sync"), pd.Series(rankdata(-scores), series.index, name="rank")
    )


def test_ranks_of_a_booster(sample: simulate.Sample) -> None:
    model = RankBoost(n_estimators=5).fit(sample.X, sample.y)
    X = da.from_array(sample.X, chunks=(20, -1))
    ranks = lazy_ranks(ask(model, "score_samples", X), few=False)
    np.testing.assert_array_equal(ranks.compute(scheduler="sync"), model.rank(sample.X))
