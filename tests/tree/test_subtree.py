"""A subtree: the same cells in the same order, without the descendants of the chosen ones."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, RankingTree, TreeRank
from rankforest.metrics import roc_auc
from rankforest.tree import export_text
from rankforest.tree.rules import left_rule
from rankforest.tree.subtree import collapse, subtree

quick = settings(max_examples=25, deadline=None)


def fit(seed: int, *, mixed: bool, most: int) -> tuple[naive.Sample, TreeRank]:
    """A tree on numbers, or on numbers, categories and missing values; weighted or not."""
    missing = 0.15 if mixed else 0.0
    sample = naive.random_sample(np.random.default_rng(seed), 70, 4, missing=missing, categorical=mixed, most=most)
    model = TreeRank(
        LeafRank(max_depth=3), max_depth=5, categorical_features=naive.categorical_features(sample), random_state=0
    )
    return sample, model.fit(sample.X, sample.y, sample.w)


fits = st.builds(fit, st.integers(0, 2**32 - 1), mixed=st.booleans(), most=st.sampled_from([0, 100]))


def some_nodes(tree: RankingTree, seed: int) -> list[int]:
    """A few nodes at random, also below one another and also leaves."""
    rng = np.random.default_rng(seed)
    return rng.choice(len(tree.cell_parent), size=rng.integers(0, 5)).tolist()


def survivor(tree: RankingTree, cell: int, nodes: list[int]) -> int:
    """The highest of the given nodes on the way from the root to the cell, or the cell itself."""
    found = at = cell
    while at >= 0:
        if at in nodes:
            found = at
        at = int(tree.cell_parent[at])
    return found


def kept_cells(tree: RankingTree, nodes: list[int]) -> list[int]:
    """Cells of the whole tree that are still there: those that no given node lies above."""
    return [cell for cell in range(len(tree.cell_parent)) if survivor(tree, cell, nodes) == cell]


def is_below(tree: RankingTree, cell: int, ancestor: int) -> bool:
    while cell >= 0:
        if cell == ancestor:
            return True
        cell = int(tree.cell_parent[cell])
    return False


@quick
@given(fits, st.integers(0, 2**32 - 1))
def test_rows_go_to_the_surviving_ancestor(case: tuple[naive.Sample, TreeRank], seed: int) -> None:
    sample, model = case
    tree = model.tree_
    nodes = some_nodes(tree, seed)
    small = subtree(tree, nodes)
    ancestors = [survivor(tree, int(tree.leaves[stratum]), nodes) for stratum in tree.apply(sample.X)]
    leaf_of_row = small.leaves[small.apply(sample.X)]
    assert [kept_cells(tree, nodes)[leaf] for leaf in leaf_of_row] == ancestors
    # the order from left to right is that of the strata they were made of
    whole = tree.apply(sample.X)
    order = np.argsort(whole, kind="stable")
    assert np.all(np.diff(small.apply(sample.X)[order]) >= 0)
    # rows that the tree has never seen, too
    fresh = naive.random_sample(np.random.default_rng(seed + 1), 40, 4, missing=0.3).X
    fresh[:, naive.categorical_features(sample)] = np.random.default_rng(seed).integers(0, 4, (40, 1))
    expected = [survivor(tree, int(tree.leaves[stratum]), nodes) for stratum in tree.apply(fresh)]
    assert [kept_cells(tree, nodes)[leaf] for leaf in small.leaves[small.apply(fresh)]] == expected


@quick
@given(fits, st.integers(0, 2**32 - 1))
def test_cells_keep_their_figures(case: tuple[naive.Sample, TreeRank], seed: int) -> None:
    sample, model = case
    tree = model.tree_
    nodes = some_nodes(tree, seed)
    small = subtree(tree, nodes)
    kept = kept_cells(tree, nodes)
    assert len(small.cell_parent) == len(kept)
    leaf_of_row = small.leaves[small.apply(sample.X)]
    for new, old in enumerate(kept):
        rows = [i for i, leaf in enumerate(leaf_of_row) if is_below(small, int(leaf), new)]
        assert small.cell_mass[new].tolist() == list(sample.mass(rows))
        assert small.cell_count[new] == len(rows)
        assert small.cell_depth[new] == tree.cell_depth[old]
        if small.cell_left[new] >= 0:
            assert small.cell_gain[new] == tree.cell_gain[old]
            assert [kept[small.cell_left[new]], kept[small.cell_right[new]]] == [
                tree.cell_left[old],
                tree.cell_right[old],
            ]
        else:
            assert old in nodes or tree.cell_left[old] < 0
            assert small.cell_gain[new] == 0
            assert small.cell_entry[new] == small.cell_right[new] == -1
        if new:
            assert kept[small.cell_parent[new]] == tree.cell_parent[old]
    scores = small.leaf_score[small.apply(sample.X)]
    assert small.auc == pytest.approx(roc_auc(sample.y, scores, sample_weight=np.array(sample.w, float)), abs=1e-12)


@quick
@given(fits, st.integers(0, 2**32 - 1))
def test_terminals_and_inner_nodes_hold_their_rows(case: tuple[naive.Sample, TreeRank], seed: int) -> None:
    sample, model = case
    small = subtree(model.tree_, some_nodes(model.tree_, seed))
    passing, ending = naive.node_rows(naive.arrays_of(small), sample.X, sample.n_codes)
    for terminal, rows in enumerate(ending):
        assert small.terminal_mass[terminal].tolist() == list(sample.mass(rows))
        assert small.terminal_count[terminal] == len(rows)
    for node, rows in enumerate(passing):
        assert small.node_mass[node].tolist() == list(sample.mass(rows))
        assert small.node_count[node] == len(rows)
    for leaf in small.leaves:
        own = small.terminal_cell == leaf
        assert small.terminal_mass[own].sum(axis=0).tolist() == small.cell_mass[leaf].tolist()
        assert small.terminal_count[own].sum() == small.cell_count[leaf]
    # as in any tree: children after parents, the first node of a split is its entry, and it serves its owner
    nodes = np.arange(len(small.feature))
    for children in (small.left, small.right):
        assert np.all(children[children >= 0] > nodes[children >= 0])
    split = np.flatnonzero(small.cell_left >= 0)
    assert small.owner[small.cell_entry[split]].tolist() == split.tolist()
    assert set(small.owner) == set(split)
    assert np.all(small.cell_parent[1:] < np.arange(1, len(small.cell_parent)))


@quick
@given(fits, st.integers(0, 2**32 - 1))
def test_it_reads_and_travels_like_any_tree(case: tuple[naive.Sample, TreeRank], seed: int) -> None:
    sample, model = case
    tree = model.tree_
    nodes = some_nodes(tree, seed)
    small, kept = subtree(tree, nodes), kept_cells(tree, nodes)
    for new in np.flatnonzero(small.cell_left >= 0):
        assert left_rule(small, int(new)) == left_rule(tree, kept[new])
    text = export_text(small)
    assert text.count("stratum ") == small.n_leaves
    assert f"stratum {small.n_leaves}: {small.cell_count[small.leaves[-1]]:.0f} rows" in text
    again = pickle.loads(pickle.dumps(small))
    assert again.apply(sample.X).tolist() == small.apply(sample.X).tolist()
    assert again.auc == small.auc


@quick
@given(fits, st.integers(0, 2**32 - 1))
def test_in_two_steps_as_in_one(case: tuple[naive.Sample, TreeRank], seed: int) -> None:
    _, model = case
    tree = model.tree_
    first, second = some_nodes(tree, seed), some_nodes(tree, seed + 1)
    assume(first and second)
    kept = kept_cells(tree, first)
    then = [kept.index(node) for node in second if node in kept]
    once, twice = subtree(tree, first + second), subtree(subtree(tree, first), then)
    for name, array in naive.arrays_of(once).items():
        np.testing.assert_array_equal(getattr(twice, name), array, err_msg=name)


def test_the_root_alone() -> None:
    sample, model = fit(3, mixed=True, most=100)
    alone = subtree(model.tree_, [0])
    assert (alone.n_leaves, alone.max_depth, alone.auc, len(alone.feature)) == (1, 0, 0.5, 0)
    assert alone.terminal_mass.tolist() == [list(sample.mass(range(70)))]
    assert set(alone.apply(sample.X)) == {0}
    assert alone.leaf_score.tolist() == [0.5]
    assert export_text(alone).startswith("stratum 1: 70 rows")
    assert model.subtree([0]).score_samples(sample.X).tolist() == [0.5] * 70


def test_leaves_nothing_and_a_mask_change_nothing() -> None:
    _, model = fit(4, mixed=False, most=0)
    tree = model.tree_
    assert subtree(tree, []) is tree
    assert subtree(tree, tree.leaves) is tree
    assert collapse(tree, np.zeros(len(tree.cell_parent), dtype=bool)) is tree


@pytest.mark.parametrize("node", [-1, 1000, 0.5, "root", None])
def test_a_wrong_node_gets_a_sentence(node: object) -> None:
    _, model = fit(5, mixed=False, most=0)
    last = len(model.tree_.cell_parent) - 1
    with pytest.raises(ValueError, match=rf"^node {node} is not in the tree; its master nodes are 0 to {last}\.$"):
        subtree(model.tree_, [0, node])  # type: ignore[list-item]


def test_the_models_subtree_is_a_copy() -> None:
    sample, model = fit(6, mixed=True, most=0)
    before = model.score_samples(sample.X)
    node = next(int(child) for child in model.tree_.cell_right if child >= 0 and model.tree_.cell_left[child] >= 0)
    small = model.subtree([node])
    assert small.tree_.n_leaves < model.tree_.n_leaves
    assert small.get_params() == model.get_params()
    np.testing.assert_array_equal(model.score_samples(sample.X), before)
    np.testing.assert_array_equal(
        small.score_samples(sample.X), subtree(model.tree_, [node]).leaf_score[small.apply(sample.X)]
    )
