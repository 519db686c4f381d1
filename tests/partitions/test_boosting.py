"""Boosting on partitions: the file of a local fit, byte by byte, wherever the rounds run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rankforest import Constraints, EarlyStopping, LeafRank, RankBoost, RankConsensus, RankingForest, Sampling
from rankforest.boosting import boost_team, kinds, race
from rankforest.estimators.threshold_rank_boost import ThresholdRankBoost
from spread_fits import Cluster, file_of, fit_spread, table

WAYS = ("trees", "histograms")

RULES = Constraints(
    {"a": 1, "b": -1, "city": ["Rome", "Bonn", "Kyiv", "Oslo", "Lyon"]},
    interaction_cst=[["a", "b", "few"], ["c", "city"]],
)

MODELS: dict[str, Any] = {
    "pool": RankBoost(12, n_folds=EarlyStopping(3, n_iter_no_change=2)),
    "log_loss": RankBoost(
        18, loss="log_loss", max_leaf_nodes=5, cuts="best", n_folds=EarlyStopping(2, n_iter_no_change=3)
    ),
    "logistic": RankBoost(6, loss="logistic", max_leaf_nodes=4, n_folds=2),
    "exponential, drawn features": RankBoost(6, loss="exponential", max_features=2, cuts="best", n_folds=(2, 2)),
    "random cuts": RankBoost(6, loss="log_loss", cuts="random", max_features="sqrt", n_folds=2),
    "all rows": RankBoost(6, loss="log_loss", max_leaf_nodes=6, n_folds=None),
    "all rows of pairs": RankBoost(4, loss="exponential", max_leaf_nodes=6, n_folds=None, subsample=1.0),
    "thresholds": ThresholdRankBoost(8, n_folds=2),
    "constraints": RankBoost(8, n_folds=2, monotonic_cst=RULES),
    "consensus under constraints": RankConsensus(
        RankingForest(5, splitter=LeafRank(max_depth=2), aggregation="proba"),
        RankBoost(6, loss="log_loss", max_leaf_nodes=6, n_folds=2),
        weights=(1, 2),
        monotonic_cst=RULES,
    ),
    "consensus": RankConsensus(
        RankingForest(5, splitter=LeafRank(max_depth=2)),
        RankBoost(6, loss="log_loss", max_leaf_nodes=4, n_folds=2),
        weights=(1, 2),
    ),
    "consensus on all rows": RankConsensus(
        RankingForest(3, splitter=LeafRank(max_depth=2), sampling=Sampling(oob=False)),
        RankBoost(4, loss="log_loss", max_leaf_nodes=4, n_folds=None),
    ),
}
for model in MODELS.values():
    model.set_params(random_state=0)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The file of the local fit, made once."""
    known: dict[tuple[str, bool], bytes] = {}

    def file(name: str, *, weighted: bool) -> bytes:
        if (name, weighted) not in known:
            frame, y, weights = table(240)
            model = clone(MODELS[name]).fit(frame, y, weights if weighted else None)
            known[name, weighted] = file_of(model, tmp_path_factory.mktemp("local") / "model.rf")
        return known[name, weighted]

    return file


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_every_way_gives_the_bytes_of_the_local_fit(
    name: str, way: str, weighted: bool, local: Any, tmp_path: Path
) -> None:
    frame, y, weights = table(240)
    model = fit_spread(clone(MODELS[name]), frame, y, weights if weighted else None, n_parts=3, way=way)
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=weighted)


def test_a_bag_per_tree_goes_with_boosting_by_histograms(local: Any, tmp_path: Path) -> None:
    frame, y, _ = table(240)
    model = fit_spread(clone(MODELS["consensus"]), frame, y, n_parts=3, way="bags")
    assert file_of(model, tmp_path / "model.rf") == local("consensus", weighted=False)


