"""One tree from single splits: it sends rows where the splits, asked one after the other, send them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive
from cells import sample_of
from rankforest import LeafRank, RankingTree
from rankforest.growing import treerank
from rankforest.growing.treerank import Growth, grow_by_rule
from rankforest.tree.graft import graft


def grown(seed: int, pruning: str | None) -> tuple[naive.Sample, RankingTree, list[Any]]:
    """A tree, and the splits that it was joined of."""
    sample = naive.random_sample(np.random.default_rng(seed), 80, 4, missing=0.15, categorical=True, most=3)
    assume(not np.isnan(sample.X).all(axis=0).any())
    splits: list[Any] = []

    def note(cells: Any, given: Any) -> RankingTree:
        splits.extend(given)
        return graft(cells, given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(treerank, "graft", note)
        rows = sample_of(sample.X, sample.y, sample.w, categorical=naive.categorical_features(sample))
        tree = grow_by_rule(rows, Growth(LeafRank(max_depth=3, pruning=pruning), max_depth=3), seed=seed)
    assert isinstance(tree, RankingTree)
    return sample, tree, splits


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**16), st.sampled_from([None, "cv"]))
def test_rows_go_where_the_splits_send_them(seed: int, pruning: str | None) -> None:
    sample, tree, splits = grown(seed, pruning)
    for row, stratum in zip(sample.X, tree.apply(sample.X)):
        cell = 0
        while splits[cell] is not None:
            better = splits[cell].apply(row[None])[0] == 0
            cell = int((tree.cell_left if better else tree.cell_right)[cell])
        assert tree.leaves[stratum] == cell


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**16), st.sampled_from([None, "cv"]))
def test_inner_nodes_stay_what_they_were(seed: int, pruning: str | None) -> None:
    _, tree, splits = grown(seed, pruning)
    assert len(tree.feature) == sum(len(split.feature) for split in splits if split is not None)
    for cell, split in enumerate(splits):
        if split is None:
            assert tree.cell_entry[cell] == -1
            continue
        own = np.flatnonzero(tree.owner == cell)
        assert own[0] == tree.cell_entry[cell]
        assert np.all(np.diff(own) == 1)
        for name in ("feature", "threshold", "missing_left", "node_mass", "left_mass", "node_count", "left_count"):
            np.testing.assert_array_equal(getattr(tree, name)[own], getattr(split, name), err_msg=name)
    # children come after parents, every terminal is reached once and leads to a leaf
    reached = [~c for c in [*tree.left.tolist(), *tree.right.tolist()] if c < 0]
    if len(tree.feature):
        assert sorted(reached) == list(range(len(tree.terminal_cell)))
    for children in (tree.left, tree.right):
        at = np.arange(len(children))
        assert np.all(children[children >= 0] > at[children >= 0])
    assert set(tree.terminal_cell) == set(tree.leaves)


def test_no_split_at_all() -> None:
    tree = grow_by_rule(sample_of(np.ones((6, 2)), [0, 1] * 3), Growth(LeafRank()), seed=0)
    assert isinstance(tree, RankingTree)
    assert (tree.n_leaves, len(tree.feature), tree.auc) == (1, 0, 0.5)
    assert tree.terminal_mass.tolist() == [[3.0, 3.0]]
    assert tree.terminal_count.tolist() == [6.0]
    assert tree.apply(np.ones((2, 2))).tolist() == [0, 0]
