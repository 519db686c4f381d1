"""Stored arrays of each estimator stay the same: fingerprints from before the growers were unified."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from one_of_each import Case, digest
from rankforest import (
    OrdinalRankingForest,
    OrdinalRankingTree,
    RankBoost,
    RankConsensus,
    RankingForest,
    TreeRank,
    load_model,
    save_model,
)
from rankforest.storage.packing import pack
from rankforest.storage.shelf import Shelf

MODELS: dict[str, Any] = {
    "tree": lambda: TreeRank(size=None, random_state=0),
    "readable tree": lambda: TreeRank(random_state=0),
    "best tree": lambda: TreeRank(size="best", random_state=0),
    "pruned tree": lambda: TreeRank(pruning="cv", random_state=0),
    "forest": lambda: RankingForest(30, random_state=0),
    "median forest": lambda: RankingForest(12, aggregation="median_rank", random_state=1),
    "ordinal tree": lambda: OrdinalRankingTree(random_state=0),
    "ordinal forest": lambda: OrdinalRankingForest(12, random_state=0),
    "boost": lambda: RankBoost(30, random_state=0),
    "boost without folds": lambda: RankBoost(30, n_folds=None, random_state=0),
    "consensus": lambda: RankConsensus(forest=RankingForest(12), booster=RankBoost(20), random_state=0),
}

DIGESTS = {
    "tree": "698271da3c09cdbc",
    "readable tree": "f66ab110109efd3f",
    "best tree": "011b18fc6510640c",
    "pruned tree": "8ce4714f94a64656",
    "forest": "d50ddac7709cb661",
    "median forest": "14848b3d1f371270",
    "ordinal tree": "486a379de73e14e9",
    "ordinal forest": "e7da37e69f184763",
    "boost": "09e91b0be7effe3c",
    "boost without folds": "ec9905fa4c98c382",
    "consensus": "7f2b1fd4306c6f38",
}


def stored_arrays(model: Any, path: Path) -> dict[str, np.ndarray]:
    """The arrays of the model as a file gives them back, before anything is left out or squeezed."""
    save_model(model, path)
    shelf = Shelf()
    pack(load_model(path), shelf)
    return shelf.arrays


@pytest.mark.parametrize("name", MODELS)
def test_stored_arrays_stay_the_same(name: str, tmp_path: Path) -> None:
    """Whole numbers bit for bit; others to six digits, as exp and log differ between machines."""
    kind = "ordinal" if "ordinal" in name else "leafrank"
    case = Case(kind, n_rows=600, n_features=6, n_bins=40, missing_share=0.05)
    X = np.where(case.codes == 0, np.nan, case.codes)
    arrays = stored_arrays(MODELS[name]().fit(X, case.labels), tmp_path / "model.rf")
    of_floats = [key for key, values in arrays.items() if values.dtype.kind == "f" and values.size]
    finite = {key: np.nan_to_num(values, posinf=9e99) for key, values in arrays.items()}
    assert digest([finite], of_floats) == DIGESTS[name]
