"""A fit on a cluster gives the file of a local fit, byte by byte, whatever held the rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from sklearn.base import clone

import rankforest.dask
from cluster_fits import FITS, KINDS, cluster_model, local_model, rows, split, wait_until
from rankforest import Dyadic, EarlyStopping, RankBoost, progress
from rankforest.dask import TreeRank, metrics

FileOf = Callable[[Any], bytes]
WAYS = ("trees", "bags", "histograms")


@pytest.mark.parametrize(("kind", "way"), FITS)
def test_any_number_of_partitions(kind: str, way: str | None, client: Client, file_of: FileOf) -> None:
    X, y = rows(kind)
    wanted = file_of(local_model(kind).fit(X, y))
    for n_parts in (1, 2, 7, 50):
        assert file_of(cluster_model(kind).fit(split(X, n_parts), split(y, n_parts), way=way)) == wanted, n_parts


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_way(kind: str, way: str, client: Client, file_of: FileOf) -> None:
    X, y = rows(kind)
    wanted = file_of(local_model(kind).fit(X, y))
    model = cluster_model(kind).fit(split(X, 3), split(y, 3), way=way)
    assert file_of(model) == wanted
    assert file_of(model.to_local()) == wanted
    assert type(model.to_local()) is type(local_model(kind))
    assert model.traffic_.bytes_sent > 0


@pytest.mark.parametrize(("kind", "way"), FITS)
def test_shuffled_partitions_are_other_rows(kind: str, way: str | None, client: Client, file_of: FileOf) -> None:
    """Rows are numbered in the order of the partitions."""
    X, y = rows(kind)
    parts = np.array_split(np.arange(len(y)), 7)
    order = np.concatenate([parts[i] for i in (3, 0, 6, 5, 1, 2, 4)])
    sizes = tuple(len(parts[i]) for i in (3, 0, 6, 5, 1, 2, 4))
    X, y = X[order], y[order]
    model = cluster_model(kind).fit(split(X, sizes), split(y, sizes), way=way)
    assert file_of(model) == file_of(local_model(kind).fit(X, y))


@pytest.mark.parametrize("way", ["trees", "histograms"])
def test_stopping_is_decided_on_the_held_out_rows_of_all_partitions(way: str, client: Client, file_of: FileOf) -> None:
    """Fifty partitions have fewer than five rows each, and some have one label only."""
    X, _ = rows("boosting")
    y = np.random.default_rng(4).integers(0, 2, len(X))
    boosting = RankBoost(
        60, n_folds=EarlyStopping(2, n_iter_no_change=3), max_leaf_nodes=4, cuts="best", random_state=0
    )
    local = clone(boosting).fit(X, y)
    assert 3 < len(local.validation_curve_) < 60
    spread = rankforest.dask.RankBoost(**boosting.get_params(deep=False)).fit(split(X, 50), split(y, 50), way=way)
    assert file_of(spread) == file_of(local)


def table() -> pd.DataFrame:
    """Categories and labels that differ between partitions, missing values, weights of which some are 0."""
    X, y = rows("tree")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    frame["city"] = np.sort(rng.choice(["Bonn", "Kyiv", "Lyon", "Oslo", "Rome"], len(y)))
    frame.loc[rng.random(len(y)) < 0.1, "city"] = None
    frame["flag"] = rng.random(len(y)) < 0.5
    frame["target"] = np.where(y == 1, "yes", "no")
    frame["weight"] = rng.integers(0, 4, len(y)) / 4.0
    return frame.iloc[np.argsort(y[:90], kind="stable").tolist() + list(range(90, len(y)))].reset_index(drop=True)


@pytest.mark.parametrize("kind", ["tree", "forest", "boosting", "consensus"])
def test_frames_and_files(kind: str, client: Client, file_of: FileOf, tmp_path: Path) -> None:
    frame = table()
    features = frame[["a", "b", "city", "flag"]]
    wanted = file_of(local_model(kind).fit(features, frame["target"], frame["weight"]))
    pieces = np.split(np.arange(len(frame)), [30, 30, 55, 200])  # one is empty, the first ones have one label only
    assert frame["target"][:30].nunique() == 1
    divided = dd.from_map(lambda piece: frame.iloc[piece], pieces, meta=frame.iloc[:0])
    given = cluster_model(kind).fit(divided[list(features.columns)], divided["target"], divided["weight"])
    assert file_of(given) == wanted
    assert file_of(cluster_model(kind).fit(divided, "target", "weight")) == wanted
    for i, piece in enumerate(pieces):
        frame.iloc[piece].to_parquet(tmp_path / f"part.{i}.parquet", index=False, row_group_size=40)
    assert file_of(cluster_model(kind).fit(tmp_path, "target", "weight")) == wanted
    assert file_of(cluster_model(kind).fit(f"{tmp_path}/*.parquet", "target", "weight")) == wanted


@pytest.mark.parametrize("kind", ["forest", "boosting"])
def test_groups(kind: str, client: Client, file_of: FileOf, tmp_path: Path) -> None:
    """The same groups give the file of the local fit, whatever holds them."""
    frame = table()
    frame["customer"] = [f"c{i}" for i in np.random.default_rng(2).integers(0, 60, len(frame))]
    features = frame[["a", "b", "city", "flag"]]
    named = file_of(local_model(kind).fit(features, frame["target"], frame["weight"], groups=frame["customer"]))
    assert named != file_of(local_model(kind).fit(features, frame["target"], frame["weight"]))
    divided = dd.from_pandas(frame, npartitions=3)
    assert file_of(cluster_model(kind).fit(divided, "target", "weight", groups="customer")) == named
    parts = [divided[each] for each in ("target", "weight", "customer")]
    given = cluster_model(kind).fit(divided[list(features.columns)], parts[0], parts[1], groups=parts[2])
    assert file_of(given) == named
    divided.to_parquet(tmp_path, write_index=False)
    assert file_of(cluster_model(kind).fit(tmp_path, "target", "weight", groups="customer")) == named
    X, y = rows(kind)
    numbers = np.arange(len(y)) // 3
    wanted = file_of(local_model(kind).fit(X, y, groups=numbers))
    assert file_of(cluster_model(kind).fit(split(X, 4), split(y, 4), groups=split(numbers, 4))) == wanted


def test_groups_that_do_not_suit(client: Client) -> None:
    X, y = rows("tree")
    divided = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")).assign(y=y), npartitions=2)
    with pytest.raises(ValueError, match="X has no column 'client'"):
        TreeRank().fit(divided, "y", groups="client")
    with pytest.raises(ValueError, match="The column 'y' cannot be two of y, sample_weight and groups"):
        TreeRank().fit(divided, "y", groups="y")
    with pytest.raises(ValueError, match=r"groups is 1\.0 in all 240 rows"):
        TreeRank().fit(divided.assign(one=1.0), "y", groups="one")


def has_workers(client: Client, n_workers: int) -> bool:
    return len(client.nthreads()) == n_workers


def test_one_to_four_workers(cluster: LocalCluster, client: Client, file_of: FileOf) -> None:
    given = {kind: rows(kind) for kind in KINDS}
    wanted = {kind: file_of(local_model(kind).fit(*given[kind])) for kind in KINDS}
    try:
        for n_workers in (1, 3, 4):
            cluster.scale(n_workers)
            wait_until(partial(has_workers, client, n_workers))
            for kind, way in FITS:
                X, y = (split(each, 7) for each in given[kind])
                assert file_of(cluster_model(kind).fit(X, y, way=way)) == wanted[kind], (n_workers, kind, way)
    finally:
        cluster.scale(2)
        client.wait_for_workers(2)


def test_rows_that_are_in_memory_already(client: Client, file_of: FileOf) -> None:
    X, y = rows("tree")
    wanted = file_of(local_model("tree").fit(X, y))
    kept_X, kept_y = split(X, 3).persist(), split(y, 3).persist()
    assert file_of(cluster_model("tree").fit(kept_X, kept_y)) == wanted
    frame = dd.from_dask_array(kept_X, columns=list("abcd")).persist()
    named = local_model("tree").fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert file_of(cluster_model("tree").fit(frame, kept_y)) == file_of(named)
    model = cluster_model("tree").fit(kept_X, kept_y)
    assert model.score(kept_X, kept_y) == named.score(frame.compute(), y)
    kept_scores = model.score_samples(kept_X).persist()
    assert metrics.roc_auc(kept_y, kept_scores) == named.score(frame.compute(), y)
    np.testing.assert_array_equal(model.rank(kept_X).compute(), model.rank(X))


def test_lazy_answers(client: Client) -> None:
    X, y = rows("tree")
    model = cluster_model("tree").fit(split(X, 3), split(y, 3))
    local = model.to_local()
    np.testing.assert_array_equal(model.predict(split(X, 7)).compute(), local.predict(X))
    np.testing.assert_array_equal(model.rank(split(X, 7)).compute(), local.rank(X))
    np.testing.assert_array_equal(model.score_samples(X), local.score_samples(X))
    assert model.score(split(X, 7), split(y, 7)) == local.score(X, y)
    assert model.score(X, y) == local.score(X, y)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["forest", "boosting"])
def test_progress_reaches_the_client(kind: str, way: str, client: Client) -> None:
    """It rises step by step to the total, and is the same in every way."""
    X, y = rows(kind)
    told: list[tuple[int, int]] = []
    with progress(lambda done, total: told.append((done, total))):
        cluster_model(kind).fit(split(X, 3), split(y, 3), way=way)
    done, (total, *others) = [each for each, _ in told], dict.fromkeys(each for _, each in told)
    assert not others
    assert done == sorted(set(done))
    assert len(done) > 2
    assert done[-1] == total


def test_the_log_says_which_way(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    X, y = rows("tree")
    with caplog.at_level("INFO", "rankforest"):
        cluster_model("tree").fit(split(X, 3), split(y, 3))
    assert "way 'trees', chosen by size" in caplog.text


def test_parameters_and_rows_are_refused_in_one_sentence(client: Client, tmp_path: Path) -> None:
    X, y = rows("tree")
    with pytest.raises(ValueError, match="max_depth"):
        TreeRank(max_depth=0).fit(split(X, 2), split(y, 2))
    with pytest.raises(TypeError, match="The splitter Dyadic needs the values of the features"):
        TreeRank(Dyadic()).fit(split(X, 2), split(y, 2))
    bad = X.copy()
    bad[130, 2] = np.inf
    with pytest.raises(
        ValueError, match=r"^Partition 3, which starts at row 120: .* contains inf in row 130; replace it"
    ):
        cluster_model("tree").fit(split(bad, 6), split(y, 6))
    missing = y.astype(float)
    missing[130] = np.nan
    with pytest.raises(ValueError, match=r"^Partition 3, which starts at row 120: .* row 130"):
        cluster_model("tree").fit(split(X, 6), split(missing, 6))
    with pytest.raises(ValueError, match=r"^Partition 0.*: X has 120 rows and y has 60; pass one label per row\.$"):
        cluster_model("tree").fit(split(X, 2), dd.from_dask_array(split(y, (60, 180))))
    with pytest.raises(ValueError, match="one class only"):
        cluster_model("tree").fit(split(X, 2), split(np.ones(len(y)), 2))
    with pytest.raises(ValueError, match=r"^X is split by columns into 2 blocks"):
        cluster_model("tree").fit(split(X, 2).rechunk({1: 2}), split(y, 2))
    with pytest.raises(TypeError, match=r"^X must be a Dask array, a Dask frame or a path of Parquet files, got ndarr"):
        cluster_model("tree").fit(X, y)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=2)
    with pytest.raises(ValueError, match=r"^X has no column 'target'; its columns are 'a', 'b', 'c', 'd'\.$"):
        cluster_model("tree").fit(frame, "target")
