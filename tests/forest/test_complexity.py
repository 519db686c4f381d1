"""Which splitting rules a forest is grown with: those whose first trees have the best out-of-bag AUC."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import forests
import naive
from rankforest import RankingForest, Sampling
from rankforest.data import simulate
from rankforest.forest.complexity import CANDIDATES, DEPTH, USUAL, kinds_of, ranking_contest
from rankforest.forest.contest import FINALISTS, KEPT, choose_groves, first_trees, rounds_of, trees_to_choose
from rankforest.forest.groves import Grove, grow_grove, grow_ranking_trees
from rankforest.forest.out_of_bag import auc_of, out_of_bag_scores
from rankforest.forest.sampling import Draw
from rankforest.growing.treerank import Growth

KINDS = kinds_of(Growth(CANDIDATES[0].rule, max_depth=6), 100, own_depth=False)
BY_AUC = ranking_contest()


def same_trees(one: Grove, other: Grove) -> bool:
    pairs = [(naive.arrays_of(a), naive.arrays_of(b)) for a, b in zip(one.trees, other.trees, strict=True)]  # type: ignore[arg-type]
    return all(np.array_equal(a[name], b[name]) for a, b in pairs for name in a)


@pytest.mark.parametrize(
    ("n_first", "n_rows", "steps"),
    [
        (8, 10_000, ((8, FINALISTS), (24, KEPT))),
        (16, 1999, ((16, FINALISTS), (48, KEPT))),
        (16, 2000, ((8, 6), (16, 4), (48, KEPT))),
    ],
)
def test_the_best_rules_are_kept_with_their_trees(
    n_first: int, n_rows: int, steps: tuple[tuple[int, int], ...]
) -> None:
    """So many trees of every rule choose so many rules. The rounds are those of `n_rows` rows; the table is smaller."""
    rounds = rounds_of(n_first, n_rows)
    sample = forests.mixed_sample(0, 150)
    draw, told = Draw(150, True, None, 3), []
    groves, trials = choose_groves(KINDS, sample, draw, BY_AUC, rounds=rounds, n_threads=1, progress=told.append)
    assert [trial.growth for trial in trials] == KINDS
    training = sample.training_rows()
    alone = [
        grow_grove(Grove(kind, number), 3 * n_first, sample, draw, grow_ranking_trees, n_threads=1)
        for number, kind in enumerate(KINDS)
    ]

    def extrapolated(grove: Grove, n: int) -> float:
        """Out-of-bag AUC of n trees and of each half of them, extrapolated."""
        whole, *halves = (
            auc_of(out_of_bag_scores([grove], draw, training, "proba", 1, which=some)[0], training)
            for some in (slice(0, n), slice(0, n // 2), slice(n // 2, n))
        )
        return 2 * whole - sum(halves) / 2

    best, figures, n_trees = list(range(len(KINDS))), {}, {}
    for n, n_left in steps:
        for number in best:
            figures[number], n_trees[number] = extrapolated(alone[number], n), n
        best = sorted(best, key=lambda number: -figures[number])[:n_left]
    assert len(told) == sum(n_trees.values()) == trees_to_choose(len(KINDS), rounds)
    for number, trial in enumerate(trials):
        assert trial.figures["auc"] == pytest.approx(figures[number])
        assert trial.n_trees == n_trees[number]
        assert trial.kept == (number in best)
    assert [grove.number for grove in groves] == best
    for grove in groves:
        assert same_trees(grove, alone[grove.number])


def test_a_kind_has_its_own_depth_unless_one_is_given() -> None:
    growth = Growth(CANDIDATES[0].rule, max_depth=4)
    assert {kind.max_depth for kind in kinds_of(growth, 100, own_depth=False)} == {4}
    own = kinds_of(growth, 100, own_depth=True)
    assert [kind.max_depth for kind in own] == [c.max_depth for c in CANDIDATES if c.from_rows == 0]
    sample = simulate.rf10_sparse(200, random_state=0)
    depths = {trial.growth.max_depth for trial in RankingForest(4, random_state=0).fit(sample.X, sample.y).trials_}
    assert depths == {kind.max_depth for kind in own}
    given = RankingForest(4, max_depth=2, random_state=0).fit(sample.X, sample.y)
    assert {trial.growth.max_depth for trial in given.trials_} == {2}
    assert max(tree.cell_depth.max() for tree in given.trees_) == 2
    by_ranks = RankingForest(4, aggregation="mean_rank", random_state=0).fit(sample.X, sample.y)
    assert {trial.growth.max_depth for trial in by_ranks.trials_} == {DEPTH}


def test_fine_trees_are_tried_where_rows_are_many() -> None:
    growth = Growth(CANDIDATES[0].rule)
    few, many = (kinds_of(growth, n, own_depth=True) for n in (9_999, 10_000))
    (fine,) = [kind for kind in many if kind not in few]
    assert len(many) == len(CANDIDATES)
    assert fine.splitter.max_depth == 20


@pytest.mark.parametrize(("n_trees", "n_rows", "n_first"), [(500, 900, 16), (100, 900, 8), (1, 9, 8), (500, 10**5, 8)])
def test_number_of_first_trees(n_trees: int, n_rows: int, n_first: int) -> None:
    assert first_trees(n_trees, n_rows) == n_first


def test_the_forest_goes_on_with_these_trees() -> None:
    """Its trees are those that each rule alone would have grown, with the same numbers."""
    sample = simulate.rf10_sparse(200, random_state=0)
    model = RankingForest(40, random_state=0).fit(sample.X, sample.y)
    assert len(model.trials_) == len(KINDS)
    assert sum(trial.kept for trial in model.trials_) == KEPT
    assert [len(grove.trees) for grove in model._groves] == [14, 13, 13]
    kept = [
        trial.growth.splitter for trial in sorted(model.trials_, key=lambda trial: -trial.figures["auc"]) if trial.kept
    ]
    table = forests.sample_of(sample.X, sample.y > 0)
    for grove, rule in zip(model._groves, kept, strict=True):
        assert grove.growth.splitter is rule
        alone = replace(grove, trees=())
        alone = grow_grove(alone, len(grove.trees), table, model._draw, grow_ranking_trees, n_threads=1)
        assert same_trees(grove, alone)


def test_nothing_is_chosen_where_the_rule_is_given_or_nothing_is_out_of_bag() -> None:
    sample = simulate.rf10_sparse(100, random_state=0)
    given = RankingForest(4, splitter=forests.RULE, random_state=0).fit(sample.X, sample.y)
    assert given.trials_ == []
    assert [grove.growth.splitter for grove in given._groves] == [forests.RULE]
    whole = RankingForest(4, sampling=Sampling(replace=False), random_state=0).fit(sample.X, sample.y)
    assert whole.trials_ == []
    assert whole._groves[0].growth.splitter is CANDIDATES[USUAL].rule


@pytest.mark.parametrize("draw", [Draw(3000, True, None, 1), Draw(0, True, (1500, 30), 1)])
def test_of_many_rows_a_part_is_scored(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trees are grown on samples of all rows and stay; of a rare class the part has more than its share."""
    monkeypatch.setattr("rankforest.forest.contest.SCORED_ROWS", 300)
    monkeypatch.setattr("rankforest.forest.complexity._ROWS_OF_A_CLASS", 20)
    sample = forests.mixed_sample(0, 3000, share=0.01)
    groves, trials = choose_groves(KINDS, sample, draw, BY_AUC, rounds=rounds_of(4, 0), n_threads=1)
    rows = np.sort(BY_AUC.part(sample, np.random.default_rng(draw.seed)))
    assert np.bincount(sample.labels[rows]).tolist() == [round(0.1 * (sample.labels == 0).sum()), 20]
    training = sample.training_rows()
    for grove in groves:
        alone = grow_grove(Grove(grove.growth, grove.number), 12, sample, draw, grow_ranking_trees, n_threads=1)
        assert same_trees(grove, alone)
        aucs = []
        for some in (slice(0, 12), slice(0, 6), slice(6, 12)):
            scores, _ = out_of_bag_scores([alone], draw, training, "proba", 1, which=some)
            aucs.append(auc_of(scores[rows], training.take(rows)))
        assert trials[grove.number].figures["auc"] == pytest.approx(2 * aucs[0] - (aucs[1] + aucs[2]) / 2)


def test_without_an_auc_the_first_rules_are_taken() -> None:
    """A single positive is in nearly every sample: of a few trees none may have left it out."""
    sample = forests.mixed_sample(0, 30, share=0.0)
    draw = Draw(0, False, (20, 1), 0)
    groves, trials = choose_groves(KINDS, sample, draw, BY_AUC, rounds=rounds_of(2, 0), n_threads=1)
    assert all(np.isnan(trial.figures["auc"]) for trial in trials)
    assert [grove.number for grove in groves] == [0, 1, 2]
