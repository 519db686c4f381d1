"""Distances of top-k lists against the cases of Fagin, Kumar and Sivakumar."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_consensus as naive
from rankforest.consensus import kendall_distance, top_k_footrule_distance, top_k_kendall_distance

quick = settings(max_examples=200, deadline=None)


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[int], list[int], int]:
    n = draw(st.integers(1, 9))
    a, b = (draw(st.permutations(range(n))) for _ in range(2))
    return a, b, draw(st.integers(1, n))


def top(ranking: list[int], k: int) -> list[int]:
    return sorted(range(len(ranking)), key=ranking.__getitem__)[:k]


@quick
@given(lists(), st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1)]))
def test_kendall(case: tuple[list[int], list[int], int], p: Fraction) -> None:
    a, b, k = case
    want = naive.top_k_kendall(top(a, k), top(b, k), p)
    assert top_k_kendall_distance(a, b, k, penalty=float(p), normalize=False) == want
    share = top_k_kendall_distance(a, b, k, penalty=float(p))
    assert share == pytest.approx(float(want / (k * k + p * k * (k - 1))))
    assert 0 <= share <= 1


@quick
@given(lists(), st.none() | st.integers(1, 20))
def test_footrule(case: tuple[list[int], list[int], int], beyond: int | None) -> None:
    a, b, k = case
    location = None if beyond is None else k + beyond
    want = naive.top_k_footrule(top(a, k), top(b, k), Fraction(k + (beyond or 1)))
    assert top_k_footrule_distance(a, b, k, location=location, normalize=False) == want
    assert 0 <= top_k_footrule_distance(a, b, k, location=location) <= 1


@quick
@given(lists())
def test_the_whole_list_is_the_usual_distance(case: tuple[list[int], list[int], int]) -> None:
    a, b, _ = case
    whole = top_k_kendall_distance(a, b, len(a), normalize=False)
    assert whole == kendall_distance(a, b, normalize=None)


def test_disjoint_lists_are_at_distance_one() -> None:
    a, b = [1, 2, 3, 4, 5, 6], [4, 5, 6, 1, 2, 3]
    assert top_k_kendall_distance(a, b, 3) == 1.0
    assert top_k_footrule_distance(a, b, 3) == 1.0


def test_a_tie_at_the_border_is_kept_whole() -> None:
    assert top_k_kendall_distance([1, 2, 2, 4], [1, 2, 3, 4], 2, normalize=False) == 0.5
