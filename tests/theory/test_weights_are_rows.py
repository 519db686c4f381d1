"""A weight of two is two rows."""

import numpy as np
import pytest

import naive
from rankforest import LeafRank, RankingTree, TreeRank

CASES = [(criterion, seed) for criterion in ("gini", "auc") for seed in range(12)]


def weighted_and_repeated(criterion: str, seed: int, unit: float) -> tuple[RankingTree, RankingTree, list[list[int]]]:
    """The tree of whole multiples of `unit` as weights, that of rows repeated as often, and both rankings."""
    rng = np.random.default_rng(seed)
    sample = naive.random_sample(rng, 60, 3, missing=0.1 * (seed % 2), categorical=True)
    times = rng.integers(1, 4, 60)
    base = rng.integers(1, 4096, 60) / 1024  # fractions, exact in binary; they leave no ties between different cuts
    weights = base * unit
    model = TreeRank(
        LeafRank(max_depth=3, criterion=criterion, min_mass_leaf=0.01),
        max_depth=4,
        categorical_features=naive.categorical_features(sample),
    )
    by_weight = model.fit(sample.X, sample.y, times * weights)
    strata, one = by_weight.apply(sample.X).tolist(), by_weight.tree_
    repeated = [np.repeat(part, times, axis=0) for part in (sample.X, sample.y, weights)]
    by_rows = model.fit(*repeated)
    return one, by_rows.tree_, [strata, by_rows.apply(sample.X).tolist()]


@pytest.mark.parametrize(("criterion", "seed"), CASES)
@pytest.mark.parametrize("unit", [1.0, 0.375])
def test_repeating_rows_is_weighting_them(criterion: str, seed: int, unit: float) -> None:
    """Same cells, masses and gains, same cuts inside every cell, same strata of all rows."""
    one, other, (strata, again) = weighted_and_repeated(criterion, seed, unit)
    assert one.n_leaves > 3
    assert strata == again
    for name in ("cell_mass", "cell_gain", "cell_left", "cell_right", "cell_depth"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert naive.shape_of(naive.arrays_of(one)) == naive.shape_of(naive.arrays_of(other))


def test_repeating_rows_is_weighting_them_for_unseen_missing_values() -> None:
    """Rows 0, 1, 1 with weights 3, 1, 1, and with the first row three times: the missing go with the heavier side."""
    X, y = np.array([[0.0], [1.0], [1.0]]), np.array([0, 1, 1])
    model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=1)
    missing = np.array([[np.nan]])
    by_weight = model.fit(X, y, [3, 1, 1]).apply(missing).tolist()
    times = [3, 1, 1]
    assert by_weight == model.fit(np.repeat(X, times, axis=0), np.repeat(y, times)).apply(missing).tolist()


def test_whole_weights_are_packed_counts() -> None:
    """Unweighted repeated rows take another path in the core than weights do; single cuts leave no neutral leaves."""
    rng = np.random.default_rng(5)
    for _ in range(10):
        sample = naive.random_sample(rng, 50, 3)
        times = rng.integers(1, 50, 50)
        model = TreeRank(LeafRank(max_depth=1), max_depth=4)
        by_weight = model.fit(sample.X, sample.y, times).tree_
        by_rows = model.fit(np.repeat(sample.X, times, axis=0), np.repeat(sample.y, times)).tree_
        for name in ("feature", "threshold", "cell_mass", "cell_gain", "terminal_mass", "node_mass", "left_mass"):
            np.testing.assert_array_equal(getattr(by_weight, name), getattr(by_rows, name), err_msg=name)
