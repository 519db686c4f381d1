"""Trees that are judged on held-out rows: folds, prunings and trees of the core against Python and NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_pruning
from cells import sample_of
from rankforest import LeafRank, Pruning, RankingForest, TreeRank, _core
from rankforest.data import simulate
from rankforest.data.folds import stratified_folds
from rankforest.data.sample import Sample
from rankforest.growing.right_size import cross_validate
from rankforest.growing.treerank import Growth, GrowTree, grow_by_rule, grow_tree

PRUNED = LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=4))


def rf20(n: int, *, weighted: bool = False) -> Sample:
    drawn = simulate.rf20(n, random_state=0)
    weights = np.random.default_rng(1).exponential(size=n) if weighted else None
    return sample_of(drawn.X, drawn.y > 0, weights)


@given(st.integers(0, 2**64 - 1), st.integers(2, 12), st.integers(12, 500))
@settings(max_examples=60, deadline=None)
def test_folds_are_those_of_numpy(seed: int, n_folds: int, n: int) -> None:
    labels = (np.arange(2 * n) % 7 < 3).astype(np.uint8)
    labels[: 2 * n_folds] = np.arange(2 * n_folds) % 2
    found = _core.stratified_folds(labels, n_folds, seed)
    np.testing.assert_array_equal(found, stratified_folds(labels, n_folds, seed))


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.sampled_from([0, 1, 3]))
@settings(max_examples=100, deadline=None)
def test_the_weakest_link_is_that_of_a_plain_heap(seed: int, n_splits: int, most: int) -> None:
    """Trees of any shape; gains with ties, zeros, and gains that differ by rounding alone."""
    rng = np.random.default_rng(seed)
    parent, left, right = [-1], [-1], [-1]
    for _ in range(n_splits):
        at = int(rng.choice([i for i, child in enumerate(left) if child < 0]))
        left[at], right[at] = len(parent), len(parent) + 1
        parent += [at, at]
        left += [-1, -1]
        right += [-1, -1]
    own = rng.integers(0, most, len(parent)) * (1 + 1e-16) if most else rng.exponential(size=len(parent))
    gains = np.where(np.array(left) >= 0, own, 0.0).tolist()
    found = _core.weakest_link(parent, left, right, gains)
    assert found.tolist() == naive_pruning.weakest_link(parent, left, right, gains)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limit", [{}, {"max_leaf_nodes": 9}, {"top": 0.3, "max_depth": 4}])
def test_the_same_tree_with_any_number_of_threads(limit: dict[str, int], weighted: bool) -> None:
    """Large enough that the folds of the first cells are tasks of their own."""
    sample, growth = rf20(1800, weighted=weighted), Growth(PRUNED, **{"max_depth": 6, **limit})
    by_rule = naive.arrays_of(grow_by_rule(sample, growth, seed=3))
    assert len(by_rule["cell_parent"]) > 9
    for n_threads in (1, 2, 5):
        for name, array in naive.arrays_of(grow_tree(sample, growth, seed=3, n_threads=n_threads)).items():
            np.testing.assert_array_equal(array, by_rule[name], err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("top", [1.0, 0.4])
def test_the_same_size_as_with_trees_from_the_loop(weighted: bool, top: float) -> None:
    sample, growth = rf20(400, weighted=weighted), Growth(PRUNED, max_depth=5, top=top)
    tree = grow_tree(sample, growth, seed=1)
    found = [
        cross_validate(tree, grow, sample, n_folds=4, seed=1, top=top)
        for grow in (GrowTree(growth, 1, 2), lambda rows: grow_by_rule(rows, growth, seed=1))
    ]
    for name in ("complexity", "auc", "standard_error"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))
    assert len(found[0].auc) > 3
    assert (found[0].auc[:-1] > found[0].auc[-1]).all()


def test_a_forest_of_pruned_cells_grows_the_trees_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = simulate.rf20(300, random_state=2)
    forest = RankingForest(splitter=PRUNED, n_estimators=3, max_depth=3, pruning="cv", random_state=0)
    in_core = forest.fit(drawn.X, drawn.y).score_samples(drawn.X)
    monkeypatch.setattr(Sample, "is_local", property(lambda self: False))
    np.testing.assert_array_equal(forest.fit(drawn.X, drawn.y).score_samples(drawn.X), in_core)
    assert len(set(in_core.tolist())) > 4


def test_a_tree_of_one_class_per_cell_ends() -> None:
    """A class with a single row has no folds, and a table that cannot be cut stays whole."""
    for X, y in (([[1.0], [2.0], [3.0]], [0, 0, 1]), (np.ones((40, 2)), [0, 1] * 20)):
        tree = grow_tree(sample_of(X, y), Growth(PRUNED), seed=0)
        assert tree.n_leaves == 1
        assert not tree.held_out


def test_the_fitted_model_does_not_depend_on_threads() -> None:
    drawn = simulate.rf20(700, random_state=4)
    models = [TreeRank(pruning="cv", n_jobs=n, random_state=0).fit(drawn.X, drawn.y) for n in (1, 3)]
    for name, array in naive.arrays_of(models[0].tree_).items():
        np.testing.assert_array_equal(array, naive.arrays_of(models[1].tree_)[name], err_msg=name)
    assert models[0].pruning_.auc.tolist() == models[1].pruning_.auc.tolist()


def test_bad_arrays_are_refused() -> None:
    sample, growth = rf20(50), Growth(PRUNED)
    params, held_out = growth.to_core(20, 0), PRUNED.held_out_to_core()

    def grow(rows: list[int], masses: list[int] | None = None, n_folds: int = 4) -> None:
        held_out.n_folds = n_folds
        job = (np.array(rows, dtype=np.int32), None if masses is None else np.array(masses), 1.0, params)
        _core.grow_held_out(sample.binned.core, sample.labels, [job], held_out, 0, 1)

    grow([0, 1, 2])
    for rows in ([1, 0], [0, 0], [0, 50], [-1, 3], []):
        with pytest.raises(ValueError, match="row"):
            grow(rows)
    for masses in ([1], [1, 0]):
        with pytest.raises(ValueError, match="mass"):
            grow([0, 1], masses)
    with pytest.raises(ValueError, match="folds"):
        grow([0, 1], n_folds=1)
    sample = replace(sample, labels=sample.labels + 2)
    with pytest.raises(ValueError, match="labels"):
        grow([0, 1])
