"""Distances against their definitions in fractions, against SciPy, and as metrics."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import naive_consensus as naive
import rankings
from rankforest.consensus import (
    footrule_coefficient,
    footrule_distance,
    kendall_distance,
    kendall_tau,
    spearman_distance,
    spearman_rho,
)

quick = settings(max_examples=150, deadline=None)
Pair = tuple[list[int], list[int]]
DISTANCES = [
    (kendall_distance, naive.kendall),
    (footrule_distance, naive.footrule),
    (spearman_distance, naive.spearman),
]


@pytest.mark.parametrize(("distance", "twin"), DISTANCES)
@quick
@given(rankings.pairs(), st.data())
def test_plain_sums(distance: Callable, twin: Callable, pair: Pair, data: st.DataObject) -> None:
    weights = data.draw(st.none() | rankings.weights(len(pair[0])))
    assert distance(*pair, weights=weights, normalize=None) == twin(*pair, weights)


@quick
@given(rankings.pairs(), st.data(), st.sampled_from([Fraction(0), Fraction(1, 4), Fraction(1)]))
def test_penalty(pair: Pair, data: st.DataObject, penalty: Fraction) -> None:
    weights = data.draw(st.none() | rankings.weights(len(pair[0])))
    got = kendall_distance(*pair, weights=weights, normalize=None, penalty=float(penalty))
    assert got == naive.kendall(*pair, weights, penalty)


@quick
@given(rankings.pairs(), st.data())
def test_units(pair: Pair, data: st.DataObject) -> None:
    """The formulas of the papers: pairs of distinct items, and cells drawn by their mass."""
    n = len(pair[0])
    weights = data.draw(st.none() | rankings.weights(n))
    w = weights or [1] * n
    mass = Fraction(sum(w))
    cube = sum((m / mass) ** 3 for m in w)
    kendall, footrule, squares = (twin(*pair, w) for _, twin in DISTANCES)
    cells = {
        kendall_distance: 2 * kendall / mass**2,
        footrule_distance: Fraction(3, 2) * footrule / mass**2,
        spearman_distance: 3 * squares / mass**3,
    }
    for distance, value in cells.items():
        assert math.isclose(distance(*pair, weights=weights, normalize="mass"), value, abs_tol=1e-12)
    distinct = {
        kendall_distance: kendall / naive.pair_mass(n, w) if naive.pair_mass(n, w) else 0,
        footrule_distance: cells[footrule_distance] / (1 - cube) if cube < 1 else 0,
        spearman_distance: cells[spearman_distance] / (1 - cube) if cube < 1 else 0,
    }
    for distance, value in distinct.items():
        assert math.isclose(distance(*pair, weights=weights), value, abs_tol=1e-12)


@quick
@given(rankings.pairs())
def test_coefficients_are_those_of_the_papers(pair: Pair) -> None:
    n = len(pair[0])
    if n == 1:
        assert kendall_tau(*pair) == footrule_coefficient(*pair) == spearman_rho(*pair) == 1.0
        return
    assert math.isclose(footrule_coefficient(*pair), 1 - Fraction(3, n**2 - 1) * naive.footrule(*pair), abs_tol=1e-12)
    rho = 1 - Fraction(6, n * (n**2 - 1)) * naive.spearman(*pair)
    assert math.isclose(spearman_rho(*pair), rho, abs_tol=1e-12)
    assert math.isclose(kendall_tau(*pair), 1 - 2 * naive.kendall(*pair) / math.comb(n, 2), abs_tol=1e-12)


@quick
@given(st.integers(2, 30).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))))
def test_scipy_agrees_without_ties(pair: Pair) -> None:
    assert math.isclose(kendall_tau(*pair), stats.kendalltau(*pair).statistic, abs_tol=1e-12)
    assert math.isclose(spearman_rho(*pair), stats.spearmanr(*pair).statistic, abs_tol=1e-12)


@quick
@given(rankings.pairs(most=30))
def test_scipy_agrees_with_ties(pair: Pair) -> None:
    """tau-b is tau-a over the geometric mean of the shares of strict pairs; ours also counts pairs tied in both."""
    a, b = pair
    n = len(a)
    strict_a, strict_b = (naive.kendall(x, [0] * n, penalty=Fraction(1)) for x in pair)
    if not strict_a or not strict_b:
        return
    tied_both = sum(a[k] == a[j] and b[k] == b[j] for k in range(n) for j in range(k))
    tau_a = stats.kendalltau(a, b).statistic * math.sqrt(strict_a * strict_b) / math.comb(n, 2)
    assert math.isclose(kendall_tau(a, b), tau_a + tied_both / math.comb(n, 2), abs_tol=1e-9)


@quick
@given(st.integers(2, 20).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n)))), st.data())
def test_scipy_agrees_on_weighted_pairs(pair: Pair, data: st.DataObject) -> None:
    """weightedtau with multiplicative weights of the items is ours over pairs of distinct items."""
    n = len(pair[0])
    weights = data.draw(rankings.weights(n, least=1))
    theirs = stats.weightedtau(*pair, rank=np.arange(n), weigher=lambda r: weights[r], additive=False).statistic
    assert math.isclose(kendall_tau(*pair, weights=weights), theirs, abs_tol=1e-9)


def test_scipy_agrees_on_a_long_list() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(5000), rng.random(5000)
    assert math.isclose(kendall_tau(a, b), stats.kendalltau(a, b).statistic, abs_tol=1e-12)


@pytest.mark.parametrize(("distance", "twin"), DISTANCES)
@quick
@given(rankings.pairs(), st.data())
def test_weights_are_repetitions(distance: Callable, twin: Callable, pair: Pair, data: st.DataObject) -> None:
    """An item of weight m counts as m tied items."""
    weights = data.draw(rankings.weights(len(pair[0])))
    rows = [naive.repeated(row, weights) for row in pair]
    assert distance(*pair, weights=weights, normalize=None) == distance(*rows, normalize=None)
    assert math.isclose(distance(*pair, weights=weights, normalize="mass"), distance(*rows, normalize="mass"))


@pytest.mark.parametrize("normalize", ["distinct", "mass", None])
@pytest.mark.parametrize("distance", [kendall_distance, footrule_distance, spearman_distance])
@quick
@given(rankings.pairs(), st.data())
def test_metric(distance: Callable, normalize: str | None, pair: Pair, data: st.DataObject) -> None:
    """Symmetry, zero for equal orders, triangle inequality (of the square root for Spearman's)."""
    a, b = pair
    weights = data.draw(st.none() | rankings.weights(len(a)))
    c = data.draw(rankings.ranking(len(a)))

    def d(x: list[int], y: list[int]) -> float:
        value = distance(x, y, weights=weights, normalize=normalize)
        return math.sqrt(value) if distance is spearman_distance else value

    assert d(a, b) == d(b, a)
    assert d(a, [3 * x - 7 for x in a]) == 0
    assert d(a, b) <= d(a, c) + d(c, b) + 1e-12
    if weights is None and naive.mass_ranks(a) != naive.mass_ranks(b):
        assert d(a, b) > 0


@pytest.mark.parametrize("n", [2, 3, 10])
def test_reversal(n: int) -> None:
    up, down = np.arange(n), np.arange(n)[::-1]
    assert kendall_tau(up, down) == -1
    assert spearman_rho(up, down) == pytest.approx(-1)
    weights = np.random.default_rng(n).random(n)
    assert kendall_tau(up, down, weights=weights) == pytest.approx(-1)
    assert spearman_rho(up, down, weights=weights) == pytest.approx(-1)


def test_a_large_weight_does_not_drown_the_small_ones() -> None:
    assert kendall_distance([1, 2, 3], [1, 3, 2], weights=[1e12, 1, 1], normalize=None) == 1.0


def test_coefficients_refuse_plain_sums() -> None:
    for coefficient in (kendall_tau, footrule_coefficient, spearman_rho):
        with pytest.raises(ValueError, match=r"normalize=None; use .*_distance for the plain sum"):
            coefficient([1, 2], [2, 1], normalize=None)
