"""A model that is fitted on partitions has the file of a local fit, byte by byte."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rankforest import (
    Constraints,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    Pruning,
    RankingForest,
    Sampling,
    TreeRank,
)
from rankforest.forest import contest
from rankforest.partitions import Traffic
from rankforest.partitions.far_rows import FarRows
from spread_fits import Cluster, file_of, fit_spread, levels_of, table

WAYS = ("trees", "bags", "histograms")

NEAR = FarRows.near
SMALL = LeafRank(max_depth=2)
FOLDS = Pruning("cv", n_folds=2)

TWO_CLASSES = {
    "tree": TreeRank(max_depth=3),
    "tree of a few strata": TreeRank(max_leaf_nodes=5, max_features=2),
    "tree, cross-validated": TreeRank(SMALL, max_depth=3, pruning=FOLDS),
    "tree, structural": TreeRank(SMALL, max_depth=2, pruning="structural"),
    "tree, pruned cells": TreeRank(LeafRank(max_depth=2, pruning=FOLDS), max_depth=2, pruning=FOLDS),
    "forest": RankingForest(9),
    "forest, top": RankingForest(6, splitter=LeafRank(max_features=2), top=0.2),
    "forest by classes": RankingForest(
        4, splitter=SMALL, sampling=Sampling(0.5, classes="balanced"), aggregation="median_rank"
    ),
    "forest without replacement": RankingForest(
        4, splitter=LeafRank(max_depth=2, cuts="random"), sampling=Sampling(100, replace=False), aggregation="kemeny"
    ),
    "forest, pruned": RankingForest(3, splitter=SMALL, pruning=FOLDS),
    "forest without out-of-bag": RankingForest(
        3, splitter=SMALL, sampling=Sampling(oob=False), aggregation="mean_rank"
    ),
}
ORDERED = {
    "ordinal tree": OrdinalRankingTree(max_depth=4),
    "ordinal forest": OrdinalRankingForest(9, max_depth=4),
    "ordinal forest, median": OrdinalRankingForest(
        4, max_depth=3, cuts="best", max_features=2, min_samples_leaf=3, aggregation="median"
    ),
}
MODELS: dict[str, Any] = {name: model.set_params(random_state=0) for name, model in {**TWO_CLASSES, **ORDERED}.items()}


def rows_for(name: str, n: int = 300) -> tuple[Any, Any, Any]:
    frame, y, weights = table(n)
    return frame, levels_of(frame) if name in ORDERED else y, weights


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The file of the local fit, made once."""
    known: dict[tuple[str, bool], bytes] = {}

    def file(name: str, *, weighted: bool) -> bytes:
        if (name, weighted) not in known:
            frame, y, weights = rows_for(name)
            model = clone(MODELS[name]).fit(frame, y, weights if weighted else None)
            known[name, weighted] = file_of(model, tmp_path_factory.mktemp("local") / "model.rf")
        return known[name, weighted]

    return file


