"""Cells that no tree ranks above others: pairs, raised scores and the places of new rows, against loops over pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankforest.forest import cell_order
from rankforest.forest.cell_order import between_neighbours, never_above, raised

quick = settings(max_examples=100, deadline=None)


@st.composite
def some_cells(draw: st.DrawFn, n_trees: int, least: int = 1) -> np.ndarray:
    cell = st.lists(st.integers(0, 3), min_size=n_trees, max_size=n_trees)
    return np.array(draw(st.lists(cell, min_size=least, max_size=12)), dtype=np.int32).reshape(-1, n_trees)


@st.composite
def scored_cells(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells, their scores, and other cells; of few or of more trees than all pairs are compared by."""
    n_trees = draw(st.sampled_from([1, 2, 3, 11]))
    cells = draw(some_cells(n_trees))
    score = draw(st.lists(st.integers(0, 9), min_size=len(cells), max_size=len(cells)))
    return cells, np.array(score) / 10, draw(some_cells(n_trees, least=0))


def pairs_by_hand(lower: np.ndarray, upper: np.ndarray) -> set[tuple[int, int]]:
    return {
        (i, j) for i, low in enumerate(lower.tolist()) for j, high in enumerate(upper.tolist())
        if all(a >= b for a, b in zip(low, high))
    }  # fmt: skip


@quick
@given(scored_cells(), st.sampled_from([1, 7, 1 << 24]))
def test_pairs_are_those_of_all_trees(drawn: tuple, at_once: int) -> None:
    cells, _, others = drawn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cell_order, "_PAIRS_AT_ONCE", at_once)
        for lower, upper in ((cells, others), (others, cells), (cells, cells)):
            i, j = never_above(lower, upper)
            found = list(zip(i.tolist(), j.tolist()))
            assert len(found) == len(set(found))
            assert set(found) == pairs_by_hand(lower, upper)


@quick
@given(scored_cells())
def test_raised_scores_are_the_least_ones_that_keep_the_order(drawn: tuple) -> None:
    cells, score, _ = drawn
    found = raised(score, cells)
    pairs = pairs_by_hand(cells, cells)
    assert all(found[i] <= found[j] for i, j in pairs)
    # each is the score of a cell that may not be above: with less, that one would be
    assert found.tolist() == [max(score[i] for i in range(len(cells)) if (i, j) in pairs) for j in range(len(cells))]
    np.testing.assert_array_equal(raised(found, cells), found)


@quick
@given(scored_cells())
def test_new_rows_keep_the_order_of_the_trees_and_hardly_move(drawn: tuple) -> None:
    cells, score, rows = drawn
    score = raised(score, cells)
    wanted = raised(np.linspace(1.2, -0.2, len(rows)), rows) if len(rows) else np.empty(0)
    found = between_neighbours(score, cells, wanted, rows)
    for i, j in pairs_by_hand(cells, rows):
        assert score[i] <= found[j]
    for i, j in pairs_by_hand(rows, cells):
        assert found[i] <= score[j]
    for i, j in pairs_by_hand(rows, rows):
        assert found[i] <= found[j]
    # a row moves only to the score of a cell that held it back
    assert all(place == want or place in score for place, want in zip(found, wanted))
    # a row of a known cell gets its score
    np.testing.assert_array_equal(between_neighbours(score, cells, np.full(len(cells), 0.55), cells), score)
