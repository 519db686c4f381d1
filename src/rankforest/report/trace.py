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


def trace_facts(tree: MasterTree, rows: Rows, strata: np.ndarray, shown: np.ndarray) -> dict[str, Any] | None:
    """Rows of the data; fewer if they have very many values.

    Parameters
    ----------
    tree : MasterTree
    rows : Rows
    strata : array of int
        Stratum of each row that counts.
    shown : array of int
        Positions of the rows that the file may contain, among those that count.
    """
    if len(shown) == 0:
        return None
    asked = np.unique(tree.feature) if isinstance(tree, RankingTree) else np.arange(tree.schema.n_features)
    chosen = np.sort(spread(shown, max(20, _CELLS // max(1, len(asked)))))
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
        "row": (positions + 1).tolist(),  # as `rankforest explain --row` counts them
        "node": tree.leaves[strata[chosen]].tolist(),
        "label": rows.labels[positions].tolist(),
        "columns": columns,
        "of": len(strata),
    }
