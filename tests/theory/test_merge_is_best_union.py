"""The merged left child is the best among all unions of the inner leaves (2011, 3.2)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, TreeRank


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["gini", "auc"]), st.sampled_from([2, 5, 9]))
def test_no_union_of_inner_leaves_gains_more(seed: int, criterion: str, max_leaf_nodes: int) -> None:
    """A tree of one split keeps its inner leaves as terminals: try every set of them as the left child."""
    sample = naive.random_sample(np.random.default_rng(seed), 80, 3, missing=0.1, categorical=True)
    splitter = LeafRank(max_depth=None, max_leaf_nodes=max_leaf_nodes, criterion=criterion)
    model = TreeRank(splitter, max_depth=1, categorical_features=naive.categorical_features(sample))
    tree = model.fit(sample.X, sample.y).tree_
    masses = [(int(a), int(b)) for a, b in tree.terminal_mass]
    assert 2 <= len(masses) <= max_leaf_nodes
    total = sample.mass(range(len(sample.y)))
    chosen = [t for t, cell in enumerate(tree.terminal_cell) if cell == tree.cell_left[0]]
    best = max(naive.union_gain(masses, union, total) for union in naive.subsets(range(len(masses))))
    assert naive.union_gain(masses, chosen, total) == best
    assert tree.cell_gain[0] == pytest.approx(float(best), abs=1e-14)
