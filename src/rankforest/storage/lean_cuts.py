"""Thresholds as numbers of cut points, with one table of cut points (and of their digits) for all trees.

The cut points of a feature are sorted and numbered. The numbers of all nodes of one feature are stored together.
"""

from __future__ import annotations

import numpy as np

__all__ = ["NEEDS", "grow", "shrink"]

Arrays = dict[str, np.ndarray]
NEEDS = frozenset({"feature", "threshold"})


def shrink(arrays: Arrays) -> Arrays:
    """`cut`, `cut_value`, `cut_bounds` (and `cut_digits`) instead of `threshold` (and `digits`)."""
    left = dict(arrays)
    feature, threshold = left["feature"], left.pop("threshold")
    digits = left.pop("digits") if "digits" in left else np.zeros(len(feature), dtype=np.uint8)
    bits = threshold.view(np.uint64)
    order = np.lexsort((digits, bits, threshold, feature))
    same = [key[order][1:] == key[order][:-1] for key in (feature, bits, digits)]
    first = np.append(True, ~np.logical_and.reduce(same))[: len(order)]
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(first) - 1
    kept = order[first]
    bounds = np.append(0, np.cumsum(np.bincount(feature[kept])))
    by_feature = np.argsort(feature, kind="stable")
    left["cut"] = (number - bounds[feature])[by_feature]
    left["cut_bounds"] = bounds.astype(np.int64)
    left["cut_value"] = threshold[kept]
    if "digits" in arrays:
        left["cut_digits"] = digits[kept]
    return left


def grow(arrays: Arrays) -> Arrays:
    """The thresholds again."""
    left = dict(arrays)
    feature, cut, bounds = left["feature"], left.pop("cut"), left.pop("cut_bounds")
    at = np.empty(len(feature), dtype=np.int64)
    at[np.argsort(feature, kind="stable")] = cut
    at += bounds[feature]
    left["threshold"] = left.pop("cut_value")[at]
    if "cut_digits" in left:
        left["digits"] = left.pop("cut_digits")[at]
    return left
