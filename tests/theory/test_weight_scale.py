"""Scaling all weights by a constant changes the masses and nothing else."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import naive
from rankforest import Dyadic, LeafRank, TreeRank
from rankforest.data import simulate

MASSES = {"cell_mass", "node_mass", "left_mass", "terminal_mass"}


def fit(sample: naive.Sample, weights: np.ndarray, criterion: str) -> TreeRank:
    features = naive.categorical_features(sample)
    splitter = LeafRank(max_depth=3, criterion=criterion)
    return TreeRank(splitter, max_depth=4, categorical_features=features).fit(sample.X, sample.y, weights)


@pytest.mark.parametrize("scale", [3.0, 0.375, 2.0**-40, 2.0**60])
@pytest.mark.parametrize("criterion", ["gini", "auc"])
@pytest.mark.parametrize("seed", range(6))
def test_scaled_exactly(scale: float, criterion: str, seed: int) -> None:
    """Weights and scale of few bits: every product is exact, and so are the arrays."""
    rng = np.random.default_rng(seed)
    sample = naive.random_sample(rng, 80, 3, missing=0.1, categorical=True)
    weights = rng.integers(1, 4096, 80) / 1024
    tree, scaled = (fit(sample, w, criterion).tree_ for w in (weights, scale * weights))
    assert tree.n_leaves > 3
    for name, value in naive.arrays_of(tree).items():
        expected = scale * value if name in MASSES else value
        np.testing.assert_array_equal(getattr(scaled, name), expected, err_msg=name)


@pytest.mark.parametrize("scale", [3.0, 1.0 / 3.0, 1e-12, 1e12])
@pytest.mark.parametrize("seed", range(6))
def test_scaled_up_to_rounding(scale: float, seed: int) -> None:
    """Any weights and any scale: cuts that part the rows alike may change places, but the cells are the same."""
    rng = np.random.default_rng(seed)
    sample = naive.random_sample(rng, 80, 3, missing=0.1, categorical=True)
    weights = rng.exponential(size=80) + 0.01
    one, scaled = (fit(sample, w, "gini") for w in (weights, scale * weights))
    assert one.tree_.n_leaves > 3
    assert one.apply(sample.X).tolist() == scaled.apply(sample.X).tolist()
    np.testing.assert_allclose(scaled.tree_.cell_gain, one.tree_.cell_gain, rtol=1e-9)
    np.testing.assert_allclose(scaled.tree_.cell_mass, scale * one.tree_.cell_mass, rtol=1e-12)


@pytest.mark.parametrize("weight", [1.0, 0.1, 7.0])
def test_equal_weights_are_no_weights(weight: float) -> None:
    sample = naive.random_sample(np.random.default_rng(0), 80, 3, missing=0.1)
    model = TreeRank(LeafRank(max_depth=3), max_depth=4)
    tree = model.fit(sample.X, sample.y).tree_
    weighted = model.fit(sample.X, sample.y, np.full(80, weight)).tree_
    for name, value in naive.arrays_of(tree).items():
        expected = weight * value if name in MASSES else value
        np.testing.assert_allclose(getattr(weighted, name), expected, rtol=1e-14, err_msg=name)


RULES = {"LeafRank": LeafRank(max_depth=3), "Dyadic": Dyadic(1), "a classifier": LogisticRegression()}


@pytest.mark.parametrize("scale", [2.0**-10, 2.0**10])
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_probabilities_and_intervals_have_no_unit(rule: object, scale: float) -> None:
    sample = simulate.rf20(300, random_state=0)
    weights = np.random.default_rng(0).integers(1, 4, 300).astype(float)
    one, scaled = (
        TreeRank(rule, max_depth=3, random_state=0).fit(sample.X, sample.y, w) for w in (weights, scale * weights)
    )
    np.testing.assert_allclose(scaled.predict_proba(sample.X), one.predict_proba(sample.X), rtol=1e-12)
    for name in ("rate", "rate_low", "rate_high", "lift"):
        expected = getattr(one.strata(), name)
        np.testing.assert_allclose(getattr(scaled.strata(), name), expected, rtol=1e-12, atol=1e-12, err_msg=name)


def test_equal_weights_leave_probabilities_and_intervals() -> None:
    """Rows of weight 1e-3 are rows: they do not shrink every probability to the overall rate."""
    sample = simulate.rf20(300, random_state=0)
    model = TreeRank(max_depth=4).fit(sample.X, sample.y)
    expected, strata = model.predict_proba(sample.X), model.strata()
    light = TreeRank(max_depth=4).fit(sample.X, sample.y, np.full(300, 1e-3))
    np.testing.assert_allclose(light.predict_proba(sample.X), expected, rtol=1e-12)
    np.testing.assert_allclose(light.strata().rate_low, strata.rate_low, rtol=1e-12, atol=1e-12)


def test_two_pseudo_rows_of_mean_weight() -> None:
    """Weights 3, 3 and 6: a pseudo-row weighs 4 and is positive by the share 1/2."""
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1])
    tree = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0.0), max_depth=1).fit(X, y, [3, 3, 6]).tree_
    np.testing.assert_allclose(tree.leaf_probability, [(6 + 4) / (6 + 8), 4 / (6 + 8)])
