"""The display of a curve in its band keeps the right arrays and draws them."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from rankforest.metrics import roc_bands
from rankforest.plots import RocBandsDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def sample() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 60)
    return rng.normal(size=(120, 2)) + y[:, None], y


def legend(display: RocBandsDisplay) -> list[str]:
    found = display.ax_.get_legend()
    assert found is not None
    return [text.get_text() for text in found.get_texts()]


def test_it_keeps_and_draws_curve_and_band(sample: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = sample
    display = RocBandsDisplay.from_predictions(y, X[:, 0], name="rule", confidence=0.9, optimal=lambda alpha: alpha)
    bands = roc_bands(y, X[:, 0], confidence=0.9)
    np.testing.assert_array_equal(display.bands.low, bands.low)
    assert display.plot() is display
    curve = np.column_stack([bands.curve.alpha, bands.curve.beta])
    np.testing.assert_array_equal(display.line_.get_xydata(), curve)
    corners = display.band_.get_paths()[0].vertices
    for edge in (bands.low, bands.high):
        drawn = {(x, z) for x, z in corners.tolist()}
        assert drawn.issuperset(zip(bands.alpha.tolist(), edge.tolist()))
    assert display.band_.get_facecolor()[0, :3] == pytest.approx(matplotlib.colors.to_rgb(display.line_.get_color()))
    assert legend(display) == [f"rule (AUC = {bands.curve.auc:.3f})", "90% band", "optimal (AUC* = 0.500)", "chance"]
    assert display.figure_ is display.ax_.figure


def test_several_share_the_axes(sample: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = sample
    _, ax = plt.subplots()
    RocBandsDisplay.from_predictions(y, X[:, 0], name="one").plot(ax, color="black")
    second = RocBandsDisplay.from_predictions(y, X[:, 1], name="two").plot(ax, name="other")
    assert [text.split(" (")[0] for text in legend(second)] == ["one", "95% band", "other", "95% band", "chance"]
    assert len(ax.collections) == 2


def test_from_estimator(sample: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = sample
    words = np.where(y == 1, "sick", "sound")
    model = LogisticRegression().fit(X, words)
    display = RocBandsDisplay.from_estimator(model, X, words)
    assert display.name == "LogisticRegression"
    expected = roc_bands(words, model.decision_function(X), pos_label="sound")
    np.testing.assert_array_equal(display.bands.low, expected.low)
    turned = RocBandsDisplay.from_estimator(model, X, words, pos_label="sick", name="logit")
    assert turned.name == "logit"
    assert turned.bands.curve.auc == pytest.approx(display.bands.curve.auc)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, words)
    assert RocBandsDisplay.from_estimator(tree, X, words).bands.curve.auc > 0.7


def test_without_matplotlib_it_computes(monkeypatch: pytest.MonkeyPatch, sample: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = sample
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    display = RocBandsDisplay.from_predictions(y, X[:, 0])
    with pytest.raises(ImportError, match=r"^Drawing needs matplotlib"):
        display.plot()
