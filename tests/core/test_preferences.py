"""Counts of preferences and what follows from them, against loops over rankings and pairs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
import rankings
from rankforest import _core

quick = settings(max_examples=100, deadline=None)


def floats(values: object) -> np.ndarray | None:
    return None if values is None else np.array(values, dtype=np.float64)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[rankings.Rows, list[int] | None, list[int] | None]:
    profile = draw(rankings.profiles(most_items=8))
    votes = draw(st.none() | rankings.weights(len(profile)))
    return profile, votes, draw(st.none() | rankings.weights(len(profile[0])))


@quick
@given(weighted())
def test_counts_gains_and_totals(case: tuple[rankings.Rows, list[int] | None, list[int] | None]) -> None:
    profile, votes, weights = case
    n, mass = len(profile[0]), sum(votes or [1] * len(profile))
    w = weights or [1] * n
    before = naive.before(profile, votes)
    assert _core.preference_counts(floats(profile), floats(votes), 1).tolist() == before
    margin, tied = _core.pair_gains(floats(profile), floats(votes), floats(weights), 2)
    beaten = [Fraction(0)] * n
    best, best_strict, disagreement = 0, 0, Fraction(0)
    for k, j in itertools.permutations(range(n), 2):
        x, y = before[k][j], before[j][k]
        assert margin[k, j] == (x - y) * w[k] * w[j]
        assert tied[k, j] == (mass - x - y) * w[k] * w[j]
        beaten[k] += w[j] * (Fraction(1) if x > y else Fraction(x == y, 2))
    for k, j in itertools.combinations(range(n), 2):
        best += max(abs(margin[k, j]), tied[k, j])
        best_strict += abs(margin[k, j])
        x, y = before[k][j], before[j][k]
        disagreement += w[k] * w[j] * (x * y + Fraction((x + y) * (mass - x - y), 2))
    assert (np.diag(margin) == 0).all()
    assert (np.diag(tied) == 0).all()
    assert _core.copeland_scores(floats(profile), floats(votes), floats(weights), 1).tolist() == beaten
    assert _core.pair_totals(floats(profile), floats(votes), floats(weights), 2) == (best, best_strict, disagreement)
    assert (margin.dtype == np.int32) == (votes is None and weights is None)


@pytest.mark.parametrize(("n_rankings", "n_items"), [(3, 2100), (40_000, 4)])
def test_blocks_of_items_and_of_rankings(n_rankings: int, n_items: int) -> None:
    """More items than a block holds, more rankings than a 16-bit counter holds."""
    profile = np.random.default_rng(0).integers(0, 3, (n_rankings, n_items)).astype(float)
    counted = _core.preference_counts(profile, None, 2)
    for k in (0, 1, n_items - 1):
        assert (counted[k] == (profile[:, k, None] < profile).sum(axis=0)).all()


@pytest.mark.parametrize("levels", [2, 40_000])
def test_more_items_than_16_bits_hold(levels: int) -> None:
    """The levels are then 32 bits wide; the totals stay whole numbers."""
    n = 33_000
    rng = np.random.default_rng(0)
    profile = rng.integers(0, levels, (2, n)).astype(float)
    discordant, tied_a, tied_b = _core.kendall_masses(profile[0], profile[1], None)
    assert _core.pair_totals(profile, None, None, 2)[2] == discordant + 0.5 * (tied_a + tied_b)


def test_a_draw_of_weighted_rankings_is_a_draw() -> None:
    """.1 + .2 against .3 is no majority."""
    profile, votes = np.array([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]), np.array([0.1, 0.2, 0.3])
    assert _core.copeland_scores(profile, votes, None, 1).tolist() == [0.5, 0.5]
    assert not _core.pair_gains(profile, votes, None, 1)[0].any()
