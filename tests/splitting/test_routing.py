"""Routing of the training rows of a cell, and the names of in-sample and held-out values in all outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from cells import cell_of
from rankforest import Dyadic, LeafRank, Pruning, RankingForest, TreeRank, WeightedERM, load_model, save_model
from rankforest.cli._describe import fitted_figures
from rankforest.data import simulate
from rankforest.metrics import roc_auc
from rankforest.plots import PruningDisplay, TreeDisplay
from rankforest.report import report_html
from rankforest.report.notebook import notebook_view
from rankforest.report.tree_facts import tree_facts
from rankforest.splitting.cell import held_out_sides

matplotlib.use("Agg")

SMALL = DecisionTreeClassifier(max_depth=3, random_state=0)
IN_SAMPLE: dict[str, Any] = {
    "LeafRank": LeafRank(),
    "Dyadic": Dyadic(2),
    "pruned LeafRank": LeafRank(pruning="cv", routing="in-sample"),
    "linear": WeightedERM(LogisticRegression(), routing="in-sample"),
    "tree": WeightedERM(SMALL, routing="in-sample"),
    "list": [LeafRank(max_depth=1), WeightedERM(SMALL, routing="in-sample")],
}
HELD_OUT: dict[str, Any] = {
    "LeafRank": LeafRank(routing="held-out"),
    "pruned LeafRank": LeafRank(pruning="cv"),
    "classifier": SMALL,
    "list": [LeafRank(pruning="cv"), SMALL],
}


@pytest.fixture(scope="module")
def sample() -> simulate.Simulated:
    return simulate.rf10_sparse(500, random_state=0)


def fit(splitter: Any, sample: simulate.Simulated, **parameters: Any) -> TreeRank:
    return TreeRank(splitter, max_depth=3, random_state=0, **parameters).fit(sample.X[:, :4], sample.y)


def auc_of(model: TreeRank, sample: simulate.Simulated) -> float:
    return roc_auc(sample.y, model.score_samples(sample.X[:, :4]))


@pytest.mark.parametrize("name", IN_SAMPLE)
def test_in_sample_the_training_auc_is_that_of_the_scores(name: str, sample: simulate.Simulated) -> None:
    model = fit(IN_SAMPLE[name], sample)
    tree = model.tree_
    assert tree.n_leaves > 3
    assert tree.auc == pytest.approx(auc_of(model, sample), abs=1e-12)
    assert tree.cell_count[tree.leaves].tolist() == np.bincount(model.apply(sample.X[:, :4])).tolist()
    assert f"training AUC {tree.auc:.3f}" in repr(tree)
    assert model.summary_.scores.source == "training"
    assert fitted_figures(model)["training_auc"] == tree.auc
    assert "held-out" not in model.export_text() + str(model.strata())


@pytest.mark.parametrize("name", HELD_OUT)
def test_held_out_the_figures_are_called_so_everywhere(name: str, sample: simulate.Simulated, tmp_path: Path) -> None:
    model = fit(HELD_OUT[name], sample)
    tree = model.tree_
    assert tree.n_leaves > 3
    assert auc_of(model, sample) > tree.auc + 0.01  # what the tree has on the rows that it has learned from
    assert f"held-out AUC {tree.auc:.3f}" in repr(tree)
    assert "training AUC" not in repr(tree)
    assert "to the held-out AUC" in model.export_text()
    assert "to the AUC" not in model.export_text()
    assert model.strata().source == "held-out"
    assert str(model.strata()).endswith("\n(training rows, counted where held-out routing sent them)")
    assert "<caption>(training rows, counted where" in model.strata()._repr_html_()
    display = TreeDisplay.from_tree(tree).plot()
    assert display.inset_ is not None
    assert display.inset_.get_title() == f"held-out ROC, AUC {tree.auc:.3f}"
    path = PruningDisplay.from_estimator(model).plot()
    assert path.source == "held-out"
    assert path.ax_.get_legend().get_texts()[0].get_text() == "training rows, routed held-out"
    assert model.summary_.scores.source == "held-out"
    assert fitted_figures(model)["held_out_routing_auc"] == tree.auc
    assert "training_auc" not in fitted_figures(model)
    assert tree_facts(model, model.one_tree(), None)["held_out"]
    page = report_html(model, sample.X[:, :4], sample.y)
    assert "<dt>Held-out AUC</dt>" in page
    assert "Training AUC" not in page
    assert "counted where held-out routing sent them" in str(notebook_view(model))
    assert model.subtree([int(tree.cell_right[0])]).tree_.held_out
    if name in ("LeafRank", "pruned LeafRank"):
        save_model(model, tmp_path / "model.rankforest")
        assert load_model(tmp_path / "model.rankforest").tree_.held_out


def test_a_pruned_model_says_so_too(sample: simulate.Simulated) -> None:
    """What `TreeRank(pruning="cv")` grows is routed held-out; the report of an ordinary tree is as it was."""
    pruned = fit(None, sample, pruning=Pruning("cv", n_folds=3))
    assert pruned.tree_.held_out
    assert pruned.pruning_path().tree.held_out
    assert "<dt>Training AUC</dt>" in report_html(fit(None, sample), sample.X[:, :4], sample.y)
    forest = RankingForest(2, splitter=LeafRank(pruning="cv"), random_state=0).fit(sample.X[:, :4], sample.y)
    assert all(tree.held_out for tree in forest.trees_)


def test_weighted_erm_as_it_is_printed() -> None:
    """Fig. 6, step by step: omega is the share of positives, L minimises the risk weighted by it, R is the rest."""
    sample = simulate.conditional_gaussians(300, random_state=0)
    X, y = sample.X, sample.y == 1

    def strata(rows: np.ndarray, depth: int) -> list[list[int]]:
        omega = y[rows].mean()
        if depth == 0 or omega in (0, 1):
            return [rows.tolist()]
        cost = np.where(y[rows], 1 - omega, omega)
        left = LogisticRegression().fit(X[rows], y[rows], cost / cost.mean()).predict(X[rows])
        if left.all() or not left.any():
            return [rows.tolist()]
        return [*strata(rows[left], depth - 1), *strata(rows[~left], depth - 1)]

    printed = WeightedERM(LogisticRegression(), routing="in-sample")
    model = TreeRank(printed, max_depth=3).fit(X, y)
    found = model.apply(X)
    expected = strata(np.arange(300), 3)
    assert [np.flatnonzero(found == s).tolist() for s in range(model.tree_.n_leaves)] == expected
    assert len(expected) > 4


def test_leafrank_routes_held_out_also_without_pruning() -> None:
    sample = simulate.rf20(200, random_state=0)
    cell = cell_of(sample.X, sample.y == 1)
    cut = LeafRank(routing="held-out").divide(cell)
    assert cut is not None
    assert cut.held_out
    np.testing.assert_array_equal(cut.left, held_out_sides(LeafRank(), cell))
    own = LeafRank().divide(cell)
    assert own is not None
    assert not own.held_out
    np.testing.assert_array_equal(cut.division.goes_left(cell.X), own.left)


def test_a_wrong_routing_gets_a_sentence() -> None:
    for rule, name in ((LeafRank(routing="none"), "LeafRank"), (WeightedERM(SMALL, routing="none"), "WeightedERM")):
        message = rf"^{name}'s routing is 'none'; choose one of 'in-sample', 'held-out'\.$"
        with pytest.raises(ValueError, match=message):
            TreeRank(rule).fit([[0.0], [1.0]], [0, 1])


def test_parameters_of_the_classifier_can_be_searched() -> None:
    model = TreeRank(WeightedERM(LogisticRegression(C=2.0)))
    assert model.get_params()["splitter__classifier__C"] == 2.0
    model.set_params(splitter__classifier__C=3.0, splitter__routing="in-sample")
    assert model.splitter.classifier.C == 3.0
    assert "routing='in-sample'" in repr(model)
