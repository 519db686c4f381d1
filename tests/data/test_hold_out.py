"""How rows are held out: whole groups, later rows, and what `fit` is given."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.naive import group_folds

from rankforest import _core
from rankforest.data.folds import Folds, ordered_folds, stratified_folds
from rankforest.data.hold_out import ANY_ROWS, Forward, Groups
from rankforest.data.read_hold_out import read_hold_out


@st.composite
def grouped_rows(draw: Any) -> tuple[np.ndarray, np.ndarray]:
    groups = draw(st.lists(st.integers(0, 12), min_size=4, max_size=40))
    labels = draw(st.lists(st.integers(0, 1), min_size=len(groups), max_size=len(groups)))
    return np.array([0, 1, *labels], dtype=np.uint8), np.array([0, 1, *groups], dtype=np.int32)


# ---- groups


@given(grouped_rows(), st.integers(2, 5), st.integers(0, 2**32))
def test_folds_of_groups_are_those_of_the_definition(
    rows: tuple[np.ndarray, np.ndarray], n_folds: int, seed: int
) -> None:
    """The core puts each group where the definition does, and takes fewer folds only where one would lack a class."""
    labels, groups = rows
    found = _core.group_folds(labels, groups, 2, True, n_folds, seed)
    for n in range(min(n_folds, Groups(groups).most_folds(labels)), 1, -1):
        naive = np.array(group_folds(labels.tolist(), groups.tolist(), n, seed))
        if all((naive[labels == k] == f).any() for k in (0, 1) for f in range(n)):
            np.testing.assert_array_equal(found, naive)
            return
    assert not found.any()


@given(grouped_rows(), st.integers(2, 5), st.integers(0, 100))
def test_no_group_is_on_both_sides(rows: tuple[np.ndarray, np.ndarray], n_folds: int, seed: int) -> None:
    labels, groups = rows
    folds = Groups(groups).folds_at_most(labels, n_folds, seed)
    if folds is None:
        assert Groups(groups).most_folds(labels) < 2 or n_folds > 1
        return
    for fold in range(folds.n_folds):
        seen, out = folds.seen(fold), folds.held_out(fold)
        assert not set(groups[seen]) & set(groups[out])
        assert len(np.unique(labels[out])) == 2
        assert len(np.unique(labels[seen])) == 2
        np.testing.assert_array_equal(np.sort(np.concatenate([seen, out])), np.arange(len(labels)))


def test_folds_of_many_groups_have_equal_shares_of_both_classes() -> None:
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 400, size=3000).astype(np.int32)
    labels = (rng.random(3000) < rng.random(400)[groups] ** 3).astype(np.uint8)
    folds = Groups(groups).folds(labels, 5, seed=3)
    counts = np.array([np.bincount(labels[folds.of == f], minlength=2) for f in range(5)])
    assert (np.ptp(counts, axis=0) <= 0.01 * counts.sum(axis=0)).all()


def test_single_rows_are_dealt_as_equally_as_without_groups() -> None:
    labels = (np.arange(103) % 3 == 0).astype(np.uint8)
    folds = Groups(np.arange(103, dtype=np.int32)).folds(labels, 4, seed=1)
    counts = np.array([np.bincount(labels[folds.of == f]) for f in range(4)])
    assert (np.ptp(counts, axis=0) <= 1).all()


def test_ordered_folds_keep_groups_together() -> None:
    rng = np.random.default_rng(1)
    groups, labels = rng.integers(0, 60, size=500).astype(np.int32), rng.integers(0, 5, size=500).astype(np.uint8)
    folds = Groups(groups).ordered_folds(labels, 4, seed=0)
    assert all(len(np.unique(folds.of[groups == g])) == 1 for g in range(60))
    counts = np.array([np.bincount(labels[folds.of == f], minlength=5) for f in range(4)])
    assert (np.ptp(counts, axis=0) <= 12).all()


def test_halves_and_numbers_are_the_same_for_a_group() -> None:
    groups = Groups(np.array([3, 0, 3, 1, 0, 2], dtype=np.int32))
    half = groups.half(6, seed=5)
    assert half[0] == half[2]
    assert half[1] == half[4]
    assert half.any()
    assert not half.all()
    assert groups.numbers(np.array([2, 0, 3])).tolist() == [3, 3, 1]


def test_too_few_groups_are_said_before_any_work() -> None:
    labels = np.array([0, 1, 0, 1, 0, 1], dtype=np.uint8)
    three = Groups(np.array([0, 0, 1, 1, 2, 2], dtype=np.int32))
    with pytest.raises(ValueError, match="5 folds need at least 5 groups, and there are 3; set n_folds lower"):
        three.folds(labels, 5, 0)
    lonely = Groups(np.array([0, 3, 1, 3, 2, 3], dtype=np.int32))
    with pytest.raises(ValueError, match="All rows of one class are in a single group"):
        lonely.check(labels)
    with pytest.raises(ValueError, match="3 folds need rows of each class in at least 3 groups, and one class is in 1"):
        lonely.folds(labels, 3, 0)


# ---- any rows


def test_without_groups_the_folds_are_those_of_before() -> None:
    labels = (np.random.default_rng(0).random(200) < 0.3).astype(np.uint8)
    np.testing.assert_array_equal(ANY_ROWS.folds(labels, 5, 7).of, stratified_folds(labels, 5, 7))
    np.testing.assert_array_equal(ANY_ROWS.ordered_folds(labels, 5, 7).of, ordered_folds(labels, 5, 7))
    assert ANY_ROWS.folds_at_most(labels[:3] * 0, 5, 7) is None
    assert ANY_ROWS.take(np.arange(3)) is ANY_ROWS
    assert ANY_ROWS.groups is None
    assert ANY_ROWS.words is None


# ---- time


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 15)), min_size=6, max_size=60), st.integers(1, 4))
def test_models_learn_from_earlier_rows_alone(rows: list[tuple[int, int]], n_folds: int) -> None:
    labels, time = np.array([label for label, _ in rows], dtype=np.uint8), np.array([at for _, at in rows])
    forward = Forward(np.unique(time, return_inverse=True)[1].astype(np.int32))
    folds = forward.folds_at_most(labels, n_folds, 0)
    if folds is None:
        return
    masks = folds.masks()
    for fold in range(folds.n_folds):
        seen, out = folds.seen(fold), folds.held_out(fold)
        assert time[seen].max() < time[out].min()
        assert len(np.unique(labels[seen])) == len(np.unique(labels[out])) == 2
        np.testing.assert_array_equal(masks[fold] == 0, np.isin(np.arange(len(time)), seen))
        np.testing.assert_array_equal(masks[fold] == 1, np.isin(np.arange(len(time)), out))
    assert folds.forward


def test_blocks_have_about_equally_many_rows() -> None:
    rng = np.random.default_rng(0)
    time, labels = rng.permutation(1200), (rng.random(1200) < 0.4).astype(np.uint8)
    folds = Forward(time.astype(np.int32)).folds(labels, 5, 0)
    sizes = np.bincount(folds.of + 1)
    assert len(sizes) == 6
    assert np.ptp(sizes) < 20


def test_times_that_cannot_be_held_out_are_said() -> None:
    labels, time = np.array([0, 0, 0, 1, 1, 1], dtype=np.uint8), np.arange(6, dtype=np.int32)
    with pytest.raises(ValueError, match="No time has rows of both classes before it and from it on"):
        Forward(time).check(labels)
    with pytest.raises(ValueError, match="3 folds forward in time need 4 blocks of adjacent times"):
        Forward(time).folds(np.array([0, 1, 0, 1, 0, 1], dtype=np.uint8), 3, 0)


def test_the_first_block_is_never_held_out() -> None:
    folds = Folds(np.array([-1, -1, 0, 1]), 2, forward=True)
    assert folds.seen(1).tolist() == [0, 1, 2]
    assert folds.masks().tolist() == [[0, 0, 1, 2], [0, 0, 0, 1]]


# ---- what `fit` is given


@pytest.mark.parametrize(
    "groups",
    [["b", "a", "b"], np.array([7, 3, 7]), pd.Series(["x", "y", "x"]), pl.Series([2.5, 1.0, 2.5]), (True, False, True)],
)
def test_groups_are_any_values(groups: Any) -> None:
    assert read_hold_out(groups, None, n_rows=3).groups.tolist() == [0, 1, 0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "time",
    [
        [2, 1, 3],
        np.array(["2024-02-01", "2024-01-31", "2025-01-01"], dtype="datetime64[D]"),
        ["2024-02-01", "2024-01-31 10:00", "2025-01-01"],
        [datetime.date(2024, 2, 1), datetime.date(2024, 1, 31), datetime.date(2025, 1, 1)],
        pd.Series(pd.to_datetime(["2024-02-01", "2024-01-31", "2025-01-01"])),
        pl.Series([datetime.datetime(2024, 2, 1), datetime.datetime(2024, 1, 31), datetime.datetime(2025, 1, 1)]),
    ],
)
def test_times_are_numbers_or_dates(time: Any) -> None:
    found = read_hold_out(None, time, n_rows=3)
    assert found.forward
    assert found.groups.tolist() == [1, 0, 2]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("groups", "time", "said"),
    [
        ([1, 2], None, "X has 3 rows but groups has 2 groups; pass one group for each row"),
        ([1, None, 2], None, "groups is missing in row 1; give every row a group"),
        (np.array([1.0, 2.0, np.nan]), None, "groups is missing in row 2"),
        (pd.Series(["a", pd.NA, "b"]), None, "groups is missing in row 1"),
        (["a", "a", "a"], None, "groups is 'a' in all 3 rows; give at least two groups, or none"),
        (np.ones((3, 2)), None, "groups should be a 1d array"),
        (None, [1, 2], "X has 3 rows but time has 2 times"),
        (None, [1.0, np.nan, 2.0], "time is missing in row 1; give every row a time"),
        (None, [4, 4, 4], "time is the same in all 3 rows"),
        (None, ["2024-01-01", "yesterday", "2024-01-02"], "time is 'yesterday' in row 1, which cannot be ordered"),
        (None, [1, datetime.date(2024, 1, 1), 2], "time mixes values that cannot be ordered"),
        (None, np.array([1j, 2j, 3j]), "time has dtype complex128, which has no order"),
        ([1, 2, 3], [1, 2, 3], "groups and time are both given"),
    ],
)
def test_bad_groups_and_times_are_said_in_one_sentence(groups: Any, time: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said) as found:
        read_hold_out(groups, time, n_rows=3)
    assert "\n" not in str(found.value)


def test_the_name_of_the_column_is_kept() -> None:
    groups = read_hold_out(pd.Series([1, 2, 1], name="customer"), None, n_rows=3)
    assert groups.words == "2 groups of customer kept together"
    assert read_hold_out([1, 2, 1], None, n_rows=3).words == "2 groups kept together"
    time = read_hold_out(None, pl.Series("day", [1, 2, 1]), n_rows=3)
    assert time.words == "each row after those learned from, by day"
