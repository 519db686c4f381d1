"""The sample of each tree, and out-of-bag sums of the other rows."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import naive
from dags import dag_of, random_dag, random_rows, walks
from rankforest import _core
from rankforest.tree.walk import make_tree_sum

seeds = st.integers(0, 2**64 - 1)


@st.composite
def draws(draw: st.DrawFn) -> tuple[np.ndarray, int, bool, tuple[int, int] | None]:
    """Labels with both classes, a size (0: every row once) or one per class."""
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=2, max_size=40)), dtype=np.uint8)
    y[:2] = 0, 1
    n, replace = len(y), draw(st.booleans())
    if draw(st.booleans()):
        return y, draw(st.integers(0, n)), replace, None
    most = [n, n] if replace else np.bincount(y).tolist()
    return y, 0, replace, (draw(st.integers(1, most[0])), draw(st.integers(1, most[1])))


@settings(max_examples=150, deadline=None)
@given(draws(), seeds, st.integers(0, 2**21))
def test_the_sample_of_a_tree(case: tuple[np.ndarray, int, bool, Any], seed: int, tree: int) -> None:
    y, size, replace, class_sizes = case
    times = _core.sample_of_tree(y, size, replace, class_sizes, seed, tree).tolist()
    key = naive.child_key(naive.tree_key(seed, tree), 0)
    if class_sizes is not None:
        assert [sum(t for t, label in zip(times, y) if label == k) for k in (0, 1)] == list(class_sizes)
        assert times == naive.draw_by_class(y.tolist(), class_sizes, replace, key)
    elif size:
        assert times == naive.draw_rows(len(y), size, replace, key)
    else:
        assert times == [1] * len(y)
    assert replace or max(times) <= 1


@settings(max_examples=100, deadline=None)
@given(draws(), seeds, st.integers(0, 1000), st.integers(0, 5), st.sampled_from([1, 3]))
def test_out_of_bag_bits_are_the_rows_that_are_not_drawn(
    case: tuple[np.ndarray, int, bool, Any], seed: int, first: int, n_trees: int, n_threads: int
) -> None:
    y, size, replace, class_sizes = case
    bits = _core.out_of_bag_bits(y, size, replace, class_sizes, seed, first, n_trees, n_threads)
    assert bits.shape == (n_trees, (len(y) + 7) // 8)
    left_out = np.unpackbits(bits, axis=1, bitorder="little")
    for b in range(n_trees):
        times = _core.sample_of_tree(y, size, replace, class_sizes, seed, first + b)
        assert left_out[b, : len(y)].tolist() == (times == 0).astype(int).tolist()
        assert not left_out[b, len(y) :].any()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=40), st.booleans(), seeds, st.integers(0, 2**21), st.data())
def test_all_rows_of_a_group_are_drawn_together(
    groups: list[int], replace: bool, seed: int, tree: int, data: st.DataObject
) -> None:
    codes = np.unique(groups, return_inverse=True)[1].astype(np.int32)
    n_groups = int(codes.max()) + 1
    size, y = data.draw(st.integers(1, n_groups)), np.arange(len(codes)).astype(np.uint8) % 2
    times = _core.sample_of_tree(y, size, replace, None, seed, tree, codes)
    of_group = naive.draw_rows(n_groups, size, replace, naive.child_key(naive.tree_key(seed, tree), 0))
    assert times.tolist() == [of_group[code] for code in codes]
    bits = _core.out_of_bag_bits(y, size, replace, None, seed, tree, 1, 1, codes)
    np.testing.assert_array_equal(np.unpackbits(bits[0], bitorder="little")[: len(y)], times == 0)


@pytest.mark.parametrize(
    ("groups", "size"), [([0, 1], 1), ([0, 1, -1, 1], 1), ([0, 1, 2, 9], 1), ([0, 0, 1, 1], 3), ([0, 1, 2, 3], -1)]
)
def test_invalid_groups_are_refused(groups: list[int], size: int) -> None:
    y = np.array([0, 1, 0, 1], dtype=np.uint8)
    with pytest.raises(ValueError, match=r"group|sample"):
        _core.sample_of_tree(y, size, True, None, 0, 0, np.array(groups, dtype=np.int32))


def test_each_class_is_drawn_on_its_own() -> None:
    """The same rows of a class are drawn whatever the other class is, and evenly."""
    y = np.repeat([0, 1], [30, 12]).astype(np.uint8)
    drawn = np.array([_core.sample_of_tree(y, 0, True, (30, 20), 0, tree) for tree in range(2000)])
    other = np.array([_core.sample_of_tree(y, 0, True, (30, 5), 0, tree) for tree in range(2000)])
    np.testing.assert_array_equal(drawn[:, :30], other[:, :30])
    for part, size in ((drawn[:, :30], 30), (drawn[:, 30:], 20)):
        expected = 2000 * size / part.shape[1]
        assert chi2.sf(((part.sum(axis=0) - expected) ** 2).sum() / expected, part.shape[1] - 1) > 1e-3
    # no draw of one class tells of the other
    correlation = np.corrcoef(drawn.T)[:30, 30:]
    assert np.abs(correlation).max() < 5.0 / np.sqrt(2000)


# ---- scores of single trees, and their sums over the trees that have not seen a row


def random_trees(rng: np.random.Generator, n_trees: int) -> tuple[list[_core.Dag], list[np.ndarray], np.ndarray, Any]:
    """Small DAGs on three features, values of their labels, rows, and the labels by a walk of each row alone."""
    names = ("feature", "threshold", "left", "right", "missing_left", "set_offset", "sets")
    kinds = (np.int32, np.float64, np.int32, np.int32, np.uint8, np.int32, np.uint64)
    n_codes, n_rows = [0, 4, 0], int(rng.integers(1, 60))
    X = np.column_stack([rng.normal(size=n_rows), rng.integers(0, 4, n_rows), rng.normal(size=n_rows)])
    X[rng.random(X.shape) < 0.2] = np.nan
    dags, values, labels = [], [], np.empty((n_rows, n_trees), dtype=int)
    for b in range(n_trees):
        feature = rng.integers(0, 3, 3)
        arrays = dict(
            zip(
                names,
                (
                    feature, rng.normal(size=3), [1, -1, -3], [2, -2, -4],
                    rng.integers(0, 2, 3), np.where(feature == 1, 0, -1), rng.integers(0, 16, 1),
                ),
            )
        )  # fmt: skip
        arrays = {name: np.array(arrays[name], dtype=kind) for name, kind in zip(names, kinds)}
        dags.append(_core.Dag(*arrays.values(), np.arange(4, dtype=np.int32), n_codes))
        values.append(rng.normal(size=4))
        labels[:, b] = [naive.walk(arrays, row, n_codes)[1] for row in X]
    return dags, values, X, labels


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(0, 20))
def test_scores_of_single_trees_and_sums_out_of_bag(seed: int, n_trees: int, first_row: int) -> None:
    """Trees are summed in order, so the rounding is known too."""
    rng = np.random.default_rng(seed)
    dags, values, X, labels = random_trees(rng, n_trees)
    one_by_one = np.array([[values[b][labels[i, b]] for b in range(n_trees)] for i in range(len(X))])
    assert _core.tree_scores(_core.Forest(dags), values, X, 1).tolist() == one_by_one.reshape(len(X), n_trees).tolist()
    flags = rng.integers(0, 2, (n_trees, first_row + len(X)))
    bits = np.packbits(flags.astype(np.uint8), axis=1, bitorder="little")
    sums, counts = _core.out_of_bag_sums(_core.Forest(dags), values, X, bits, first_row, 1)
    for i in range(len(X)):
        seen_by = [b for b in range(n_trees) if flags[b, first_row + i]]
        assert counts[i] == len(seen_by)
        assert sums[i] == sum(one_by_one[i, b] for b in seen_by)


def test_scores_in_threads() -> None:
    """Enough rows and trees that threads are used."""
    rng = np.random.default_rng(0)
    dags, values, few, _ = random_trees(rng, 8)
    X = few[rng.integers(0, len(few), 20_011)]
    bits = rng.integers(0, 256, (8, len(X) // 8 + 1)).astype(np.uint8)
    one = _core.tree_scores(_core.Forest(dags), values, X, 1)
    np.testing.assert_array_equal(_core.tree_scores(_core.Forest(dags), values, X, 3), one)
    total = make_tree_sum(_core.Forest(dags), values).sum(X, 0, len(dags), 3)
    np.testing.assert_array_equal(one.cumsum(axis=1)[:, -1], total)
    for alone, together in zip(*(_core.out_of_bag_sums(_core.Forest(dags), values, X, bits, 5, t) for t in (1, 3))):
        np.testing.assert_array_equal(alone, together)


def test_arrays_that_do_not_fit_are_refused() -> None:
    dags, values, X, _ = random_trees(np.random.default_rng(0), 2)
    bits = np.zeros((2, (len(X) + 7) // 8), dtype=np.uint8)
    with pytest.raises(ValueError, match="one row of bits per tree"):
        _core.out_of_bag_sums(_core.Forest(dags), values, X, bits[:1], 0, 1)
    with pytest.raises(ValueError, match="do not reach to the last row"):
        _core.out_of_bag_sums(_core.Forest(dags), values, X, bits, 8, 1)
    with pytest.raises(ValueError, match="do not reach to the last row"):
        _core.out_of_bag_sums(_core.Forest(dags), values, X, bits, -1, 1)
    with pytest.raises(ValueError, match="one value per label"):
        _core.tree_scores(_core.Forest(dags), [values[0], values[1][:3]], X, 1)


# ---- pairs


def mean_difference(ours: list[float], theirs: list[float]) -> float:
    return sum(ours) - sum(theirs)


def median_difference(ours: list[float], theirs: list[float]) -> float:
    return median(ours) - median(theirs)


def majority(ours: list[float], theirs: list[float]) -> float:
    return sum(a > b for a, b in zip(ours, theirs)) - sum(a < b for a, b in zip(ours, theirs))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(0, 6), st.sampled_from([1, 3]))
@pytest.mark.parametrize("difference", [mean_difference, median_difference, majority])
def test_out_of_bag_pairs(
    difference: Callable[[list[float], list[float]], float], seed: int, n_rows: int, n_trees: int, n_threads: int
) -> None:
    """Multiples of 1/8: sums are exact, and many are equal."""
    order = getattr(_core.PairOrder, difference.__name__.removesuffix("_difference"))
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, (n_rows, n_trees)) / 8
    flags = rng.integers(0, 2, (n_rows, n_trees)).astype(np.uint8)
    first, second = rng.integers(0, n_rows, (2, 40))
    won = _core.out_of_bag_pairs(scores, flags, first, second, order, n_threads)
    for a, b, got in zip(first, second, won):
        neither = [t for t in range(n_trees) if flags[a, t] and flags[b, t]]
        if not neither:
            assert np.isnan(got)
            continue
        found = difference([scores[a, t] for t in neither], [scores[b, t] for t in neither])
        assert got == (0.5 if found == 0 else float(found > 0))


def test_sums_of_the_same_numbers_in_another_order_are_equal() -> None:
    """1/10 + 2/10 + 3/10 and its permutations differ in the last bit; a difference that is real does not."""
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.3, 0.1, 0.2], [0.3, 0.1, 0.2 + 1e-9]])
    pairs = np.array([(a, b) for a in range(4) for b in range(4)])
    ones = np.ones(scores.shape, dtype=np.uint8)
    won = _core.out_of_bag_pairs(scores, ones, pairs[:, 0].copy(), pairs[:, 1].copy(), _core.PairOrder.mean, 1).reshape(
        4, 4
    )
    assert (won[:3, :3] == 0.5).all()
    assert won[3, :3].tolist() == [1.0] * 3
    assert won[:3, 3].tolist() == [0.0] * 3


def test_pairs_of_rows_that_are_not_there_are_refused() -> None:
    scores, flags = np.zeros((3, 2)), np.zeros((3, 2), dtype=np.uint8)
    for first, second in (([0], [3]), ([-1], [0])):
        with pytest.raises(ValueError, match="a row that is not there"):
            _core.out_of_bag_pairs(scores, flags, np.array(first), np.array(second), _core.PairOrder.mean, 1)
    with pytest.raises(ValueError, match="pairs have two ends"):
        _core.out_of_bag_pairs(scores, flags, np.array([0, 1]), np.array([0]), _core.PairOrder.mean, 1)
    with pytest.raises(ValueError, match="one flag per row and tree"):
        _core.out_of_bag_pairs(scores, flags[:2].copy(), np.array([0]), np.array([0]), _core.PairOrder.mean, 1)


def test_sums_out_of_bag_by_coded_trees_and_by_walks() -> None:
    """Trees that are evaluated for all rows, and large ones that only the out-of-bag rows walk down."""
    rng = np.random.default_rng(0)
    n_codes, n_rows, first_row = [0, 5, 0], 700, 3
    trees = [(random_dag(rng, n_nodes, 40, n_codes), rng.permutation(40)) for n_nodes in (30, 60, 900, 2000)]
    distinct = random_rows(rng, 60, n_codes)
    picks = rng.integers(0, len(distinct), n_rows)
    labels = [walks(arrays, of_terminals, n_codes, distinct)[picks] for arrays, of_terminals in trees]
    values = [rng.normal(size=40) for _ in trees]
    flags = rng.random((len(trees), first_row + n_rows)) < 0.37
    flags[1] = False
    flags[2, 200:] = False
    bits = np.packbits(flags.astype(np.uint8), axis=1, bitorder="little")
    expected = np.zeros(n_rows)
    for value, of_rows, seen in zip(values, labels, flags[:, first_row:]):  # in order, so the rounding is known too
        expected += np.where(seen, value[of_rows], 0.0)
    forest = _core.Forest([dag_of(*tree, n_codes) for tree in trees])
    for n_threads in (1, 3):
        sums, counts = _core.out_of_bag_sums(
            forest, values, np.ascontiguousarray(distinct[picks]), bits, first_row, n_threads
        )
        assert np.array_equal(sums, expected)
        assert np.array_equal(counts, flags[:, first_row:].sum(axis=0))
