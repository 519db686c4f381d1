"""Counter-based random numbers: draws are as documented, of the right size, without repetition, and uniform."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, chisquare

import naive
from rankforest import _core

keys = st.integers(0, 2**64 - 1)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 1000), min_size=1, max_size=20, unique=True), st.integers(-1, 25), keys)
def test_drawn_features(pool: list[int], count: int, key: int) -> None:
    """`count` different features of the pool in ascending order; the whole pool where the count covers it or is 0."""
    pool.sort()
    drawn = _core.draw_features(pool, count, key)
    size = count if 0 < count < len(pool) else len(pool)
    assert drawn == sorted(set(drawn))
    assert len(drawn) == size
    assert set(drawn) <= set(pool)
    assert drawn == naive.draw_features(pool, max(count, 0), key)


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 40), st.integers(0, 40), st.booleans(), keys)
def test_drawn_rows(n: int, size: int, replace: bool, key: int) -> None:
    size = size if replace else min(size, n)
    times = _core.draw_rows(n, size, replace, key)
    assert len(times) == n
    assert times.sum() == size
    assert replace or times.max() <= 1
    assert times.tolist() == naive.draw_rows(n, size, replace, key)


@pytest.mark.parametrize("replace", [True, False])
def test_rows_are_drawn_evenly(replace: bool) -> None:
    """Row totals over many keys do not depart from uniform, and neither do pairs drawn without replacement."""
    n, size, draws = 30, 10, 3000
    times = np.array([_core.draw_rows(n, size, replace, key) for key in range(draws)])
    spread = 1.0 if replace else 1.0 - size / n  # without replacement the counts vary less by this factor
    statistic = ((times.sum(axis=0) - draws * size / n) ** 2).sum() / (draws * size / n) / spread
    assert chi2.sf(statistic, n - 1) > 1e-3
    if not replace:
        pairs = times.T.astype(float) @ times
        expected = draws * size * (size - 1) / (n * (n - 1))
        off = pairs[np.triu_indices(n, 1)]
        assert np.abs(off - expected).max() < 5.5 * math.sqrt(expected)


def test_every_set_of_features_is_equally_likely() -> None:
    sets = list(combinations(range(6), 3))
    draws = [tuple(_core.draw_features(list(range(6)), 3, naive.child_key(7, key))) for key in range(8000)]
    counts = [draws.count(s) for s in sets]
    assert sum(counts) == len(draws)
    assert chisquare(counts).pvalue > 1e-3


def test_keys_give_different_draws() -> None:
    drawn = {tuple(_core.draw_rows(50, 25, False, key).tolist()) for key in range(200)}
    assert len(drawn) == 200
