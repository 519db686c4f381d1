"""Sorted by beta/alpha, the best prefix of the categories is the best of all subsets, for both criteria."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from naive import Inner, Sample
from rankforest import LeafRank, TreeRank


@st.composite
def counts(draw: st.DrawFn) -> list[tuple[int, int]]:
    """(negatives, positives) of each category; the first is the missing, which may be absent."""
    few = st.tuples(st.integers(0, 6), st.integers(0, 6))
    table = [draw(few), *draw(st.lists(few.filter(any), min_size=2, max_size=6))]
    return table if all(sum(m[k] for m in table) for k in (0, 1)) else [*table, (1, 1)]


def sample_of(table: list[tuple[int, int]]) -> Sample:
    """One categorical feature with these counts."""
    x = [np.nan if c == 0 else c - 1.0 for c, m in enumerate(table) for _ in range(sum(m))]
    y = [label for m in table for label in (0, 1) for _ in range(m[label])]
    return Sample.of(np.array(x)[:, None], np.array(y, dtype=np.uint8), None, [len(table) - 1])


def best_gain(sample: Sample, criterion: str, cuts: list[naive.Cut]) -> Fraction:
    total = sample.mass(range(len(sample.y)))
    return max((naive.gain(criterion, sample.mass(cut.left), total, total) for cut in cuts), default=Fraction(0))


@settings(max_examples=80, deadline=None)
@given(counts(), st.sampled_from(["gini", "auc"]))
def test_the_best_prefix_is_the_best_subset(table: list[tuple[int, int]], criterion: str) -> None:
    """The theorem itself, in fractions."""
    sample = sample_of(table)
    rows = range(len(sample.y))
    prefixes = list(naive.prefix_cuts(sample, rows, 0))
    subsets = list(naive.subset_cuts(sample, rows, 0))
    assert len(subsets) == max(0, 2 ** (len(prefixes) + 1) - 2)
    assert best_gain(sample, criterion, prefixes) == best_gain(sample, criterion, subsets)


@settings(max_examples=80, deadline=None)
@given(counts(), st.sampled_from(["gini", "auc"]))
def test_the_tree_finds_the_best_subset(table: list[tuple[int, int]], criterion: str) -> None:
    """One cut on words, None for missing, against all subsets of the categories and the missing."""
    sample = sample_of(table)
    words = np.array([None if np.isnan(x) else "abcdefgh"[int(x)] for x in sample.X[:, 0]], dtype=object)[:, None]
    model = TreeRank(LeafRank(max_depth=1, criterion=criterion, min_mass_leaf=0.0), max_depth=1).fit(words, sample.y)
    rows = range(len(sample.y))
    best = naive.best_cut(sample, rows, rows, [0], Inner(criterion), all_subsets=True)
    stratum = model.apply(words)
    if best is None:
        assert set(stratum) == {0}
        return
    total = sample.mass(rows)
    left = sample.mass(np.flatnonzero(stratum == 0))
    assert float(naive.gain(criterion, left, total, total)) == pytest.approx(float(best.gain), abs=1e-12)


def test_odds_of_a_worked_table() -> None:
    """Negatives and positives: a (3, 1), b (1, 3), c (2, 2), d (0, 2), missing (2, 0); totals 8 and 8.

    By falling beta/alpha: d, b, c, a, missing. beta - alpha of the prefixes in eighths: 2, 5 - 1 = 4, 7 - 3 = 4,
    8 - 6 = 2: the AUC gain takes the first of the two best, {d, b}. Gini, with shares a = 1/8, b = 5/8 of {d, b}:
    (1/2)^2 / (3/4 * 5/4) = 4/15; of {d, b, c} with 3/8, 7/8: (1/2)^2 / (5/4 * 3/4) = 4/15 as well; of {d} with 0, 1/4:
    1/16 / (1/4 * 7/4) = 1/7. Both criteria take {d, b}.
    """
    table = {"a": (3, 1), "b": (1, 3), "c": (2, 2), "d": (0, 2), None: (2, 0)}
    x = [c for c, m in table.items() for _ in range(sum(m))]
    y = [label for m in table.values() for label in (0, 1) for _ in range(m[label])]
    words = np.array(x, dtype=object)[:, None]
    for criterion in ("gini", "auc"):
        model = TreeRank(LeafRank(max_depth=1, criterion=criterion, min_mass_leaf=0.0), max_depth=1).fit(words, y)
        better = {c for c, s in zip(x, model.apply(words)) if s == 0}
        assert better == {"d", "b"}
        assert model.tree_.cell_gain[0] == 0.5
        # a category that was never seen goes where the missing go
        assert model.apply(np.array([["z"], [None]], dtype=object)).tolist() == [1, 1]
