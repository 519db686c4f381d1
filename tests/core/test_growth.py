"""Whole trees of the core against trees grown by brute force on the raw values, and against each other."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

import naive
from naive import Cell, Inner, Master, Sample
from rankforest import _core
from rankforest.data.binning import BinnedTable, Bins

Arrays = dict[str, np.ndarray]


def grow(sample: Sample, master: Master, dtype: type = np.uint8, *, in_fixed_point: bool = False) -> Arrays:
    """The core's tree on exact bins. Weights of one take the path of packed multiplicities unless asked otherwise."""
    packed = set(sample.w) == {1} and not in_fixed_point
    weights = None if packed else np.array(sample.w, dtype=np.int64)
    table = naive.exact_table(sample, dtype)
    return _core.grow(table.core, sample.y, weights, 1.0, naive.core_params(master), 0, True, 1, 0, 1)[0]


def strata(arrays: Arrays, X: np.ndarray, n_codes: list[int]) -> list[int]:
    """Stratum of each row, walked by hand."""
    number = naive.strata_numbers(arrays)
    return [number[int(arrays["terminal_cell"][naive.walk(arrays, row, n_codes)[1]])] for row in X]


def assert_same(one: Arrays, other: Arrays) -> None:
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


# ---- against brute force


@st.composite
def cases(
    draw: st.DrawFn, weighted: bool, constrained: bool = False, random_cuts: bool = False
) -> tuple[Sample, Master, np.random.Generator]:
    """Random samples and parameters of every kind.

    Values are multiples of 1/64, so that means and cuts are exact. Random weights leave no ties between cuts that part
    the rows differently; without weights ties are broken as documented, and bounds on leaves, whose order of opening
    is decided by rounded gains, are left out.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.sampled_from([4, 8, 15, 25, 40, 80])), draw(st.sampled_from([1, 2, 3, 4, 5, 9]))
    X = np.round(rng.normal(size=(n, q)) * draw(st.sampled_from([4, 64, 2048]))) / 64
    categories = [int(rng.integers(1, 6)) if draw(st.booleans()) else 0 for _ in range(q)]
    for j, k in enumerate(categories):
        if k:
            X[:, j] = rng.integers(0, k, n)
    missing = draw(st.sampled_from(["learned", "cell_mean"]))
    X[rng.random((n, q)) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    y = rng.integers(0, 2, n).astype(np.uint8)
    y[:2] = 0, 1
    leaves = st.sampled_from([2, 3, 5, inf] if weighted else [inf])
    inner = Inner(
        criterion=draw(st.sampled_from(["gini", "auc"])),
        missing=missing,
        max_depth=draw(st.sampled_from([1, 2, 3, inf])),
        max_leaf_nodes=draw(leaves),
        max_features=draw(st.integers(0, q)),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2, 4])),
        min_mass_leaf=draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 4)])),
        monotonic=tuple(0 if k else draw(st.sampled_from([-1, 0, 1])) for k in categories) if constrained else (),
        random_cuts=random_cuts,
    )
    master = Master(
        inner,
        max_depth=draw(st.sampled_from([1, 2, 3, inf])),
        max_leaf_nodes=draw(leaves),
        max_features=draw(st.integers(0, q)),
        top=draw(st.sampled_from([1.0, 0.5, 0.25])),
        min_samples_leaf=draw(st.sampled_from([1, 3])),
        seed=draw(st.integers(0, 2**64 - 1)),
    )
    if master.min_samples_leaf > inner.min_samples_leaf and not constrained:
        # where the floor binds, the numbering of pure leaves would decide; two leaves have no such tie, and constraints
        # never part a tie
        master = replace(master, inner=replace(inner, max_depth=1))
    return Sample.of(X, y, rng.integers(1, 10**5, n) if weighted else None, categories), master, rng


def check_against_brute_force(sample: Sample, root: Cell, arrays: Arrays) -> None:
    """Same strata in the same order, same masses, counts and Lambdas, same finest cells."""
    assert strata(arrays, sample.X, sample.n_codes) == [naive.stratum(root, row) for row in sample.X]
    cells = root.preorder()
    assert arrays["cell_mass"].tolist() == [list(sample.mass(c.rows)) for c in cells]
    assert arrays["cell_count"].tolist() == [len(c.rows) for c in cells]
    assert arrays["cell_depth"].tolist() == [c.depth for c in cells]
    np.testing.assert_allclose(arrays["cell_gain"], [float(c.gain) for c in cells], rtol=1e-9, atol=1e-15)
    _, ending = naive.node_rows(arrays, sample.X, sample.n_codes)
    finest = [leaf.rows for c in cells if c.inner for leaf in c.inner.leaves() if not child_of(c, leaf).inner]
    assert sorted(map(sorted, ending)) == sorted(map(sorted, finest or [root.rows]))
    assert arrays["terminal_mass"].tolist() == [list(sample.mass(rows)) for rows in ending]
    assert arrays["terminal_count"].tolist() == [len(rows) for rows in ending]


def check_new_rows(sample: Sample, root: Cell, arrays: Arrays, rng: np.random.Generator) -> None:
    """Rows that were not there, some with missing values, end in the same strata."""
    new = np.round(rng.normal(size=(40, sample.X.shape[1])) * 128) / 128
    for j, k in enumerate(sample.categories):
        if k:
            new[:, j] = rng.integers(0, k, 40)
    new[rng.random(new.shape) < 0.3] = np.nan
    assert strata(arrays, new, sample.n_codes) == [naive.stratum(root, row) for row in new]


def child_of(cell: Cell, leaf: naive.Node) -> Cell:
    child = cell.left if leaf.better else cell.right
    assert child is not None
    return child


@settings(max_examples=200, deadline=None)
@given(cases(weighted=True), st.sampled_from([np.uint8, np.uint16]))
def test_weighted_trees(case: tuple[Sample, Master, Any], dtype: type) -> None:
    """All parameters of master and inner trees, best-first growth, missing values, categories, drawn features."""
    sample, master, _ = case
    check_against_brute_force(sample, naive.grow_master(sample, master), grow(sample, master, dtype))


@settings(max_examples=200, deadline=None)
@given(cases(weighted=False), st.sampled_from([np.uint8, np.uint16]))
def test_unweighted_trees(case: tuple[Sample, Master, Any], dtype: type) -> None:
    """Ties are broken as documented, so new rows, also with missing values, reach the same strata."""
    sample, master, rng = case
    root = naive.grow_master(sample, master)
    arrays = grow(sample, master, dtype)
    check_against_brute_force(sample, root, arrays)
    check_new_rows(sample, root, arrays, rng)


@settings(max_examples=200, deadline=None)
@given(cases(weighted=True, constrained=True), st.sampled_from([np.uint8, np.uint16]))
def test_weighted_trees_with_monotone_constraints(case: tuple[Sample, Master, Any], dtype: type) -> None:
    sample, master, _ = case
    check_against_brute_force(sample, naive.grow_master(sample, master), grow(sample, master, dtype))


@settings(max_examples=200, deadline=None)
@given(cases(weighted=False, constrained=True), st.sampled_from([np.uint8, np.uint16]), st.booleans())
def test_unweighted_trees_with_monotone_constraints(
    case: tuple[Sample, Master, Any], dtype: type, in_fixed_point: bool
) -> None:
    """The vector kernels ignore constraints, so packed counts use the code of weighted rows."""
    sample, master, _ = case
    arrays = grow(sample, master, dtype, in_fixed_point=in_fixed_point)
    check_against_brute_force(sample, naive.grow_master(sample, master), arrays)


@settings(max_examples=150, deadline=None)
@given(cases(weighted=True, random_cuts=True), st.sampled_from([np.uint8, np.uint16]))
def test_weighted_trees_of_random_cuts(case: tuple[Sample, Master, Any], dtype: type) -> None:
    sample, master, rng = case
    root, arrays = naive.grow_master(sample, master), grow(sample, master, dtype)
    check_against_brute_force(sample, root, arrays)
    check_new_rows(sample, root, arrays, rng)


@settings(max_examples=150, deadline=None)
@given(cases(weighted=False, random_cuts=True), st.sampled_from([np.uint8, np.uint16]), st.booleans())
def test_unweighted_trees_of_random_cuts(case: tuple[Sample, Master, Any], dtype: type, in_fixed_point: bool) -> None:
    """Packed counts and fixed-point weights are summed by different loops."""
    sample, master, rng = case
    root, arrays = naive.grow_master(sample, master), grow(sample, master, dtype, in_fixed_point=in_fixed_point)
    check_against_brute_force(sample, root, arrays)
    check_new_rows(sample, root, arrays, rng)


@settings(max_examples=100, deadline=None)
@given(cases(weighted=True, constrained=True, random_cuts=True), st.sampled_from([np.uint8, np.uint16]))
def test_trees_of_random_cuts_with_monotone_constraints(case: tuple[Sample, Master, Any], dtype: type) -> None:
    sample, master, _ = case
    check_against_brute_force(sample, naive.grow_master(sample, master), grow(sample, master, dtype))


@pytest.mark.parametrize("missing", ["learned", "cell_mean"])
def test_random_cuts_of_the_largest_codes(missing: str) -> None:
    """255 bins, so that the code before "missing", which wraps around, is the largest that a byte has."""
    rng = np.random.default_rng(0)
    X = np.repeat(np.arange(255.0), 2)[:, None] / 64
    X = np.concatenate([X, np.full((60, 1), np.nan)])
    y = (np.nan_to_num(X[:, 0], nan=2.0) + rng.normal(size=len(X)) > 2).astype(np.uint8)
    sample = Sample.of(X, y)
    for seed in range(2):
        master = Master(Inner(max_depth=3, random_cuts=True, missing=missing), max_depth=3, seed=seed)
        root = naive.grow_master(sample, master)
        assert len(root.leaves()) > 3
        for in_fixed_point in (False, True):
            check_against_brute_force(sample, root, grow(sample, master, np.uint8, in_fixed_point=in_fixed_point))


def test_random_places_are_uniform() -> None:
    """A single cut of a thousand evenly spaced values: over many seeds every tenth is cut equally often."""
    X = np.arange(1000.0)[:, None] / 1024
    y = (np.arange(1000) % 2).astype(np.uint8)
    table = naive.exact_table(Sample.of(X, y), np.uint16)
    master = Master(Inner(max_depth=1, random_cuts=True), max_depth=1)
    cuts = [tree["threshold"][0] for tree in grow_many(table, y, master, n_trees=2000) if len(tree["threshold"])]
    assert len(cuts) > 900  # an even number of rows on the left gains nothing
    assert chisquare(np.bincount((np.array(cuts) * 1.024 * 10).astype(int), minlength=10)).pvalue > 1e-3


def test_the_inner_node_opened_next_has_the_largest_gain_in_the_mass_of_the_cell() -> None:
    """Three leaves: of the two sides of the first cut one is cut again, and often not the one with the larger Gini."""
    inner = Inner(max_leaf_nodes=3)
    differing = 0
    for seed in range(30):
        sample = naive.random_sample(np.random.default_rng(seed), 40, 3, most=10**5)
        rows, features = range(40), range(3)
        first = naive.grow_inner(sample, rows, features, inner)
        assert first.left is not None
        assert first.right is not None
        sides = [naive.best_cut(sample, side.rows, rows, features, inner) for side in (first.left, first.right)]
        if None not in sides:
            differing += max(sides, key=lambda cut: cut.gain) is not max(sides, key=lambda cut: cut.priority)
        _, ending = naive.node_rows(grow(sample, Master(inner, max_depth=1)), sample.X, sample.n_codes)
        assert sorted(ending) == sorted(list(leaf.rows) for leaf in first.leaves())
    assert differing >= 3


@pytest.mark.parametrize("criterion", ["gini", "auc"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_trees_of_more_rows_than_sixteen_bits_count(criterion: str, dtype: type) -> None:
    """Forty rows, each copied thousands of times, against the forty with weights: from broad cells down to narrow ones.

    No floor on rows: the weights of the twin are not counted as rows.
    """
    rng = np.random.default_rng(3)
    sample = naive.random_sample(rng, 40, 5, missing=0.1, categorical=True, most=9000)
    assert sum(sample.w) > 2 * 65536
    master = Master(Inner(criterion, max_depth=2), max_depth=4)
    table = naive.exact_table(sample, dtype)
    copies = BinnedTable(np.repeat(table.codes, sample.w, axis=0), table.bins)
    arrays = grow_many(copies, np.repeat(sample.y, sample.w), master)[0]
    root = naive.grow_master(sample, master)
    assert len(root.leaves()) > 5
    assert strata(arrays, sample.X, sample.n_codes) == [naive.stratum(root, row) for row in sample.X]
    assert arrays["cell_mass"].tolist() == [list(sample.mass(c.rows)) for c in root.preorder()]
    np.testing.assert_allclose(arrays["cell_gain"], [float(c.gain) for c in root.preorder()], rtol=1e-9)


# ---- one result by many ways


def random_table(
    n: int, q: int, *, missing: float = 0.0, n_bins: int = 40, seed: int = 0
) -> tuple[BinnedTable, np.ndarray]:
    """Codes with a signal in the first features."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n).astype(np.uint8)
    x = rng.normal(size=(n, q)) + 0.4 * y[:, None] * (np.arange(q) < 4)
    edges = np.linspace(-2, 2, n_bins - 1)
    codes = (np.searchsorted(edges, x) + 1).astype(np.uint8 if n_bins <= 255 else np.uint16)
    codes[rng.random((n, q)) < missing] = 0
    bins = Bins((edges,) * q, (np.arange(float(n_bins)),) * q, np.zeros(q, dtype=bool))
    return BinnedTable(codes, bins), y


