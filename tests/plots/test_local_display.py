"""Displays of the top keep the right arrays and draw them."""

import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from rankforest import TreeRank
from rankforest.data import simulate
from rankforest.metrics import control_point, hit_ratio, local_auc, partial_auc, recall_at, roc_curve
from rankforest.plots import GainsDisplay, LocalAucDisplay, LocalRocDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DISPLAYS = [GainsDisplay, LocalAucDisplay, LocalRocDisplay]


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [90, 30])
    return y, np.round(rng.normal(size=120) + y, 1), rng.integers(1, 4, size=120)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line_named(ax, name):
    (line,) = [line for line in ax.get_lines() if line.get_label() == name]
    return line


# ---------------------------------------------------------------- the local area


def test_the_local_area_is_kept_and_drawn(sample):
    y, score, w = sample
    u = [0.4, 0.1]
    display = LocalRocDisplay.from_predictions(y, score, u, name="rule", sample_weight=w)
    assert display.u.tolist() == [0.1, 0.4]
    expected = control_point(y, score, [0.1, 0.4], sample_weight=w)
    np.testing.assert_array_equal([display.alpha, display.beta], expected)
    np.testing.assert_array_equal(display.local_auc, local_auc(y, score, [0.1, 0.4], sample_weight=w))
    np.testing.assert_array_equal(display.partial_auc, partial_auc(y, score, [0.1, 0.4], sample_weight=w))
    assert display.plot() is display
    curve = roc_curve(y, score, sample_weight=w)
    np.testing.assert_array_equal(display.line_.get_xydata(), np.column_stack([curve.alpha, curve.beta]))
    first, second = display.local_auc
    names = [f"rule (AUC = {curve.auc:.3f})", f"LocAUC at 10% = {first:.3f}", f"LocAUC at 40% = {second:.3f}"]
    assert legend(display.ax_) == [*names, "chance"]
    assert [text.get_text() for text in display.ax_.texts] == ["u = 10%", "u = 40%"]


def area_of(polygon):
    x, y = polygon.get_paths()[0].vertices.T
    return 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))


@pytest.mark.parametrize("u", [0.05, 0.25, 0.7, 1.0])
def test_what_is_shaded_has_the_area_that_is_said(sample, u):
    y, score, w = sample
    display = LocalRocDisplay.from_predictions(y, score, u, sample_weight=w).plot()
    dark, light = [patch for patch in display.ax_.collections if isinstance(patch, PolyCollection)]
    assert area_of(dark) == pytest.approx(display.partial_auc[0])
    assert area_of(dark) + area_of(light) == pytest.approx(display.local_auc[0])


@pytest.mark.parametrize("u", [0.05, 0.25, 0.7, 0.9])
@pytest.mark.parametrize("positives", [10, 60, 110])
def test_the_control_line_stays_in_the_square_and_passes_the_point(u, positives):
    y = np.repeat([1, 0], [positives, 120 - positives])
    score = np.random.default_rng(0).normal(size=120) + y
    display = LocalRocDisplay.from_predictions(y, score, u).plot()
    (line,) = [line for line in display.ax_.get_lines() if len(line.get_xdata()) == 2 and line.get_zorder() == 3.5]
    alpha, beta = line.get_xdata(), line.get_ydata()
    assert min(alpha.min(), beta.min()) >= -1e-12
    assert max(alpha.max(), beta.max()) <= 1 + 1e-12
    assert np.interp(display.alpha[0], alpha, beta) == pytest.approx(display.beta[0])
    p = positives / 120
    np.testing.assert_allclose(p * beta + (1 - p) * alpha, u)
    # It goes from border to border.
    assert np.isclose([alpha[0], 1 - beta[0]], 0).any()
    assert np.isclose([beta[1], 1 - alpha[1]], 0).any()


# ---------------------------------------------------------------- local AUC by share


def test_local_auc_by_share_with_its_references(sample):
    y, score, w = sample
    display = LocalAucDisplay.from_predictions(y, score, name="rule", sample_weight=w)
    u, p = np.arange(1, 201) / 200, np.average(y, weights=w)
    np.testing.assert_array_equal(display.u, u)
    np.testing.assert_array_equal(display.local_auc, local_auc(y, score, u, sample_weight=w))
    np.testing.assert_allclose(display.perfect, np.minimum(u / p, 1))
    ax = display.plot().ax_
    np.testing.assert_array_equal(display.line_.get_ydata(), display.local_auc)
    assert legend(ax) == ["rule", "perfect list", "chance"]
    np.testing.assert_allclose(line_named(ax, "chance").get_ydata(), local_auc(y, np.zeros(120), u, sample_weight=w))
    ax = display.plot(relative=True).ax_
    assert legend(ax) == ["rule", "chance"]
    np.testing.assert_allclose(display.line_.get_ydata(), display.local_auc / np.minimum(u / p, 1))


def test_the_perfect_list_is_perfect():
    y = np.repeat([1, 0], [30, 90])
    display = LocalAucDisplay.from_predictions(y, -np.arange(120))
    np.testing.assert_allclose(display.local_auc, display.perfect)


