"""A display of an unsuitable or unfitted model raises a one-sentence error."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from rankforest import BestInstances, OrdinalRankingTree, RankBoost, RankingForest, TreeRank
from rankforest.plots import (
    DependenceDisplay,
    GainsDisplay,
    LocalAucDisplay,
    LocalRocDisplay,
    PruningDisplay,
    RocBandsDisplay,
    RocDisplay,
    plot_tree,
)

matplotlib.use("Agg")

X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)
SCORED = (GainsDisplay, LocalAucDisplay, LocalRocDisplay, RocBandsDisplay, RocDisplay)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (RankBoost(), "RankBoost"),
        (RankingForest(2).fit(X, Y), "RankingForest"),
        (BestInstances(TreeRank(), top=0.2), "BestInstances"),
        (OrdinalRankingTree().fit(X, Y), "OrdinalRankingTree"),
        (LinearRegression(), "LinearRegression"),
        (TreeRank, "The class TreeRank"),
        (None, "NoneType"),
    ],
)
def test_models_without_a_pruning_path(model: Any, name: str) -> None:
    with pytest.raises(TypeError) as caught:
        PruningDisplay.from_estimator(model)
    assert str(caught.value) == (f"{name} has no pruning path; give a fitted TreeRank.")
    with pytest.raises(TypeError, match=rf"^{name} has no ranking tree to draw; give a fitted TreeRank, "):
        plot_tree(model)


@pytest.mark.parametrize("display", SCORED)
def test_models_that_score_no_rows(display: Any) -> None:
    with pytest.raises(ValueError, match=r"^estimator LinearRegression has neither decision_function nor "):
        display.from_estimator(LinearRegression().fit(X, Y), X, Y)
    with pytest.raises(
        TypeError, match=r"^The class TreeRank cannot score rows; create an instance and fit it first\.$"
    ):
        display.from_estimator(TreeRank, X, Y)


@pytest.mark.parametrize("model", [TreeRank(), RankBoost(), RankingForest()])
def test_models_that_are_not_fitted(model: Any) -> None:
    for display in SCORED:
        with pytest.raises(NotFittedError, match=f"This {type(model).__name__} instance is not fitted yet"):
            display.from_estimator(model, X, Y)
    with pytest.raises(NotFittedError, match="This TreeRank instance is not fitted yet"):
        PruningDisplay.from_estimator(TreeRank())


def test_models_without_partial_dependence() -> None:
    with pytest.raises(NotFittedError, match="This RankBoost instance is not fitted yet"):
        DependenceDisplay.from_estimator(RankBoost(), X, 0)
    for model, name in ((LinearRegression(), "LinearRegression"), (TreeRank, "The class TreeRank")):
        with pytest.raises(TypeError, match=rf"^{name} is neither a ranking tree nor a model of rankforest; "):
            DependenceDisplay.from_estimator(model, X, 0)
