"""Median rankings against all rankings of a few items, and what every result promises."""

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
import rankings
from rankforest.consensus import MedianRanking, kendall_distance, median_ranking, ranking_cost
from rankforest.consensus.median import METHODS

quick = settings(max_examples=60, deadline=None)
KENDALL = [method for method in METHODS if method not in ("footrule", "median_rank")]


@st.composite
def problems(draw: st.DrawFn, most_items: int = 5) -> tuple[rankings.Rows, list[int] | None, list[int] | None]:
    profile = draw(rankings.profiles(most_items=most_items, most_rankings=7))
    weights = draw(st.none() | rankings.weights(len(profile[0])))
    return profile, weights, draw(st.none() | rankings.weights(len(profile)))


Problem = tuple[rankings.Rows, list[int] | None, list[int] | None]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("method", ["exact", "kemeny"])
@quick
@given(problems())
def test_exact_is_the_best_of_all(method: str, strict: bool, problem: Problem) -> None:
    profile, weights, votes = problem
    result = median_ranking(profile, method, weights, ranking_weights=votes, strict=strict)
    assert result.optimal
    assert result.solver == "exact"
    assert result.cost == pytest.approx(float(naive.least_cost(profile, strict, weights, votes)), rel=1e-9)
    assert result.lower_bound == result.cost
    if strict:
        assert len(set(result.ranking)) == len(profile[0])


@settings(max_examples=10, deadline=None)
@given(rankings.profiles(least_items=6, most_items=6, most_rankings=7))
def test_exact_is_the_best_of_all_six_items(profile: rankings.Rows) -> None:
    assert median_ranking(profile, "exact").cost == naive.least_cost(profile, strict=False)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("method", KENDALL)
@quick
@given(problems())
def test_promises(method: str, strict: bool, problem: Problem) -> None:
    """The cost is that of the ranking; the bounds are bounds; optimal means optimal; no search is worse than Borda."""
    profile, weights, votes = problem
    result = median_ranking(profile, method, weights, ranking_weights=votes, strict=strict)
    least = float(naive.least_cost(profile, strict, weights, votes))
    assert result.cost == pytest.approx(float(naive.cost(profile, result.ranking, weights, votes)))
    assert result.lower_bound <= least * (1 + 1e-9)
    assert result.lower_bound >= float(naive.pairwise_bound(profile, strict, weights, votes)) * (1 - 1e-9)
    assert result.optimal == (result.lower_bound == result.cost)
    if result.optimal:
        assert result.cost == pytest.approx(least)
    if method not in ("borda", "copeland"):
        borda = median_ranking(profile, "borda", weights, ranking_weights=votes, strict=strict)
        assert result.cost <= borda.cost * (1 + 1e-9)


@pytest.mark.parametrize("method", METHODS)
@quick
@given(rankings.profiles(least_items=2))
def test_result_reads_consistently(method: str, profile: rankings.Rows) -> None:
    result = median_ranking(profile, method)
    n = len(profile[0])
    assert sorted(itertools.chain(*result.buckets)) == list(range(n))
    assert sorted(result.order.tolist()) == list(range(n))
    assert (np.diff(result.ranking[result.order]) >= 0).all()
    places = iter(range(1, n + 1))
    for bucket in result.buckets:
        taken = [next(places) for _ in bucket]
        assert (result.ranking[bucket] == np.mean(taken)).all()
    assert sum(result.component_sizes) == n
    assert 0 <= result.gap <= 1
    assert result.cost == ranking_cost(profile, result.ranking, distance=result.distance)
    assert repr(result).startswith(f"MedianRanking({n} items")
    assert ("proved optimal" in repr(result)) == result.optimal


@quick
@given(rankings.profiles(least_items=2))
def test_mean_distance(profile: rankings.Rows) -> None:
    result = median_ranking(profile)
    mean = np.mean([kendall_distance(row, result.ranking) for row in profile])
    assert result.mean_distance == pytest.approx(mean)


@settings(max_examples=60, deadline=None)
@given(problems(most_items=8), st.randoms(use_true_random=False))
def test_names_of_items_do_not_matter(problem: Problem, random: object) -> None:
    """Costs are those of the relabelled problem; rankings by rule are the relabelled rankings."""
    profile, weights, votes = problem
    n = len(profile[0])
    names = list(range(n))
    random.shuffle(names)
    values = np.array(profile)[:, names]
    masses = None if weights is None else np.array(weights)[names]
    for method in ("exact", "borda", "copeland", "median_rank"):
        here = median_ranking(profile, method, weights, ranking_weights=votes)
        there = median_ranking(values, method, masses, ranking_weights=votes)
        assert there.cost == pytest.approx(here.cost)
        assert there.lower_bound == pytest.approx(here.lower_bound)
        if method != "exact":
            assert there.ranking.tolist() == here.ranking[names].tolist()


