"""Among all orders of given cells the AUC is largest when beta/alpha falls; the curve is then concave (2011, 2.2)."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive
from rankforest import LeafRank, TreeRank, _core

Mass = tuple[int, int]
mass = st.integers(0, 9)
cells = st.lists(st.tuples(mass, mass).filter(any), min_size=2, max_size=7).filter(
    lambda masses: all(sum(m[k] for m in masses) for k in (0, 1))
)


def concavified(masses: list[Mass]) -> list[Mass]:
    """The cells in the order in which the core merges them."""
    order, _, _ = _core.merge_leaves(list(itertools.chain(*masses)), [1.0] * len(masses), 1.0)
    return [masses[i] for i in order]


def turns_right(knots: list[tuple[Fraction, Fraction]]) -> bool:
    """Whether no segment is steeper than the one before it."""
    steps = [(a1 - a0, b1 - b0) for (a0, b0), (a1, b1) in itertools.pairwise(knots)]
    return all(
        beta * next_alpha >= next_beta * alpha for (alpha, beta), (next_alpha, next_beta) in itertools.pairwise(steps)
    )


def twice_auc(masses: list[Mass]) -> int:
    """Twice the pairs in order (ties one half): the AUC times a constant, in whole numbers."""
    below = sum(m[0] for m in masses)
    total = 0
    for negatives, positives in masses:
        below -= negatives
        total += positives * (2 * below + negatives)
    return total


@settings(max_examples=40, deadline=None)
@given(cells)
@example([(1, 0), (0, 1), (2, 1), (1, 1), (4, 2), (3, 3), (0, 5)])
def test_falling_odds_are_the_best_order(masses: list[Mass]) -> None:
    ordered = concavified(masses)
    assert sorted(ordered) == sorted(masses)
    best = max(map(twice_auc, itertools.permutations(masses)))
    assert twice_auc(ordered) == best
    total = [sum(m[k] for m in masses) for k in (0, 1)]
    assert naive.auc_of_cells(ordered) == Fraction(best, 2 * total[0] * total[1])
    assert turns_right(naive.knots(ordered))


@settings(max_examples=60, deadline=None)
@given(cells)
def test_only_falling_odds_are_concave(masses: list[Mass]) -> None:
    """Of all orders, those with a concave curve are exactly those with the largest AUC."""
    few = masses[:5]
    if 0 in [sum(m[k] for m in few) for k in (0, 1)]:
        return
    orders = list(itertools.permutations(few))
    best = max(map(twice_auc, orders))
    for order in orders:
        assert turns_right(naive.knots(order)) == (twice_auc(list(order)) == best)


@pytest.mark.parametrize("seed", range(5))
def test_one_split_has_a_concave_curve(seed: int) -> None:
    """The finest cells of a tree of one split, in falling odds: the split is a knot of their concave curve."""
    sample = naive.random_sample(np.random.default_rng(seed), 200, 3)
    tree = TreeRank(LeafRank(max_depth=3), max_depth=1).fit(sample.X, sample.y).tree_
    masses = [(int(a), int(b)) for a, b in tree.terminal_mass]
    curve = naive.knots(concavified(masses))
    assert turns_right(curve)
    alpha, beta = tree.roc_knots()
    found = [
        k for k in curve if k[0] == pytest.approx(alpha[1], abs=1e-12) and k[1] == pytest.approx(beta[1], abs=1e-12)
    ]
    assert len(found) == 1
    # it is the knot farthest above the diagonal
    assert float(max(b - a for a, b in curve)) == pytest.approx(beta[1] - alpha[1], abs=1e-12)
