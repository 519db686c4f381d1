"""The Python loop over cells grows the trees of the core, and follows the protocol of splitting rules."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from cells import Above, Fixed, sample_of
from rankforest import LeafRank, Pruning, RankingTree
from rankforest.data.sample import Sample
from rankforest.growing.treerank import Growth, grow_by_rule, grow_tree
from rankforest.splitting.candidates import Candidates
from rankforest.splitting.cell import Cell
from rankforest.tree.master_tree import MasterTree
from rankforest.tree.rule_tree import RuleTree

JUDGED: list[dict[str, Any]] = [
    {"pruning": "cv"},
    {"pruning": Pruning("cv", n_folds=3)},
    {"pruning": "cv", "routing": "in-sample"},
    {"pruning": "cv-1se"},
    {"pruning": Pruning("cv-1se", n_folds=3), "routing": "in-sample"},
    {"pruning": "cv", "cuts": "random"},
    {"routing": "held-out"},
    {"routing": "held-out", "cuts": "random"},
]


@st.composite
def growths(draw: st.DrawFn, *, judged: bool = False) -> tuple[Sample, Growth, int]:
    """Tables and parameters of every kind; `judged`: inner trees are judged on held-out rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.sampled_from([4, 20, 60, 150])), draw(st.integers(1, 5))
    X = rng.normal(size=(n, q))
    if draw(st.booleans()):
        X = np.round(X * 2) / 2
    categorical = [j for j in range(q) if draw(st.integers(0, 2)) == 0]
    X[:, categorical] = np.round(X[:, categorical] * 2)
    y = (X.sum(axis=1) + rng.normal(size=n) > 0).astype(np.uint8)
    y[:2] = 0, 1
    X[rng.random((n, q)) < draw(st.sampled_from([0.0, 0.25]))] = np.nan
    X[0] = 0.0  # no column is empty
    weights = draw(st.sampled_from([None, np.full(n, 0.3), rng.integers(1, 4, n), rng.exponential(size=n) + 1e-3]))
    constrained = draw(st.booleans())
    sample = sample_of(X, y, weights, categorical=categorical, max_bins=draw(st.sampled_from([4, 255, 1000])))
    growth = Growth(
        splitter=LeafRank(
            max_depth=draw(st.sampled_from([1, 2, 4, None])),
            max_leaf_nodes=draw(st.sampled_from([None, None, 3])),
            criterion=draw(st.sampled_from(["gini", "auc"])),
            min_samples_leaf=draw(st.sampled_from([1, 3])),
            min_mass_leaf=draw(st.sampled_from([0.0, 0.02, 0.1])),
            max_features=draw(st.sampled_from([None, 1, 2])),
            missing=draw(st.sampled_from(["learned", "cell_mean"])),
            **(draw(st.sampled_from(JUDGED)) if judged else {}),
        ),
        max_depth=draw(st.sampled_from([1, 3, None])),
        max_leaf_nodes=draw(st.sampled_from([None, 2, 3, 6])),
        min_samples_leaf=draw(st.sampled_from([1, 4])),
        max_features=draw(st.sampled_from([None, 1, 2])),
        monotonic_cst=tuple(0 if j in categorical else int(rng.integers(-1, 2)) for j in range(q))
        if constrained
        else None,
        top=draw(st.sampled_from([1.0, 0.5, 0.2])),
    )
    return sample, growth, draw(st.integers(0, 1000))


@settings(max_examples=150, deadline=None)
@given(growths())
def test_the_same_tree_both_ways(case: tuple[Sample, Growth, int]) -> None:
    """LeafRank in the core, and LeafRank asked cell by cell: equal array by array, also in dtype."""
    sample, growth, seed = case
    growth.check(sample.table.schema)
    assert_same_tree(grow_tree(sample, growth, seed=seed), grow_by_rule(sample, growth, seed=seed))


@settings(max_examples=120, deadline=None)
@given(growths(judged=True))
def test_the_same_tree_both_ways_by_held_out_rows(case: tuple[Sample, Growth, int]) -> None:
    sample, growth, seed = case
    growth.check(sample.table.schema)
    core, by_rule = grow_tree(sample, growth, seed=seed), grow_by_rule(sample, growth, seed=seed)
    assert_same_tree(core, by_rule)
    assert core.held_out == by_rule.held_out


def assert_same_tree(core: MasterTree, by_rule: MasterTree) -> None:
    assert isinstance(core, RankingTree)
    assert isinstance(by_rule, RankingTree)
    expected, found = naive.arrays_of(core), naive.arrays_of(by_rule)
    assert expected.keys() == found.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)
        assert found[name].dtype == array.dtype, name