def grow_many(
    table: BinnedTable,
    y: np.ndarray,
    master: Master,
    *,
    weights: np.ndarray | None = None,
    sample_size: int = 0,
    replace: bool = True,
    n_trees: int = 1,
    first_tree: int = 0,
    n_threads: int = 1,
    class_sizes: tuple[int, int] | None = None,
) -> list[Arrays]:
    params = naive.core_params(master)
    return _core.grow(
        table.core, y, weights, 1.0, params, sample_size, replace, n_trees, first_tree, n_threads, None, None,
        class_sizes,
    )  # fmt: skip


DRAWING = Master(Inner(max_depth=4, max_features=3), max_depth=5, max_features=7, seed=11)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "master",
    [
        DRAWING,
        Master(Inner(max_depth=3, criterion="auc")),
        replace(DRAWING, max_leaf_nodes=9),
        Master(Inner(max_depth=3, monotonic=(1, -1, 0) * 3), max_depth=4),
        replace(DRAWING, inner=Inner(max_depth=4, max_features=3, random_cuts=True)),
        Master(Inner(max_depth=4, random_cuts=True, missing="cell_mean"), max_depth=4),
    ],
)
def test_threads_do_not_change_the_tree(master: Master, weighted: bool) -> None:
    """25000 rows of 9 features: more than the size below which threads are not used."""
    table, y = random_table(25_000, 9, missing=0.1)
    weights = np.random.default_rng(1).integers(1, 1000, len(y)) if weighted else None
    one, two, three = (grow_many(table, y, master, weights=weights, n_threads=t)[0] for t in (1, 2, 3))
    assert len(one["cell_mass"]) > 8
    assert_same(one, two)
    assert_same(one, three)
    assert_same(one, grow_many(table, y, master, weights=weights)[0])


