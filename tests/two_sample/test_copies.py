"""Copies of rows in tables of any kind, and the two-sample test on them."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.stats import mannwhitneyu
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from rankforest.metrics import linear_rank_test
from rankforest.two_sample import two_sample_test
from rankforest.two_sample.copies import copied_groups, row_groups


def n_copied(rows: Any) -> int:
    return int(copied_groups(rows, row_groups(rows)).sum())


# ---------------------------------------------------------------- groups of identical rows


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, lambda d: pa.table(pd.DataFrame(d))])
def test_groups_of_a_frame(kind: Any) -> None:
    """Missing values agree with each other, and 0 with -0; nothing else does."""
    table = {
        "amount": [1.5, None, -0.0, 1.5, None, 0.0, 1.5],
        "city": ["a", None, "b", "a", None, "b", None],
        "count": [1, 2, 3, 1, 2, 3, 1],
    }
    found = row_groups(nw.from_native(kind(table), eager_only=True))
    assert found[0] == found[3]
    assert found[1] == found[4]
    assert found[2] == found[5]
    assert len(set(found.tolist())) == 4


def test_groups_of_arrays() -> None:
    rng = np.random.default_rng(0)
    few = rng.integers(0, 3, (200, 4)).astype(float)
    expected = np.unique(few, axis=0, return_inverse=True)[1].ravel()
    for rows in (few, few.astype(int), sparse.csr_array(few), few.astype(object), few.astype(str)):
        found = row_groups(rows)
        assert len(set(zip(found.tolist(), expected.tolist()))) == expected.max() + 1 == found.max() + 1
    # columns are told apart, and whole numbers beyond 2**53
    assert len(set(row_groups(np.array([[1.0, 2.0], [2.0, 1.0]])).tolist())) == 2
    assert len(set(row_groups(np.array([[2**53], [2**53 + 1]])).tolist())) == 2
    odd = np.empty((6, 1), dtype=object)
    odd[:, 0] = [[1, 2], [1, 2], pd.NA, float("nan"), None, "x"]
    assert len(set(row_groups(odd).tolist())) == 3
    days = np.array(["2020-01-01", "NaT", "2020-01-01", "NaT"], dtype="datetime64[D]")[:, None]
    assert row_groups(days).tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])


# ---------------------------------------------------------------- copies or chance


def test_measurements_never_agree_by_chance() -> None:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60, 3))
    assert n_copied(table) == 0
    assert n_copied(np.vstack([table, table[:7]])) == 7
    assert n_copied(np.vstack([table, table[:7]])[:, :1]) == 7
    seconds = rng.integers(1_600_000_000, 1_700_000_000, (60, 1))
    assert n_copied(np.vstack([seconds] * 3)) == 60
    mixed = np.column_stack([rng.normal(size=60), rng.integers(0, 2, 60)])
    assert n_copied(np.vstack([mixed] * 20)) == 60


def test_tables_of_few_possible_rows_are_no_copies() -> None:
    rng = np.random.default_rng(1)
    assert n_copied(rng.integers(18, 90, (500, 1))) == 0  # ages
    assert n_copied(np.round(rng.exponential(20, (500, 1)), 1)) == 0  # prices
    assert n_copied(rng.integers(0, 4, (500, 3))) == 0  # grades
    assert n_copied(rng.choice(["a", "b"], (40, 1)).astype(object)) == 0
    city = rng.integers(0, 6, 300)
    assert n_copied(np.column_stack([city, city // 2])) == 0  # one column says the other
    assert n_copied(np.ones((10, 2))) == 0


def test_a_value_that_stands_out_is_no_copy() -> None:
    """Rain: half of the days are dry. Alone or beside a discrete column, dry days agree by chance."""
    rng = np.random.default_rng(2)
    rain = np.where(rng.random(300) < 0.5, 0.0, rng.exponential(5.0, 300))
    assert n_copied(rain[:, None]) == 0
    table = np.column_stack([rain, rng.integers(0, 12, 300)])
    assert n_copied(table) == 0
    wet = table[rain > 0][:20]
    assert n_copied(np.vstack([table, wet])) == 20


def test_copies_of_categories_are_seen_by_the_lack_of_near_misses() -> None:
    rng = np.random.default_rng(3)
    table = rng.integers(0, 5, (80, 12)).astype(object)
    assert n_copied(table) == 0
    assert n_copied(np.vstack([table] * 3)) == 80
    named = pd.DataFrame(table).astype(str)
    named.iloc[::7, 3] = None
    assert n_copied(nw.from_native(pd.concat([named, named], ignore_index=True).rename(columns=str))) == 80


# ---------------------------------------------------------------- the two-sample test


def copied_samples(seed: int, kind: str) -> tuple[Any, Any]:
    """Two samples of one law; every row is there several times."""
    rng = np.random.default_rng(seed)
    if kind == "measurements":
        X, Y = rng.normal(size=(2, 20, 3))
    elif kind == "with missing values":
        X, Y = rng.normal(size=(2, 20, 3))
        X[::3, 1], Y[::4, 1] = np.nan, np.nan
    else:
        X, Y = rng.integers(0, 4, (2, 20, 8))
        X, Y = X.astype(object), Y.astype(object)
    return X[rng.integers(0, 20, 80)], np.repeat(Y, 4, axis=0)


@pytest.mark.parametrize("kind", ["measurements", "with missing values", "categories"])
def test_the_level_holds_on_copied_rows(kind: str) -> None:
    """Of 120 tests at level 5% less than a tenth rejects; with copies in both halves it is most of them."""
    model = None if kind != "measurements" else DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
    found = [two_sample_test(*copied_samples(seed, kind), model=model, random_state=seed) for seed in range(120)]
    assert np.mean([test.p_value < 0.05 for test in found]) < 0.1
    assert all(test.n_copies >= 80 for test in found)
    naive = [
        two_sample_test(*copied_samples(seed, kind), model=model, duplicates="chance", random_state=seed).p_value
        for seed in range(30)
    ]
    assert np.mean(np.array(naive) < 0.05) > 0.5


def test_it_says_what_it_left_out() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 30, 2))
    Y = np.vstack([Y, X[:6]])  # six rows that both samples hold
    test = two_sample_test(np.repeat(X, 2, axis=0), Y, random_state=0)
    assert (test.n_copies, test.n_shared) == (30, 6)
    assert test.n_train == (15, 18)
    assert test.n_test == (15, 18)
    assert "; 30 copies of rows left out; 6 rows of both samples kept in the same half" in repr(test)
    clean = two_sample_test(X, Y[:30], random_state=0)
    assert (clean.n_copies, clean.n_shared) == (0, 0)
    assert "copies" not in str(clean)


def test_rows_of_both_samples_stay_together() -> None:
    seen: dict[str, np.ndarray] = {}

    class Spy(LogisticRegression):
        def fit(self, X: np.ndarray, y: np.ndarray) -> Spy:
            seen["train"] = X[:, 0]
            return super().fit(X, y)

        def decision_function(self, X: np.ndarray) -> np.ndarray:
            seen["test"] = X[:, 0]
            return super().decision_function(X)

    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(40, 2)), rng.normal(size=(25, 2))
    for shared in (1, 4, 25):
        Y[:shared] = X[:shared]
        test = two_sample_test(X, Y, model=Spy(), random_state=shared)
        assert not set(seen["train"]) & set(seen["test"])
        assert test.n_shared == shared
        assert test.n_test == (20, 13 if shared < 25 else test.n_test[1])
        assert min(*test.n_train, *test.n_test) >= 2


def test_equal_rows_of_few_possible_ones_are_observations() -> None:
    rng = np.random.default_rng(0)
    X, Y = (rng.choice(["a", "b"], (60, 1), p=[share, 1 - share]).astype(object) for share in (0.2, 0.8))
    test = two_sample_test(X, Y, random_state=0)
    assert test.n_copies == 0
    assert test.p_value < 1e-2
    with pytest.raises(ValueError, match=r"^X has 2 distinct rows; the test needs at least 4 of each sample\.$"):
        two_sample_test(X, Y, duplicates="copies")
    with pytest.raises(ValueError, match=r"^duplicates is 'drop'; choose 'auto', 'copies' or 'chance'\.$"):
        two_sample_test(X, Y, duplicates="drop")


# ---------------------------------------------------------------- other score-generating functions


def test_phi_weighs_the_ranks_of_the_held_out_rows() -> None:
    rng = np.random.default_rng(5)
    X, Y = rng.normal(size=(2, 60, 2))
    Y[:12] += 4.0  # a fifth of the second sample is elsewhere
    seen: dict[str, np.ndarray] = {}

    class Spy(LogisticRegression):
        def decision_function(self, X: np.ndarray) -> np.ndarray:
            seen["score"] = super().decision_function(X)
            return seen["score"]

    for phi in ("push@4", "local@0.2", np.square):
        test = two_sample_test(X, Y, model=Spy(), phi=phi, random_state=0)
        label = np.repeat([0, 1], test.n_test)
        expected = linear_rank_test(label, seen["score"], phi)
        assert test.statistic == expected.statistic
        assert test.p_value == pytest.approx(expected.p_value, abs=0.02)
        assert test.auc == pytest.approx(
            mannwhitneyu(seen["score"][label == 1], seen["score"][label == 0]).statistic / np.prod(test.n_test)
        )
    assert "in ranks weighed by square: p =" in str(test)
    plain = two_sample_test(X, Y, model=Spy(), phi=lambda v: v, random_state=0)
    assert plain.p_value == pytest.approx(two_sample_test(X, Y, model=Spy(), random_state=0).p_value, abs=0.02)


def test_the_level_holds_for_other_phi() -> None:
    p = []
    for seed in range(80):
        X, Y = np.random.default_rng(seed).normal(size=(2, 24, 2))
        p.append(two_sample_test(X, Y, model=LogisticRegression(), phi="local@0.2", random_state=seed).p_value)
    assert np.mean(np.array(p) <= 0.05) < 0.125
    with pytest.raises(ValueError, match=r"^phi must be a function or one of 'wilcoxon'"):
        two_sample_test(X, Y, phi="top")
