"""The ranking impurity of the 2008 paper: its sum in O(k), Proposition 1, Theorems 1 and 2, and two labels."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_ordinal_tree as twin
from naive_ordinal_tree import KIND, Ordered, Params
from rankforest import _core

RANKING = KIND["ranking"]


@given(st.lists(st.tuples(st.integers(0, 30), st.fractions(Fraction(1, 8), 5)), min_size=2, max_size=10))
def test_impurity_in_one_pass(parts: list[tuple[int, Fraction]]) -> None:
    """sum_{i<j} (L_j - L_i) N_i N_j = sum_m (L_{m+1} - L_m) F_m (n - F_m)."""
    mass, levels = [m for m, _ in parts], list(itertools.accumulate(step for _, step in parts))
    below = list(itertools.accumulate(mass))
    one_pass = sum((levels[m + 1] - levels[m]) * below[m] * (below[-1] - below[m]) for m in range(len(mass) - 1))
    assert one_pass == twin.ranking_impurity(mass, levels)


@given(st.data())
def test_every_cut_gains_unless_one_label_is_alone(data: st.DataObject) -> None:
    """Proposition 1, with the exception it forgets: pure sides of one label have nothing to gain."""
    k = data.draw(st.integers(2, 6))
    left, right = (data.draw(st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)) for _ in range(2))
    node = [a + b for a, b in zip(left, right)]
    gain = _core.ordinal_gain(RANKING, left, node, node, range(k))[0]
    parted = any(left[i] and right[j] for i in range(k) for j in range(k) if i != j)
    assert (gain > 0) == parted


def best_splits(counts: tuple[int, ...]) -> set[tuple[int, ...]]:
    """All ways to send the examples left that gain most, with no example of the first label on the left."""
    k = len(counts)
    ways = [(0, *rest) for rest in itertools.product(*(range(n + 1) for n in counts[1:])) if any(rest)]
    gains = {way: twin.gain("ranking", way, counts, range(1, k + 1)) for way in ways}
    for way in ways:  # the core values each of them alike
        assert _core.ordinal_gain(RANKING, way, counts, counts, range(1, k + 1))[0] == pytest.approx(float(gains[way]))
    most = max(gains.values())
    return {way for way in ways if gains[way] == most}


@pytest.mark.parametrize(("k", "alpha"), [(2, 4), (3, 3), (4, 3), (5, 2), (6, 2), (7, 1)])
def test_theorem_1(k: int, alpha: int) -> None:
    """Equally many examples of every label: those below the middle go to one side, those above to the other.

    The first label is on the right by convention. Of an odd number of labels the middle one may be parted at will.
    """
    best = best_splits((alpha,) * k)
    low, high = (0,) * (k // 2), (alpha,) * (k // 2)
    expected = {low + high} if k % 2 == 0 else {(*low, middle, *high) for middle in range(alpha + 1)}
    assert best == expected


@pytest.mark.parametrize("counts", list(itertools.product(range(1, 5), range(1, 10), range(1, 5))))
def test_theorem_2(counts: tuple[int, int, int]) -> None:
    """Three labels: the middle one is set apart only where it has at least twice the examples of both others."""
    one, two, three = counts
    best = best_splits(counts)
    first_alone, last_alone, middle_alone = (0, two, three), (0, 0, three), (0, two, 0)
    assert (first_alone in best) == (two <= 2 * one and three <= one)
    assert (last_alone in best) == (two <= 2 * three and one <= three)
    assert (middle_alone in best) == (two >= 2 * one and two >= 2 * three)
    # splits that part a label are never better than all that part none
    assert best & {first_alone, last_alone, middle_alone}


def test_grown_trees_follow_theorem_2() -> None:
    """One feature per way to set a label apart; the tree takes the one that the theorem names."""
    for counts in [(3, 5, 2), (2, 3, 4), (2, 9, 3), (4, 1, 1)]:
        y = np.repeat(np.arange(3), counts).astype(np.uint8)
        X = np.column_stack([y == label for label in range(3)]).astype(float)
        one, two, three = counts
        alone = 0 if two <= 2 * one and three <= one else 2 if two <= 2 * three and one <= three else 1
        sample = Ordered(X, y, [1] * len(y), (0, 0, 0), (1, 2, 3))
        assert twin.grow_core(sample, Params(max_depth=1))["feature"].tolist() == [alone]


@pytest.mark.parametrize("seed", range(10))
def test_two_labels_part_most_pairs(seed: int) -> None:
    """k = 2: the cut maximises N_1(left) N_2(right) + N_1(right) N_2(left)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 1))
    y = (X[:, 0] + rng.normal(size=40) > 0).astype(np.uint8)
    sample = Ordered(X, y, [1] * 40, (0,), (1, 2))
    arrays = twin.grow_core(sample, Params(max_depth=1))

    def pairs(threshold: float) -> int:
        (a, b), (c, d) = (np.bincount(y[side], minlength=2) for side in (X[:, 0] <= threshold, X[:, 0] > threshold))
        return int(a * d + c * b)

    assert pairs(arrays["threshold"][0]) == max(map(pairs, np.sort(X[:, 0])[:-1]))


def test_gini_sets_a_pure_label_apart_where_the_ranking_impurity_cuts_the_middle() -> None:
    """Section 4: with equally many of four labels Gini likes {1} | {2, 3, 4} as well as any; the ranking does not."""
    counts, levels = (5, 5, 5, 5), (1, 2, 3, 4)
    outer, middle = (5, 0, 0, 0), (5, 5, 0, 0)
    gini = [twin.gain("gini", way, counts, levels) for way in (outer, middle)]
    ranking = [twin.gain("ranking", way, counts, levels) for way in (outer, middle)]
    assert gini[0] == gini[1]
    assert ranking[0] < ranking[1]
