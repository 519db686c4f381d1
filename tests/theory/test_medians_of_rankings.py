"""Which average is the median for which distance; consensus and the members of a profile."""

import itertools
import statistics
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
import rankings
from rankforest.consensus import footrule_distance, kendall_distance, median_ranking, ranking_cost

quick = settings(max_examples=60, deadline=None)


def total(profile: rankings.Rows, ranking: object, distance: object) -> float:
    return sum(distance(row, ranking) for row in profile)


@quick
@given(rankings.profiles(most_items=5))
def test_borda_minimises_rho(profile: rankings.Rows) -> None:
    """No strict ranking has a smaller sum of squared rank differences than the mean ranks put in order."""
    borda = median_ranking(profile, "borda", strict=True)
    cost = total(profile, borda.ranking, naive.spearman)
    assert all(
        cost <= total(profile, other, naive.spearman) for other in itertools.permutations(range(len(profile[0])))
    )


@quick
@given(rankings.profiles(most_items=5), st.booleans(), st.data())
def test_median_ranks_minimise_the_footrule_over_real_scores(
    profile: rankings.Rows, weighted: bool, data: st.DataObject
) -> None:
    """No numbers, ranks or not, are nearer to the ranks of the profile than the pointwise medians."""
    n_items = len(profile[0])
    weights = list(range(1, n_items + 1)) if weighted else [1] * n_items
    ranks = [naive.mass_ranks(row, weights) for row in profile]
    medians = [statistics.median(column) for column in zip(*ranks)]

    def cost(scores: Sequence[Fraction]) -> Fraction:
        return sum((w * abs(r - s) for row in ranks for w, r, s in zip(weights, row, scores)), Fraction(0))

    others = data.draw(st.lists(st.fractions(0, sum(weights)), min_size=n_items, max_size=n_items))
    assert cost(medians) <= cost(others)
    assert median_ranking(profile, "median_rank", weights).lower_bound == pytest.approx(float(cost(medians)))


@quick
@given(rankings.profiles(most_items=5), st.booleans())
def test_the_footrule_of_the_medians_is_a_bound_for_rankings(profile: rankings.Rows, weighted: bool) -> None:
    """No ranking has a smaller footrule than the pointwise medians; where these are the ranks of one, it is optimal."""
    weights = list(range(1, len(profile[0]) + 1)) if weighted else None
    result = median_ranking(profile, "median_rank", weights)
    costs = [
        sum(naive.footrule(row, other, weights) for row in profile) for other in naive.bucket_orders(len(profile[0]))
    ]
    assert result.lower_bound <= float(min(costs)) + 1e-9
    assert result.cost >= float(min(costs)) - 1e-9
    if result.optimal:
        assert result.cost == pytest.approx(float(min(costs)))


def test_the_order_of_the_medians_need_not_minimise_the_footrule() -> None:
    """Four rankings of five items: 22 in the order of the medians, 20 is possible, the medians themselves have 18."""
    profile = [[5, 1, 3, 2, 4], [5, 3, 4, 1, 2], [3, 4, 1, 2, 5], [1, 3, 4, 2, 5]]
    result = median_ranking(profile, "median_rank")
    assert result.buckets == [[3], [1], [2], [0], [4]]
    least = min(total(profile, other, naive.footrule) for other in naive.bucket_orders(5))
    assert (result.lower_bound, least, result.cost) == (18, 20, 22)
    assert not result.optimal
    assert total(profile, [1, 1, 1, 0, 2], naive.footrule) == least


@quick
@given(rankings.profiles(most_items=5), st.data())
def test_assignment_minimises_the_footrule_over_strict_rankings(profile: rankings.Rows, data: st.DataObject) -> None:
    votes = data.draw(st.none() | rankings.weights(len(profile)))
    result = median_ranking(profile, "footrule", ranking_weights=votes)
    times = votes or [1] * len(profile)
    least = min(
        sum(m * naive.footrule(row, other) for m, row in zip(times, profile))
        for other in itertools.permutations(range(len(profile[0])))
    )
    assert result.optimal
    assert result.strict
    assert result.cost == pytest.approx(float(least))


@quick
@given(rankings.pairs())
def test_footrule_and_kendall_are_within_a_factor_of_two(pair: tuple[list[int], list[int]]) -> None:
    """Diaconis and Graham, with ties by Fagin et al.: K <= F <= 2 K."""
    kendall = kendall_distance(*pair, normalize=None)
    footrule = footrule_distance(*pair, normalize=None)
    assert kendall <= footrule <= 2 * kendall


@quick
@given(rankings.profiles(most_items=7))
def test_the_consensus_beats_every_member(profile: rankings.Rows) -> None:
    result = median_ranking(profile, "exact")
    assert all(result.cost <= ranking_cost(profile, member) for member in profile)


@quick
@given(rankings.profiles(most_items=7))
def test_without_ties_in_the_profile_a_strict_ranking_is_best(profile: rankings.Rows) -> None:
    rows = [np.argsort(np.argsort(row, kind="stable")) for row in profile]
    assert median_ranking(rows, "exact").cost == median_ranking(rows, "exact", strict=True).cost


@quick
@given(rankings.profiles(most_items=6))
def test_a_condorcet_winner_comes_first(profile: rankings.Rows) -> None:
    """An item that beats each other one by an absolute majority leads the exact median, alone."""
    before = np.array(naive.before(profile))
    result = median_ranking(profile, "exact")
    for item in range(len(before)):
        if all(2 * before[item, other] > len(profile) for other in range(len(before)) if other != item):
            assert result.buckets[0] == [item]
