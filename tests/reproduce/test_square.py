"""Figures 6 and 9 to 13: laws, trees, level sets."""

import csv

import numpy as np
import pytest
from scipy.stats import rankdata

from rankforest import LeafRank, Pruning, TreeRank
from rankforest.metrics import roc_auc
from rankforest.reproduce import square_runs
from rankforest.reproduce.__main__ import main
from rankforest.reproduce.square_figures import draw_curves, draw_level_sets, draw_square, shares_below
from rankforest.reproduce.square_settings import CROSSED, STUDIES, draw_sample


def test_crossed_law():
    sample = draw_sample(CROSSED, 20_000, np.random.default_rng(0))
    assert roc_auc(sample.y, sample.eta) == pytest.approx(CROSSED.auc_star, abs=0.01)
    # no single cut sees much of it
    assert max(abs(roc_auc(sample.y, sample.X[:, j]) - 0.5) for j in (0, 1)) < 0.2
    assert CROSSED.auc_star > 0.8


def test_settings():
    sizes = {
        line.key: (line.model.max_leaf_nodes, line.model.splitter.max_leaf_nodes)
        for line in STUDIES["complexity"].lines
        if line.model is not None
    }
    assert sizes == {"i": (3, 3), "ii": (15, 15), "iii": (None, None), "iv": (None, None)}
    pruned = STUDIES["complexity"].lines[3].model
    assert (pruned.pruning, pruned.splitter.pruning) == ("cv", Pruning("cv", n_folds=10))
    few = STUDIES["uniform"].lines[0].model
    assert few.splitter.max_leaf_nodes < 5
    assert few.pruning == "cv"


def test_shares_below():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, 40).astype(float)
    np.testing.assert_allclose(shares_below(scores, scores), (rankdata(scores) - 0.5) / 40)


def test_figure_9(tmp_path, capsys):
    command = ["fig9", "--quick", "--replications", "1", "--n-jobs", "1", "--out", str(tmp_path)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert "AUC* = 0.7350" in said
    with open(tmp_path / "fig9-quick.csv") as file:
        tree, optimal = csv.DictReader(file)
    train, test = square_runs.draw(STUDIES["uniform"], 0, 2000, 0)
    assert float(optimal["test AUC ours"]) == pytest.approx(roc_auc(test.y, test.eta))
    assert float(optimal["learning AUC ours"]) == pytest.approx(roc_auc(train.y, train.eta))
    assert abs(float(tree["test AUC ours"]) - float(optimal["test AUC ours"])) < 0.03
    assert tree["sd"] == ""  # one replication has none
    assert (tmp_path / "fig9-quick.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_of_the_four_sizes():
    study = STUDIES["complexity"]
    train, test = square_runs.draw(study, 0, 500, 0)
    # one tree stands for the four, three of which take seconds
    model = study.lines[0].model.fit(train.X, train.y)
    names = [line.name for line in study.lines if line.model is not None]
    first = square_runs.First(study, train, test, dict.fromkeys(names, model))
    curves = draw_curves(first).axes[0]
    texts = [text.get_text() for text in curves.get_legend().get_texts()]
    assert [text.split(" (AUC")[0] for text in texts] == [*names, "optimal", "chance"]
    panels = draw_level_sets(first).axes
    assert [ax.get_title() for ax in panels[:6]] == ["the sample", "η", *names]
    image = panels[2].get_images()[0].get_array()
    assert len(np.unique(image)) == model.tree_.n_leaves == 3
    # the image has x1 from left to right and x2 from bottom to top
    at = model.score_samples([[0.9, 0.1], [0.1, 0.9]])
    assert image[30, 270] == pytest.approx(shares_below(at, model.score_samples(test.X))[0])
    assert image[270, 30] == pytest.approx(shares_below(at, model.score_samples(test.X))[1])


def test_figure_10_shows_what_a_tree_approximates():
    """Panel (b): the eight cells C*_{3,k}, in the colours of their ranks."""
    study = STUDIES["gaussians"]
    train, test = square_runs.draw(study, 0, 500, 0)
    model = TreeRank(LeafRank(max_depth=2), max_depth=2).fit(train.X, train.y)
    panel = draw_square(square_runs.First(study, train, test, {"tree": model})).axes[1]
    assert panel.get_title() == "level sets $C^*_{3,k}$ of η (8 cells)"
    image = panel.get_images()[0].get_array()
    assert len(np.unique(image)) == 8
    ideal = test.recursive_approximation(3)
    at = ideal.score_of([[0.05, 0.9], [0.95, 0.1]])
    assert [image[270, 15], image[30, 285]] == pytest.approx(shares_below(at, ideal.score_of(test.X)))


def test_figure_6_is_run_as_printed():
    routing = {line.key: line.model.splitter.routing for line in STUDIES["erm"].lines if line.model is not None}
    assert routing == {
        "linear": "in-sample", "linear-held-out": "held-out", "cart": "in-sample", "cart-held-out": "held-out"
    }  # fmt: skip
    train, _ = square_runs.draw(STUDIES["erm"], 0, 10, 0)
    few = slice(0, 300)
    for line in STUDIES["erm"].lines[:4]:
        model = line.model.fit(train.X[few], train.y[few])
        learning = roc_auc(train.y[few], model.score_samples(train.X[few]))
        as_counted = model.tree_.auc == pytest.approx(learning, abs=1e-12)
        assert as_counted == (routing[line.key] == "in-sample")
