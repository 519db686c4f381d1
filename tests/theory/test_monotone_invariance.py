"""Only the order of a feature's values matters: increasing transforms leave the ranking as it is."""

from collections.abc import Callable

import numpy as np
import pytest

import naive
from rankforest import LeafRank, TreeRank

TRANSFORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.exp,
    "cube": lambda x: x**3,
    "arctan": np.arctan,
    "shift and stretch": lambda x: 1e6 + 1e3 * x,
    "jump": lambda x: x + 100.0 * (x > 0),
    "ranks": lambda x: np.where(np.isnan(x), np.nan, np.searchsorted(np.unique(x[~np.isnan(x)]), x)),
}


def transformed(X: np.ndarray, f: Callable[[np.ndarray], np.ndarray], columns: list[int]) -> np.ndarray:
    Z = X.copy()
    for j in columns:
        Z[:, j] = f(X[:, j])
        assert len(np.unique(Z[:, j])) == len(np.unique(X[:, j]))  # still strictly increasing in doubles
    return Z


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("criterion", ["gini", "auc"])
@pytest.mark.parametrize("seed", range(4))
def test_increasing_transforms(name: str, criterion: str, seed: int) -> None:
    """Exact bins: the same strata for the training rows, and the same model in everything but its thresholds."""
    sample = naive.random_sample(np.random.default_rng(seed), 150, 4, missing=0.1, most=100 if seed % 2 else 0)
    Z = transformed(sample.X, TRANSFORMS[name], [0, 2, 3])
    model = TreeRank(LeafRank(max_depth=3, criterion=criterion, min_mass_leaf=0.0, max_bins=65535), max_depth=5)
    one = model.fit(sample.X, sample.y, sample.w)
    strata, before = one.apply(sample.X), naive.arrays_of(one.tree_)
    other = model.fit(Z, sample.y, sample.w)
    after = naive.arrays_of(other.tree_)
    assert len(np.unique(strata)) > 5
    assert other.apply(Z).tolist() == strata.tolist()
    for field in before.keys() - {"threshold", "digits"}:  # digits are those that the thresholds need
        np.testing.assert_array_equal(before[field], after[field], err_msg=field)
    assert not np.array_equal(before["threshold"], after["threshold"])


@pytest.mark.parametrize("name", TRANSFORMS)
def test_increasing_transforms_of_binned_features(name: str) -> None:
    """Quantile bins are cut between the same neighbours, so that the strata stay the same there too."""
    sample = naive.random_sample(np.random.default_rng(9), 400, 3)
    model = TreeRank(LeafRank(max_depth=3, max_bins=16), max_depth=4)
    strata = model.fit(sample.X, sample.y).apply(sample.X)
    Z = transformed(sample.X, TRANSFORMS[name], [0, 1, 2])
    assert model.fit(Z, sample.y).apply(Z).tolist() == strata.tolist()


def test_new_values_between_the_same_neighbours_stay_together() -> None:
    """A cut lies in the middle of the ranks: rows with training values go the same way after a transform."""
    sample = naive.random_sample(np.random.default_rng(3), 200, 3)
    pool = [np.unique(sample.X[:, j]) for j in range(3)]
    new = np.column_stack([np.random.default_rng(j).choice(pool[j], 80) for j in range(3)])
    model = TreeRank(LeafRank(max_depth=3, max_bins=65535), max_depth=4)
    expected = model.fit(sample.X, sample.y).apply(new)
    assert len(np.unique(expected)) > 3
    assert model.fit(sample.X**3, sample.y).apply(new**3).tolist() == expected.tolist()
