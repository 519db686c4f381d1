"""I_j is the sum of squared gains of AUC of the inner nodes that cut on j (2011, 5.1)."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, TreeRank


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1000]), st.sampled_from(["learned", "cell_mean"]))
def test_importance_is_its_definition(seed: int, most: int, missing: str) -> None:
    """Every training row walks down the tree, and the gain of each node is counted from the rows that pass it."""
    sample = naive.random_sample(np.random.default_rng(seed), 60, 4, missing=0.1, categorical=True, most=most)
    model = TreeRank(
        LeafRank(max_depth=3, missing=missing), max_depth=3, categorical_features=naive.categorical_features(sample)
    ).fit(sample.X, sample.y, sample.w)
    roots = np.array([sqrt(square) for square in naive.squared_gains(naive.arrays_of(model.tree_), sample)])
    assert roots.any()
    np.testing.assert_allclose(model.feature_importances_, roots / roots.sum(), rtol=1e-10)


def test_importance_of_a_worked_tree() -> None:
    """Two features, one split of the master tree, inner depth 2: one cut on each feature.

    Rows (x0, x1, y): (0, 0, 1) twice, (1, 0, 1), (1, 1, 0) three times. Root, alpha = beta = 1: the cut on x1 puts all
    positives left: gain of AUC 1/2. Nothing else is cut, so x1 has all the importance. With a fourth negative at
    (1, 0) the cut on x1 has shares beta = 1, alpha = 1/4 on its left: gain (1 - 1/4) / 2 = 3/8; inside it, alpha = 1/4
    and beta = 1, the cut on x0 puts beta = 2/3, alpha = 0 left: gain (1/4 * 2/3) / 2 = 1/12. Gini at the root takes
    x1, (3/4)^2 / (5/4 * 3/4) = 3/5, not x0, (2/3)^2 / (2/3 * 4/3) = 1/2.
    """
    X = np.array([[0, 0], [0, 0], [1, 0], [1, 1], [1, 1], [1, 1]], dtype=float)
    y = [1, 1, 1, 0, 0, 0]
    model = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.0), max_depth=1)
    assert model.fit(X, y).feature_importances_.tolist() == [0.0, 1.0]
    model.fit(np.vstack([X, [[1.0, 0.0]]]), [*y, 0])
    total = 3 / 8 + 1 / 12
    assert model.feature_importances_ == pytest.approx([1 / 12 / total, 3 / 8 / total], rel=1e-12)


def test_a_tree_without_a_split_has_no_importance() -> None:
    model = TreeRank().fit(np.zeros((4, 2)), [0, 1, 0, 1])
    assert model.feature_importances_.tolist() == [0.0, 0.0]
