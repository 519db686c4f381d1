"""Sums over equal values are those of NumPy, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest

from rankforest.data.equal_values import sums_of_equal


@pytest.mark.parametrize("n", [0, 1, 2, 1000])
@pytest.mark.parametrize("n_distinct", [1, 7, 10**6])
def test_sums_are_those_of_unique_and_bincount(n: int, n_distinct: int) -> None:
    rng = np.random.default_rng(0)
    values, weights, labels = rng.integers(0, n_distinct, n) / 7, rng.random(n), rng.integers(0, 2, n, dtype=np.uint8)
    expected, place = np.unique(values, return_inverse=True)
    distinct, (rows, of_weights, of_labels) = sums_of_equal(values, None, weights, labels)
    np.testing.assert_array_equal(distinct, expected)
    np.testing.assert_array_equal(rows, np.bincount(place, weights=np.ones(n)))
    np.testing.assert_array_equal(of_weights, np.bincount(place, weights=weights))
    np.testing.assert_array_equal(of_labels, np.bincount(place, weights=labels))
    assert rows.dtype == of_weights.dtype == of_labels.dtype == np.float64
