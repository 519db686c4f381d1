"""A model that is fitted on partitions has the file of a local fit, byte by byte."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.base import clone

from rankforest import LeafRank, OrdinalRankingForest, OrdinalRankingTree, Pruning, RankingForest, Sampling, TreeRank
from spread_fits import file_of, fit_spread, levels_of, table

WAYS = ("trees", "bags")

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


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_every_way_gives_the_bytes_of_the_local_fit(
    name: str, way: str, weighted: bool, local: Any, tmp_path: Path
) -> None:
    frame, y, weights = rows_for(name)
    model = fit_spread(clone(MODELS[name]), frame, y, weights if weighted else None, n_parts=3, way=way)
    assert file_of(model, tmp_path / "model.rf") == local(name, weighted=weighted)
