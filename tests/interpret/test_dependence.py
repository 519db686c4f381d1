"""Partial dependence against brute force through the public score."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression

from rankforest import LeafRank, TreeRank
from rankforest.interpret import partial_dependence


@pytest.fixture(scope="module")
def fit() -> tuple[TreeRank, pd.DataFrame]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 300).astype(float),
            "debt": rng.normal(size=300),
            "city": rng.choice(["Lyon", "Nice", "Paris"], 300),
            "size": rng.choice(["big", "small"], 300),
        }
    )
    X.loc[::7, "age"] = np.nan
    X.loc[::11, "city"] = None
    y = X["debt"] + (X["city"] == "Nice") - 0.03 * X["age"].fillna(20) + rng.normal(size=300) > -0.7
    return TreeRank(LeafRank(max_depth=3), max_depth=3).fit(X, y), X


def brute(model: TreeRank, X: pd.DataFrame, **values: object) -> float:
    changed = X.copy()
    for name, value in values.items():
        changed[name] = value
    return float(model.score_samples(changed).mean())


@pytest.mark.parametrize("name", ["age", "debt", "city", "size"])
def test_one_feature(fit: tuple[TreeRank, pd.DataFrame], name: str) -> None:
    model, X = fit
    found = partial_dependence(model, X, name, grid_size=12)
    assert found.names == (name,)
    assert found.is_categorical == (name in ("city", "size"),)
    assert found.values == pytest.approx([brute(model, X, **{name: value}) for value in found.grids[0]])
    assert found.strength == np.ptp(found.values)
    if name != "size":
        assert found.strength > 0


@pytest.mark.parametrize("pair", [("age", "debt"), ("city", "debt"), ("city", "size")])
def test_a_pair(fit: tuple[TreeRank, pd.DataFrame], pair: tuple[str, str]) -> None:
    model, X = fit
    found = partial_dependence(model, X, pair, grid_size=4)
    assert found.values.shape == tuple(len(grid) for grid in found.grids)
    for (i, j), value in np.ndenumerate(found.values):
        at = {pair[0]: found.grids[0][i], pair[1]: found.grids[1][j]}
        assert value == pytest.approx(brute(model, X, **at))
    swapped = partial_dependence(model, X, pair[::-1], grid_size=4)
    np.testing.assert_allclose(swapped.values, found.values.T)


def test_the_grid_is_observed_values_from_end_to_end(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    model, X = fit
    age, debt = (partial_dependence(model, X, name, grid_size=40).grids[0] for name in ("age", "debt"))
    np.testing.assert_array_equal(age, np.unique(X["age"].dropna()))  # few values: all of them
    assert set(debt) <= set(X["debt"])
    assert (debt[0], debt[-1], len(debt)) == (X["debt"].min(), X["debt"].max(), 40)
    assert (np.diff(debt) > 0).all()
    assert partial_dependence(model, X, "city").grids[0].tolist() == ["Lyon", "Nice", "Paris"]


def test_what_is_observed_is_kept(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    model, X = fit
    deciles, shares = partial_dependence(model, X, ["age", "city"], grid_size=2).observed
    np.testing.assert_allclose(deciles, X["age"].quantile(np.arange(1, 10) / 10))
    np.testing.assert_allclose(shares, [(X["city"] == c).mean() for c in ("Lyon", "Nice", "Paris")])


def test_rows_are_drawn_and_the_tree_will_do(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    model, X = fit
    whole = partial_dependence(model, X, "city", sample=None)
    np.testing.assert_array_equal(whole.values, partial_dependence(model.tree_, X, 2, sample=300).values)
    drawn = [partial_dependence(model, X, "city", sample=50, random_state=seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(drawn[0].values, drawn[1].values)
    assert (drawn[0].values != drawn[2].values).any()
    assert "city: 3 points" in str(whole)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("height", r"^features names 'height', which is not a feature of the model\.$"),
        (4, r"^features names position 4; use positions from 0 to 3\.$"),
        ([0, 1, 2], r"^features names 3 features; give one or a pair\.$"),
        (["age", 0], r"^features names 'age' twice; give two different features\.$"),
    ],
)
def test_wrong_features_get_a_sentence(fit: tuple[TreeRank, pd.DataFrame], features: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        partial_dependence(*fit, features)


def test_wrong_models_grids_and_columns_get_a_sentence(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    model, X = fit
    with pytest.raises(NotFittedError, match=r"^This TreeRank instance is not fitted yet"):
        partial_dependence(TreeRank(), X, "age")
    with pytest.raises(TypeError, match=r"^LogisticRegression is .*; fit one of these first: .* TreeRank\.$"):
        partial_dependence(LogisticRegression(), X, "age")
    with pytest.raises(ValueError, match=r"^grid_size is 1; give at least 2 points\.$"):
        partial_dependence(model, X, "age", grid_size=1)
    with pytest.raises(ValueError, match=r"^Column 'age' has no value in the rows given"):
        partial_dependence(model, X[X["age"].isna()], "age")
