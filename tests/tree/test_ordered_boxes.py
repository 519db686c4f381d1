"""Boxes in any order: the same rows together, each box a stratum with its own conditions, ranked as was asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, TreeRank
from rankforest.metrics import roc_auc
from rankforest.tree.box_order import never_below, sorted_under
from rankforest.tree.ordered_boxes import ordered_boxes
from rankforest.tree.rules import stratum_rule

quick = settings(max_examples=25, deadline=None)


@st.composite
def ordered(draw: st.DrawFn, most_strata: int = 9) -> tuple:
    """A tree of single cuts, its boxes in a random order, some of them together, and the tree that ranks them so."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mixed, most = draw(st.booleans()), draw(st.sampled_from([0, 100]))
    sample = naive.random_sample(rng, 70, 4, missing=0.15 if mixed else 0.0, categorical=mixed, most=most)
    model = TreeRank(
        LeafRank(max_depth=1, min_mass_leaf=0), max_depth=4, categorical_features=naive.categorical_features(sample)
    ).fit(sample.X, sample.y, sample.w)
    boxes = model.tree_
    stratum = np.unique(rng.integers(draw(st.integers(1, most_strata)), size=boxes.n_leaves), return_inverse=True)[1]
    tree = ordered_boxes(boxes, stratum, boxes.leaf_mass, boxes.cell_count[boxes.leaves])
    return sample, model, stratum, tree


@given(ordered())
@quick
def test_rows_are_in_the_strata_of_their_boxes(case: tuple) -> None:
    sample, model, stratum, tree = case
    block = np.concatenate(list(model._read(sample.X).blocks()))
    np.testing.assert_array_equal(tree.apply(block), stratum[model.tree_.apply(block)])


@given(ordered())
@quick
def test_masses_gains_and_auc(case: tuple) -> None:
    sample, model, _, tree = case
    weights = np.array(sample.w, dtype=float)
    block = np.concatenate(list(model._read(sample.X).blocks()))
    at, y = tree.apply(block), sample.y == model.pos_label_
    for k in range(tree.n_leaves):
        assert tree.leaf_mass[k] == pytest.approx([weights[(at == k) & ~y].sum(), weights[(at == k) & y].sum()])
        assert tree.cell_count[tree.leaves[k]] == (at == k).sum()
    assert tree.auc == pytest.approx(roc_auc(y, -at.astype(float), sample_weight=weights))
    # the inner nodes count the rows that reach them
    for cell in np.flatnonzero(tree.cell_left >= 0):
        entry = tree.cell_entry[cell]
        assert tree.node_mass[entry] == pytest.approx(tree.cell_mass[cell])
        assert tree.node_count[entry] == tree.cell_count[cell]
    total = tree.terminal_mass.sum(axis=0)
    assert total == pytest.approx(tree.cell_mass[0])


@given(ordered(most_strata=30), st.integers(0, 2**32 - 1))
@quick
def test_more_strata_than_are_compared(case: tuple, seed: int) -> None:
    """Other splits of the list give the same ranking."""
    sample, model, _, _ = case
    boxes = model.tree_
    stratum = np.random.default_rng(seed).permutation(boxes.n_leaves)
    mass, count = boxes.leaf_mass, boxes.cell_count[boxes.leaves]
    few = ordered_boxes(boxes, stratum, mass, count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankforest.tree.ordered_boxes._MOST_COMPARED", 0)
        many = ordered_boxes(boxes, stratum, mass, count)
    block = np.concatenate(list(model._read(sample.X).blocks()))
    np.testing.assert_array_equal(few.apply(block), many.apply(block))
    assert few.auc == pytest.approx(many.auc)


@given(ordered())
@quick
def test_a_box_is_one_conjunction(case: tuple) -> None:
    """A stratum that is one box is told in one alternative: conditions of the cuts above it."""
    _, model, _, _ = case
    boxes = model.tree_
    stratum = np.arange(boxes.n_leaves)[::-1].copy()
    tree = ordered_boxes(boxes, stratum, boxes.leaf_mass, boxes.cell_count[boxes.leaves])
    for k in range(tree.n_leaves):
        alternatives = stratum_rule(tree, k)
        (box,) = stratum_rule(boxes, boxes.n_leaves - 1 - k)
        assert len(alternatives) == 1
        assert set(map(str, alternatives[0])) == set(map(str, box))


def test_short_rules_are_preferred() -> None:
    """Of a sorted list in which the first cut divides the strata, that cut is the first split."""
    X = np.array([[a, b] for a in range(2) for b in range(4)] * 5, dtype=float)
    y = np.array([(0, 1, 2, 3)[int(b)] + 4 * a for a, b in X]) + np.tile(np.arange(5) - 2, 8) > 3
    boxes = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0), max_leaf_nodes=4).fit(X, y).tree_
    order = np.arange(boxes.n_leaves)
    tree = ordered_boxes(boxes, order, boxes.leaf_mass, boxes.cell_count[boxes.leaves])
    assert len(tree.feature) == len(boxes.feature)  # one cut per split, as in the tree of boxes


# ---- the order under monotone constraints


@given(ordered(), st.integers(0, 2**32 - 1))
@quick
def test_forbidden_orders_are_those_that_rows_show(case: tuple, seed: int) -> None:
    """Pairs of rows that differ in one feature are looked for on a grid of values between and at the cuts."""
    sample, model, _, _ = case
    boxes, rng = model.tree_, np.random.default_rng(seed)
    numeric = [j for j, n in enumerate(sample.categories) if n == 0]
    feature = int(rng.choice(numeric))
    sign = int(rng.choice([-1, 1]))
    above = never_below(boxes, boxes.leaves, [sign if j == feature else 0 for j in range(4)])
    cuts = [np.unique(boxes.threshold[boxes.feature == j]) for j in range(4)]
    grid = [
        np.concatenate([cuts[j], cuts[j] + 1e-9, [-99.0, 99.0, np.nan]]) if n == 0 else np.append(np.arange(n), np.nan)
        for j, n in enumerate(sample.categories)
    ]
    X = np.column_stack([rng.choice(values, size=3000) for values in grid])
    other = X.copy()
    other[:, feature] = rng.choice(grid[feature], size=3000)
    higher = (X[:, feature] > other[:, feature]) if sign > 0 else (X[:, feature] < other[:, feature])
    one, two = boxes.apply(X), boxes.apply(other)
    seen = np.zeros_like(above)
    seen[one[higher], two[higher]] = True
    np.fill_diagonal(seen, False)
    assert not (seen & ~above).any()


def test_orders_that_no_row_shows_are_free() -> None:
    """Boxes that differ in another feature too may have any order."""
    X = np.array([[a, b] for a in (0.0, 1.0) for b in (0.0, 1.0)] * 3)
    y = np.array([0, 1, 1, 0] * 2 + [0, 1, 0, 0])
    boxes = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0), max_depth=2).fit(X, y).tree_
    at = boxes.apply(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    assert boxes.n_leaves == 4
    above = never_below(boxes, boxes.leaves, [1, 0])
    expected = np.zeros((4, 4), dtype=bool)
    expected[at[2], at[0]] = expected[at[3], at[1]] = True
    np.testing.assert_array_equal(above, expected)
    order = sorted_under(above, np.array([0.1, 0.5, 0.3, 0.9]))
    place = np.argsort(order)
    assert place[at[2]] < place[at[0]]
    assert place[at[3]] < place[at[1]]
