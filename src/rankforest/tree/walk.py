"""The core's objects for walking trees, from the arrays of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core

__all__ = ["forest_with", "make_dag"]


def make_dag(tree: Any, terminal_label: np.ndarray) -> _core.Dag:
    """The nodes of an axis-parallel tree, ready to be walked; a row that ends in terminal t gets the label of t."""
    n_codes = [0 if f.categories is None else len(f.categories) + 1 for f in tree.schema.features]
    return _core.Dag(
        tree.feature, tree.threshold, tree.left, tree.right, tree.missing_left, tree.set_offset, tree.sets,
        terminal_label.astype(np.int32), n_codes,
    )  # fmt: skip


def forest_with(first: Any, dags: list[_core.Dag]) -> _core.Forest:
    """The core's forest of some trees; the last one is cached on the tree `first`."""
    if first._cache.get("dags") != dags:
        first._cache["dags"], first._cache["forest"] = dags, _core.Forest(dags)
    return first._cache["forest"]