def test_the_search_is_blind_to_names_where_borda_has_no_ties() -> None:
    rng = np.random.default_rng(0)
    profile, votes, names = np.arange(80) + 40 * rng.standard_normal((9, 80)), rng.random(9), rng.permutation(80)
    here, there = (median_ranking(p, "heuristic", ranking_weights=votes) for p in (profile, profile[:, names]))
    assert there.ranking.tolist() == here.ranking[names].tolist()


@quick
@given(rankings.profiles(most_items=5, most_rankings=4), st.data())
def test_weights_of_rankings_are_repetitions(profile: rankings.Rows, data: st.DataObject) -> None:
    votes = data.draw(rankings.weights(len(profile)))
    repeated = naive.repeated(profile, votes)
    for method in METHODS:
        once, often = median_ranking(profile, method, ranking_weights=votes), median_ranking(repeated, method)
        if method != "heuristic":
            assert once.cost == pytest.approx(often.cost)
        assert once.lower_bound == pytest.approx(often.lower_bound) or method == "heuristic"


@quick
@given(rankings.profiles(most_items=4, most_rankings=4), st.data())
def test_weights_of_items_are_repetitions(profile: rankings.Rows, data: st.DataObject) -> None:
    """Tied copies of an item stay together in some median ranking, so that the least cost is the same."""
    weights = data.draw(rankings.weights(len(profile[0])).filter(lambda w: sum(w) <= 9))
    repeated = [naive.repeated(row, weights) for row in profile]
    assert median_ranking(profile, "exact", weights).cost == pytest.approx(median_ranking(repeated, "exact").cost)


@pytest.mark.parametrize("method", METHODS)
def test_unanimity(method: str) -> None:
    """Rankings that agree are their own median, at no cost."""
    ranking = [3, 1, 2, 5, 4]
    result = median_ranking([ranking] * 4, method)
    assert result.ranking.tolist() == ranking
    assert (result.cost, result.lower_bound, result.optimal, result.gap) == (0.0, 0.0, True, 0.0)


@pytest.mark.parametrize("method", METHODS)
def test_a_single_item(method: str) -> None:
    result = median_ranking([[7.0], [3.0]], method)
    assert result.ranking.tolist() == [1.0]
    assert result.optimal
    assert result.mean_distance == 0.0


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("strict", [False, True])
def test_bounds_and_proofs_of_larger_problems(tied: bool, strict: bool) -> None:
    """The search keeps above the proved optimum, and the optimum above the pairwise bound."""
    rng = np.random.default_rng(5)
    profile = (np.arange(40) + 25 * rng.standard_normal((8, 40))) // (12 if tied else 1e-3)
    exact = median_ranking(profile, "exact", strict=strict)
    search = median_ranking(profile, "heuristic", strict=strict)
    borda = median_ranking(profile, "borda", strict=strict)
    assert exact.optimal
    assert search.lower_bound <= exact.cost <= search.cost <= borda.cost
    assert borda.lower_bound == search.lower_bound


@pytest.mark.parametrize("weighted", [False, True])
def test_seeds_and_threads(weighted: bool) -> None:
    rng = np.random.default_rng(1)
    profile, weights = rng.integers(0, 30, (7, 90)), rng.random(90) if weighted else None
    runs = [median_ranking(profile, "heuristic", weights, n_jobs=jobs) for jobs in (1, 2, 4)]
    assert len({tuple(run.ranking) for run in runs}) == 1
    assert median_ranking(profile, "heuristic", weights, n_restarts=8).cost <= runs[0].cost * (1 + 1e-12)


@pytest.mark.parametrize("time_limit", [0.0, 0.2])
def test_a_time_limit_is_reported(time_limit: float) -> None:
    """After a timeout the result is not marked as optimal, and its bound is still valid."""
    profile = np.random.default_rng(0).integers(0, 30, (10, 120))
    begun = time.monotonic()
    result = median_ranking(profile, "exact", time_limit=time_limit)
    assert time.monotonic() - begun < 20
    search = median_ranking(profile, "heuristic")
    assert not result.optimal
    assert result.solver == "local search"
    assert search.lower_bound <= result.lower_bound < result.cost <= search.cost
    assert result.gap == (result.cost - result.lower_bound) / result.cost
    assert "lower bound" in repr(result)


def test_the_method_says_which_way_it_went() -> None:
    rng = np.random.default_rng(0)
    easy, hard = rng.random((5, 12)), rng.random((6, 150))
    assert median_ranking(easy).solver == "exact"
    result = median_ranking(hard)
    assert (result.solver, result.optimal) == ("local search", False)


def test_results_are_frozen() -> None:
    result = median_ranking([[1, 2]])
    assert isinstance(result, MedianRanking)
    with pytest.raises(AttributeError):
        result.cost = 0.0


def test_condorcet_cycle() -> None:
    """Three voters in a circle: any order loses one majority, ties lose more."""
    result = median_ranking([[1, 2, 3], [2, 3, 1], [3, 1, 2]], "exact")
    assert (result.cost, result.component_sizes) == (4.0, (3,))
    assert math.isclose(result.mean_distance, Fraction(4, 9))
