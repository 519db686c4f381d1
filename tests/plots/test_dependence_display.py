"""The display of a partial dependence draws what was computed."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from rankforest import TreeRank
from rankforest.interpret import partial_dependence
from rankforest.plots import DependenceDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fit() -> tuple[TreeRank, pd.DataFrame]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(20, 60, 200), "debt": rng.normal(size=200), "city": rng.choice(["Lyon", "Nice"], 200)}
    )
    X["size"] = rng.choice(["big", "medium", "small"], 200)
    y = X["debt"] + (X["city"] == "Nice") - 0.03 * X["age"] + rng.normal(size=200) > -0.7
    return TreeRank(max_depth=3).fit(X, y), X


def deciles(ax):
    return [line.get_xydata() for line in ax.get_lines() if line.get_gid() == "rankforest-deciles"]


def test_a_number_is_a_curve(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    display = DependenceDisplay.from_estimator(*fit, "debt", grid_size=20)
    expected = partial_dependence(*fit, "debt", grid_size=20)
    np.testing.assert_array_equal(display.result.values, expected.values)
    assert display.plot(color="black") is display
    line = display.ax_.get_lines()[0]
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([expected.grids[0], expected.values]))
    assert line.get_color() == "black"
    np.testing.assert_array_equal(deciles(display.ax_)[0][:, 0], expected.observed[0])
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("debt", "mean score")
    low, high = display.ax_.get_ylim()
    assert low < expected.values.min() <= expected.values.max() < high


def test_a_flat_curve_is_drawn_flat() -> None:
    X = np.column_stack([np.arange(20.0), np.zeros(20)])
    model = TreeRank(max_depth=1).fit(X, np.arange(20) > 9)
    low, high = DependenceDisplay.from_estimator(model, X, 1).plot().ax_.get_ylim()
    assert high - low == pytest.approx(0.1)


def test_categories_are_bars_the_best_on_top(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    model, X = fit
    display = DependenceDisplay.from_estimator(model, X, "city").plot()
    widths = [bar.get_width() for bar in display.ax_.patches]
    assert widths == sorted(display.result.values)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    best = display.result.grids[0][np.argmax(display.result.values)]
    assert labels[-1] == f"{best}  ({(X['city'] == best).mean():.0%})"


@pytest.mark.parametrize("pair", [("age", "debt"), ("city", "debt"), ("debt", "size"), ("city", "size")])
def test_a_pair_is_a_heat_map(fit: tuple[TreeRank, pd.DataFrame], pair: tuple[str, str]) -> None:
    model, X = fit
    display = DependenceDisplay.from_estimator(model, X, pair, grid_size=9).plot()
    (mesh,) = display.ax_.collections
    np.testing.assert_array_equal(mesh.get_array(), display.result.values.T)
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == pair
    numeric = [name in ("age", "debt") for name in pair]
    assert len(deciles(display.ax_)) == sum(numeric)
    for k, axis in enumerate((display.ax_.xaxis, display.ax_.yaxis)):
        if not numeric[k]:
            assert [t.get_text() for t in axis.get_ticklabels()] == display.result.grids[k].tolist()
    said = [text.get_text() for text in display.ax_.texts]
    assert said == ([f"{v:.2f}" for v in display.result.values.ravel()] if not any(numeric) else [])
    corners = mesh.get_coordinates()
    for k, grid in enumerate(display.result.grids):
        if numeric[k]:  # every value of the grid lies in its own cell
            edges = corners[0, :, 0] if k == 0 else corners[:, 0, 1]
            assert ((edges[:-1] <= grid) & (grid <= edges[1:])).all()


def test_it_draws_where_it_is_told(fit: tuple[TreeRank, pd.DataFrame]) -> None:
    _, (one, two) = plt.subplots(1, 2)
    DependenceDisplay.from_estimator(*fit, "age").plot(one)
    display = DependenceDisplay.from_estimator(*fit, "city").plot(two)
    assert display.ax_ is two
    assert display.figure_ is one.figure
    assert one.get_lines()
    assert not two.get_lines()
