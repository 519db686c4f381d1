"""The pruning path and the best subtrees, against all subtrees there are."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, RankingTree, TreeRank
from rankforest.metrics import roc_auc
from rankforest.tree.pruning import auc_along, best_subtrees, lambdas_on, pruning_path

quick = settings(max_examples=20, deadline=None)


def fit(
    seed: int, *, mixed: bool = False, most: int = 0, n: int = 60, inner_depth: int = 2
) -> tuple[naive.Sample, RankingTree]:
    """A tree of at most 16 leaves: 677 subtrees."""
    missing = 0.15 if mixed else 0.0
    sample = naive.random_sample(np.random.default_rng(seed), n, 3, missing=missing, categorical=mixed, most=most)
    model = TreeRank(
        LeafRank(max_depth=inner_depth), max_depth=4, categorical_features=naive.categorical_features(sample)
    )
    return sample, model.fit(sample.X, sample.y, sample.w).tree_


fits = st.builds(
    fit,
    st.integers(0, 2**32 - 1),
    mixed=st.booleans(),
    most=st.sampled_from([0, 100]),
    n=st.sampled_from([12, 60]),
    inner_depth=st.sampled_from([1, 2]),
)


@dataclass(frozen=True)
class Pruned:
    """A pruned subtree by definition: its leaves from left to right, as nodes of the whole tree, and its AUC."""

    leaves: tuple[int, ...]
    auc: Fraction


def all_subtrees(tree: RankingTree) -> list[Pruned]:
    """Every node is a leaf, or any subtree of its left child beside any one of its right child."""

    def leaves_of(cell: int) -> list[tuple[int, ...]]:
        if tree.cell_left[cell] < 0:
            return [(cell,)]
        sides = (leaves_of(int(child)) for child in (tree.cell_left[cell], tree.cell_right[cell]))
        left, right = sides
        return [(cell,), *((*a, *b) for a in left for b in right)]

    masses = [(int(negatives), int(positives)) for negatives, positives in tree.cell_mass]
    return [Pruned(leaves, naive.auc_of_cells([masses[leaf] for leaf in leaves])) for leaves in leaves_of(0)]


def best_for(subtrees: list[Pruned], complexity: Fraction) -> Pruned:
    """The one that maximises AUC - lambda * leaves, the smallest when several do."""
    return max(subtrees, key=lambda s: (s.auc - complexity * len(s.leaves), -len(s.leaves)))


def strata(tree: RankingTree, leaves: tuple[int, ...], X: np.ndarray) -> list[int]:
    """Stratum of each row in the subtree with these leaves: walk up from the leaf of the whole tree."""
    found = []
    for at in tree.leaves[tree.apply(X)]:
        while at not in leaves:
            at = tree.cell_parent[at]
        found.append(leaves.index(at))
    return found


def exact_path(subtrees: list[Pruned]) -> list[tuple[Fraction, int]]:
    """(lambda from which on it is best, leaves) of every optimal subtree: the concave hull of leaves -> AUC."""
    best: dict[int, Fraction] = {}
    for s in subtrees:
        best[len(s.leaves)] = max(best.get(len(s.leaves), s.auc), s.auc)
    at, complexity = best_for(subtrees, Fraction(0)), Fraction(0)
    path = [(complexity, len(at.leaves))]
    while path[-1][1] > 1:
        k = path[-1][1]
        # the next one is the smallest of those that lose the least AUC per leaf
        complexity, smaller = min(((best[k] - best[j]) / (k - j), j) for j in best if j < k)
        path.append((complexity, smaller))
    return path


@quick
@given(fits, st.integers(0, 2**32 - 1))
def test_the_path_is_the_optimum_over_all_subtrees(case: tuple[naive.Sample, RankingTree], seed: int) -> None:
    sample, tree = case
    subtrees, path = all_subtrees(tree), pruning_path(tree)
    between = np.sqrt(path.lambdas[:-1] * path.lambdas[1:])[1:]
    at_random = np.random.default_rng(seed).exponential(path.lambdas[-1] / 2 + 1e-9, 10)
    for complexity in [0.0, *between, *at_random, 2 * path.lambdas[-1] + 1e-9, 1.0]:
        best, found = best_for(subtrees, Fraction(complexity)), path.prune(complexity)
        assert found.n_leaves == len(best.leaves)
        assert found.auc == pytest.approx(float(best.auc), abs=1e-12)
        assert found.apply(sample.X).tolist() == strata(tree, best.leaves, sample.X)


@quick
@given(fits)
def test_lambdas_are_the_exact_ones_and_ties_go_at_once(case: tuple[naive.Sample, RankingTree]) -> None:
    """On so few rows many splits gain equally much: rounding must not part what goes at one lambda."""
    _, tree = case
    path, expected = pruning_path(tree), exact_path(all_subtrees(tree))
    np.testing.assert_allclose(path.lambdas, [float(complexity) for complexity, _ in expected], rtol=1e-9, atol=1e-14)
    assert path.n_leaves.tolist() == [leaves for _, leaves in expected]


@quick
@given(fits)
def test_the_path_is_nested_and_says_what_its_trees_say(case: tuple[naive.Sample, RankingTree]) -> None:
    sample, tree = case
    path = pruning_path(tree)
    assert path.lambdas[0] == 0.0
    assert np.all(np.diff(path.lambdas) > 0)
    assert path.n_leaves[-1] == 1
    assert len(path) == len(path.lambdas) == len(path.auc)
    pruned = [path.prune(complexity) for complexity in path.lambdas]
    assert path.n_leaves.tolist() == [small.n_leaves for small in pruned]
    np.testing.assert_allclose(path.auc, [small.auc for small in pruned], atol=1e-12)
    assert np.all(np.diff(path.n_leaves) < 0)
    for larger, smaller in itertools.pairwise(pruned):
        parts = set(zip(larger.apply(sample.X).tolist(), smaller.apply(sample.X).tolist()))
        assert len(parts) == larger.n_leaves  # every stratum of the larger one lies in one of the smaller


@quick
@given(fits)
def test_the_best_subtree_of_every_size(case: tuple[naive.Sample, RankingTree]) -> None:
    sample, tree = case
    found, subtrees = best_subtrees(tree), all_subtrees(tree)
    assert len(found.auc) == tree.n_leaves
    for k in range(1, tree.n_leaves + 1):
        best = max(s.auc for s in subtrees if len(s.leaves) == k)
        assert found.auc[k - 1] == pytest.approx(float(best), abs=1e-12)
        small = found.prune(k)
        assert small.n_leaves == k
        assert small.auc == pytest.approx(float(best), abs=1e-12)
        scores = small.leaf_score[small.apply(sample.X)]
        assert roc_auc(sample.y, scores, sample_weight=sample.w) == pytest.approx(float(best), abs=1e-12)


@pytest.mark.parametrize("n_leaves", [0, -1, 1000])
def test_no_subtree_of_that_size_gets_a_sentence(n_leaves: int) -> None:
    _, tree = fit(0)
    with pytest.raises(
        ValueError, match=rf"^n_leaves is {n_leaves}; the tree has subtrees of 1 to {tree.n_leaves} leaves\.$"
    ):
        best_subtrees(tree).prune(n_leaves)


@quick
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_one_pass_ranks_another_sample_with_every_subtree(seed: int, mixed: bool, weighted: bool) -> None:
    sample, tree = fit(seed, mixed=mixed)
    rng = np.random.default_rng(seed + 1)
    X = sample.X[rng.integers(0, len(sample.y), 50)] + rng.choice([0.0, 1.0], (50, 3))  # also categories not seen
    y = rng.permutation(np.arange(50) % 3 == 0).astype(np.uint8)
    w = rng.choice([0.0, 0.5, 1.0, 7.0], 50) if weighted else None
    if w is not None:
        w[[int(np.argmax(y)), int(np.argmin(y))]] = 1.0
    path = pruning_path(tree)
    gains = lambdas_on(tree, tree.apply(X), y, w)
    complexities = np.append(rng.exponential(path.lambdas[-1] + 1e-9, 5), path.lambdas)
    found = auc_along(path, gains, complexities)
    for complexity, auc in zip(complexities, found):
        small = path.prune(complexity)
        assert auc == pytest.approx(roc_auc(y, small.leaf_score[small.apply(X)], sample_weight=w), abs=1e-12)


def test_gains_of_the_training_sample_are_those_of_the_tree() -> None:
    sample, tree = fit(7, mixed=True, most=100)
    gains = lambdas_on(tree, tree.apply(sample.X), sample.y, np.array(sample.w, float))
    np.testing.assert_allclose(gains, tree.cell_gain, atol=1e-14)


def test_a_tree_that_never_split() -> None:
    tree = TreeRank().fit(np.zeros((6, 2)), [0, 1, 0, 1, 0, 1]).tree_
    path, best = pruning_path(tree), best_subtrees(tree)
    assert (path.lambdas.tolist(), path.n_leaves.tolist(), path.auc.tolist()) == ([0.0], [1], [0.5])
    assert path.prune(0.0) is tree
    assert best.auc.tolist() == [0.5]
    assert best.prune(1) is tree


def test_pruning_leaves_the_tree_as_it_was() -> None:
    _, tree = fit(8)
    before = {name: array.copy() for name, array in naive.arrays_of(tree).items()}
    pruning_path(tree).prune(0.01)
    best_subtrees(tree).prune(2)
    for name, array in before.items():
        np.testing.assert_array_equal(getattr(tree, name), array)
