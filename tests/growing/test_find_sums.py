"""The search for sums beside brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from naive import gini_gain
from rankforest.data.schema import Feature, Schema
from rankforest.data.sums import WeightedSum
from rankforest.growing.find_sums import SumSearch, cut_gain, directions

NUMBERS = Schema(tuple(Feature(name, "numeric") for name in "abc"), named=True)


def naive_gain(values: list[Fraction], negatives: list[int], positives: list[int], least: int) -> Fraction:
    """Largest gain over all thresholds."""
    whole, best = (sum(negatives), sum(positives)), Fraction(0)
    for cut in sorted(set(values))[:-1]:
        inside = [i for i, value in enumerate(values) if value <= cut]
        if least <= len(inside) <= len(values) - least:
            left = (sum(negatives[i] for i in inside), sum(positives[i] for i in inside))
            best = max(best, gini_gain(left, whole))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_the_best_cut_of_a_column(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 12, 30)
    negatives, positives = rng.integers(0, 9, (2, 30))
    for least in (1, 5, 15, 16):
        gain, cut = cut_gain(values.astype(float), negatives / negatives.sum(), positives / positives.sum(), least)
        expected = naive_gain([Fraction(int(v)) for v in values], negatives.tolist(), positives.tolist(), least)
        assert gain == pytest.approx(float(expected) / 2, abs=1e-12)  # the twin's impurity is twice ours
        if gain > 0:
            left = values <= cut
            assert least <= left.sum() <= 30 - least


def test_missing_values_go_right_and_are_never_cut_off_alone() -> None:
    values, share = np.array([1.0, np.nan, 2.0, np.nan]), np.full(4, 0.25)
    assert cut_gain(values, share, share, 1) == (0.0, 1.5)
    assert cut_gain(np.full(4, np.nan), share, share, 1)[0] == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_the_first_sum_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-20, 20, (40, 3)).astype(float)
    wanted = ((0, 1), (1, -1)) if seed % 2 else ((1, 1), (2, 1))
    signal = WeightedSum(wanted).of(X)
    rate = 1.0 / (1.0 + np.exp(-signal / 4.0))
    rate = np.clip(np.round(rate * 64) / 64, 1 / 64, 63 / 64)
    found = SumSearch(most_cells=2, least_rows=5).find(X, rate, None, NUMBERS, seed=0)

    positives = (64 * rate).astype(int).tolist()
    negatives = [64 - p for p in positives]

    def gain(total: WeightedSum) -> Fraction:
        values = [sum((Fraction(w) * Fraction(float(row[j])) for j, w in total.terms), Fraction(0)) for row in X]
        return naive_gain(values, negatives, positives, 5)

    single = max(gain(WeightedSum(((j, 1),))) for j in range(3))
    best = max(gain(total) for total in directions(X, [0, 1, 2]))
    assert len(found) == 1
    assert gain(found[0]) == best
    assert best > Fraction(11, 10) * single


def test_directions_are_round_and_cover_the_ratio_of_the_spreads() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4)) * [1.0, 300.0, 0.02, 0.0]
    found = directions(X, [0, 1, 2, 3])
    assert {tuple(j for j, _ in each.terms) for each in found} == set(combinations(range(3), 2))  # a constant has none
    for each in found:
        (_, first), (_, second) = each.terms
        assert first > 0
        assert min(first, abs(second)) == 1
        assert str(max(first, abs(second))).rstrip("0") in ("1", "2", "5")
        spreads = [abs(weight) * np.subtract(*np.quantile(X[:, j], [0.9, 0.1])) for j, weight in each.terms]
        assert 1 / 4.01 <= spreads[0] / spreads[1] <= 4.01


def test_a_single_feature_that_is_as_good_is_preferred() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    rate = np.where(X[:, 1] > 0.3, 0.9, 0.1)
    assert SumSearch().find(X, rate, None, NUMBERS, seed=0) == ()
    text = Schema(
        (Feature("a", "numeric"), Feature("b", "categorical", (0, 1, 2)), Feature("c", "numeric")), named=True
    )
    X[:, 1] = rng.integers(0, 3, 300)
    assert SumSearch(most_cells=2).find(X, np.where(X[:, 1] == 1, 0.9, 0.1), None, text, seed=0) == ()


def test_weights_count_as_rows() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    rate = np.clip(0.5 + 0.4 * np.sign(X[:, 0] - X[:, 2]), 0.1, 0.9)
    weights = rng.integers(1, 4, 120)
    search = SumSearch(most_cells=2, least_rows=1)
    weighted = search.find(X, rate, weights.astype(float), NUMBERS, seed=0)
    again = np.repeat(np.arange(120), weights)
    assert weighted == (WeightedSum(((0, 1), (2, -1))),)
    assert search.find(X[again], rate[again], None, NUMBERS, seed=0) == weighted
