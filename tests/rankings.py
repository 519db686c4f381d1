"""Profiles and weights for the property tests of rank aggregation: small, with many ties."""

from __future__ import annotations

from hypothesis import strategies as st

Rows = list[list[int]]


def ranking(n_items: int, levels: int = 6) -> st.SearchStrategy[list[int]]:
    """Any whole numbers, mostly with ties."""
    return st.lists(st.integers(0, levels - 1), min_size=n_items, max_size=n_items)


def weights(size: int, least: int = 0) -> st.SearchStrategy[list[int]]:
    """Whole numbers that are not all 0."""
    return st.lists(st.integers(least, 4), min_size=size, max_size=size).filter(any)


@st.composite
def pairs(draw: st.DrawFn, most: int = 12) -> tuple[list[int], list[int]]:
    """Two rankings of the same items."""
    n = draw(st.integers(1, most))
    return draw(ranking(n)), draw(ranking(n))


@st.composite
def profiles(draw: st.DrawFn, most_items: int = 5, most_rankings: int = 6, least_items: int = 1) -> Rows:
    """A few rankings of a few items; strict ones too."""
    n = draw(st.integers(least_items, most_items))
    row = st.one_of(ranking(n, levels=max(2, n)), st.permutations(range(n)).map(list))
    return draw(st.lists(row, min_size=1, max_size=most_rankings))
