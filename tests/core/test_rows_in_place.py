"""Trees grown on rows that stay in the table are those grown on copies, whatever cells are copied."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rankforest import LeafRank
from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.table import read_table
from rankforest.forest.groves import grow_ranking_trees
from rankforest.forest.sampling import Draw, Sampling
from rankforest.growing.treerank import Growth, grow_tree

N = 6000


def sample(n_features: int, max_bins: int, *, weighted: bool) -> Sample:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, n_features))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = (np.nansum(X, axis=1) + rng.normal(size=N) > 0).astype(np.uint8)
    table = read_table(X)
    weights = rng.integers(1, 5, N) / 4 if weighted else None
    return Sample(table, bin_table(table, find_bins(table, max_bins=max_bins)), y, weights)


def arrays(tree: Any) -> dict[str, np.ndarray]:
    return {name: value for name, value in vars(tree).items() if isinstance(value, np.ndarray)}


def assert_same(one: Any, other: Any) -> None:
    assert arrays(one).keys() == arrays(other).keys()
    for name, value in arrays(one).items():
        np.testing.assert_array_equal(value, arrays(other)[name], err_msg=name)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n_features", "max_bins"), [(3, 255), (8, 400), (21, 16)])
@pytest.mark.parametrize("cell_bytes", [1, 40_000, 10**9])
def test_one_tree(n_features: int, max_bins: int, weighted: bool, cell_bytes: int) -> None:
    """No cell is copied, the smaller ones, or all."""
    rows = sample(n_features, max_bins, weighted=weighted)
    in_place = replace(rows, binned=replace(rows.binned, cell_bytes=cell_bytes))
    for splitter in (LeafRank(), LeafRank(max_features=2, max_leaf_nodes=9), LeafRank(cuts="random")):
        growth = Growth(splitter=splitter, max_depth=6, min_samples_leaf=1, max_features=None)
        copied = grow_tree(rows, growth, seed=3)
        for n_threads in (1, 3):
            assert_same(copied, grow_tree(in_place, growth, seed=3, n_threads=n_threads))
    best_first = Growth(splitter=LeafRank(), max_depth=None, min_samples_leaf=5, max_features=2, max_leaf_nodes=20)
    assert_same(grow_tree(rows, best_first, seed=3), grow_tree(in_place, best_first, seed=3, n_threads=2))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sampling", [Sampling(), Sampling(0.3), Sampling(0.5, replace=False, classes="stratified")])
def test_trees_of_a_forest(sampling: Sampling, weighted: bool) -> None:
    """A row that is drawn twice counts twice."""
    rows = sample(5, 255, weighted=weighted)
    draw: Draw = sampling.draw(rows.labels, seed=5)
    growth = Growth(splitter=LeafRank(), max_depth=4, min_samples_leaf=2, max_features=3)
    copied = grow_ranking_trees(growth, rows, draw, first_tree=0, n_trees=3, n_threads=1)
    for cell_bytes in (1, 30_000):
        in_place = replace(rows, binned=replace(rows.binned, cell_bytes=cell_bytes))
        found = grow_ranking_trees(growth, in_place, draw, first_tree=0, n_trees=3, n_threads=2)
        for one, other in zip(copied, found):
            assert_same(one, other)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_are_drawn_hundreds_of_times(weighted: bool) -> None:
    """More often than a byte can count."""
    rows = sample(5, 255, weighted=weighted)
    rows = replace(rows, labels=(np.arange(N) % 500 == 0).astype(np.uint8))
    draw = Draw(0, True, (3000, 3000), 5)
    of_positives = draw.times(rows.labels, 0)[rows.labels == 1]
    assert of_positives.min() < 255 < of_positives.max()
    growth = Growth(splitter=LeafRank(), max_depth=4, min_samples_leaf=2, max_features=3)
    in_place = replace(rows, binned=replace(rows.binned, cell_bytes=1))
    for one, other in zip(
        grow_ranking_trees(growth, rows, draw, first_tree=0, n_trees=2, n_threads=1),
        grow_ranking_trees(growth, in_place, draw, first_tree=0, n_trees=2, n_threads=1),
    ):
        assert_same(one, other)
