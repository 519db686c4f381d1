"""Boosters of the core, and their trees beside those of the twin."""

from __future__ import annotations

from typing import Any

import numpy as np

import naive_boost
from rankforest import _core
from rankforest.boosting.rounds import LOSSES
from rankforest.data.sample import Sample


def constraints(**given: Any) -> _core.Constraints:
    found = _core.Constraints()
    for name, value in given.items():
        setattr(found, name, value)
    return found


def core_params(loss: str = "log_loss", *, seed: int = 7, **changes: Any) -> _core.BoostParams:
    params, tree = _core.BoostParams(), _core.GradientTreeParams()
    for name, value in changes.items():
        setattr(tree if hasattr(tree, name) else params, name, value)
    params.tree, params.loss, params.seed = tree, LOSSES.index(loss), seed
    return params


def run(sample: Sample, params: _core.BoostParams, n_rounds: int, held_out: Any = None) -> _core.Boosters:
    held_out = np.zeros((1, sample.n_rows), dtype=np.uint8) if held_out is None else held_out
    boosters = _core.Boosters(sample.binned.core, sample.labels, sample.weights, held_out, [params])
    boosters.advance(n_rounds, 1)
    return boosters


def cut_of(arrays: dict[str, np.ndarray], tree: int, node: int, sample: Sample) -> frozenset[int]:
    """Codes that go left at an inner node."""
    at = arrays["node_bounds"][tree] + node
    j = arrays["feature"][at]
    n_bins = int(sample.binned.bins.n_bins[j])
    missing = {0} if arrays["missing_left"][at] else set()
    if arrays["set_offset"][at] >= 0:
        words = arrays["sets"][arrays["set_bounds"][tree] + arrays["set_offset"][at] :]
        return frozenset({c for c in range(1, n_bins + 1) if int(words[c >> 6]) >> (c & 63) & 1} | missing)
    means = sample.binned.bins.means[j]
    return frozenset({c + 1 for c in range(n_bins) if means[c] <= arrays["threshold"][at]} | missing)


def assert_same(arrays: dict[str, np.ndarray], tree: int, twin: naive_boost.Node, sample: Sample) -> int:
    """Walk both trees together; returns the number of inner nodes."""

    def walk(child: int, node: naive_boost.Node) -> int:
        if child < 0:
            assert node.left is None
            value = arrays["value"][arrays["leaf_bounds"][tree] + ~child]
            np.testing.assert_allclose(value, node.value, rtol=1e-12, atol=1e-15)
            return 0
        at = arrays["node_bounds"][tree] + child
        assert node.left is not None
        assert arrays["feature"][at] == node.feature
        assert cut_of(arrays, tree, child, sample) == node.left_codes
        return 1 + walk(arrays["left"][at], node.left) + walk(arrays["right"][at], node.right)

    single = arrays["node_bounds"][tree + 1] == arrays["node_bounds"][tree]
    return walk(~0 if single else 0, twin)
