"""The median ranking of the trees: of their cells over the training rows, and of given rows."""

from __future__ import annotations

import numpy as np
import pytest

import forests
import naive_consensus
from rankforest.consensus import median_ranking, ranking_cost
from rankforest.forest.subpartition import (
    common_subpartition,
    inductive_consensus,
    mean_scores,
    strata_of,
    transductive_ranks,
)


@pytest.fixture(scope="module", params=[False, True])
def fit(request: pytest.FixtureRequest) -> tuple:
    sample = forests.mixed_sample(5, 60, weighted=request.param)
    grove, _ = forests.grove_of(sample, 5, max_depth=2)
    return grove.trees, sample.training_rows(), forests.values_of(sample)


def test_cells_are_the_combinations_of_strata_that_occur(fit: tuple) -> None:
    trees, _, X = fit
    strata = strata_of(trees, X, 1)
    cells, of_row = common_subpartition(strata)
    assert {tuple(row) for row in strata.tolist()} == {tuple(cell) for cell in cells.tolist()}
    assert len(cells) == len({tuple(cell) for cell in cells.tolist()})
    np.testing.assert_array_equal(cells[of_row], strata)


def test_seen_cells_have_their_place_and_others_that_of_the_nearest_mean(fit: tuple) -> None:
    trees, training, X = fit
    consensus = inductive_consensus(trees, training, strict=True, seed=0, n_threads=1)
    strata, means = strata_of(trees, X, 1), mean_scores(trees, X, 1)
    placed = consensus.place(strata, means)
    # the median ranking of the training rows, each of its own weight
    weights = np.ones(len(X)) if training.weights is None else training.weights
    cells, of_row = common_subpartition(strata)
    scores = np.column_stack([tree.leaf_score[cells[:, b]] for b, tree in enumerate(trees)])
    found = median_ranking(-scores.T, weights=np.bincount(of_row, weights=weights), strict=True, n_restarts=1)
    assert consensus.found.cost == pytest.approx(found.cost)
    rank = consensus.found.ranking[of_row]
    for i in range(len(X)):
        share = weights[rank < rank[i]].sum() + 0.5 * weights[rank == rank[i]].sum()
        assert placed[i] == pytest.approx(1.0 - share / weights.sum())
    # rows of cells that training has not seen
    unseen = np.full_like(strata, 99)
    for mean in np.concatenate([np.linspace(-0.1, 1.1, 40), consensus.mean_score]):
        got = consensus.place(unseen[:1], np.array([mean]))[0]
        nearest = np.abs(consensus.mean_score - mean)
        assert got in consensus.score[nearest <= nearest.min() + 1e-12]


def test_one_cell_is_in_the_middle() -> None:
    sample = forests.sample_of(np.zeros((10, 1)), np.arange(10) % 2)
    grove, _ = forests.grove_of(sample, 2)
    consensus = inductive_consensus(grove.trees, sample.training_rows(), strict=True, seed=0, n_threads=1)
    strata = strata_of(grove.trees, np.zeros((3, 1)), 1)
    assert consensus.place(strata, np.full(3, 0.5)).tolist() == [0.5] * 3
    assert consensus.place(strata + 1, np.array([0.0, 0.5, 1.0])).tolist() == [0.5] * 3
    assert transductive_ranks(grove.trees, np.zeros((3, 1)), strict=True, seed=0, n_threads=1).tolist() == [2.0] * 3


@pytest.mark.parametrize("strict", [True, False])
def test_with_directions_a_row_is_not_below_one_that_no_tree_ranks_above_it(fit: tuple, strict: bool) -> None:
    """Rows of known cells and of others; without directions unknown cells go to the nearest mean and break it."""
    trees, training, X = fit
    consensus = inductive_consensus(trees, training, strict=strict, directed=True, seed=0, n_threads=1)
    rng = np.random.default_rng(0)
    n_leaves = [tree.n_leaves for tree in trees]
    strata = np.concatenate([strata_of(trees, X, 1), rng.integers(0, n_leaves, (200, len(trees)))]).astype(np.int32)
    means = np.mean([tree.leaf_score[strata[:, b]] for b, tree in enumerate(trees)], axis=0)
    below = (strata[:, None] >= strata[None]).all(axis=2)
    placed = consensus.place(strata, means)
    assert (placed[:, None] <= placed[None])[below].all()
    assert len(np.unique(placed)) > (5 if strict else 2)
    plain = inductive_consensus(trees, training, strict=strict, seed=0, n_threads=1)
    np.testing.assert_array_equal(plain.score, consensus.score)  # the median keeps the order by itself
    if strict:  # with ties there are three places only
        broken = plain.place(strata, means)
        assert not (broken[:, None] <= broken[None])[below].all()


def test_ranks_of_given_rows_are_a_median_ranking_of_them(fit: tuple) -> None:
    """Of all rankings that tie no two rows which some tree tells apart, none costs less."""
    trees, _, X = fit
    rows = X[:12]
    profile = -np.array([tree.leaf_score[tree.apply(rows)] for tree in trees])
    ranks = transductive_ranks(trees, rows, strict=True, seed=0, n_threads=1)
    cells, first, counts = np.unique(profile.T, axis=0, return_index=True, return_counts=True)
    best = median_ranking(cells.T, "exact", weights=counts, strict=True)
    assert best.optimal
    assert ranking_cost(cells.T, ranks[first], weights=counts) == pytest.approx(best.cost)
    assert ranks.sum() == 12 * 13 / 2
    # rows that no tree tells apart share their rank, and no others do
    strata = strata_of(trees, rows, 1)
    for i in range(12):
        np.testing.assert_array_equal(ranks == ranks[i], (strata == strata[i]).all(axis=1))


def test_with_ties_no_ranking_at_all_costs_less(fit: tuple) -> None:
    """The paper's median ranking: over all rankings of five rows, ties allowed. It ties rows that trees tell apart."""
    trees, _, X = fit
    saved = 0.0
    for start in range(0, 60, 5):
        rows = X[start : start + 5]
        profile = -np.array([tree.leaf_score[tree.apply(rows)] for tree in trees])
        with_ties, strict = (
            ranking_cost(profile, transductive_ranks(trees, rows, strict=strict, seed=0, n_threads=1))
            for strict in (False, True)
        )
        least = min(ranking_cost(profile, np.array(order)) for order in naive_consensus.bucket_orders(5))
        assert with_ties == pytest.approx(least)
        assert strict >= least
        saved += strict - least
    assert saved > 10


def test_too_many_rows_are_refused_in_one_sentence(fit: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    trees, training, X = fit
    monkeypatch.setattr("rankforest.forest.subpartition.MOST_CELLS", 10)
    with pytest.raises(ValueError, match=r"^The 60 rows fall into \d+ different .* is 10; rank fewer rows .*\.$"):
        transductive_ranks(trees, X, strict=True, seed=0, n_threads=1)
    # training is drawn from instead
    consensus = inductive_consensus(trees, training, strict=True, seed=0, n_threads=1)
    assert len(consensus.score) <= 10
    again = inductive_consensus(trees, training, strict=True, seed=0, n_threads=2)
    np.testing.assert_array_equal(consensus.score, again.score)
