"""Groups on partitions: the model has the bytes of a local fit with the same groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rankforest import (
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    Pruning,
    RankBoost,
    RankConsensus,
    RankingForest,
    Sampling,
    TreeRank,
    save_model,
)
from spread_fits import Cluster, fit_spread, levels_of, table

FRAME, Y, WEIGHTS = table(300)
GROUPS = np.array([f"customer {i}" for i in np.random.default_rng(3).integers(0, 60, 300)])


def forest(n: int = 4, **more: Any) -> RankingForest:
    return RankingForest(n, splitter=LeafRank(max_depth=3), max_depth=2, **more)


MODELS: dict[str, Any] = {
    "readable tree": TreeRank(),
    "pruned tree": TreeRank(LeafRank(max_depth=2), max_depth=3, pruning=Pruning("cv", n_folds=3)),
    "forest": forest(),
    "forest of halves": forest(sampling=Sampling(0.5, replace=False)),
    "boosting": RankBoost(6, loss="log_loss", max_leaf_nodes=5, n_folds=3),
    "consensus": RankConsensus(forest(), RankBoost(4, loss="log_loss", max_leaf_nodes=4, n_folds=2), weights=(1, 1)),
    "ordinal tree": OrdinalRankingTree(),
    "ordinal forest": OrdinalRankingForest(4, cuts="best", max_features="sqrt", min_samples_leaf=5),
}


@pytest.mark.parametrize("way", ["trees", "bags", "histograms"])
@pytest.mark.parametrize("name", MODELS)
def test_the_model_is_that_of_a_local_fit(name: str, way: str, tmp_path: Path) -> None:
    model = clone(MODELS[name]).set_params(random_state=0)
    y = levels_of(FRAME) if model.ordered else Y
    weights = WEIGHTS if name in ("forest", "boosting") else None
    local = clone(model).fit(FRAME, y, weights, groups=GROUPS)
    spread = fit_spread(model, FRAME, y, weights, n_parts=3, way=way, engine=Cluster(), groups=GROUPS)
    assert spread.holding_out == local.holding_out
    for one, file in ((local, "local"), (spread, "spread")):
        save_model(one, tmp_path / file)
    assert (tmp_path / "local").read_bytes() == (tmp_path / "spread").read_bytes()
    without = clone(model).fit(FRAME, y, weights)
    save_model(without, tmp_path / "without")
    assert (tmp_path / "without").read_bytes() != (tmp_path / "local").read_bytes()


@pytest.mark.parametrize(
    "model",
    [
        RankingForest(3, pruning="cv"),
        RankingForest(3, splitter=LeafRank(pruning="cv")),
        TreeRank(LeafRank(pruning="cv")),
        RankConsensus(RankingForest(3, pruning="cv")),
    ],
)
def test_trees_that_are_pruned_where_they_grow_are_refused(model: Any) -> None:
    with pytest.raises(ValueError, match="groups is given, and trees that are pruned where they grow do not know"):
        fit_spread(model, FRAME, Y, n_parts=2, way="trees", groups=GROUPS)
