"""Monotone constraints hold on the whole feature space, not just on the training rows.

In an inner tree two rows that differ in one constrained feature part at a cut on that feature. One side of that cut is
a leaf: the low one, which goes right, or the high one, which goes left. So a row never leaves the better child when the
feature moves the right way. Two rows follow one path down the master tree until a split parts them, and there the one
that should be better goes left.

Pruning an inner tree turns whole subtrees into leaves. The closed side of a cut above them is a leaf already and stays
where it is, so that what was said above holds for what is left, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankforest import LeafRank, Pruning, TreeRank
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
    score = model.score_samples(moved).reshape(len(rows), len(values))
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
            pruning=draw(st.sampled_from([None, None, Pruning("cv", n_folds=2), "cv"])),
            missing=draw(st.sampled_from(["learned", "cell_mean"])),
            max_bins=draw(st.sampled_from([5, 255, 1000])),
            cuts=draw(st.sampled_from(["best", "random"])),
        ),
        max_depth=draw(st.sampled_from([1, 2, 4, None])),
        max_leaf_nodes=draw(st.sampled_from([None, None, 5])),
        min_samples_leaf=draw(st.sampled_from([1, 1, n // 6, n // 4, n // 3])),
        max_features=draw(st.sampled_from([None, None, 1])),
        categorical_features=categorical,
        monotonic_cst=cst,
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


@pytest.mark.parametrize("direction", [1, -1])
def test_a_cell_whose_better_side_is_too_small_stays_whole(direction: int) -> None:
    """Four corners; the cut on x0 comes first, and its two sides weigh the same: the low one stays a leaf.

    (x0, x1)  negatives  positives       The cut on x1 of the high side leaves (1, 1) alone with greater odds than the
    (0, 0)        2          0           cell. Two rows are a stratum. If it must have three, a tree without constraints
    (0, 1)        1          1           adds a leaf with the odds of the cell; which one, no constraint knows in time,
    (1, 0)        1          1           and with (0, 1) but not (1, 0) the score would fall in x0.
    (1, 1)        0          2
    """
    corners = np.repeat([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], 2, axis=0) * [direction, 1]
    y = [0, 0, 0, 1, 0, 1, 1, 1]
    model = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0), max_depth=1, monotonic_cst=[direction, 0])
    assert model.set_params(min_samples_leaf=2).fit(corners, y).apply(corners).tolist() == [1] * 6 + [0] * 2
    assert model.set_params(min_samples_leaf=3).fit(corners, y).tree_.n_leaves == 1
    assert model.set_params(monotonic_cst=None).fit(corners, y).tree_.n_leaves == 2


@pytest.mark.parametrize("missing", ["learned", "cell_mean"])
def test_a_sample_that_contradicts_the_constraint_is_not_ranked_by_it(missing: str) -> None:
    """y falls with x: a score that must not fall is constant. Being missing, which is no value, may still rank."""
    x, y = np.arange(10.0)[:, None], [1] * 5 + [0] * 5
    assert TreeRank(LeafRank(missing=missing), monotonic_cst=[-1]).fit(x, y).tree_.auc == 1.0
    assert TreeRank(LeafRank(missing=missing), monotonic_cst=[1]).fit(x, y).tree_.n_leaves == 1


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("best", ["missing", "observed"])
def test_the_missing_part_from_all_values_under_any_constraint(direction: int, best: str) -> None:
    """No two values are parted by that, so that no order is asked for."""
    x = np.array([0.0, 1.0, 2.0, 3.0, np.nan, np.nan])[:, None]
    y = np.array([0, 0, 0, 0, 1, 1]) if best == "missing" else np.array([1, 1, 1, 1, 0, 0])
    model = TreeRank(LeafRank(min_mass_leaf=0.0), monotonic_cst=[direction]).fit(x, y)
    assert model.tree_.auc == 1.0
    assert model.tree_.threshold.tolist() == [np.inf]


def test_every_subtree_is_monotone() -> None:
    """Pruning collapses splits of the master tree, and each of them keeps the order."""
    sample = simulate.rf20(1500, random_state=0)
    rng = np.random.default_rng(0)
    cst = rng.choice([-1, 1], 20)
    model = TreeRank(pruning=Pruning("cv", n_folds=3), monotonic_cst=cst, random_state=0).fit(sample.X, sample.y)
    assert 1 < model.tree_.n_leaves < model.grown_tree_.n_leaves
    for j in range(20):
        assert falls(model, sample.X[:50], j, grid(model, j, rng)[:: cst[j]]) == 0.0


def test_a_true_constraint_hardly_costs_auc() -> None:
    """RF 10 sparse: the true score rises in the first four coordinates and does not depend on the others."""
    gains = []
    for seed in range(8):
        train, test = simulate.rf10_sparse(1000, random_state=seed), simulate.rf10_sparse(4000, random_state=100 + seed)
        auc = [
            roc_auc(test.y, TreeRank(size=None, monotonic_cst=cst).fit(train.X, train.y).score_samples(test.X))
            for cst in (None, [1] * 4 + [0] * 6)
        ]
        gains.append(auc[1] - auc[0])
    assert np.mean(gains) > -0.01
