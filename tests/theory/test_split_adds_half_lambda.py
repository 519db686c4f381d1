"""Each split of the master tree raises the AUC by exactly Lambda / 2, whatever else is split (2011, 2.3)."""

import itertools
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, RankingTree, TreeRank


def masses(tree: RankingTree, cells: list[int]) -> list[tuple[int, int]]:
    return [(int(tree.cell_mass[c, 0]), int(tree.cell_mass[c, 1])) for c in cells]


def exact_lambda(tree: RankingTree, cell: int) -> Fraction:
    (n0, n1), (m0, m1), (l0, l1) = masses(tree, [0, cell, int(tree.cell_left[cell])])
    return Fraction(m0, n0) * Fraction(l1, n1) - Fraction(m1, n1) * Fraction(l0, n0)


def prunings(tree: RankingTree, cell: int) -> Iterator[tuple[list[int], list[int]]]:
    """All ways to prune the tree under a cell: (leaves from left to right, cells that stay split)."""
    yield [cell], []
    if tree.cell_left[cell] >= 0:
        below = (list(prunings(tree, int(child[cell]))) for child in (tree.cell_left, tree.cell_right))
        for (left, split_left), (right, split_right) in itertools.product(*below):
            yield left + right, [cell, *split_left, *split_right]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["gini", "auc"]))
def test_every_pruned_tree(seed: int, criterion: str) -> None:
    """All prunings of trees of depth 3: in fractions, the AUC is 1/2 + 1/2 of the Lambdas that are left."""
    sample = naive.random_sample(np.random.default_rng(seed), 60, 3, missing=0.1, categorical=True)
    splitter = LeafRank(max_depth=2, criterion=criterion)
    model = TreeRank(splitter, max_depth=3, categorical_features=naive.categorical_features(sample))
    tree = model.fit(sample.X, sample.y).tree_
    assert tree.n_leaves > 2
    for leaves, split in prunings(tree, 0):
        auc = Fraction(1, 2) + sum((exact_lambda(tree, c) for c in split), Fraction(0)) / 2
        assert naive.auc_of_cells(masses(tree, leaves)) == auc


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_reported_gains_are_lambda(seed: int) -> None:
    sample = naive.random_sample(np.random.default_rng(seed), 80, 3)
    tree = TreeRank(LeafRank(max_depth=2), max_depth=None).fit(sample.X, sample.y).tree_
    for cell in range(len(tree.cell_gain)):
        expected = 0.0 if tree.cell_left[cell] < 0 else float(exact_lambda(tree, cell))
        assert tree.cell_gain[cell] == pytest.approx(expected, abs=1e-14)
