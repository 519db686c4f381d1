"""The best segments, against all ways to cut a sequence."""

from itertools import combinations

import numpy as np
import pytest

from rankforest.scorecard.segments import best_segments


def error_of(values, weights, starts):
    found = 0.0
    for part, weight in zip(np.split(values, starts), np.split(weights, starts)):
        if weight.sum() > 0:
            found += float(weight @ (part - np.average(part, weights=weight)) ** 2)
    return found


def naive(values, weights, n_segments):
    """The least error over all ways to cut."""
    n = len(values)
    return min(error_of(values, weights, list(cut)) for cut in combinations(range(1, n), n_segments - 1))


@pytest.mark.parametrize("seed", range(30))
def test_no_other_segments_are_better(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    values = rng.integers(0, 6, n) + 1e6 * (seed % 2)  # also far from 0
    weights = rng.integers(0, 4, n).astype(float)
    found = best_segments(values.astype(float), weights, 5)
    assert len(found.costs) == min(n, 5)
    for k, cost in enumerate(found.costs, start=1):
        assert cost == pytest.approx(naive(values, weights, k), abs=1e-6)
        starts = found.starts(k)
        assert len(starts) == k - 1
        assert error_of(values, weights, starts) == pytest.approx(cost, abs=1e-6)


@pytest.mark.parametrize("price", [0.0, 0.3, 5.0, 1e9])
def test_a_cut_must_be_worth_its_price(price):
    rng = np.random.default_rng(3)
    found = best_segments(rng.normal(size=12), np.ones(12), 6)
    k = found.n_best(price)
    priced = found.costs + price * np.arange(6)
    assert priced[k - 1] == priced.min()
    assert found.n_best(price, 4) == int(np.argmin(priced[:4])) + 1
    assert (k == 6) if price == 0 else (k == 1) if price == 1e9 else (1 <= k <= 6)
