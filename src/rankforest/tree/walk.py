"""The core's objects for walking trees, from the arrays of a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from ..data.schema import Schema

__all__ = ["cached_on", "category_codes", "forest_with", "make_dag", "make_tree_sum"]


def category_codes(schema: Schema) -> list[int]:
    """Number of codes of each feature: its categories and "missing"; 0 if it is numeric."""
    return [0 if f.categories is None else len(f.categories) + 1 for f in schema.features]


def make_dag(tree: Any, terminal_label: np.ndarray) -> _core.Dag:
    """The nodes of an axis-parallel tree, ready to be walked; a row that ends in terminal t gets the label of t."""
    return _core.Dag(
        tree.feature, tree.threshold, tree.left, tree.right, tree.missing_left, tree.set_offset, tree.sets,
        terminal_label.astype(np.int32), category_codes(tree.schema),
    )  # fmt: skip


def cached_on(tree: Any, name: str, key: Any, make: Callable[[], Any]) -> Any:
    """What `make` returns, made once per key; the last one is kept on the tree."""
    if tree._cache.get(f"{name} of") != key:
        tree._cache[f"{name} of"], tree._cache[name] = key, make()
    return tree._cache[name]


def forest_with(first: Any, dags: list[_core.Dag]) -> _core.Forest:
    """The core's forest of some trees; the last one is cached on the tree `first`."""
    return cached_on(first, "forest", dags, lambda: _core.Forest(dags))


def make_tree_sum(forest: _core.Forest, values: Sequence[np.ndarray]) -> _core.TreeSum:
    """The sum over the trees of a value per label."""
    bounds = np.cumsum([0, *(len(value) for value in values)], dtype=np.int64)
    return _core.TreeSum(forest, np.concatenate([np.empty(0), *values]), bounds)
