"""The display keeps the right arrays and draws them."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import rankforest
from rankforest import TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc, roc_curve
from rankforest.plots import RocDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.fixture
def sample():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 60)
    return y, np.round(rng.normal(size=120) + y, 1), rng.integers(1, 4, size=120)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def line_named(ax, start):
    (line,) = [line for line in ax.get_lines() if line.get_label().startswith(start)]
    return line


def test_it_keeps_and_draws_the_curve(sample):
    y, score, w = sample
    display = RocDisplay.from_predictions(y, score, name="rule", sample_weight=w)
    curve = roc_curve(y, score, sample_weight=w)
    np.testing.assert_array_equal(display.curve.alpha, curve.alpha)
    assert display.plot() is display
    np.testing.assert_array_equal(display.line_.get_xydata(), np.column_stack([curve.alpha, curve.beta]))
    assert legend(display.ax_) == [f"rule (AUC = {curve.auc:.3f})", "chance"]
    assert display.figure_ is display.ax_.figure
    assert display.ax_.get_aspect() == 1
    assert "α" in display.ax_.get_xlabel()
    assert "β" in display.ax_.get_ylabel()
    np.testing.assert_array_equal(line_named(display.ax_, "chance").get_xydata(), [[0, 0], [1, 1]])


def test_from_predictions_knows_the_positive_label():
    y = np.array(["bad", "good", "good", "bad"])
    score = np.array([0.1, 0.8, 0.3, 0.4])
    assert RocDisplay.from_predictions(y, score).curve.auc == 0.75
    assert RocDisplay.from_predictions(y, score, pos_label="bad").curve.auc == 0.25


def test_the_hull_is_drawn_on_demand(sample):
    y, score, _ = sample
    display = RocDisplay.from_predictions(y, score, name="rule")
    assert len(display.plot().ax_.get_lines()) == 2
    ax = display.plot(show_hull=True).ax_
    hull = display.curve.hull()
    assert legend(ax)[1] == f"rule, concave hull (AUC = {hull.auc:.3f})"
    line = line_named(ax, "rule, concave hull")
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([hull.alpha, hull.beta]))
    assert line.get_color() == display.line_.get_color()


def test_the_optimal_curve_is_kept_and_drawn(sample):
    y, score, _ = sample
    display = RocDisplay.from_predictions(y, score, optimal=lambda alpha: norm.cdf(norm.ppf(alpha) + 1))
    np.testing.assert_allclose(display.optimal_beta, norm.cdf(norm.ppf(display.optimal_alpha) + 1))
    assert (display.optimal_alpha[0], display.optimal_alpha[-1]) == (0, 1)
    ax = display.plot().ax_
    assert legend(ax)[1] == f"optimal (AUC* = {norm.cdf(1 / np.sqrt(2)):.3f})"
    line = line_named(ax, "optimal")
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([display.optimal_alpha, display.optimal_beta]))


def test_a_rounding_error_of_the_optimal_curve_is_forgiven(sample):
    y, score, _ = sample
    display = RocDisplay.from_predictions(y, score, optimal=lambda alpha: alpha + 1e-15)
    assert display.optimal_beta.max() == 1.0


@pytest.mark.parametrize(
    "optimal", [lambda alpha: 2 * alpha, lambda alpha: 0.5, lambda alpha: np.full_like(alpha, np.nan)]
)
def test_a_wrong_optimal_curve_gets_a_sentence(sample, optimal):
    y, score, _ = sample
    with pytest.raises(
        ValueError, match=r"^optimal must map 1001 values of alpha .* in \[0, 1\], got shape .*roc_star\.$"
    ):
        RocDisplay.from_predictions(y, score, optimal=optimal)


def test_several_curves_share_the_axes(sample):
    y, score, _ = sample
    _, ax = plt.subplots()
    first = RocDisplay.from_predictions(y, score, name="first").plot(ax)
    second = RocDisplay.from_predictions(y, -score, name="second").plot(ax)
    assert first.ax_ is second.ax_ is ax
    assert [text.split(" (")[0] for text in legend(ax)] == ["first", "second", "chance"]
    assert first.line_.get_color() != second.line_.get_color()


def test_plot_takes_a_name_and_line_options(sample):
    y, score, _ = sample
    display = RocDisplay.from_predictions(y, score, name="kept")
    line = display.plot(name="other", color="black", lw=5).line_
    assert line.get_label().startswith("other (AUC")
    assert (line.get_color(), line.get_linewidth()) == ("black", 5)
    assert display.plot().line_.get_label().startswith("kept (AUC")
    assert display.plot(label="mine").line_.get_label() == "mine"


def test_from_estimator_scores_with_the_decision_function():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "sick", "sound")
    model = LogisticRegression().fit(X, y)
    auc = roc_auc(y, model.decision_function(X))
    display = RocDisplay.from_estimator(model, X, y)
    assert display.name == "LogisticRegression"
    assert display.curve.auc == pytest.approx(auc)
    assert RocDisplay.from_estimator(model, X, y, name="logit").name == "logit"
    # The score speaks for "sound"; asked about "sick" it is turned around, so the area is the same.
    assert RocDisplay.from_estimator(model, X, y, pos_label="sound").curve.auc == pytest.approx(auc)
    assert RocDisplay.from_estimator(model, X, y, pos_label="sick").curve.auc == pytest.approx(auc)
    w = rng.integers(0, 3, size=80)
    expected = roc_auc(y, model.decision_function(X), sample_weight=w)
    assert RocDisplay.from_estimator(model, X, y, sample_weight=w).curve.auc == pytest.approx(expected)


def test_the_second_class_of_the_estimator_is_positive_in_any_order():
    class Scorer:
        classes_ = ("sound", "sick")

        def decision_function(self, X):
            return np.ravel(X)

    y = ["sick", "sound", "sick"]
    assert RocDisplay.from_estimator(Scorer(), [[2], [1], [3]], y).curve.auc == 1.0
    assert RocDisplay.from_estimator(Scorer(), [[2], [1], [3]], y, pos_label="sound").curve.auc == 1.0


def test_an_estimator_without_scores_gets_a_sentence():
    line = LinearRegression().fit([[0], [1]], [0, 1])
    with pytest.raises(
        ValueError,
        match=r"^estimator LinearRegression has neither decision_function nor predict_proba .* from_predictions .*\.$",
    ):
        RocDisplay.from_estimator(line, [[0], [1]], [0, 1])


def test_probabilities_will_do():
    tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1], [2]], ["a", "b", "b"])
    assert RocDisplay.from_estimator(tree, [[0], [1], [0]], ["a", "b", "b"]).curve.auc == 0.75
    assert RocDisplay.from_estimator(tree, [[0], [1], [0]], ["a", "b", "b"], pos_label="a").curve.auc == 0.75


@pytest.mark.parametrize("positive", ["bad", "sound"])
def test_a_ranking_tree_speaks_for_its_own_positive_label(positive):
    sample = simulate.rf20(300, random_state=0)
    y = np.where(sample.y == 1, positive, "other")
    model = TreeRank(max_depth=2, pos_label=positive).fit(sample.X, y)
    auc = roc_auc(y, model.score_samples(sample.X), pos_label=positive)
    assert auc > 0.6
    assert RocDisplay.from_estimator(model, sample.X, y).curve.auc == pytest.approx(auc)
    assert RocDisplay.from_estimator(model, sample.X, y, pos_label="other").curve.auc == pytest.approx(auc)


def test_without_matplotlib_it_computes_and_says_what_to_install(monkeypatch, sample):
    y, score, _ = sample
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    display = RocDisplay.from_predictions(y, score)
    with pytest.raises(ImportError, match=r'^Drawing needs matplotlib.*pip install "rankforest\[plot\]"\.$'):
        display.plot()


def test_importing_the_displays_does_not_import_matplotlib():
    code = "import sys, rankforest.plots; sys.exit('matplotlib' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(Path(rankforest.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=env, check=False).returncode == 0
