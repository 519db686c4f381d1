"""The model is a function of the sample, not of the order of its rows."""

import numpy as np
import pytest

import naive
from rankforest import LeafRank, TreeRank


@pytest.mark.parametrize("n", [60, 6000])
@pytest.mark.parametrize("weights", [None, "whole", "any"])
@pytest.mark.parametrize("seed", range(3))
def test_shuffled_rows_give_the_same_arrays(n: int, weights: str | None, seed: int) -> None:
    """Bit for bit, with missing values, categories, drawn features, bins and threads."""
    rng = np.random.default_rng(seed)
    sample = naive.random_sample(rng, n, 5, missing=0.1, categorical=True)
    w = {None: None, "whole": rng.integers(1, 5, n), "any": rng.exponential(size=n)}[weights]
    model = TreeRank(
        LeafRank(max_depth=3, max_features=2, max_bins=40),
        max_depth=4,
        max_features=4,
        categorical_features=naive.categorical_features(sample),
        random_state=0,
    )
    tree = model.fit(sample.X, sample.y, w).tree_
    order = rng.permutation(n)
    shuffled = model.set_params(n_jobs=2).fit(sample.X[order], sample.y[order], None if w is None else w[order]).tree_
    assert tree.n_leaves > 4
    for name, value in naive.arrays_of(tree).items():
        np.testing.assert_array_equal(value, getattr(shuffled, name), err_msg=name)
