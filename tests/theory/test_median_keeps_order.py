"""A median ranking keeps what its rankings agree on: an item that none ranks above another one is not above it.

Let no ranking have c above d, and one have it below. Assume that a median ranking has c above d. Move c down to d, or
move d up to c. Each item in between then changes its side of one of the two, at a cost per unit of mass of c and of d.
As every ranking has c at most as high as d, what c gains or loses on an item is at most what d loses or gains, so both
costs together are at most 0. The pair itself gains in both moves. So one move is an improvement: a contradiction.
"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
import rankings
from rankforest.consensus import median_ranking

quick = settings(max_examples=80, deadline=None)


@st.composite
def profiles_with_order(draw: st.DrawFn) -> rankings.Rows:
    """Rankings with ties of up to five items, of which the first is nowhere above the second."""
    profile = draw(rankings.profiles(most_items=5, least_items=2))
    return [[max(row[:2]), min(row[:2]), *row[2:]] for row in profile]


def agreed(profile: rankings.Rows) -> list[tuple[int, int]]:
    """Pairs (c, d) in which no ranking has c above d, and one has it below."""
    items = range(len(profile[0]))
    return [
        (c, d)
        for c, d in product(items, items)
        if all(row[c] >= row[d] for row in profile) and any(row[c] > row[d] for row in profile)
    ]


@quick
@given(profiles_with_order(), st.booleans(), st.data())
def test_no_best_ranking_has_them_the_other_way(profile: rankings.Rows, strict: bool, data: st.DataObject) -> None:
    """Over all rankings, strict ones or with ties, with masses of the items and numbers of the rankings."""
    n = len(profile[0])
    mass = data.draw(st.none() | st.lists(st.integers(1, 4), min_size=n, max_size=n))
    votes = data.draw(st.none() | st.lists(st.integers(1, 3), min_size=len(profile), max_size=len(profile)))
    pairs = agreed(profile)
    for order in naive.medians(profile, strict, mass, votes):
        assert all(order[c] > order[d] if strict else order[c] >= order[d] for c, d in pairs)
    found = median_ranking(profile, "exact", mass, ranking_weights=votes, strict=strict).ranking
    assert all(found[c] >= found[d] for c, d in pairs)


@quick
@given(profiles_with_order(), st.data())
def test_one_of_the_two_moves_is_an_improvement(profile: rankings.Rows, data: st.DataObject) -> None:
    """The step of the proof, for any ranking with ties that has an agreed pair the other way."""
    n = len(profile[0])
    mass = data.draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))
    order = data.draw(st.sampled_from(naive.bucket_orders(n)))
    before = naive.cost(profile, order, mass)
    for c, d in agreed(profile):
        if order[c] < order[d]:
            down, up = (
                [order[there] if k == moved else order[k] for k in range(n)] for moved, there in ((c, d), (d, c))
            )
            gain_down, gain_up = (before - naive.cost(profile, moved, mass) for moved in (down, up))
            assert gain_down * mass[d] + gain_up * mass[c] > 0


def test_an_item_of_no_mass_may_be_anywhere() -> None:
    """The theorem needs masses above 0, which the cells of a forest have."""
    profile = [[1, 0, 2], [1, 0, 2]]
    assert agreed(profile) == [(0, 1), (2, 0), (2, 1)]
    assert naive.cost(profile, (0, 1, 2), [0, 1, 1]) == naive.least_cost(profile, True, [0, 1, 1]) == 0
    assert naive.cost(profile, (0, 1, 2), [1, 1, 1]) > naive.least_cost(profile, True, [1, 1, 1])


@pytest.mark.parametrize("strict", [True, False])
def test_a_majority_against_it_elsewhere_does_not_matter(strict: bool) -> None:
    """Most rankings tie c and d, and a cycle of the others pulls them apart; the one ranking that tells decides."""
    profile = np.array([[0, 0, 1, 2], [1, 1, 2, 0], [2, 2, 0, 1], [2, 1, 0, 3]])
    found = median_ranking(profile, "exact", strict=strict)
    assert found.optimal
    assert found.ranking[0] > found.ranking[1] if strict else found.ranking[0] >= found.ranking[1]