@pytest.mark.parametrize("n_parts", [1, 2, 7, 20])
@pytest.mark.parametrize("way", WAYS)
def test_any_number_of_partitions_gives_the_same_bytes(way: str, n_parts: int, local: Any, tmp_path: Path) -> None:
    """They have different sizes and come in a random order; one is empty, and small ones have one class."""
    frame, y, _ = table(240)
    model = fit_spread(clone(MODELS["log_loss"]), frame, y, n_parts=n_parts, way=way)
    assert file_of(model, tmp_path / "model.rf") == local("log_loss", weighted=False)


@pytest.mark.parametrize("race_rows", [1000, 80])
@pytest.mark.parametrize("way", WAYS)
def test_large_tables_run_a_race_on_partitions(
    way: str, race_rows: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of very large tables a part of the rows runs it, on the client."""
    monkeypatch.setattr(race, "RACE_ROWS", race_rows)
    monkeypatch.setattr(race, "RACE_ROWS_OF_A_CLASS", 5)
    for module in (boost_team, kinds):
        monkeypatch.setattr(module, "MANY_ROWS", 100)
    monkeypatch.setattr(kinds, "_ROWS_OF_A_LEAF", 4)
    frame, y, _ = table(300)
    model = RankBoost(24, n_folds=EarlyStopping(2, n_iter_no_change=2), random_state=0)
    there = fit_spread(clone(model), frame, y, n_parts=3, way=way)
    here = clone(model).fit(frame, y)
    assert len(here.trials_) > 1
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


def categories(n: int, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two categories of many values and a number; labels; weights, some of them 0."""
    rng = np.random.default_rng(seed)
    many, more = rng.integers(70, size=n), rng.integers(9, size=n)
    logit = rng.normal(scale=1.5, size=70)[many] + rng.normal(scale=1.5, size=(70, 9))[many, more]
    frame = pd.DataFrame({"many": [f"v{k}" for k in many], "more": [f"w{k}" for k in more], "number": rng.random(n)})
    frame.loc[rng.random(n) < 0.03, "more"] = None
    return frame, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int), rng.integers(0, 4, n) / 2.0


@pytest.mark.parametrize("way", WAYS)
def test_partitions_of_one_class_are_normal(way: str, tmp_path: Path) -> None:
    frame, y, weights = table(200)
    order = np.argsort(y, kind="stable")
    frame, y, weights = frame.iloc[order].reset_index(drop=True), y[order], weights[order]
    there = fit_spread(clone(MODELS["consensus"]), frame, y, weights, n_parts=7, way=way)
    here = clone(MODELS["consensus"]).fit(frame, y, weights)
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_tables_of_categories_are_fitted_on_partitions(
    way: str, large: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also by workers that lose the residuals of the tables."""
    if large:
        for module in (boost_team, kinds):
            monkeypatch.setattr(module, "MANY_ROWS", 100)
    frame, y, weights = categories(900)
    model = RankBoost(8, n_folds=2, max_leaf_nodes=4, cuts="best", random_state=0)
    engine = Cluster(lambda n: n % 5 == 0)
    there = fit_spread(clone(model), frame, y, weights, n_parts=3, way=way, engine=engine)
    here = clone(model).fit(frame, y, weights)
    assert any(trial.boosting.tables for trial in here.trials_)
    assert file_of(there, tmp_path / "there.rf") == file_of(here, tmp_path / "here.rf")


# ---- workers that forget, and functions that run twice


@pytest.mark.parametrize(
    ("name", "every", "twice"),
    [
        ("log_loss", 1, False),  # no state is ever kept
        ("log_loss", 7, True),
        ("log_loss", 10**9, True),
        ("pool", 11, False),
        ("thresholds", 5, True),
    ],
)
@pytest.mark.parametrize("way", WAYS)
def test_lost_states_cost_time_only(name: str, every: int, twice: bool, way: str, local: Any, tmp_path: Path) -> None:
    frame, y, _ = table(240)
    engine = Cluster(lambda n: n % every == 0, twice=twice)
    model = fit_spread(clone(MODELS[name]), frame, y, n_parts=3, way=way, engine=engine)
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=False)