def test_threads_do_not_change_many_trees() -> None:
    table, y = random_table(4000, 9)
    options: dict[str, Any] = {"sample_size": 3000, "n_trees": 7}
    expected = grow_many(table, y, DRAWING, **options)
    for n_threads in (2, 3):
        for one, other in zip(expected, grow_many(table, y, DRAWING, n_threads=n_threads, **options), strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("weighted", [False, True])
def test_threads_do_not_change_many_trees_of_random_cuts(weighted: bool) -> None:
    table, y = random_table(4000, 9, missing=0.1)
    master = replace(DRAWING, inner=Inner(max_depth=5, max_features=3, random_cuts=True))
    weights = np.random.default_rng(1).integers(1, 1000, len(y)) if weighted else None
    options: dict[str, Any] = {"class_sizes": (1500, 1200), "n_trees": 7, "weights": weights}
    expected = grow_many(table, y, master, **options)
    for n_threads in (2, 3):
        for one, other in zip(expected, grow_many(table, y, master, n_threads=n_threads, **options), strict=True):
            assert_same(one, other)


@pytest.mark.parametrize("n", [300, 6000])
@pytest.mark.parametrize("replace_rows", [True, False])
def test_many_trees_are_the_trees_one_by_one(n: int, replace_rows: bool) -> None:
    table, y = random_table(n, 9, missing=0.05)
    options: dict[str, Any] = {"sample_size": n // 2, "replace": replace_rows}
    together = grow_many(table, y, DRAWING, n_trees=5, first_tree=2, n_threads=2, **options)
    alone = [grow_many(table, y, DRAWING, first_tree=2 + b, **options)[0] for b in range(5)]
    for one, other in zip(together, alone, strict=True):
        assert_same(one, other)
    assert len({tree["cell_mass"].tobytes() for tree in together}) == 5


def test_seeds_matter_only_where_something_is_drawn() -> None:
    table, y = random_table(500, 9)
    for drawn in (Inner(max_depth=3, max_features=2), Inner(max_depth=3)):
        for max_features in (0, 4):
            trees = [grow_many(table, y, Master(drawn, 3, max_features=max_features, seed=s))[0] for s in (1, 2)]
            same = all(np.array_equal(trees[0][name], trees[1][name]) for name in trees[0])
            assert same == (drawn.max_features == 0 and max_features == 0)


def test_drawn_features_are_the_ones_used() -> None:
    """F_T: the splits of a cell use the features drawn for it; F_L: an inner node uses one of those drawn for it."""
    table, y = random_table(3000, 9)
    by_cell = grow_many(table, y, Master(Inner(max_depth=4), max_depth=4, max_features=2, seed=5))[0]
    used = [set(by_cell["feature"][by_cell["owner"] == c].tolist()) for c in range(len(by_cell["cell_mass"]))]
    assert max(map(len, used)) == 2
    assert set.union(*used) == set(range(9))
    by_node = grow_many(table, y, Master(Inner(max_depth=6, max_features=1), max_depth=1, max_features=3, seed=5))[0]
    key = naive.child_key(naive.tree_key(5, 0), 1)
    pool = naive.draw_features(range(9), 3, naive.child_key(key, 2))
    assert set(by_node["feature"].tolist()) == set(pool)


@settings(max_examples=40, deadline=None)
@given(st.one_of(cases(weighted=False), cases(weighted=False, random_cuts=True)), st.booleans(), st.integers(0, 5))
def test_a_sample_is_its_rows_repeated(case: tuple[Sample, Master, Any], replace_rows: bool, tree: int) -> None:
    """The tree of a sample equals the tree of a table that repeats each row as often as it was drawn."""
    sample, master, rng = case
    n = len(sample.y)
    size = int(rng.integers(2, n + 1))
    table = naive.exact_table(sample)
    drawn = grow_many(table, sample.y, master, sample_size=size, replace=replace_rows, first_tree=tree)[0]
    times = naive.draw_rows(n, size, replace_rows, naive.child_key(naive.tree_key(master.seed, tree), 0))
    repeated = BinnedTable(np.repeat(table.codes, times, axis=0), table.bins)
    by_hand = grow_many(repeated, np.repeat(sample.y, times), master, first_tree=tree)[0]
    assert naive.shape_of(drawn) == naive.shape_of(by_hand)
    for name in ("cell_mass", "cell_count", "cell_gain", "cell_left", "cell_right"):
        np.testing.assert_array_equal(drawn[name], by_hand[name])


@settings(max_examples=60, deadline=None)
@given(st.one_of(cases(weighted=False), cases(weighted=False, random_cuts=True)), st.booleans(), st.integers(0, 5))
def test_a_sample_by_class_is_its_rows_repeated(
    case: tuple[Sample, Master, Any], replace_rows: bool, tree: int
) -> None:
    """With replacement a class may be drawn more often than it has rows."""
    sample, master, rng = case
    n, rows = len(sample.y), np.bincount(sample.y, minlength=2)
    sizes = tuple(int(rng.integers(1, (n if replace_rows else m) + 1)) for m in rows)
    table = naive.exact_table(sample)
    drawn = grow_many(table, sample.y, master, replace=replace_rows, first_tree=tree, class_sizes=sizes)[0]
    key = naive.child_key(naive.tree_key(master.seed, tree), 0)
    times = naive.draw_by_class(sample.y.tolist(), sizes, replace_rows, key)
    assert [sum(t for t, label in zip(times, sample.y) if label == k) for k in (0, 1)] == list(sizes)
    repeated = BinnedTable(np.repeat(table.codes, times, axis=0), table.bins)
    by_hand = grow_many(repeated, np.repeat(sample.y, times), master, first_tree=tree)[0]
    assert naive.shape_of(drawn) == naive.shape_of(by_hand)
    for name in ("cell_mass", "cell_count", "cell_gain", "cell_left", "cell_right"):
        np.testing.assert_array_equal(drawn[name], by_hand[name])


def test_a_weighted_sample_keeps_its_masses_exact() -> None:
    """Fixed-point weights drawn with replacement: no class has mass where it has no rows; larger ones are refused."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 2)), rng.integers(0, 2, 12).astype(np.uint8)
    y[:2] = 0, 1
    weights = 2 * rng.integers(1, 1000, 12) + 1
    weights[:2] = 2**51 + 1, 2**51 - 3
    with pytest.raises(ValueError, match="too large to be summed exactly"):
        grow_many(
            naive.exact_table(Sample.of(X, y, weights)), y, Master(Inner(max_depth=3)), weights=weights, sample_size=12
        )
    weights[:2] = 2**45 + 1, 2**45 - 3
    sample = Sample.of(X, y, weights)
    trees = grow_many(
        naive.exact_table(sample), y, Master(Inner(max_depth=3)), weights=weights, sample_size=12, n_trees=100
    )
    for tree, arrays in enumerate(trees):
        times = naive.draw_rows(12, 12, True, naive.child_key(naive.tree_key(0, tree), 0))
        _, ending = naive.node_rows(arrays, X, sample.n_codes)
        for mass, rows in zip(arrays["terminal_mass"], ending):
            classes = {int(y[i]) for i in rows if times[i]}
            assert {k for k in (0, 1) if mass[k] != 0} == classes


@settings(max_examples=60, deadline=None)
@given(cases(weighted=False))
def test_weights_of_one_are_no_weights(case: tuple[Sample, Master, Any]) -> None:
    """The kernels for packed counts and for fixed-point weights grow the same tree."""
    sample, master, _ = case
    assert_same(grow(sample, master), grow(sample, master, in_fixed_point=True))


def test_weights_of_one_are_no_weights_with_missing_values() -> None:
    """The first feature separates the classes with missing values on the left, the second with them on the right."""
    X = np.array([[np.nan, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, np.nan]])
    sample = Sample.of(X, np.array([0, 0, 1, 1], dtype=np.uint8))
    master = Master(Inner(max_depth=1), max_depth=1)
    assert_same(grow(sample, master), grow(sample, master, in_fixed_point=True))


@settings(max_examples=100, deadline=None)
@given(st.one_of(cases(weighted=True), cases(weighted=False)))
def test_wide_codes_are_narrow_codes(case: tuple[Sample, Master, Any]) -> None:
    """Small nodes of narrow codes are cut without a histogram: the cuts are those of the histogram."""
    sample, master, _ = case
    assert_same(grow(sample, master, np.uint8), grow(sample, master, np.uint16))


@settings(max_examples=40, deadline=None)
@given(cases(weighted=True))
def test_a_bound_that_does_not_bind_changes_nothing(case: tuple[Sample, Master, Any]) -> None:
    """Best-first and depth-first growth make the same tree, but for the numbers of its inner nodes."""
    sample, master, _ = case
    free = replace(master, max_leaf_nodes=inf, inner=replace(master.inner, max_leaf_nodes=inf))
    loose = replace(free, max_leaf_nodes=1000, inner=replace(free.inner, max_leaf_nodes=1000))
    one, other = grow(sample, free), grow(sample, loose)
    assert naive.shape_of(one) == naive.shape_of(other)
    np.testing.assert_array_equal(one["cell_gain"], other["cell_gain"])


@settings(max_examples=30, deadline=None)
@given(cases(weighted=True))
def test_best_first_trees_are_nested(case: tuple[Sample, Master, Any]) -> None:
    """One more leaf opens the split with the largest gain of those that are left, and keeps the others."""
    sample, master, _ = case
    full = grow(sample, replace(master, max_leaf_nodes=inf))
    most = len(naive.strata_numbers(full))
    gains = []
    for k in range(2, min(most, 8) + 1):
        tree = grow(sample, replace(master, max_leaf_nodes=k))
        assert len(naive.strata_numbers(tree)) == k
        gains.append(sorted(tree["cell_gain"][tree["cell_gain"] > 0].tolist()))
    for smaller, larger in pairwise(gains):
        added = list(larger)
        for g in smaller:
            added.remove(g)
        assert len(added) == 1


@settings(max_examples=40, deadline=None)
@given(cases(weighted=True))
def test_the_arrays_hold_together(case: tuple[Sample, Master, Any]) -> None:
    """Children after parents, cells in preorder, masses that add up, and no empty node."""
    sample, master, _ = case
    a = grow(sample, master)
    for i in range(len(a["feature"])):
        for side in ("left", "right"):
            child = int(a[side][i])
            assert i < child < len(a["feature"]) if child >= 0 else 0 <= ~child < len(a["terminal_cell"])
    passing, ending = naive.node_rows(a, sample.X, sample.n_codes)
    assert all(passing)
    assert all(ending)
    assert a["node_mass"].tolist() == [list(sample.mass(rows)) for rows in passing]
    assert a["node_count"].tolist() == [len(rows) for rows in passing]
    for node, rows in enumerate(passing):
        left = naive.rows_left(a, node, rows, sample)
        assert a["left_mass"][node].tolist() == list(sample.mass(left))
        assert a["left_count"][node] == len(left)
    for cell, (left, right) in enumerate(zip(a["cell_left"], a["cell_right"])):
        if left < 0:
            assert right < 0
            assert a["cell_entry"][cell] == -1
            assert a["cell_gain"][cell] == 0
            continue
        assert left == cell + 1
        assert a["cell_parent"][left] == a["cell_parent"][right] == cell
        assert (a["cell_mass"][left] + a["cell_mass"][right]).tolist() == a["cell_mass"][cell].tolist()
        assert a["cell_count"][left] + a["cell_count"][right] == a["cell_count"][cell]
        assert a["owner"][a["cell_entry"][cell]] == cell
        assert a["cell_gain"][cell] > 0


# ---- what is refused, and what is told


def test_bad_tables_are_refused() -> None:
    table, y = random_table(20, 3)
    master = Master()
    with pytest.raises(ValueError, match="labels"):
        grow_many(table, y[:-1], master)
    with pytest.raises(ValueError, match="0 or 1"):
        grow_many(table, y + 1, master)
    with pytest.raises(ValueError, match="weights"):
        grow_many(table, y, master, weights=np.ones(19, dtype=np.int64))
    with pytest.raises(ValueError, match="sample"):
        grow_many(table, y, master, sample_size=21)
    for sizes, replace_rows in (((-1, 3), True), ((3, 21), True), ((11, 3), False), ((3, 21), False)):
        with pytest.raises(ValueError, match="sample is at most as large"):
            grow_many(table, np.arange(20, dtype=np.uint8) % 2, master, replace=replace_rows, class_sizes=sizes)
    with pytest.raises(ValueError, match="one size per class"):
        grow_many(table, y, master, class_sizes=(3,))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="one direction per feature"):
        grow_many(table, y, Master(Inner(monotonic=(1, 0))))
    with pytest.raises(ValueError, match="number of features"):
        grow_many(BinnedTable(table.codes[:, :2].copy(), table.bins), y, master)
    with pytest.raises(ValueError, match="between 1"):
        grow_many(BinnedTable(table.codes[:0], table.bins), y[:0], master)


def test_every_finished_tree_is_told() -> None:
    table, y = random_table(3000, 9)
    for n_threads in (1, 3):
        told: list[int] = []
        params = naive.core_params(DRAWING)
        _core.grow(table.core, y, None, 1.0, params, 1000, True, 20, 0, n_threads, told.append)
        assert sorted(told) == list(range(20))


def test_an_error_in_the_report_stops_the_growth() -> None:
    table, y = random_table(3000, 9)

    def refuse(tree: int) -> None:
        raise LookupError(f"tree {tree}")

    for n_threads in (1, 2):
        with pytest.raises(LookupError, match="tree"):
            _core.grow(table.core, y, None, 1.0, naive.core_params(DRAWING), 1000, True, 20, 0, n_threads, refuse)


def test_codes_beyond_the_bins_are_refused() -> None:
    """Codes above n_bins raise an error, because histograms have no cell for them."""
    arrays = _core.TableArrays(
        codes=np.full((3, 1), 200, dtype=np.uint8),
        n_bins=np.array([3], dtype=np.int32),
        categorical=np.zeros(1, dtype=np.uint8),
        cuts=np.array([0.5, 1.5]),
        cut_offsets=np.array([0, 2]),
        bin_means=np.arange(3.0),
        mean_offsets=np.array([0, 3]),
    )
    with pytest.raises(ValueError, match="beyond the bins"):
        _core.grow(arrays, np.array([0, 1, 1], dtype=np.uint8), None, 1.0, _core.MasterParams(), 0, True, 1, 0, 1)
