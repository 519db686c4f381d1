"""The integer program alone, started from a poor ranking, with and without the linear program first."""

import functools
import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankings
from rankforest.consensus import exact
from rankforest.consensus.exact import solve_exact
from rankforest.consensus.pair_gains import PairGains


def gains_of(profile: object, weights: object = None) -> PairGains:
    masses = None if weights is None else np.array(weights, dtype=np.float64)
    return PairGains.of_profile(np.array(profile, dtype=np.float64), None, masses, 1)


def best_gain(gains: PairGains, strict: bool) -> float:
    """By dynamic programming over sets: choose the first bucket, then rank the rest."""
    n = gains.n_items
    margin, tied = gains.margin.tolist(), gains.tied.tolist()

    @functools.cache
    def best(rest: frozenset[int]) -> float:
        if not rest:
            return 0.0
        sizes = (1,) if strict else range(1, len(rest) + 1)
        return max(
            sum(tied[k][j] for k, j in itertools.combinations(bucket, 2))
            + sum(margin[k][j] for k in bucket for j in rest.difference(bucket))
            + best(rest.difference(bucket))
            for size in sizes
            for bucket in itertools.combinations(sorted(rest), size)
        )

    return best(frozenset(range(n)))


@pytest.mark.parametrize("linear", [True, False])
@settings(max_examples=40, deadline=None)
@given(rankings.profiles(least_items=3, most_items=6, most_rankings=6), st.booleans(), st.data())
def test_from_a_poor_start(linear: bool, profile: rankings.Rows, strict: bool, data: st.DataObject) -> None:
    n = len(profile[0])
    gains = gains_of(profile, data.draw(st.none() | rankings.weights(n, least=1)))
    start = np.argsort(data.draw(st.permutations(range(n)))).astype(np.int32)
    with pytest.MonkeyPatch.context() as patch:
        if not linear:
            patch.setattr(exact._Program, "_linear", lambda program: False)
        levels, bound = solve_exact(gains, start, strict)
    assert gains.of(levels) == pytest.approx(best_gain(gains, strict))
    assert bound == pytest.approx(gains.of(levels))
    if strict:
        assert len(set(levels)) == n


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_noise_of_nine_items(seed: int, strict: bool) -> None:
    """Large enough for long cycles and for programs with fractional solutions."""
    gains = gains_of(np.random.default_rng(seed).integers(0, 4, (6, 9)))
    levels, bound = solve_exact(gains, np.arange(9, dtype=np.int32), strict)
    assert gains.of(levels) == bound == best_gain(gains, strict)


def test_the_linear_program_alone_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile whose linear program has a fractional solution: the integer program closes the gap."""
    gains = gains_of(np.random.default_rng(25).integers(0, 5, (6, 10)))
    start = np.arange(10, dtype=np.int32)
    levels, bound = solve_exact(gains, start, False)
    assert gains.of(levels) == bound == best_gain(gains, False)
    monkeypatch.setattr(exact._Program, "_integer", lambda program: None)
    _, relaxed = solve_exact(gains, start, False)
    assert relaxed > bound


def test_out_of_time_the_bound_is_a_bound() -> None:
    gains = gains_of(np.random.default_rng(0).integers(0, 4, (6, 9)))
    start = np.arange(9, dtype=np.int32)
    levels, bound = solve_exact(gains, start, False, deadline=time.monotonic())
    assert levels.tolist() == start.tolist()
    assert gains.of(levels) < best_gain(gains, False) <= bound <= gains.best(False)


def test_tiny_weights_are_solved_like_large_ones() -> None:
    profile = np.random.default_rng(1).integers(0, 4, (6, 9))
    weights = np.random.default_rng(2).integers(1, 5, 9)
    start = np.arange(9, dtype=np.int32)
    small, large = (gains_of(profile, scale * weights) for scale in (1e-5, 1.0))
    levels, _ = solve_exact(small, start, False)
    assert large.of(levels) == pytest.approx(best_gain(large, False))