@pytest.fixture(autouse=True)
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows stay in their partitions: all nodes of these small tables are small."""
    monkeypatch.setattr(FarRows, "near", 0.0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("near", [0.0, 0.5])
@pytest.mark.parametrize("name", MODELS)
def test_histograms_give_the_bytes_of_the_local_fit(
    name: str, near: float, weighted: bool, local: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FarRows, "near", near)
    frame, y, weights = rows_for(name)
    given = weights if weighted else None
    model = fit_spread(clone(MODELS[name]), frame, y, given, n_parts=3, way="histograms", engine=Cluster())
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=weighted)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("way", ["trees", "bags"])
@pytest.mark.parametrize("name", MODELS)
def test_jobs_give_the_bytes_of_the_local_fit(name: str, way: str, weighted: bool, local: Any, tmp_path: Path) -> None:
    frame, y, weights = rows_for(name)
    given = weights if weighted else None
    model = fit_spread(clone(MODELS[name]), frame, y, given, n_parts=3, way=way, engine=Cluster())
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=weighted)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 50])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["tree", "forest by classes", "ordinal tree", "ordinal forest, median"])
def test_any_number_of_partitions_gives_the_same_bytes(
    name: str, way: str, n_parts: int, local: Any, tmp_path: Path
) -> None:
    """They have different sizes and come in a random order; one is empty."""
    frame, y, weights = rows_for(name)
    model = fit_spread(clone(MODELS[name]), frame, y, weights, n_parts=n_parts, way=way)
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=True)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["tree", "forest, top", "ordinal forest, median"])
def test_weights_may_be_equal(name: str, way: str, tmp_path: Path) -> None:
    """Then rows are counted, and the masses of a model are in units of the weight."""
    frame, y, _ = rows_for(name)
    weights = np.full(len(y), 2.5)
    here = clone(MODELS[name]).fit(frame, y, weights)
    there = fit_spread(clone(MODELS[name]), frame, y, weights, n_parts=3, way=way)
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["tree", "forest, top", "forest by classes", "ordinal tree"])
def test_partitions_may_have_one_class(name: str, way: str, tmp_path: Path) -> None:
    frame, y, _ = rows_for(name)
    order = np.argsort(y, kind="stable")
    frame, y = frame.iloc[order], y[order]
    here = clone(MODELS[name]).fit(frame, y)
    there = fit_spread(clone(MODELS[name]), frame, y, n_parts=7, way=way)
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


@pytest.mark.parametrize("way", WAYS)
def test_large_tables_choose_their_trees_on_some_of_the_rows(
    way: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(contest, "SCORED_ROWS", 100)
    frame, y, _ = table(300)
    model = RankingForest(6, random_state=0)
    here, there = clone(model).fit(frame, y), fit_spread(clone(model), frame, y, n_parts=3, way=way)
    assert len(here.trials_) > 1
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


@pytest.mark.parametrize("name", ["tree", "tree of a few strata", "forest"])
def test_codes_of_two_bytes(name: str, tmp_path: Path) -> None:
    frame, y, _ = rows_for(name, 600)
    model = clone(MODELS[name]).set_params(splitter=LeafRank(max_depth=3, max_bins=400))
    here, there = clone(model).fit(frame, y), fit_spread(clone(model), frame, y, n_parts=3, way="histograms")
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


@pytest.mark.parametrize("way", WAYS)
def test_monotone_constraints_hold_anywhere(way: str, tmp_path: Path) -> None:
    frame, y, _ = table(300)
    rules = Constraints(
        {"a": 1, "city": ["Rome", "Bonn", "Kyiv", "Oslo", "Lyon"]}, interaction_cst=[["a", "b", "city"]]
    )
    for model in (
        TreeRank(max_depth=3, monotonic_cst={"a": 1, "c": -1}, random_state=0),
        TreeRank(max_depth=3, monotonic_cst=rules, random_state=0),
        OrdinalRankingTree(max_depth=4, monotonic_cst=rules, pruning=None),
    ):
        here, there = clone(model).fit(frame, y), fit_spread(clone(model), frame, y, n_parts=3, way=way)
        assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


# ---- workers that forget, and functions that run twice


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["tree of a few strata", "forest, top", "ordinal forest, median"])
def test_lost_states_cost_time_only(name: str, way: str, every: int, twice: bool, local: Any, tmp_path: Path) -> None:
    frame, y, _ = rows_for(name)
    engine = Cluster(lambda n: n % every == 0, twice=twice)
    model = fit_spread(clone(MODELS[name]), frame, y, n_parts=3, way=way, engine=engine)
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=False)


# ---- what travels


def traffic_of(copies: int, model: Any) -> Traffic:
    """What travels in a fit on a table whose rows are repeated, so that the tree is always the same."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (200, 4)).astype(float)
    y = (X[:, 0] + rng.normal(size=200) * 3 > 4).astype(int)
    traffic = Traffic()
    model = clone(model)
    fit_spread(model, np.tile(X, (copies, 1)), np.tile(y, copies), n_parts=4, way="histograms", traffic=traffic)
    assert model.tree_.n_leaves > 3
    return traffic


def test_bytes_and_rounds_of_histograms_do_not_grow_with_the_rows() -> None:
    model = TreeRank(LeafRank(max_depth=3, min_mass_leaf=0.02), max_depth=3, random_state=0)
    few, many = traffic_of(1, model), traffic_of(20, model)
    assert few.calls == many.calls
    assert many.sent < 1.02 * few.sent
    assert many.received < 1.02 * few.received


def test_rows_of_small_nodes_take_less_than_their_histograms(monkeypatch: pytest.MonkeyPatch) -> None:
    frame, y, _ = table(2000)
    received = []
    for near in (0.0, NEAR):
        monkeypatch.setattr(FarRows, "near", near)
        traffic = Traffic()
        fit_spread(OrdinalRankingTree(pruning=None), frame, y, n_parts=3, way="histograms", traffic=traffic)
        received.append(traffic.received)
    assert received[1] < received[0] / 5


def test_a_level_of_a_tree_takes_one_round() -> None:
    frame, y, _ = table(2000)
    traffic = Traffic()
    model = OrdinalRankingTree(max_depth=7, pruning=None, random_state=0)
    fit_spread(model, frame, y, n_parts=3, way="histograms", traffic=traffic)
    assert model.tree_.n_leaves > 60
    # counts of the codes, totals of the root, and seven levels
    assert traffic.calls <= 1 + 1 + 7


def test_cells_of_a_level_share_their_rounds() -> None:
    frame, y, _ = table(2000)
    traffic = Traffic()
    model = TreeRank(LeafRank(max_depth=3, min_mass_leaf=0.0), max_depth=5, random_state=0)
    fit_spread(model, frame, y, n_parts=3, way="histograms", traffic=traffic)
    assert model.tree_.n_leaves > 25
    assert traffic.calls <= 1 + 1 + 5 * 3
