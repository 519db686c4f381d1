"""Boosting in the core against its brute-force twin, tree by tree."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import naive_boost
from boosters import assert_same, constraints, core_params, run
from forests import mixed_sample, sample_of
from rankforest import _core
from rankforest.boosting.rounds import LOSSES


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(
    "changes",
    [
        {
            "max_leaf_nodes": 6,
            "min_samples_leaf": 3,
            "learning_rate": 0.3,
            "category_smoothing": 0.5,
            "category_l2": 0.3,
        },
        {"max_leaf_nodes": 4, "l2": 0.0, "max_depth": 2, "subsample": 0.6, "learning_rate": 0.5},
        {"max_leaf_nodes": 5, "min_hessian_leaf": 2.0, "l2": 3.0},
        {"max_leaf_nodes": 6, "max_features": 2, "subsample": 0.8, "min_samples_leaf": 2},
        {"max_leaf_nodes": 6, "random_cuts": True, "max_features": 3, "category_smoothing": 1.0, "l2": 0.5},
        {"symmetric": True, "max_leaf_nodes": 16, "category_smoothing": 0.5, "category_l2": 0.3},
        {"symmetric": True, "max_leaf_nodes": 8, "l2": 0.0, "subsample": 0.6},
        {"symmetric": True, "max_leaf_nodes": 31, "max_depth": 3, "max_features": 2},
        {"symmetric": True, "max_leaf_nodes": 8, "random_cuts": True, "l2": 0.5},
    ],
)
def test_trees_are_those_of_the_twin(loss: str, changes: dict[str, Any]) -> None:
    sample = mixed_sample(len(changes), 45, weighted=len(changes) != 3)
    params = core_params(loss, **changes)
    held_out = (np.arange(45) % 5 == 3).astype(np.uint8)
    boosters = run(sample, params, 3, held_out[None])
    arrays = boosters.trees(3)
    twins, stages = naive_boost.boost(sample, params, 3, held_out)
    assert sum(assert_same(arrays, t, twin, sample) for t, twin in enumerate(twins)) >= 4
    out = held_out == 1
    np.testing.assert_allclose(boosters.held_out_scores(3)[0], stages[-1][out], rtol=1e-12, atol=1e-14)
    w = None if sample.weights is None else sample.weights[out]
    expected = [roc_auc_score(sample.labels[out], stage[out], sample_weight=w) for stage in stages]
    np.testing.assert_allclose(boosters.curves()[0], expected, rtol=1e-12)


def test_wide_codes() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(270, 2))
    X[:, 1] = X[:, 1].round(1)
    X[::7, 1] = np.nan
    sample = sample_of(X, X[:, 0] + rng.normal(size=270) > 0, max_bins=300)
    assert sample.binned.codes.dtype == np.uint16
    params = core_params(max_leaf_nodes=3, min_samples_leaf=3)
    twins, _ = naive_boost.boost(sample, params, 1, np.zeros(270, dtype=np.uint8))
    assert assert_same(run(sample, params, 1).trees(1), 0, twins[0], sample) == 2


ORDERS = [[], [], [3, 1, 2, 6, 4, 5], []]  # of the categories of mixed_sample, all six of which occur


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("rules", "changes"),
    [
        (constraints(monotonic=[1, -1, 0, 1]), {"max_leaf_nodes": 8, "min_samples_leaf": 2}),
        (constraints(monotonic=[-1, 0, 0, 0]), {"max_leaf_nodes": 8, "l2": 0.0, "subsample": 0.8}),
        (constraints(monotonic=[1, 1, 1, 0], order=ORDERS), {"max_leaf_nodes": 10, "learning_rate": 0.5}),
        (constraints(monotonic=[0, 0, 1, -1], order=ORDERS), {"max_leaf_nodes": 8, "random_cuts": True}),
        (constraints(monotonic=[1, 1, 0, 1]), {"max_leaf_nodes": 8, "random_cuts": True, "max_features": 2}),
        (constraints(groups=[[0, 2], [1, 2], [3]]), {"max_leaf_nodes": 8}),
        (constraints(groups=[[0, 1], [2, 3]], monotonic=[1, -1, 0, 0]), {"max_leaf_nodes": 8, "max_features": 2}),
        (constraints(most_together=2), {"max_leaf_nodes": 8, "min_samples_leaf": 1, "max_features": 3}),
        (constraints(most_together=1), {"max_leaf_nodes": 6}),
    ],
)
def test_constrained_trees_are_those_of_the_twin(seed: int, rules: _core.Constraints, changes: dict[str, Any]) -> None:
    sample = mixed_sample(seed, 60, weighted=seed % 2 == 1, missing=0.2)
    params = core_params(constraints=rules, category_smoothing=0.5, category_l2=0.3, **changes)
    twins, _ = naive_boost.boost(sample, params, 3, np.zeros(60, dtype=np.uint8))
    arrays = run(sample, params, 3).trees(3)
    assert sum(assert_same(arrays, t, twin, sample) for t, twin in enumerate(twins)) >= 5


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (constraints(monotonic=[1]), "one direction per feature"),
        (constraints(monotonic=[0, 0, 1, 0]), "needs an order"),
        (constraints(monotonic=[0, 0, 1, 0], order=[[], [], [1, 2], []]), "all categories"),
        (constraints(monotonic=[0, 0, 1, 0], order=[[], [], [1, 1, 2, 3, 4, 5], []]), "each category once"),
        (constraints(groups=[[0, 4]]), "unknown feature"),
    ],
)
def test_the_core_refuses_constraints_that_do_not_fit(rules: _core.Constraints, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        run(mixed_sample(0), core_params(constraints=rules), 1)
    with pytest.raises(ValueError, match="symmetric trees know no constraints"):
        run(mixed_sample(0), core_params(constraints=constraints(most_together=1), symmetric=True), 1)


def test_constraints_travel_with_the_parameters() -> None:
    rules = constraints(monotonic=[1, 0, 1, 0], order=ORDERS, groups=[[0, 1], [2, 3]], most_together=2)
    params = core_params(constraints=rules, max_leaf_nodes=9, subsample=0.5)
    copy = pickle.loads(pickle.dumps(params))
    assert [copy.tree.max_leaf_nodes, copy.subsample, copy.seed] == [9, 0.5, 7]
    for name in ("monotonic", "order", "groups", "most_together"):
        assert getattr(copy.tree.constraints, name) == getattr(rules, name)
