"""From the trees to one score, with plain loops over rows and trees."""

from __future__ import annotations

from statistics import median
from typing import Any

import numpy as np
import pytest

import forests
import naive
from rankforest import Dyadic, LeafRank
from rankforest.forest.aggregation import score_block, tree_score_block
from rankforest.tree.master_tree import MasterTree
from rankforest.tree.ranking_tree import RankingTree

WAYS = ["proba", "mean_rank", "median_rank", "negative_rank", "plugin"]


def score_by_hand(tree: MasterTree, row: np.ndarray, aggregation: str) -> float:
    """What one tree gives one row."""
    masses = [tuple(m) for m in tree.leaf_mass]
    stratum = int(tree.apply(row[None])[0])
    if isinstance(tree, RankingTree):  # walked by hand, from the root to the finest cell
        arrays = naive.arrays_of(tree)
        terminal = naive.walk(arrays, row, codes_of(tree))[1]
        stratum = naive.strata_numbers(arrays)[int(arrays["terminal_cell"][terminal])]
    if aggregation == "proba":
        negatives, positives = arrays["terminal_mass"][terminal] if isinstance(tree, RankingTree) else masses[stratum]
        overall = sum(m[1] for m in masses) / sum(map(sum, masses))
        row_weight = sum(map(sum, masses)) / tree.cell_count[0]
        return (positives + 2 * overall * row_weight) / (negatives + positives + 2 * row_weight)
    if aggregation == "plugin":  # Remark 20: alpha-hat of R_k, the cell and all worse ones
        return sum(m[0] for m in masses[stratum:]) / sum(m[0] for m in masses)
    sizes = [m[0] if aggregation == "negative_rank" else sum(m) for m in masses]
    return 1.0 - (sum(sizes[:stratum]) + sizes[stratum] / 2) / sum(sizes)


def by_hand(trees: Any, X: np.ndarray, aggregation: str) -> list[float]:
    scores = [[score_by_hand(tree, row, aggregation) for tree in trees] for row in X]
    return [median(row) if aggregation == "median_rank" else sum(row) / len(row) for row in scores]


def codes_of(tree: MasterTree) -> list[int]:
    return [len(f.categories) + 1 if f.categories else 0 for f in tree.schema.features]


@pytest.mark.parametrize("aggregation", WAYS)
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_of_the_core(aggregation: str, weighted: bool) -> None:
    sample = forests.mixed_sample(0, weighted=weighted)
    grove, _ = forests.grove_of(sample, 6)
    X = forests.values_of(forests.mixed_sample(1, 30, missing=0.3))
    found = score_block([grove.trees], X, aggregation, 1)
    np.testing.assert_allclose(found, by_hand(grove.trees, X, aggregation), rtol=1e-12)
    assert len(np.unique(found)) > 10
    assert 0.0 <= found.min() < found.max() <= 1.0
    single = tree_score_block(grove.trees, X, aggregation, 2)
    assert single.shape == (30, 6)
    np.testing.assert_allclose(single[:, 2], [score_by_hand(grove.trees[2], row, aggregation) for row in X])


@pytest.mark.parametrize("aggregation", WAYS)
def test_trees_of_other_rules(aggregation: str) -> None:
    """Alone, and together with trees of the core."""
    sample = forests.mixed_sample(0, missing=0.0)
    sample = forests.sample_of(forests.values_of(sample)[:, :2], sample.labels)
    cubes, _ = forests.grove_of(sample, 3, rule=Dyadic(2), max_depth=3)
    inner, _ = forests.grove_of(sample, 3, rule=LeafRank(max_depth=2), number=1)
    X = forests.values_of(sample)[:25]
    for trees in (cubes.trees, (*cubes.trees, *inner.trees)):
        np.testing.assert_allclose(
            score_block([tuple(trees)], X, aggregation, 1), by_hand(trees, X, aggregation), rtol=1e-12
        )


@pytest.mark.parametrize("aggregation", WAYS)
def test_blocks_do_not_change_the_scores(aggregation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = forests.mixed_sample(0)
    grove, _ = forests.grove_of(sample, 5)
    X = forests.values_of(sample)
    whole = score_block([grove.trees], X, aggregation, 1)
    monkeypatch.setattr("rankforest.forest.aggregation.MATRIX_CELLS", 35)
    np.testing.assert_array_equal(score_block([grove.trees], X, aggregation, 1), whole)


@pytest.mark.parametrize("aggregation", WAYS)
@pytest.mark.parametrize("positives", [0, 4])
def test_a_tree_that_has_seen_one_class_says_the_same_of_all_rows(aggregation: str, positives: int) -> None:
    """A bootstrap sample of few rows may miss a class."""
    sample = forests.mixed_sample(0, 40)
    rows = np.flatnonzero(sample.labels == (positives > 0))[:4]
    grove, _ = forests.grove_of(sample.take(rows), 2)
    found = score_block([grove.trees], forests.values_of(sample), aggregation, 1)
    assert np.ptp(found) == 0.0
    assert found[0] == {"proba": float(positives > 0), "plugin": 1.0}.get(aggregation, 0.5)


def test_scores_do_not_depend_on_the_unit_of_weight() -> None:
    """No small nodes: there two features may part the rows in the same way, and rounding decides between them."""
    sample = forests.mixed_sample(0, 200)
    X, weights = forests.values_of(sample), np.random.default_rng(0).exponential(size=200)
    rule = LeafRank(max_depth=3, max_features=2, min_samples_leaf=10, cuts="random")
    grove, _ = forests.grove_of(forests.sample_of(X, sample.labels, weights, categorical=[2]), rule=rule, max_depth=4)
    for scale in (2.0**-40, 1e-9, 1e9):
        of_scale = forests.sample_of(X, sample.labels, weights * scale, categorical=[2])
        scaled, _ = forests.grove_of(of_scale, rule=rule, max_depth=4)
        for aggregation in WAYS:
            np.testing.assert_allclose(
                score_block([scaled.trees], X, aggregation, 1), score_block([grove.trees], X, aggregation, 1), rtol=1e-9
            )


def test_plugin_is_half_of_the_own_cell_above_the_rank_among_negatives() -> None:
    grove, _ = forests.grove_of(forests.mixed_sample(0, weighted=True), 4)
    for tree in grove.trees:
        alpha = tree.leaf_mass[:, 0] / tree.leaf_mass[:, 0].sum()
        np.testing.assert_allclose(tree.leaf_plugin_score - tree.leaf_negative_score, alpha / 2, atol=1e-15)
        assert tree.leaf_plugin_score[0] == 1.0
        assert (np.diff(tree.leaf_plugin_score) <= 0.0).all()
