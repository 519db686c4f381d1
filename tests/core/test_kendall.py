"""The masses of discordant and tied pairs against loops over pairs."""

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
from rankforest import _core

quick = settings(max_examples=150, deadline=None)


def floats(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.float64)


def naive_masses(a: list[int], b: list[int], w: list[int] | None) -> tuple[Fraction, Fraction, Fraction]:
    """Discordant, tied in a only, tied in b only: the distance in the penalty is linear."""
    one, none = Fraction(1), Fraction(0)
    discordant = naive.kendall(a, b, w, none)
    tied_one = naive.kendall(a, b, w, one) - discordant
    constant = [0] * len(a)
    # pairs strict in x = pairs tied in exactly one of (x, constant)
    strict_a, strict_b = (naive.kendall(x, constant, w, one) for x in (a, b))
    tied_a = (tied_one + strict_b - strict_a) / 2
    return discordant, tied_a, tied_one - tied_a


@quick
@given(rankings.pairs(most=40), st.data())
def test_masses(pair: tuple[list[int], list[int]], data: st.DataObject) -> None:
    a, b = pair
    w = data.draw(st.none() | rankings.weights(len(a)))
    got = _core.kendall_masses(floats(a), floats(b), None if w is None else floats(w))
    assert got == naive_masses(a, b, w)


@pytest.mark.parametrize("levels", [3, 30, 10**6])
@pytest.mark.parametrize("n", [16, 17, 31, 32, 33, 100, 257])
def test_masses_of_longer_rankings(n: int, levels: int) -> None:
    rng = np.random.default_rng(n)
    a, b, w = rng.integers(0, levels, n), rng.integers(0, levels, n), rng.integers(0, 5, n)
    for weights in (None, w):
        got = _core.kendall_masses(floats(a), floats(b), None if weights is None else floats(weights))
        assert got == naive_masses(a.tolist(), b.tolist(), None if weights is None else weights.tolist())


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_matrix_is_made_of_pairs(n_threads: int, weighted: bool) -> None:
    rng = np.random.default_rng(1)
    profile, weights = rng.integers(0, 8, (7, 40)).astype(float), rng.random(40) if weighted else None
    matrix = _core.kendall_matrix(profile, weights, 0.5, n_threads)
    for i, a in enumerate(profile):
        for j, b in enumerate(profile):
            discordant, tied_a, tied_b = _core.kendall_masses(a, b, weights)
            assert matrix[i, j] == pytest.approx(discordant + 0.5 * (tied_a + tied_b), rel=1e-12)
    assert (np.diag(matrix) == 0).all()


def test_equal_rankings_are_at_distance_zero_whatever_the_weights() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        a = rng.integers(0, 10, 200).astype(float)
        assert _core.kendall_masses(a, a.copy(), rng.random(200)) == (0.0, 0.0, 0.0)


def test_the_core_checks_lengths() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        _core.kendall_masses(np.zeros(2), np.zeros(3), None)
    with pytest.raises(ValueError, match="one weight per item"):
        _core.kendall_masses(np.zeros(2), np.zeros(2), np.ones(3))
    with pytest.raises(ValueError, match="one weight per ranking"):
        _core.preference_counts(np.zeros((2, 3)), np.ones(3), 1)


@pytest.mark.parametrize(
    "values",
    [
        lambda rng, n: rng.standard_normal(n),
        lambda rng, n: np.round(rng.standard_normal(n), 1),  # both zeros among them
        lambda rng, n: rng.integers(-3, 3, n) + 1e-15 * rng.integers(0, 3, n),  # equal in their upper bits
        lambda rng, n: 10.0 ** rng.integers(-300, 300, n),
        lambda rng, n: np.zeros(n),
        lambda rng, n: np.array([np.finfo(float).max, np.finfo(float).min, 5e-324, -5e-324])[rng.integers(0, 4, n)],
    ],
)
@pytest.mark.parametrize("n", [200, 300, 5000])
def test_any_numbers_are_sorted(values: Callable[[np.random.Generator, int], np.ndarray], n: int) -> None:
    """Few values are sorted by comparison, many by their bits."""
    rng = np.random.default_rng(0)
    a, b = values(rng, n), rng.integers(0, 50, n).astype(float)
    ranked = stats.rankdata(a, method="dense").astype(float)
    assert _core.kendall_masses(a, b, None) == _core.kendall_masses(ranked, b, None)
    assert _core.kendall_masses(a, ranked, None) == (0.0, 0.0, 0.0)
    ties = sum(math.comb(int(count), 2) for count in np.unique(a, return_counts=True)[1])
    assert _core.kendall_masses(a, np.arange(n, dtype=float), None)[1] == ties
