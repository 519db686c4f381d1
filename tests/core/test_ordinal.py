"""Trees of ordered labels against their definitions: criteria, single cuts, whole trees, threads and seeds."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
import naive_ordinal_tree as twin
from naive_ordinal_tree import CRITERIA, KIND, Ordered, Params
from rankforest import _core


def rows_of_leaves(arrays: dict[str, np.ndarray], sample: Ordered) -> list[list[int]]:
    """Rows of each leaf from left to right, by walking each of them."""
    rows: list[list[int]] = [[] for _ in arrays["leaf_count"]]
    for i, row in enumerate(sample.X):
        rows[naive.walk(arrays, row, sample.n_codes)[1]].append(i)
    return rows


masses = st.lists(st.integers(0, 40), min_size=2, max_size=12)


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from(CRITERIA))
def test_gain_is_the_impurity_that_a_cut_takes_off(data: st.DataObject, criterion: str) -> None:
    left = data.draw(masses)
    k = len(left)
    right = data.draw(st.lists(st.integers(0, 40), min_size=k, max_size=k))
    levels = np.cumsum(data.draw(st.lists(st.integers(1, 5), min_size=k, max_size=k))).tolist()
    if not any(left) or not any(right):
        return
    node = tuple(a + b for a, b in zip(left, right))
    cell = tuple(3 * m + 1 for m in node)
    gain, priority = _core.ordinal_gain(KIND[criterion], left, node, cell, levels)
    expected = twin.gain(criterion, tuple(left), node, levels)
    assert gain == pytest.approx(float(expected), abs=1e-12)
    assert priority == pytest.approx(float(expected * twin.share(criterion, node, cell)), abs=1e-12)


@st.composite
def samples(draw: st.DrawFn) -> Ordered:
    """Ties, missing values, categories, weights; sizes around the one up to which rows are sorted."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return twin.random_ordered(
        rng,
        draw(st.sampled_from([2, 3, 5, 12, 30, 60, 95, 96, 97, 130])),
        draw(st.integers(1, 4)),
        draw(st.sampled_from([2, 3, 5, 9])),
        distinct=draw(st.sampled_from([None, 2, 4, 30])),
        missing=draw(st.sampled_from([0.0, 0.2, 0.7])),
        categorical=draw(st.booleans()),
        most=draw(st.sampled_from([None, 2, 50])),
    )


@settings(max_examples=150, deadline=None)
@given(
    samples(),
    st.sampled_from(CRITERIA),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([np.uint8, np.uint16]),
    st.booleans(),
)
def test_cut_is_the_best_of_all(
    sample: Ordered, criterion: str, min_samples_leaf: int, dtype: Any, random_cuts: bool
) -> None:
    """The cut of the root has the best gain, respects the limit, and its masses match the rows on both sides."""
    if len(set(sample.y.tolist())) < 2:
        return
    params = Params(criterion, 1, min_samples_leaf=min_samples_leaf, random_cuts=random_cuts, seed=7)
    arrays = twin.grow_core(sample, params, dtype)
    everything = range(len(sample.y))
    key = naive.child_key(naive.tree_key(params.seed, 0), 1)
    best = twin.best_cut(sample, everything, range(sample.X.shape[1]), params, key)
    if best is None or len(everything) < 2 * min_samples_leaf:
        assert len(arrays["feature"]) == 0
        return
    assert len(arrays["feature"]) == 1
    left, right = rows_of_leaves(arrays, sample)
    for side, mass, count in zip((left, right), arrays["leaf_mass"], arrays["leaf_count"]):
        assert mass.tolist() == list(sample.mass(side))
        assert count == len(side) >= min_samples_leaf
    reached = twin.gain(criterion, sample.mass(left), sample.mass(everything), sample.levels)
    assert float(reached) == pytest.approx(float(best.gain), abs=1e-9)
    assert arrays["node_gain"][0] == pytest.approx(float(best.gain), abs=1e-9)


def check_tree(sample: Ordered, params: Params, dtype: Any = np.uint8) -> None:
    """The same cuts, leaves and gains as the twin's."""
    arrays, root = twin.grow_core(sample, params, dtype), twin.grow(sample, params)
    assert rows_of_leaves(arrays, sample) == [sorted(leaf.rows) for leaf in root.leaves()]
    cuts = [node.cut for node in root.inner() if node.cut is not None]
    assert arrays["feature"].tolist() == [cut.feature for cut in cuts]
    assert arrays["missing_left"].astype(bool).tolist() == [cut.missing_left for cut in cuts]
    assert arrays["node_gain"] == pytest.approx([float(cut.priority) for cut in cuts], abs=1e-12)
    assert arrays["node_count"].tolist() == [len(node.rows) for node in root.inner()]
    for threshold, cut in zip(arrays["threshold"], cuts):
        assert cut.chosen is not None or threshold == cut.threshold
    assert arrays["leaf_mass"].tolist() == [list(sample.mass(leaf.rows)) for leaf in root.leaves()]


