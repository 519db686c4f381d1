"""Monotone constraints hold on the whole feature space, not just on the training rows.

In an inner tree two rows that differ in one constrained feature part at a cut on that feature, and the bounds handed
down from that cut keep all leaves below its one side from passing those below the other. The leaves that make the
better child are all that have at least some odds, so no row leaves it when the feature moves the right way. Two rows
follow one path down the master tree until a split parts them, and there the right one goes left.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankforest import LeafRank, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc


def grid(model: TreeRank, j: int, rng: np.random.Generator) -> np.ndarray:
    """Sorted values of a feature: on, just below and just above every threshold of the tree, and far outside."""
    cuts = model.tree_.threshold[(model.tree_.feature == j) & np.isfinite(model.tree_.threshold)]
    near = [np.nextafter(cuts, way) for way in (-np.inf, np.inf)]
    return np.unique(np.concatenate([cuts, *near, rng.normal(size=10) * 3, [-1e300, 1e300]]))


def falls(model: TreeRank, rows: np.ndarray, j: int, values: np.ndarray) -> float:
    """The largest fall of the score of any row while its feature j takes rising values; 0 when there is none."""
    moved = np.repeat(rows, len(values), axis=0)
    moved[:, j] = np.tile(values, len(rows))
    score = model.decision_function(moved).reshape(len(rows), len(values))
    return float(-np.diff(score, axis=1).min(initial=0.0))


@st.composite
def fits(draw: st.DrawFn) -> tuple[TreeRank, tuple[int, ...], np.random.Generator, np.ndarray]:
    """A fitted tree with constraints that the sample may contradict, and rows that may have missing values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.sampled_from([6, 15, 40, 120, 300])), draw(st.integers(1, 5))
    X = rng.normal(size=(n, q))
    steps = draw(st.sampled_from([0, 1, 3]))
    if steps:
        X = np.round(X * steps) / steps
    categorical = [j for j in range(q) if draw(st.integers(0, 3)) == 0]
    X[:, categorical] = np.round(X[:, categorical])
    signal = np.sin(2.0 * X) @ rng.normal(size=q)
    y = (signal + draw(st.sampled_from([0.0, 1.0])) * rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    X[rng.random((n, q)) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    X[0] = 0.0  # no column is empty
    cst = tuple(0 if j in categorical else draw(st.sampled_from([1, -1, 1, -1, 0])) for j in range(q))
    weights = draw(st.sampled_from([None, rng.integers(1, 4, n), rng.exponential(size=n) + 1e-3]))
    model = TreeRank(
        LeafRank(
            max_depth=draw(st.sampled_from([1, 2, 3, 6, None])),
            max_leaf_nodes=draw(st.sampled_from([None, None, 4])),
            criterion=draw(st.sampled_from(["gini", "auc"])),
            min_mass_leaf=draw(st.sampled_from([0.0, 0.02, 0.1])),
            max_features=draw(st.sampled_from([None, None, 1])),
        ),
        max_depth=draw(st.sampled_from([1, 2, 4, None])),
        max_leaf_nodes=draw(st.sampled_from([None, None, 5])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, n // 3, n // 2])),
        max_features=draw(st.sampled_from([None, None, 1])),
        missing=draw(st.sampled_from(["learned", "cell_mean"])),
        categorical_features=categorical,
        monotonic_cst=cst,
        max_bins=draw(st.sampled_from([5, 255, 1000])),
        random_state=0,
    ).fit(X, y, weights)
    rows = rng.normal(size=(25, q)) * 1.5
    rows[:, categorical] = np.round(rows[:, categorical])  # with categories that the model has not seen
    rows[rng.random(rows.shape) < 0.15] = np.nan
    return model, cst, rng, np.concatenate([rows, X[:25]])


@settings(max_examples=400, deadline=None)
@given(fits())
def test_the_score_is_monotone_everywhere(case: tuple[TreeRank, tuple[int, ...], Any, np.ndarray]) -> None:
    model, cst, rng, rows = case
    for j, direction in enumerate(cst):
        if direction:
            values = grid(model, j, rng)
            assert falls(model, rows, j, values[::direction]) == 0.0
