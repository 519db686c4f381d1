"""Putting the other class at the top turns the ranking round.

The criteria do not tell the classes apart, and the complement of the best union for one class is the best for the
other. Two things break the symmetry and are kept out here: ties (a leaf with the odds of its cell adds nothing on
either side and goes right; random weights leave no such leaf) and drawn features (left and right have their own draws).
"""

import numpy as np
import pytest

import naive
from rankforest import LeafRank, TreeRank


@pytest.mark.parametrize("criterion", ["gini", "auc"])
@pytest.mark.parametrize("max_leaf_nodes", [None, 6])
@pytest.mark.parametrize("seed", range(8))
def test_the_other_class_at_the_top(criterion: str, max_leaf_nodes: int | None, seed: int) -> None:
    sample = naive.random_sample(np.random.default_rng(seed), 80, 3, missing=0.1, categorical=True, most=10**6)
    model = TreeRank(
        LeafRank(max_depth=3, criterion=criterion),
        max_depth=4,
        max_leaf_nodes=max_leaf_nodes,
        categorical_features=naive.categorical_features(sample),
        pos_label=1,
    )
    strata, gains = model.fit(sample.X, sample.y, sample.w).apply(sample.X), model.tree_.cell_gain
    model.set_params(pos_label=0).fit(sample.X, sample.y, sample.w)
    assert model.tree_.n_leaves > 3
    assert (model.tree_.n_leaves - 1 - model.apply(sample.X)).tolist() == strata.tolist()
    np.testing.assert_allclose(np.sort(model.tree_.cell_gain), np.sort(gains), rtol=1e-12)


def test_a_tie_is_not_turned_round() -> None:
    """x = 0, 1, 1, 2 with y = 1, 0, 1, 0: whichever class is at the top, the mixed pair at 1 joins the lower side."""
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), [1, 0, 1, 0]
    model = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0), max_depth=1)
    assert model.set_params(pos_label=1).fit(X, y).apply(X).tolist() == [0, 1, 1, 1]
    assert model.set_params(pos_label=0).fit(X, y).apply(X).tolist() == [1, 1, 1, 0]
