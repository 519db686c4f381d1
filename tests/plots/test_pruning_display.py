"""The display of a pruning path keeps the right arrays and draws them."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest

from rankforest import Pruning, TreeRank
from rankforest.data import simulate
from rankforest.plots import PruningDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def sample() -> simulate.Simulated:
    return simulate.rf20(400, random_state=0)


def legend(display: PruningDisplay) -> list[str]:
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.mark.parametrize("pruning", ["cv", "cv-1se"])
def test_a_cross_validated_model(sample: simulate.Simulated, pruning: str) -> None:
    model = TreeRank(pruning=Pruning(pruning, n_folds=4), random_state=0).fit(sample.X, sample.y)
    display = PruningDisplay.from_estimator(model)
    path = model.pruning_path()
    np.testing.assert_array_equal(display.n_leaves, path.n_leaves)
    np.testing.assert_array_equal(display.auc, path.auc)
    np.testing.assert_array_equal(display.validated_auc, model.pruning_.auc)
    np.testing.assert_array_equal(display.standard_error, model.pruning_.standard_error)
    assert display.chosen == model.tree_.n_leaves

    assert display.plot() is display
    assert legend(display) == [
        "training rows, routed held-out",
        "cross-validated",
        "± one standard error",
        f"chosen: {model.tree_.n_leaves}",
    ]
    lines = {line.get_label(): line for line in display.ax_.get_lines()}
    np.testing.assert_array_equal(
        lines["training rows, routed held-out"].get_xydata(), np.column_stack([path.n_leaves, path.auc])
    )
    drawn = lines["cross-validated"].get_xydata()
    np.testing.assert_array_equal(drawn, np.column_stack([path.n_leaves, model.pruning_.auc]))
    assert set(lines[f"chosen: {model.tree_.n_leaves}"].get_xdata()) == {model.tree_.n_leaves}
    (band,) = display.ax_.collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx((model.pruning_.auc + model.pruning_.standard_error).max())
    assert heights.min() == pytest.approx((model.pruning_.auc - model.pruning_.standard_error).min())
    assert display.ax_.get_xlabel() == "number of strata"
    assert display.ax_.get_ylabel() == "AUC"
    assert display.figure_ is display.ax_.figure


@pytest.mark.parametrize("pruning", [None, "structural"])
def test_a_model_without_cross_validation(sample: simulate.Simulated, pruning: str | None) -> None:
    model = TreeRank(size=None, pruning=pruning).fit(sample.X, sample.y)
    _, ax = plt.subplots()
    display = PruningDisplay.from_estimator(model).plot(ax)
    assert display.ax_ is ax
    assert display.validated_auc is None
    assert display.standard_error is None
    rows = "training rows" if pruning is None else "training rows, routed held-out"
    assert legend(display) == [rows, f"chosen: {model.tree_.n_leaves}"]


def test_a_readable_tree(sample: simulate.Simulated) -> None:
    """The numbers of strata that were compared, with the error of their differences to the best."""
    model = TreeRank().fit(sample.X, sample.y)
    display = PruningDisplay.from_estimator(model).plot()
    assert display.n_leaves.tolist() == list(range(1, 13))
    assert display.auc is None
    np.testing.assert_array_equal(display.validated_auc, model.pruning_.auc)
    error = "± one standard error of the difference to the best"
    assert legend(display) == ["cross-validated", error, f"chosen: {display.chosen}"]


def test_the_root_alone_is_drawn() -> None:
    model = TreeRank(pruning=Pruning("cv", n_folds=2)).fit(np.ones((20, 1)), np.arange(20) % 2)
    display = PruningDisplay.from_estimator(model).plot()
    assert display.n_leaves.tolist() == [1]
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["1"]


def test_arrays_of_ones_own() -> None:
    display = PruningDisplay(np.array([5, 3, 1]), np.array([0.9, 0.8, 0.5])).plot()
    assert legend(display) == ["training rows"]
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == ["1", "2", "5"]


def test_without_matplotlib_it_computes_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, sample: simulate.Simulated
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    display = PruningDisplay.from_estimator(TreeRank(max_depth=2).fit(sample.X, sample.y))
    with pytest.raises(ImportError, match=r'^Drawing needs matplotlib.*pip install "rankforest\[plot\]"\.$'):
        display.plot()
