"""The resolution of a dyadic grid: every one of them tried on held-out rows, one row at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forests
from cells import cell_of
from rankforest import Dyadic, Pruning, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.data.folds import stratified_folds
from rankforest.metrics import roc_auc
from rankforest.splitting import resolution as module
from rankforest.splitting.cell import Cell
from rankforest.splitting.resolution import choose_resolution, held_out_auc
from rankforest.tree.rule_tree import RuleTree


def twin(cell: Cell, folds: np.ndarray, resolution: int) -> float:
    """Sort cubes in a dictionary without each fold, and rank its rows."""
    X, y, w = cell.X, cell.labels, cell.weights
    low, high = X.min(axis=0), X.max(axis=0)
    cubes = [tuple(row) for row in np.minimum((X - low) / (high - low) * 2**resolution, 2**resolution - 1).astype(int)]
    aucs = []
    for fold in range(folds.max() + 1):
        seen = folds != fold
        total = [w[seen & (y == k)].sum() for k in (0, 1)]
        scores = []
        for i in np.flatnonzero(~seen):
            same = seen & np.array([c == cubes[i] for c in cubes])
            alpha, beta = (w[same & (y == k)].sum() * total[1 - k] for k in (0, 1))
            scores.append(beta / (alpha + beta) if same.any() else -1.0)
        aucs.append(roc_auc(y[~seen], scores, sample_weight=w[~seen]))
    return float(np.mean(aucs))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_held_out_auc_equals_a_dictionary(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 33, (40, 2)) / 4.0
    X[:2] = [[0.0, 0.0], [8.0, 8.0]]
    y = rng.integers(0, 2, 40)
    y[:6] = 0, 1, 0, 1, 0, 1
    cell = cell_of(X, y, rng.integers(1, 4, 40) if weighted else None)
    folds = stratified_folds(cell.labels, 3, seed)
    for resolution in (1, 2, 4):
        assert held_out_auc(cell, folds, resolution, "learned") == pytest.approx(
            twin(cell, folds, resolution), abs=1e-12
        )


def test_the_best_of_all_resolutions_the_coarsest_of_equals(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = simulate.conditional_gaussians(600, random_state=0)
    cell = cell_of(sample.X, sample.y == 1)
    tried: dict[int, float] = {}

    def watched(cell: Cell, folds: np.ndarray, resolution: int, missing: str) -> float:
        tried[resolution] = held_out_auc(cell, folds, resolution, "learned")
        return tried[resolution]

    monkeypatch.setattr(module, "held_out_auc", watched)
    assert choose_resolution(cell, "learned") == max(tried, key=lambda j: (tried[j], -j))
    assert sorted(tried) == list(range(1, 11))
    monkeypatch.setattr(module, "held_out_auc", lambda cell, folds, resolution, missing: 0.7)
    assert choose_resolution(cell, "learned") == 1


def test_a_class_with_a_single_row_has_the_coarsest_grid() -> None:
    assert choose_resolution(cell_of(np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1]), "learned") == 1
    assert TreeRank(Dyadic()).fit(np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1]).tree_.n_leaves == 2


def test_sixteen_stripes_are_found() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((2000, 1))
    y = (np.floor(16 * x[:, 0]) % 2 == 1) ^ (rng.random(2000) < 0.1)
    tree = TreeRank(Dyadic(), random_state=0).fit(x, y).tree_
    assert isinstance(tree, RuleTree)
    assert 4 <= tree.divisions[0].grid.resolution <= 6
    assert roc_auc(y, -tree.apply(x)) > 0.88


def test_folds_choose_for_themselves_and_forests_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a bootstrap sample that were drawn twice would be in two folds at once: a forest asks the whole table."""
    sizes: list[int] = []

    def counted(cell: Cell, missing: str) -> int:
        sizes.append(len(np.unique(cell.X, axis=0)))
        return 2

    monkeypatch.setattr("rankforest.splitting.dyadic.choose_resolution", counted)
    sample = simulate.uniform_mixture(300, random_state=0)
    TreeRank(Dyadic(), pruning=Pruning("cv", n_folds=3), random_state=0).fit(sample.X, sample.y)
    assert sizes[0] == 300
    assert all(abs(size - 200) <= 1 for size in sizes[1:])
    assert len(sizes) == 4
    sizes.clear()
    forest = RankingForest(3, splitter=Dyadic(), random_state=0).fit(sample.X, sample.y)
    assert sizes == [300]
    assert {d.grid.resolution for tree in forest.trees_ for d in tree.divisions if d is not None} == {2}


def test_drawn_features_are_tried_several_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where cells look at two of four features, the cubes that are tried are those of pairs, and of several pairs."""
    sample = forests.mixed_sample(0, n=120, missing=0.0)
    pairs: list[tuple[int, ...]] = []

    def watched(cell: Cell, folds: np.ndarray, resolution: int, missing: str) -> float:
        pairs.append(tuple(cell.features.tolist()))
        return held_out_auc(cell, folds, resolution, "learned")

    monkeypatch.setattr(module, "held_out_auc", watched)
    cell = Cell(sample=sample, rows=np.arange(120), key=1, max_features=2)
    assert 1 <= choose_resolution(cell, "learned") <= 7
    assert all(len(pair) == 2 for pair in pairs)
    assert len(set(pairs)) >= 4