def test_both_ways_were_tried_on_trees_of_some_size() -> None:
    """The property above would be empty on roots alone; and 1000 bins take codes of two bytes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    sample = sample_of(X, X[:, 0] + rng.normal(size=400) > 0, rng.exponential(size=400), max_bins=1000)
    assert sample.binned.codes.dtype == np.uint16
    growth = Growth(LeafRank(max_depth=3, max_features=2), max_depth=5, max_features=2)
    core, by_rule = grow_tree(sample, growth, seed=1), grow_by_rule(sample, growth, seed=1)
    assert core.n_leaves > 10
    for name, array in naive.arrays_of(core).items():
        np.testing.assert_array_equal(naive.arrays_of(by_rule)[name], array, err_msg=name)
    other = grow_by_rule(sample, growth, seed=2)  # features are drawn: the seed matters, in the loop too
    assert other.cell_mass.tolist() != core.cell_mass.tolist()


# ---- any rule


def steps(n: int = 8) -> Sample:
    """x = 0, 1, ...; positives at the odd places and at the end."""
    return sample_of(np.arange(float(n))[:, None], [0, 1] * (n // 2 - 1) + [1, 1])


def test_a_plain_rule_by_hand() -> None:
    """Labels 0 1 0 1 0 1 1 1, cut above 3.5, then nothing more: a second cut at the same place leaves a side empty."""
    tree = grow_by_rule(steps(), Growth(Fixed(3.5)), seed=0)
    assert isinstance(tree, RuleTree)
    assert tree.cell_left.tolist() == [1, -1, -1]
    assert tree.cell_right.tolist() == [2, -1, -1]
    assert tree.cell_parent.tolist() == [-1, 0, 0]
    assert tree.cell_depth.tolist() == [0, 1, 1]
    assert tree.cell_mass.tolist() == [[3, 5], [1, 3], [2, 2]]
    assert tree.cell_count.tolist() == [8, 4, 4]
    assert tree.cell_gain.tolist() == pytest.approx([3 / 5 - 1 / 3, 0, 0])
    assert tree.divisions[1:] == (None, None)
    assert tree.apply(np.array([[3.0], [4.0], [-9.0], [99.0]])).tolist() == [1, 0, 1, 0]


def test_a_division_that_ranks_worse_than_nothing_is_not_made() -> None:
    """What goes left must be better; equal shares are no gain either."""
    x = np.arange(4.0)[:, None]
    for y in ([1, 1, 0, 0], [0, 1, 0, 1]):
        assert grow_by_rule(sample_of(x, y), Growth(Fixed(1.5)), seed=0).n_leaves == 1
    assert grow_by_rule(sample_of(x, [0, 0, 1, 1]), Growth(Fixed(1.5)), seed=0).n_leaves == 2


@pytest.mark.parametrize(
    ("bound", "n_leaves"),
    [({"min_samples_leaf": 4}, 2), ({"min_samples_leaf": 5}, 1), ({"max_leaf_nodes": 2}, 2)],
)
def test_bounds_hold_for_any_rule(bound: dict[str, Any], n_leaves: int) -> None:
    assert grow_by_rule(steps(), Growth(Fixed(3.5), **bound), seed=0).n_leaves == n_leaves


@pytest.mark.parametrize("most", [2, 3, 4, 5, None])
def test_the_largest_gain_is_split_first(most: int | None) -> None:
    """Against all subtrees that best-first growth passes through."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    sample = sample_of(X, X[:, 0] + X[:, 1] + rng.normal(size=200) > 0)
    growth = Growth(Candidates([LeafRank(max_depth=2)]), max_depth=4)
    whole = grow_by_rule(sample, growth, seed=0)
    split = {0}
    while most is not None and len(split) < most - 1:
        children = [c for cell in split for c in (whole.cell_left[cell], whole.cell_right[cell])]
        split.add(max((int(c) for c in children if c not in split), key=lambda c: whole.cell_gain[c]))
    tree = grow_by_rule(sample, replace(growth, max_leaf_nodes=most), seed=0)
    assert tree.n_leaves == (most or whole.n_leaves)
    if most is not None:
        assert sorted(tree.cell_gain[tree.cell_gain > 0]) == sorted(whole.cell_gain[sorted(split)])


def test_a_rule_that_fails_leaves_a_leaf_and_says_so() -> None:
    """The better child of the root fails, the other one is cut; the sentence names the cell and keeps its capitals."""

    class Halves(Fixed):
        def learn(self, cell: Cell) -> Any:
            super().learn(cell)  # may fail
            return Above(float(np.median(cell.X[:, 0])))

    rng = np.random.default_rng(0)
    x = np.arange(64.0)[:, None]
    sample = sample_of(x, x[:, 0] + 20 * rng.normal(size=64) > 32)
    rule = Halves(1.5, fails=lambda cell: cell.path == "+")
    message = r"^Node \+ \(depth 1, 32 rows\) stays a leaf: no threshold of 1\.5 here\.$"
    with pytest.warns(UserWarning, match=message) as caught:
        tree = grow_by_rule(sample, Growth(rule), seed=0)
    assert len(caught) == 1
    assert tree.cell_left[1] == -1
    assert tree.cell_left[2] >= 0
    with pytest.warns(UserWarning, match=r"^The root \(depth 0, 64 rows\) stays a leaf: no threshold of 2 here\.$"):
        assert grow_by_rule(sample, Growth(Fixed(2.0, lambda cell: True)), seed=0).n_leaves == 1


def test_pure_cells_are_not_asked() -> None:
    asked: list[str] = []

    def note(cell: Cell) -> bool:
        asked.append(cell.path)
        return False

    tree = grow_by_rule(sample_of(np.arange(4.0)[:, None], [0, 0, 1, 1]), Growth(Fixed(1.5, note)), seed=0)
    assert (tree.n_leaves, asked) == (2, [""])


def test_masses_are_in_weights_not_in_units() -> None:
    w = np.array([0.1, 0.2, 0.3, 0.7, 0.1, 0.2, 0.3, 0.4])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = grow_by_rule(replace(steps(), weights=w), Growth(Fixed(3.5)), seed=0)
    np.testing.assert_allclose(tree.cell_mass, [[0.5, 1.8], [0.1, 0.9], [0.4, 0.9]], rtol=1e-12)
    assert tree.cell_gain[0] == pytest.approx(0.9 / 1.8 - 0.1 / 0.5)
