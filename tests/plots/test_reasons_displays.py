"""The displays of contributions draw values that add up."""

import matplotlib
import numpy as np
import pandas as pd
import pytest

from rankforest import RankBoost, TreeRank
from rankforest.plots import BeeswarmDisplay, WaterfallDisplay
from rankforest.plots.beeswarm_display import swarm

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"age": rng.integers(20, 60, 200), "debt": rng.normal(size=200), "city": rng.choice(["Lyon", "Nice"], 200)}
    )
    X.loc[::10, "debt"] = np.nan
    y = X["debt"].fillna(0) + (X["city"] == "Nice") - 0.03 * X["age"] + rng.normal(size=200) > -0.7
    return RankBoost(20, n_folds=None, random_state=0).fit(X, y), X


def names(ax):
    return [text.get_text() for text in ax.get_yticklabels()][::-1]


def bars(ax):
    return [(bar.get_x(), bar.get_width()) for bar in ax.patches]


def test_a_dot_for_every_row_and_feature(fit):
    model, X = fit
    found = model.explain(X[:50])
    display = BeeswarmDisplay.from_explanation(found)
    assert display.plot(max_features=2) is display
    ax = display.ax_
    listed = list(found.importance())
    assert names(ax) == [*listed[:2], "1 other feature"]
    assert ax.get_xlabel() == "contribution to the margin"
    for line, name in enumerate(listed):
        drawn = np.concatenate([each.get_offsets() for each in ax.collections[2 * line : 2 * line + 2]])
        np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(found[:, name].values), atol=1e-12)
        assert (np.abs(drawn[:, 1] - (2 - line)) < 0.5).all()
    line = listed.index("debt")
    assert line < 2
    plain, coloured = ax.collections[2 * line : 2 * line + 2]
    assert len(plain.get_offsets()) == 5  # missing values have no colour
    order = np.argsort(X["debt"][:50].dropna())
    assert (np.diff(coloured.get_array()[order]) > 0).all()
    assert BeeswarmDisplay.from_estimator(model, X[:50]).order.tolist() == display.order.tolist()


def test_dots_of_a_swarm_do_not_share_a_place():
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=300), 1)
    heights = swarm(values, 0.05)
    assert (np.abs(heights) <= 0.42).all()
    assert len(np.unique(np.column_stack([values, heights.round(9)]), axis=0)) == 300


def test_bars_lead_from_the_mean_to_the_row(fit):
    model, X = fit
    found = model.explain(X[:50])[3]
    ax = WaterfallDisplay.from_explanation(found, name="row 4").plot(max_features=2).ax_
    order = np.argsort(-np.abs(found.values))
    assert names(ax)[0].startswith("mean of 50 rows  ")
    assert names(ax)[1].startswith(f"{found.feature_names[order[0]]} = ")
    assert names(ax)[3:] == ["1 other feature", f"row 4  {float(found.scores):.4g}"]
    at = float(found.base_values)
    for (left, width), j in zip(bars(ax), order):
        assert (left, width) == pytest.approx((at, found.values[j]))
        at += width
    assert at == pytest.approx(float(found.scores), abs=1e-9)
    ends = next(line for line in ax.get_lines() if line.get_gid() == "rankforest-ends").get_xdata()
    np.testing.assert_allclose(ends, [found.base_values, found.scores])
    low, high = ax.get_xlim()
    assert low < min(ends) < max(ends) < high
    one = WaterfallDisplay.from_estimator(model, X[3:4], X[:50])
    np.testing.assert_allclose(one.values, found.values, atol=1e-12)


def test_bars_lead_from_one_row_to_the_other(fit):
    model, X = fit
    found = model.why(X[3:4], X[4:5])
    display = WaterfallDisplay.from_estimator(model, X[3:4], against=X[4:5]).plot()
    widths = [width for _, width in bars(display.ax_)]
    assert sum(widths) == pytest.approx(found.difference, abs=1e-9)
    assert names(display.ax_)[0] == f"second row  {found.scores[1]:.4g}"
    assert names(display.ax_)[-1] == f"first row  {found.scores[0]:.4g}"


def test_rows_that_do_not_differ_have_no_bars():
    model = TreeRank(max_depth=1).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    ax = WaterfallDisplay.from_estimator(model, [1.0], against=[1.0]).plot().ax_
    assert bars(ax) == []
    assert len(names(ax)) == 2


def test_one_sentence(fit):
    model, X = fit
    with pytest.raises(TypeError, match=r"^A beeswarm needs an Explanation of several rows; give model.explain"):
        BeeswarmDisplay.from_explanation(model.explain(X[:5])[0])
    with pytest.raises(TypeError, match=r"^A waterfall needs the Explanation of one row; give model.explain"):
        WaterfallDisplay.from_explanation(model.explain(X[:5]))
    with pytest.raises(TypeError, match=r"^A waterfall needs the Explanation of one row; give model.explain"):
        WaterfallDisplay.from_explanation(model.explain(X[:5])[:, "age"])
    with pytest.raises(TypeError, match=r"^Two rows are compared by a Comparison; give model.why"):
        WaterfallDisplay.from_comparison(model.explain(X[:5]))
    with pytest.raises(ValueError, match=r"^Give background rows or one other row by against, not both\.$"):
        WaterfallDisplay.from_estimator(model, X[:1], X, against=X[1:2])
    with pytest.raises(ValueError, match=r"^x has 2 rows; give one\.$"):
        WaterfallDisplay.from_estimator(model, X[:2], X)
    with pytest.raises(TypeError, match=r"is no model of rankforest"):
        BeeswarmDisplay.from_estimator(TreeRank, X)
