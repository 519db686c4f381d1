"""How far the trees of a forest are from each other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import forests
from rankforest.consensus import kendall_distance
from rankforest.data.training_rows import TrainingRows
from rankforest.forest.aggregation import tree_score_block
from rankforest.forest.tree_instability import tree_instability


def instability(trees: tuple, training: TrainingRows, seed: int = 0) -> float:
    def scores_of(trees: tuple, X: np.ndarray, n_threads: int) -> np.ndarray:
        return tree_score_block(trees, X, "mean_rank", n_threads)

    return tree_instability(trees, training, seed=seed, n_threads=1, scores_of=scores_of)


def mean_distance(trees: tuple, X: np.ndarray) -> float:
    return float(np.mean([kendall_distance(a.apply(X), b.apply(X)) for a, b in combinations(trees, 2)]))


def test_it_is_the_mean_of_the_pairwise_distances() -> None:
    sample = forests.mixed_sample(0)
    grove, _ = forests.grove_of(sample, 6)
    found = instability(grove.trees, sample.training_rows())
    assert found == pytest.approx(mean_distance(grove.trees, forests.values_of(sample)))
    assert 0.05 < found < 0.5
    same = (grove.trees[0],) * 3
    assert instability(same, sample.training_rows()) == 0.0
    assert instability(same[:1], sample.training_rows()) == 0.0


def test_many_rows_and_trees_are_drawn_from(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = forests.mixed_sample(0, 400)
    grove, _ = forests.grove_of(sample, 12)
    whole = instability(grove.trees, sample.training_rows())
    monkeypatch.setattr("rankforest.forest.tree_instability._MOST_ROWS", 150)
    monkeypatch.setattr("rankforest.forest.tree_instability._MOST_TREES", 8)
    part = [instability(grove.trees, sample.training_rows(), seed=seed) for seed in (0, 0, 1)]
    assert part[0] == part[1] != part[2]
    assert part[0] == pytest.approx(whole, abs=0.05)