def test_the_optimal_curve_gives_the_local_auc_of_eta():
    """Binormal classes, one apart: LocAUC* by numerical integration of another form, int (1 - alpha) d beta."""
    y = np.repeat([1, 0], [1000, 4000])
    score = np.append(norm.ppf((np.arange(1000) + 0.5) / 1000) + 1, norm.ppf((np.arange(4000) + 0.5) / 4000))
    display = LocalAucDisplay.from_predictions(y, score, [0.02, 0.1, 0.5], optimal=lambda a: norm.cdf(norm.ppf(a) + 1))
    z = np.linspace(12, -12, 400_001)
    alpha, beta = norm.sf(z), norm.sf(z - 1)
    won = np.append(0, np.cumsum(np.diff(beta) * (1 - (alpha[1:] + alpha[:-1]) / 2)))
    expected = np.interp(display.u, 0.2 * beta + 0.8 * alpha, won)
    np.testing.assert_allclose(display.optimal, expected, rtol=2e-3)
    np.testing.assert_allclose(display.local_auc, expected, rtol=1e-2)
    assert legend(display.plot(name="rule").ax_) == ["rule", "optimal (η)", "perfect list", "chance"]


# ---------------------------------------------------------------- capture and lift


def test_capture_lift_and_hit_ratio(sample):
    y, score, w = sample
    display = GainsDisplay.from_predictions(y, score, name="rule", sample_weight=w)
    u, p = display.u, np.average(y, weights=w)
    np.testing.assert_array_equal(display.capture, recall_at(y, score, u, sample_weight=w))
    np.testing.assert_array_equal(display.hit_ratio, hit_ratio(y, score, u, sample_weight=w))
    np.testing.assert_allclose(display.lift, display.hit_ratio / p)
    perfect = GainsDisplay.from_predictions(y, y + np.arange(120) * 1e-4, sample_weight=w)
    constant = GainsDisplay.from_predictions(y, np.zeros(120), sample_weight=w)
    for kind in ("capture", "lift", "hit_ratio"):
        ax = display.plot(kind=kind).ax_
        assert legend(ax) == ["rule", "perfect list", "chance"]
        start = 1 if kind == "capture" else 0  # the capture of nothing is drawn too
        np.testing.assert_array_equal(display.line_.get_ydata()[start:], getattr(display, kind))
        np.testing.assert_allclose(line_named(ax, "perfect list").get_ydata()[start:], getattr(perfect, kind))
        np.testing.assert_allclose(line_named(ax, "chance").get_ydata()[start:], getattr(constant, kind))
    assert display.plot().line_.get_xydata()[0].tolist() == [0, 0]


def test_a_wrong_kind_gets_a_sentence(sample):
    y, score, _ = sample
    with pytest.raises(ValueError, match=r"^kind must be one of 'capture', 'lift', 'hit_ratio', got 'gain'\.$"):
        GainsDisplay.from_predictions(y, score).plot(kind="gain")


# ---------------------------------------------------------------- what all of them do


@pytest.mark.parametrize("display", DISPLAYS)
def test_from_estimator(display):
    sample = simulate.rf20(200, random_state=0)
    y = np.where(sample.y == 1, "bad", "good")
    tree = TreeRank(max_depth=2, pos_label="bad").fit(sample.X, y)
    made = display.from_estimator(tree, sample.X, y, u=[0.2, 0.5])
    expected = display.from_predictions(y, tree.score_samples(sample.X), [0.2, 0.5], pos_label="bad")
    assert made.name == "TreeRank"
    line = LogisticRegression().fit(sample.X, y)
    other = display.from_estimator(line, sample.X, y, name="logit", pos_label="bad", u=0.2)
    mirrored = display.from_predictions(y, -line.decision_function(sample.X), 0.2, pos_label="bad")
    assert other.name == "logit"
    for one, two in ((made, expected), (other, mirrored)):
        for field in ("share", "local_auc", "capture"):
            if hasattr(one, field):
                np.testing.assert_array_equal(getattr(one, field), getattr(two, field))


@pytest.mark.parametrize("display", DISPLAYS)
def test_several_share_the_axes_and_take_line_options(display, sample):
    y, score, _ = sample
    _, ax = plt.subplots()
    first = display.from_predictions(y, score, name="first").plot(ax)
    second = display.from_predictions(y, -score, name="second").plot(ax, color="black", lw=5)
    assert first.ax_ is second.ax_ is ax
    assert (second.line_.get_color(), second.line_.get_linewidth()) == ("black", 5)
    texts = legend(ax)
    assert texts[0].startswith("first")
    assert texts.count("chance") == 1
    assert texts[-1] == "chance"
    assert display.from_predictions(y, score, name="kept").plot(name="other").line_.get_label().startswith("other")


@pytest.mark.parametrize("display", DISPLAYS)
def test_shares_are_checked_and_matplotlib_is_asked_for_late(display, sample, monkeypatch):
    y, score, _ = sample
    with pytest.raises(ValueError, match=r"^u must lie in \(0, 1\], got 2\.0; "):
        display.from_predictions(y, score, [0.1, 2.0])
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    made = display.from_predictions(y, score, 0.1)
    with pytest.raises(ImportError, match=r'^Drawing needs matplotlib.*pip install "rankforest\[plot\]"\.$'):
        made.plot()
