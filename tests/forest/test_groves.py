"""The trees of a grove: equal from the core and from the Python loop, and independent of other groves."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import forests
import naive
from rankforest import Dyadic, LeafRank
from rankforest.forest.groves import Grove, grow_grove, grow_ranking_trees
from rankforest.forest.sampling import Draw
from rankforest.growing.treerank import Growth, grow_by_rule
from rankforest.tree.master_tree import MasterTree
from rankforest.tree.ranking_tree import RankingTree


def same(one: MasterTree, other: MasterTree) -> bool:
    a, b = naive.arrays_of(one), naive.arrays_of(other)  # type: ignore[arg-type]
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


DRAWS = {
    "bootstrap": Draw(90, True, None, 5),
    "subsample": Draw(50, False, None, 5),
    "by class": Draw(0, True, (30, 45), 5),
    "all rows": Draw(0, False, None, 5),
}


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("cuts", ["best", "random"])
@pytest.mark.parametrize("missing", ["learned", "cell_mean"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loop_grows_the_trees_of_the_core(kind: str, cuts: str, missing: str, weighted: bool) -> None:
    """On the drawn rows, each as often as it was drawn."""
    sample = forests.mixed_sample(1, 90, weighted=weighted)
    rule = LeafRank(max_depth=3, max_features=2, cuts=cuts, missing=missing)
    grove, draw = forests.grove_of(sample, 4, draw=DRAWS[kind], rule=rule, number=2, max_features=3)
    for b, tree in enumerate(grove.trees):
        number = grove.first_tree + b
        drawn = sample.take(np.repeat(np.arange(90), draw.times(sample.labels, number)))
        by_loop = grow_by_rule(drawn, grove.growth, seed=draw.seed, tree=number)
        assert isinstance(tree, RankingTree)
        assert isinstance(by_loop, RankingTree)
        assert tree.n_leaves > 3
        assert naive.shape_of(naive.arrays_of(tree)) == naive.shape_of(naive.arrays_of(by_loop))


@pytest.mark.parametrize("rule", [forests.RULE, Dyadic(2)])
def test_a_tree_depends_on_its_number_alone(rule: object) -> None:
    sample = forests.mixed_sample(2, missing=0.0) if rule is not forests.RULE else forests.mixed_sample(2)
    if rule is not forests.RULE:
        sample = forests.sample_of(forests.values_of(sample)[:, :2], sample.labels)
    at_once, draw = forests.grove_of(sample, 6, rule=rule)
    later = grow_grove(Grove(at_once.growth, 0), 2, sample, draw, grow_ranking_trees, n_threads=1)
    later = grow_grove(later, 4, sample, draw, grow_ranking_trees, n_threads=3)
    X = forests.values_of(sample)
    for one, other in zip(at_once.trees, later.trees, strict=True):
        np.testing.assert_array_equal(one.apply(X), other.apply(X))
        np.testing.assert_array_equal(one.cell_mass, other.cell_mass)
    assert len({tree.cell_mass.tobytes() for tree in at_once.trees}) > 4


def test_groves_draw_samples_of_their_own() -> None:
    sample = forests.mixed_sample(3)
    (one, draw), (other, _) = (forests.grove_of(sample, 5, number=number) for number in (0, 1))
    bits = [grove.out_of_bag(draw, sample.labels, 1) for grove in (one, other)]
    assert not np.array_equal(*bits)
    assert not any(same(a, b) for a, b in zip(one.trees, other.trees))


def test_pruning_is_given_the_rows_of_the_tree_and_its_number() -> None:
    sample = forests.mixed_sample(4)
    draw, seen = Draw(80, True, None, 1), []

    def prune(rows: object, tree: MasterTree, number: int) -> MasterTree:
        seen.append((rows.n_rows, number, tree.cell_count[0]))  # type: ignore[attr-defined]
        return tree

    told: list[int] = []
    grove = Grove(Growth(forests.RULE, max_depth=3), 1)
    pruning = partial(grow_ranking_trees, prune=prune)
    pruned = grow_grove(grove, 3, sample, draw, pruning, n_threads=1, progress=told.append)
    first = grove.first_tree
    assert seen == [(80, first + b, 80) for b in range(3)]
    assert told == [first, first + 1, first + 2]
    plain = grow_grove(grove, 3, sample, draw, grow_ranking_trees, n_threads=1)
    for one, other in zip(pruned.trees, plain.trees):
        assert naive.shape_of(naive.arrays_of(one)) == naive.shape_of(naive.arrays_of(other))  # type: ignore[arg-type]
    assert grow_grove(plain, 0, sample, draw, grow_ranking_trees, n_threads=1) is plain