PLANS: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"max_leaf_nodes": 5},
    {"min_samples_leaf": 3},
    {"max_features": 2, "seed": 3},
    {"max_features": 2, "seed": 4, "random_cuts": True},
    {"random_cuts": True, "max_leaf_nodes": 6},
]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("weighted", [False, True])
def test_tree_is_the_naive_one(criterion: str, plan: dict[str, Any], weighted: bool) -> None:
    """Large weights leave no ties between cuts that part differently; leaves of a few rows do so without weights, and
    for entropies, whose mirrored cuts differ by rounding."""
    rng = np.random.default_rng(len(str(plan)) + 100 * weighted)
    most = 10_007 if weighted else None
    sample = twin.random_ordered(rng, 110, 3, 4, missing=0.1 * weighted, categorical=weighted, most=most)
    if not weighted or criterion == "weighted_information_gain":
        plan = {"max_depth": 4, "min_samples_leaf": 4, **plan}
    check_tree(sample, Params(criterion, **plan), np.uint16 if plan == {"max_depth": 3} else np.uint8)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("k", [2, 9, 10, 17, 40, 100])
@pytest.mark.parametrize("size", [0, 500])
def test_counted_rows_grow_the_tree_of_weighted_ones(criterion: str, k: int, size: int) -> None:
    """Small nodes of counted rows are searched in whole numbers, those of weighted rows are not: where every weight is
    one, the trees must be bit for bit the same, also with rows that were drawn several times. Levels that are no whole
    numbers, or far apart, cannot be searched so."""
    rng = np.random.default_rng(k)
    sample = twin.random_ordered(rng, 600, 4, k, missing=0.05, distinct=30 if k == 9 else None)
    table = naive.exact_table(sample, np.uint8 if k == 9 else np.uint16)
    step = {17: 0.3, 40: 1e4}.get(k, 1)
    params = twin.core_params(Params(criterion), [step * level for level in sample.levels])
    counted, weighted = (
        _core.grow_ordinal(table.core, sample.y, weights, 1.0, params, 3, size, True, 1, 0, 1)[0]
        for weights in (None, np.ones(600, dtype=np.int64))
    )
    assert len(counted["leaf_count"]) > 50
    for name in counted:
        np.testing.assert_array_equal(counted[name], weighted[name])


@pytest.mark.parametrize("k", [2, 3, 100])
def test_any_number_of_labels(k: int) -> None:
    """Up to 100 labels: the masses add up to the labels' counts, and where nothing limits growth leaves are pure."""
    rng = np.random.default_rng(k)
    sample = twin.random_ordered(rng, 400, 2, k)
    arrays = twin.grow_core(sample, Params("ranking"), np.uint16)
    assert arrays["leaf_mass"].shape[1] == k
    assert arrays["leaf_mass"].sum(axis=0).tolist() == list(sample.mass(range(400)))
    assert ((arrays["leaf_mass"] > 0).sum(axis=1) == 1).all()


def test_a_label_that_a_sample_lacks_does_no_harm() -> None:
    sample = twin.random_ordered(np.random.default_rng(0), 40, 2, 4)
    sample.y[sample.y == 2] = 1
    for criterion in CRITERIA:
        check_tree(sample, Params(criterion, 2, min_samples_leaf=5))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("random_cuts", [False, True])
def test_trees_do_not_depend_on_threads(criterion: str, random_cuts: bool) -> None:
    """Twelve trees on one thread, on three, and in two parts: bit for bit the same; another seed, other trees."""
    rng = np.random.default_rng(1)
    sample = twin.random_ordered(rng, 3000, 6, 5, missing=0.05, categorical=True, most=9)
    params = twin.core_params(Params(criterion, 6, max_features=2, random_cuts=random_cuts), sample.levels)
    table = naive.exact_table(Ordered(np.round(sample.X, 1), sample.y, sample.w, sample.categories, sample.levels))

    def grow(n_trees: int, first: int, n_threads: int, seed: int = 5) -> list[dict[str, np.ndarray]]:
        return _core.grow_ordinal(
            table.core, sample.y, sample.weights(), 1.0, params, seed, 2000, True, n_trees, first, n_threads
        )

    alone, shared, parts = grow(12, 0, 1), grow(12, 0, 3), grow(7, 0, 2) + grow(5, 7, 1)
    for trees in (shared, parts):
        for one, other in zip(alone, trees, strict=True):
            assert all(np.array_equal(one[name], other[name]) for name in one)
    other = grow(1, 0, 1, seed=6)[0]
    assert not np.array_equal(alone[0]["leaf_mass"], other["leaf_mass"])
    assert not np.array_equal(alone[0]["leaf_mass"], alone[1]["leaf_mass"])


