"""The pictures of a scorecard show its points, its rates and its probabilities."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest

from hand_card import hand_model
from rankforest import TreeRank
from rankforest.plots import PointsDisplay, ShapesDisplay, TotalDisplay

matplotlib.use("Agg")


@pytest.fixture
def plt() -> Any:
    import matplotlib.pyplot as plt

    yield plt
    plt.close("all")


def test_shapes_are_the_points(plt: Any) -> None:
    model, _, _ = hand_model(300, pairs=True)
    display = ShapesDisplay.from_estimator(model).plot()
    debt, age, job, pair = (ax for ax in display.axes_.flat if ax.get_visible())
    assert [ax.get_title(loc="left") for ax in (debt, age, job, pair)] == ["debt", "age", "job", "age x job"]
    for ax, steps in ((debt, model.card_.steps[2]), (age, model.card_.steps[0])):
        levels = [line.get_ydata()[0] for line in ax.get_lines() if line.get_linewidth() == 2.2]
        assert levels == steps.table.tolist()  # the missing values last
        assert ax.get_xticklabels()[-1].get_text() == "missing"
        bands = [band.get_paths()[0].vertices[:, 1] for band in ax.collections]
        widths = [float(np.ptp(band)) for band in bands]
        np.testing.assert_allclose(widths, 4 * steps.spread)
    assert sorted(text.get_text() for text in pair.texts) == sorted(f"{p:g}" for p in model.card_.pairs[0].table)
    assert [label.get_text() for label in age.get_xticklabels()][:-1] == ["25", "40.5"]


def test_few_shapes_and_none(plt: Any) -> None:
    model, _, _ = hand_model(100)
    assert ShapesDisplay.from_estimator(model).plot(max_features=2).axes_.size == 2
    empty = model.forbid("age").forbid("job").forbid("debt")
    with pytest.raises(ValueError, match="nothing to draw"):
        ShapesDisplay.from_estimator(empty).plot()
    tree = TreeRank(max_depth=1).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(TypeError, match="A TreeRank has no scorecard; give a fitted RankScore"):
        ShapesDisplay.from_estimator(tree)


def test_points_by_feature(plt: Any) -> None:
    model, _, _ = hand_model(300)
    ax = PointsDisplay.from_estimator(model).plot().ax_
    assert [label.get_text() for label in ax.get_yticklabels()] == ["job", "age", "debt"]  # the widest at the top
    dots = ax.collections[2]
    rows = model.card_.steps[2].mass.sum(axis=1)
    assert dots.get_offsets()[:, 0].tolist() == model.card_.steps[2].table[rows > 0].tolist()


def test_totals_and_probabilities(plt: Any) -> None:
    model, _, _ = hand_model(300)
    upper, lower = TotalDisplay.from_estimator(model).plot().axes_
    line, dots = upper.get_lines()
    np.testing.assert_allclose(line.get_ydata(), model.one_card().calibration(line.get_xdata()))
    np.testing.assert_allclose(dots.get_ydata(), model.curve_.rate)
    ends = np.array([segment[:, 1] for segment in upper.collections[0].get_segments()]).T
    np.testing.assert_allclose(ends, model.curve_.interval())
    for stairs in lower.patches:  # each class has area 1
        values, edges, _ = stairs.get_data()
        assert values @ np.diff(edges) == pytest.approx(1.0)
