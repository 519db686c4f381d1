"""Components of the majority graph: the finest partition whose order contradicts no pair."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import rankings
from rankforest import _core


def arcs(margin: np.ndarray, tied: np.ndarray, strict: bool) -> np.ndarray:
    """k -> j unless putting j before k is the best or one of the best choices for the pair."""
    free = -margin >= (np.zeros_like(tied) if strict else tied)
    return ~free & ~np.eye(len(margin), dtype=bool)


def reachable(graph: np.ndarray) -> np.ndarray:
    reach = graph | np.eye(len(graph), dtype=bool)
    for k in range(len(graph)):
        reach |= reach[:, k, None] & reach[None, k]
    return reach


@settings(max_examples=200, deadline=None)
@given(rankings.profiles(most_items=9, most_rankings=5), st.booleans(), st.booleans())
def test_components(profile: rankings.Rows, strict: bool, weighted: bool) -> None:
    values = np.array(profile, dtype=np.float64)
    weights = np.arange(1.0, values.shape[1] + 1) if weighted else None
    margin, tied = _core.pair_gains(values, None, weights, 1)
    component = _core.majority_components(margin, tied, strict)
    graph = arcs(margin, tied, strict)
    reach = reachable(graph)
    assert sorted(set(component.tolist())) == list(range(component.max() + 1))
    for k, j in itertools.permutations(range(len(component)), 2):
        assert (component[k] == component[j]) == (reach[k, j] and reach[j, k])
        if component[k] > component[j]:
            assert not graph[k, j]


def test_items_that_nothing_orders_stay_in_order() -> None:
    zero = np.zeros((4, 4), dtype=np.int32)
    assert _core.majority_components(zero, zero, False).tolist() == [0, 1, 2, 3]