def test_a_tree_of_a_forest_sees_the_rows_that_it_draws() -> None:
    sample = twin.random_ordered(np.random.default_rng(2), 80, 2, 3)
    table, params = naive.exact_table(sample), twin.core_params(Params(), sample.levels)
    for tree in range(3):
        arrays = _core.grow_ordinal(table.core, sample.y, None, 1.0, params, 9, 50, True, 1, tree, 1)[0]
        times = _core.sample_of_tree(sample.y, 50, True, None, 9, tree)
        drawn = np.bincount(sample.y, weights=times, minlength=3)
        assert arrays["leaf_mass"].sum(axis=0).tolist() == drawn.tolist()


def test_tables_are_summed_over_the_trees() -> None:
    """With out-of-bag bits, only trees that were not trained on the row are summed."""
    rng = np.random.default_rng(3)
    sample = twin.random_ordered(rng, 120, 3, 4, missing=0.1)
    table, params = naive.exact_table(sample), twin.core_params(Params(max_depth=4), sample.levels)
    grown = _core.grow_ordinal(table.core, sample.y, None, 1.0, params, 9, 120, True, 5, 0, 1)
    names = ("feature", "threshold", "left", "right", "missing_left", "set_offset", "sets")
    dags = [
        _core.Dag(*(tree[name] for name in names), np.arange(len(tree["leaf_count"]), dtype=np.int32), [0] * 3)
        for tree in grown
    ]
    tables = [rng.normal(size=(len(tree["leaf_count"]), 2)) for tree in grown]
    bits = _core.out_of_bag_bits(sample.y, 120, True, None, 9, 0, 5, 1)
    leaves = [[naive.walk(tree, row, sample.n_codes)[1] for tree in grown] for row in sample.X]
    sums, counts = _core.sum_tables(dags, tables, sample.X, None, 0, 1)
    np.testing.assert_allclose(sums, [sum(t[leaf] for t, leaf in zip(tables, of_row)) for of_row in leaves])
    assert counts.tolist() == [5] * 120
    sums, counts = _core.sum_tables(dags, tables, sample.X[30:], bits, 30, 2)
    for i in range(30, 120):
        unseen = [t for t in range(5) if bits[t, i >> 3] >> (i & 7) & 1]
        assert counts[i - 30] == len(unseen)
        np.testing.assert_allclose(sums[i - 30], sum((tables[t][leaves[i][t]] for t in unseen), np.zeros(2)))


def test_counted_and_weighted_histograms_of_many_labels() -> None:
    rng = np.random.default_rng(4)
    sample = twin.random_ordered(rng, 200, 3, 7, distinct=9, missing=0.1)
    table = naive.exact_table(sample)
    in_child = (rng.random(200) < 0.4).astype(int)
    n_codes = int(table.bins.n_bins.max()) + 1
    for weights in (None, rng.integers(1, 99, 200)):
        found = _core.histograms(table.core, sample.y.astype(np.int32), weights, 7, False, [0, 1, 2], in_child.tolist())
        of_rows = np.ones(200, dtype=np.int64) if weights is None else weights
        for part, rows in zip(found, (np.ones(200, bool), in_child == 1, in_child == 0)):
            expected = naive.histogram(table.codes[rows], sample.y[rows], of_rows[rows], 7, n_codes)
            np.testing.assert_array_equal(part, expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"levels": [0.0]}, "ordered labels are needed"),
        ({"levels": [0.0, 2.0, 1.0]}, "levels must increase"),
        ({"levels": [0.0, 1.0]}, "beyond the levels"),
        ({"min_mass_leaf": 0.1}, "balance no classes"),
    ],
)
def test_what_the_core_refuses(change: dict[str, Any], message: str) -> None:
    sample = twin.random_ordered(np.random.default_rng(0), 30, 2, 3)
    params = twin.core_params(Params(), sample.levels)
    for name, value in change.items():
        setattr(params, name, value)
    with pytest.raises(ValueError, match=message):
        _core.grow_ordinal(naive.exact_table(sample).core, sample.y, None, 1.0, params, 0, 0, True, 1, 0, 1)


def test_gain_of_a_cut_that_parts_nothing_is_exactly_zero() -> None:
    """Equal shares on both sides: no order is gained by either Gini, also where products are beyond 2^53."""
    node, left = [3e9, 6e9, 9e9], [1e9, 2e9, 3e9]
    for criterion in ("ordinal_gini", "gini"):
        assert _core.ordinal_gain(KIND[criterion], left, node, node, [1, 2, 3])[0] == 0.0
    assert math.isclose(
        _core.ordinal_gain(KIND["ranking"], left, node, node, [1, 2, 3])[0],
        float(twin.gain("ranking", (1, 2, 3), (3, 6, 9), [Fraction(1), 2, 3])),
    )
