"""How far the trees of a forest are from each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import forests
from rankforest.consensus import kendall_distance
from rankforest.data.training_rows import TrainingRows
from rankforest.forest.tree_instability import tree_instability


def mean_distance(trees: tuple, X: np.ndarray) -> float:
    return float(np.mean([kendall_distance(a.apply(X), b.apply(X)) for a, b in combinations(trees, 2)]))


def test_it_is_the_mean_of_the_pairwise_distances() -> None:
    sample = forests.mixed_sample(0)
    grove, _ = forests.grove_of(sample, 6)
    found = tree_instability(grove.trees, TrainingRows.of(sample), seed=0, n_threads=1)
    assert found == pytest.approx(mean_distance(grove.trees, forests.values_of(sample)))
    assert 0.05 < found < 0.5
    same = (grove.trees[0],) * 3
    assert tree_instability(same, TrainingRows.of(sample), seed=0, n_threads=1) == 0.0
    assert tree_instability(same[:1], TrainingRows.of(sample), seed=0, n_threads=1) == 0.0


def test_many_rows_and_trees_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = forests.mixed_sample(0, 400)
    grove, _ = forests.grove_of(sample, 12)
    whole = tree_instability(grove.trees, TrainingRows.of(sample), seed=0, n_threads=1)
    monkeypatch.setattr("rankforest.forest.tree_instability._MOST_ROWS", 150)
    monkeypatch.setattr("rankforest.forest.tree_instability._MOST_TREES", 8)
    part = [tree_instability(grove.trees, TrainingRows.of(sample), seed=seed, n_threads=1) for seed in (0, 0, 1)]
    assert part[0] == part[1] != part[2]
    assert part[0] == pytest.approx(whole, abs=0.05)
