"""Training rows stored as bins reach the same terminals as their raw values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import forests
from rankforest import LeafRank
from rankforest.tree.ranking_tree import RankingTree

EXTREME = [
    0.0,
    -0.0,
    5e-324,
    -5e-324,
    1e-310,
    1.0,
    np.nextafter(1.0, 2.0),
    1e15,
    1e16,
    1e300,
    -1e300,
    1.7e308,
    -1.7e308,
]


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[int], int]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.sampled_from([6, 30, 120])), draw(st.integers(1, 4))
    X = rng.normal(size=(n, q)) * 10.0 ** rng.integers(-300, 300, q)
    if draw(st.booleans()):
        X = np.where(rng.random(X.shape) < 0.5, rng.choice(EXTREME, X.shape), X)
    if draw(st.booleans()):  # neighbours among the doubles
        X[:, 0] = 1.0 + rng.integers(0, 9, n) * 2.0**-52
    categorical = [j for j in range(q) if draw(st.integers(0, 3)) == 0]
    X[:, categorical] = rng.integers(0, 5, (n, len(categorical)))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3]))] = np.nan
    X[0] = 0.0
    y = rng.integers(0, 2, n).astype(np.uint8)
    y[:2] = 0, 1
    return X, y, categorical, draw(st.sampled_from([2, 4, 255, 300]))


@settings(max_examples=150, deadline=None)
@given(tables(), st.sampled_from(["best", "random"]), st.sampled_from(["learned", "cell_mean"]))
def test_bins_lead_to_the_terminals_of_the_values(
    case: tuple[np.ndarray, np.ndarray, list[int], int], cuts: str, missing: str
) -> None:
    """In few bins, with many values each, and in one per value; thresholds between neighbours among the doubles."""
    X, y, categorical, max_bins = case
    sample = forests.sample_of(X, y, categorical=categorical, max_bins=max_bins)
    grove, _ = forests.grove_of(
        sample, 3, rule=LeafRank(max_depth=4, min_mass_leaf=0.0, cuts=cuts, missing=missing), max_depth=3
    )
    raw, kept = forests.values_of(sample), sample.training_rows().values(slice(None))
    np.testing.assert_array_equal(np.isnan(kept), np.isnan(raw))
    for tree in grove.trees:
        assert isinstance(tree, RankingTree)
        np.testing.assert_array_equal(tree.terminals(kept), tree.terminals(raw))


def test_blocks_are_the_rows_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankforest.data.training_rows._ROWS_AT_ONCE", 7)
    rows = forests.mixed_sample(0, 40).training_rows()
    asked: list[int] = []

    def ask(block: np.ndarray, bits: np.ndarray, start: int) -> tuple[np.ndarray, np.ndarray]:
        asked.append(start)
        return block, np.full(len(block), len(bits))

    values, n_trees = rows.out_of_bag(ask, np.zeros((3, 5), dtype=np.uint8))
    assert asked == list(range(0, 40, 7))
    np.testing.assert_array_equal(values, rows.values(slice(None)))
    np.testing.assert_array_equal(n_trees, np.full(40, 3))
    np.testing.assert_array_equal(rows.answers(np.isnan), np.isnan(rows.values(slice(None))))
    np.testing.assert_array_equal(rows.values(np.array([3, 3, 0])), rows.values(slice(None))[[3, 3, 0]])
