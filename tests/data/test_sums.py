"""Weighted sums as further features of a table."""

from __future__ import annotations

import numpy as np
import pytest

from rankforest.data.binning import bin_table, find_bins
from rankforest.data.sample import Sample
from rankforest.data.schema import Feature, Schema
from rankforest.data.sums import LARGEST_PART, WeightedSum, WideRows, widened, widened_schema
from rankforest.data.table import read_table


def test_a_sum_is_what_a_person_adds_up() -> None:
    X = np.array([[100.0, 7.0, 20.0], [np.nan, 7.0, 20.0], [1.0, 7.0, 2 * LARGEST_PART], [-5.0, 0.0, -2.0]])
    total = WeightedSum(((0, 1), (2, -2))).of(X)
    np.testing.assert_array_equal(total, [60.0, np.nan, np.nan, -1.0])
    np.testing.assert_array_equal(widened(X, [WeightedSum(((1, 3),))])[:, 3], [21.0, 21.0, 21.0, 0.0])


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        (((0, 1), (1, -2)), "income - 2 x debt"),
        (((0, 5), (2, 1)), "5 x income + age"),
        (((1, 1), (2, -20000)), "debt - 20 000 x age"),
    ],
)
def test_a_sum_in_words(terms: tuple[tuple[int, int], ...], words: str) -> None:
    assert WeightedSum(terms).name(["income", "debt", "age"]) == words


def test_the_name_of_a_sum_may_be_taken() -> None:
    schema = Schema((Feature("a", "numeric"), Feature("b", "numeric"), Feature("a + b", "numeric")), named=True)
    total = WeightedSum(((0, 1), (1, 1)))
    assert widened_schema(schema, [total, total]).names == ("a", "b", "a + b", "(a + b)", "((a + b))")


def test_the_bins_of_a_sum_are_those_of_its_column() -> None:
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=500), rng.integers(0, 5, 500), rng.exponential(size=500)])
    X[::7, 0] = np.nan
    total = WeightedSum(((0, 2), (2, -1)))
    table = read_table(X)
    sample = Sample(table, bin_table(table, find_bins(table)), np.zeros(500, dtype=np.uint8), None)
    wide = WideRows.of(sample, 255).with_sums([total])
    by_hand = read_table(np.column_stack([X, total.of(X)]))
    expected = bin_table(by_hand, find_bins(by_hand))
    np.testing.assert_array_equal(wide.binned.codes, expected.codes)
    np.testing.assert_array_equal(wide.binned.bins.cuts[3], expected.bins.cuts[3])
    np.testing.assert_array_equal(next(iter(wide.table.blocks())), np.column_stack([X, total.of(X)]))
    assert WideRows.of(sample, 255).with_sums([]) is sample
