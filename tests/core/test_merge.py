"""The merge of inner leaves against trying every union and every order."""

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from rankforest import _core

mass = st.one_of(st.integers(0, 4), st.integers(0, 10**6))
leaf = st.tuples(mass, mass).filter(any)
quick = settings(max_examples=150, deadline=None)


def merge(
    masses: list[tuple[int, int]], counts: list[int] | None = None, min_count: float = 1
) -> tuple[list[int], int, float]:
    counts = [1] * len(masses) if counts is None else counts
    return _core.merge_leaves(list(itertools.chain(*masses)), counts, min_count)


def totals(masses: list[tuple[int, int]]) -> tuple[int, int]:
    return sum(m[0] for m in masses), sum(m[1] for m in masses)


@quick
@given(st.lists(leaf, min_size=1, max_size=8))
def test_merge_is_the_best_of_all_unions(masses: list[tuple[int, int]]) -> None:
    order, n_left, gain = merge(masses)
    total = totals(masses)
    assert sorted(order) == list(range(len(masses)))
    if 0 in total:
        assert (n_left, gain) == (0, 0.0)
        return
    unions = naive.subsets(range(len(masses)))
    best = max((naive.union_gain(masses, union, total) for union in unions), default=Fraction(0))
    reached = naive.union_gain(masses, order[:n_left], total)
    assert gain == pytest.approx(float(reached), abs=1e-12)
    assert gain == pytest.approx(float(best), abs=1e-12)
    assert (n_left == 0) == (best == 0)


@settings(max_examples=80, deadline=None)
@given(st.lists(leaf, min_size=1, max_size=5))
def test_order_is_the_best_of_all_orders(masses: list[tuple[int, int]]) -> None:
    """No permutation of the leaves has a larger AUC, and equal leaves keep their order."""
    order, _, _ = merge(masses)
    if 0 in totals(masses):
        return
    ordered = [masses[i] for i in order]
    assert naive.auc_of_cells(ordered) == max(map(naive.auc_of_cells, itertools.permutations(masses)))
    for i, j in itertools.pairwise(order):
        assert naive.odds(masses[i]) > naive.odds(masses[j]) or i < j


@quick
@given(st.lists(st.tuples(leaf, st.integers(1, 5)), min_size=2, max_size=8), st.integers(1, 12))
def test_both_children_keep_enough_rows(leaves: list[tuple[tuple[int, int], int]], min_count: int) -> None:
    masses, counts = [m for m, _ in leaves], [c for _, c in leaves]
    order, n_left, gain = merge(masses, counts, min_count)
    if 0 in totals(masses):
        return
    left = sum(counts[i] for i in order[:n_left])
    assert n_left == 0 or min(left, sum(counts) - left) >= min_count
    best = naive.merge(masses, counts, min_count)
    assert gain == pytest.approx(float(naive.union_gain(masses, best, totals(masses))), abs=1e-12)


def test_order_of_known_leaves() -> None:
    """beta/alpha: 1/2, infinite, 3, 0, 3; the two of 3 stay in order."""
    order, n_left, gain = merge([(4, 2), (0, 1), (1, 3), (2, 0), (2, 6)])
    assert order == [1, 2, 4, 0, 3]
    assert n_left == 3
    assert gain == pytest.approx(10 / 12 - 3 / 9)


def test_a_leaf_that_adds_nothing_goes_right() -> None:
    """A leaf with the odds of the whole cell changes no gain: it goes right whatever the totals are."""
    assert merge([(0, 1), (1, 1), (1, 0)])[1] == 1
    assert merge([(0, 2), (1, 1), (2, 0)])[1] == 1


@pytest.mark.parametrize("masses", [[(0, 3), (0, 1)], [(3, 0)], [(1, 1)], [(1, 2), (2, 4)]])
def test_no_union_ranks_anything(masses: list[tuple[int, int]]) -> None:
    assert merge(masses)[1:] == (0, 0.0)


def test_masses_come_in_pairs() -> None:
    with pytest.raises(ValueError, match="two masses"):
        _core.merge_leaves([1.0, 2.0, 3.0], [1.0, 1.0], 1.0)


def test_odds_that_differ_in_the_last_digit_are_ordered() -> None:
    """Rounded products would give these three a cyclic order."""
    masses = [
        (3404319652825367, 3404319652825368),
        (4392053787986581, 4392053787986582),
        (2576418402748256, 2576418402748257),
    ]
    by_odds = sorted(range(3), key=lambda i: Fraction(masses[i][1], masses[i][0]), reverse=True)
    order, _, _ = _core.merge_leaves([float(m) for pair in masses for m in pair], [1.0] * 3, 1.0)
    assert list(order) == by_odds


@quick
@given(st.lists(st.tuples(leaf, st.integers(1, 5)), min_size=2, max_size=8), st.integers(1, 12))
def test_merge_at_the_odds_of_the_cell(leaves: list[tuple[tuple[int, int], int]], min_count: int) -> None:
    """Exactly the leaves with greater odds go left: without a floor on rows no other union is better."""
    masses, counts = [m for m, _ in leaves], [c for _, c in leaves]
    order, n_left, gain = _core.merge_leaves(list(itertools.chain(*masses)), counts, min_count, True)
    total = totals(masses)
    if 0 in total:
        return
    better = {i for i, m in enumerate(masses) if naive.odds(m) > naive.odds(total)}
    assert n_left == 0 or set(order[:n_left]) == better
    best = naive.merge(masses, counts, min_count, at_cell_odds=True)
    assert gain == pytest.approx(float(naive.union_gain(masses, best, total)), abs=1e-12)
    if min_count == 1:
        assert gain == pytest.approx(merge(masses)[2], abs=1e-12)
