"""The median ranking of a forest's trees, as arrays: with it a forest ranks fresh rows without its training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..consensus import MedianRanking
from ..forest.subpartition import Consensus
from ..tree.master_tree import MasterTree
from .checks import check_finite
from .errors import require
from .shelf import Shelf
from .values import decode, encode

__all__ = ["put_consensus", "take_consensus"]

_TYPES = {
    "cost": float, "lower_bound": float, "optimal": bool, "mean_distance": float, "distance": str, "method": str,
    "solver": str, "strict": bool, "n_restarts": int, "component_sizes": tuple,
}  # fmt: skip


def put_consensus(shelf: Shelf, found: Consensus) -> dict[str, Any]:
    """The cells in the order of their mean scores, their places in the consensus, and what is known of it."""
    shelf.put("mean_score", found.mean_score)
    shelf.put("score", found.score)
    strata = np.frombuffer(b"".join(found.keys), dtype=np.int32)
    shelf.put("strata", strata.reshape(len(found.keys), -1))
    shelf.put("ranking", np.asarray(found.found.ranking, dtype=np.float64))
    facts = {name: kind(getattr(found.found, name)) for name, kind in _TYPES.items()}
    return {name: encode(value, "consensus") for name, value in facts.items()}


def take_consensus(shelf: Shelf, value: Any, trees: Sequence[MasterTree]) -> Consensus:
    """The same, checked."""
    known = isinstance(value, dict) and value.keys() == _TYPES.keys()
    require(known and len(_TYPES) == len(fields(MedianRanking)) - 1, "its consensus cannot be read")
    facts = {name: decode(each) for name, each in value.items()}
    require(all(type(facts[name]) is kind for name, kind in _TYPES.items()), "its consensus cannot be read")
    mean_score = shelf.take("mean_score", np.float64, None)
    n = len(mean_score)
    score, ranking = shelf.take("score", np.float64, n), shelf.take("ranking", np.float64, n)
    strata = shelf.take("strata", np.int32, n, len(trees))
    for array in (mean_score, score, ranking):
        check_finite(array, "consensus")
    require(n >= 1 and (np.diff(mean_score) >= 0).all(), "the scores of its consensus are not sorted")
    n_leaves = np.array([tree.n_leaves for tree in trees])
    require(((strata >= 0) & (strata < n_leaves)).all(), "a cell of its consensus is not in the trees")
    keys = {cell.tobytes(): i for i, cell in enumerate(strata)}
    require(len(keys) == n, "its consensus contains a cell twice")
    return Consensus(mean_score, score, keys, MedianRanking(ranking=ranking, **facts))
