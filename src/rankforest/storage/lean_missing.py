"""Where missing values go: stored is where this is not the larger side, which is the rule without missing values."""

from __future__ import annotations

import numpy as np

__all__ = ["NEEDS", "grow", "shrink"]

Arrays = dict[str, np.ndarray]
NEEDS = frozenset({"missing_left", "node_count", "left_count"})


def _larger_is_left(arrays: Arrays) -> np.ndarray:
    return (2.0 * arrays["left_count"] >= arrays["node_count"]).astype(np.uint8)


def shrink(arrays: Arrays) -> Arrays:
    """`missing_small` instead of `missing_left`."""
    left = dict(arrays)
    left["missing_small"] = left.pop("missing_left") ^ _larger_is_left(arrays)
    return left


def grow(arrays: Arrays) -> Arrays:
    """The sides of missing values again."""
    left = dict(arrays)
    left["missing_left"] = left.pop("missing_small") ^ _larger_is_left(arrays)
    return left
