"""The gain of a cut is the decrease of the loss, so that gains of all rounds can be added up to an importance."""

from __future__ import annotations

import numpy as np
import pytest

from forests import sample_of, values_of
from rankforest import _core
from rankforest.boosting.rounds import Boosting, boost
from rankforest.data import simulate


@pytest.mark.parametrize("weighted", [False, True])
def test_the_gains_of_a_tree_are_the_decrease_of_the_loss_to_second_order(weighted: bool) -> None:
    drawn = simulate.rf10(400, random_state=1)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 400) if weighted else None
    sample = sample_of(drawn.X, drawn.y == 1, weights)
    kind = Boosting(max_leaf_nodes=6, max_features=None, subsample=1.0, l2=0.0, learning_rate=1.0)
    held_out = np.zeros((1, 400), dtype=np.uint8)
    trees = boost(sample, kind, held_out, n_rounds=3, seed=0).trees
    values = values_of(sample)
    margin = np.full(400, trees.start)
    for r in range(3):
        gradient, hessian, _ = _core.loss_gradients(2, margin, sample.labels, sample.weights)
        step = trees.added(values, r, r + 1)
        decrease = -(gradient @ step + 0.5 * hessian @ step**2)
        whole = 0.5 * gradient.sum() ** 2 / hessian.sum()  # of the same step in all leaves, which is no cut
        gains = trees.gain[trees.node_bounds[r] : trees.node_bounds[r + 1]]
        assert gains.sum() == pytest.approx(decrease - whole, rel=1e-5)
        margin += step
