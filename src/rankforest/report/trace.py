"""Rows that the page can trace through a tree: their strata, and their values of the features that the tree uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tree.master_tree import MasterTree
from ..tree.ranking_tree import RankingTree
from .plain import rounded
from .rows import Rows, spread

__all__ = ["trace_facts"]

_CELLS = 100_000  # values in all: about 0.7 MB


def trace_facts(tree: MasterTree, rows: Rows, strata: np.ndarray, max_rows: int) -> dict[str, Any] | None:
    """Rows of the data; an evenly spread sample if there are too many.

    Parameters
    ----------
    tree : MasterTree
    rows : Rows
    strata : array of int
        Stratum of each row that counts.
    max_rows : int
    """
    if max_rows == 0:
        return None
    asked = np.unique(tree.feature) if isinstance(tree, RankingTree) else np.arange(tree.schema.n_features)
    most = min(max_rows, max(20, _CELLS // max(1, len(asked))))
    chosen = spread(np.arange(len(strata)), most)
    positions = rows.counted[chosen]
    block = rows.values(positions)
    columns = []
    for j in asked.tolist():
        categories = tree.schema.features[j].categories
        column: dict[str, Any] = {"feature": j, "values": rounded(block[:, j])}
        if categories is not None:
            column["categories"] = [str(category) for category in categories]
        columns.append(column)
    return {
        "row": positions.tolist(),
        "node": tree.leaves[strata[chosen]].tolist(),
        "label": rows.labels[positions].tolist(),
        "columns": columns,
        "of": len(strata),
    }
