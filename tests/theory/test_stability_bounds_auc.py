"""Rankings that are close in Kendall's distance are close in AUC (Ranking Forests, Proposition 9).

|AUC(s1) - AUC(s2)| <= d(s1, s2) / (2 p (1 - p)), p the share of positives. On a sample it holds with pairs over n^2, as
two independent draws may be the same row, and there is equality when the two rankings differ on pairs of different
labels alone. Over pairs of distinct rows d is larger by n / (n - 1), and the bound is never met.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankforest.consensus import kendall_distance
from rankforest.metrics import roc_auc


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 15), st.integers(1, 12), st.integers(0, 2**32 - 1), st.booleans())
def test_the_distance_bounds_the_difference(n: int, n_scores: int, seed: int, weighted: bool) -> None:
    """Few scores: many ties, in one ranking or in both."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    first, second = rng.integers(0, n_scores, (2, n))
    weights = rng.integers(1, 4, n) if weighted else np.ones(n, dtype=int)
    p = np.average(y, weights=weights)
    gap = abs(roc_auc(y, first, sample_weight=weights) - roc_auc(y, second, sample_weight=weights))
    # a row of weight 2 is two rows, which the same ranking ties
    distance = kendall_distance(-first, -second, weights=weights, normalize="mass")
    assert gap <= distance / (2 * p * (1 - p)) + 1e-12


@pytest.mark.parametrize("n_negatives", [1, 2, 7])
@pytest.mark.parametrize("n_positives", [1, 3])
def test_it_is_met_where_only_pairs_of_different_labels_change_places(n_negatives: int, n_positives: int) -> None:
    """All positives tied above all negatives tied, and the reverse."""
    y = np.repeat([0, 1], [n_negatives, n_positives])
    p = y.mean()
    gap = roc_auc(y, y) - roc_auc(y, -y)
    assert gap == 1.0
    bounds = {unit: kendall_distance(-y, y, normalize=unit) / (2 * p * (1 - p)) for unit in ("mass", "distinct")}
    assert bounds["mass"] == pytest.approx(gap)
    assert bounds["distinct"] == pytest.approx(gap * len(y) / (len(y) - 1))
