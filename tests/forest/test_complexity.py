"""Which splitting rules a forest is grown with: those whose first trees have the best out-of-bag AUC."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import forests
import naive
from rankforest import RankingForest, Sampling
from rankforest.data import simulate
from rankforest.data.training_rows import TrainingRows
from rankforest.forest.complexity import CANDIDATES, FINALISTS, kinds_of, ranking_contest
from rankforest.forest.contest import KEPT, choose_groves, keeps_pilots, trees_to_choose
from rankforest.forest.groves import Grove, grow_grove, grow_ranking_trees
from rankforest.forest.out_of_bag import auc_of, out_of_bag_scores
from rankforest.forest.sampling import Draw
from rankforest.growing.treerank import Growth

KINDS = kinds_of(Growth(CANDIDATES[0], max_depth=6))
BY_AUC = ranking_contest("proba")


def same_trees(one: Grove, other: Grove) -> bool:
    pairs = [(naive.arrays_of(a), naive.arrays_of(b)) for a, b in zip(one.trees, other.trees, strict=True)]  # type: ignore[arg-type]
    return all(np.array_equal(a[name], b[name]) for a, b in pairs for name in a)


def test_the_best_rules_are_kept_with_their_trees() -> None:
    """Ten trees of every rule choose the finalists; fourteen of each finalist choose the kept rules."""
    sample = forests.mixed_sample(0, 150)
    draw, told = Draw(150, True, None, 3), []
    groves, trials = choose_groves(KINDS, sample, draw, BY_AUC, n_pilots=14, n_threads=1, progress=told.append)
    assert len(told) == trees_to_choose(BY_AUC, len(KINDS), 14) == 10 * len(CANDIDATES) + 4 * FINALISTS
    assert [trial.growth for trial in trials] == KINDS
    training = TrainingRows.of(sample)
    alone = [
        grow_grove(Grove(kind, number), 14, sample, draw, grow_ranking_trees, n_threads=1)
        for number, kind in enumerate(KINDS)
    ]

    def extrapolated(grove: Grove, n: int) -> float:
        """Out-of-bag AUC of n trees and of half of them, extrapolated."""
        whole, half = (
            auc_of(out_of_bag_scores([replace(grove, trees=grove.trees[:m])], draw, training, "proba", 1)[0], training)
            for m in (n, n // 2)
        )
        return 2 * whole - half

    first = [extrapolated(grove, 10) for grove in alone]
    finalists = sorted(range(len(CANDIDATES)), key=lambda number: -first[number])[:FINALISTS]
    last = {number: extrapolated(alone[number], 14) for number in finalists}
    best = sorted(finalists, key=lambda number: -last[number])[:KEPT]
    for number, trial in enumerate(trials):
        assert trial.figures["auc"] == pytest.approx(last.get(number, first[number]))
        assert trial.n_trees == (14 if number in finalists else 10)
        assert trial.kept == (number in best)
    assert [grove.number for grove in groves] == best
    for grove in groves:
        assert same_trees(grove, alone[grove.number])


def test_the_forest_goes_on_with_these_trees() -> None:
    """Its trees are those that each rule alone would have grown, with the same numbers."""
    sample = simulate.rf10_sparse(200, random_state=0)
    model = RankingForest(40, random_state=0).fit(sample.X, sample.y)
    assert len(model.trials_) == len(CANDIDATES)
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
    assert whole._groves[0].growth.splitter is CANDIDATES[1]


@pytest.mark.parametrize("draw", [Draw(3000, True, None, 1), Draw(1, False, None, 1), Draw(0, True, (1500, 1500), 1)])
def test_of_many_rows_a_part_is_tried(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    """These trees do not belong to the forest; of a rare class the part has more than its share."""
    monkeypatch.setattr("rankforest.forest.contest.PILOT_ROWS", 300)
    monkeypatch.setattr("rankforest.forest.complexity._PILOT_ROWS_OF_A_CLASS", 20)
    sample = forests.mixed_sample(0, 3000, share=0.01)
    assert not keeps_pilots(sample)
    seen: list[tuple[int, Draw]] = []

    def watch(grove: Grove, n: int, part: object, part_draw: Draw, *how: object, **options: object) -> Grove:
        seen.append((np.bincount(part.labels).tolist(), part_draw))  # type: ignore[attr-defined]
        return grow_grove(grove, n, part, part_draw, *how, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("rankforest.forest.contest.grow_grove", watch)
    groves, trials = choose_groves(KINDS, sample, draw, BY_AUC, n_pilots=4, n_threads=1)
    assert [len(grove.trees) for grove in groves] == [0] * KEPT
    assert len({trial.figures["auc"] for trial in trials}) > 1 or draw.size == 1
    (negatives, positives), part_draw = seen[0]
    assert negatives == round(0.1 * (sample.labels == 0).sum())
    assert positives == 20
    assert part_draw.leaves_rows_out
    assert part_draw.size == {3000: 300, 1: 1, 0: 0}[draw.size]
    assert part_draw.class_sizes == (None if draw.class_sizes is None else (150, 150))


def test_without_an_auc_the_first_rules_are_taken() -> None:
    """A single positive is in nearly every sample: of a few trees none may have left it out."""
    sample = forests.mixed_sample(0, 30, share=0.0)
    draw = Draw(0, False, (20, 1), 0)
    groves, trials = choose_groves(KINDS, sample, draw, BY_AUC, n_pilots=2, n_threads=1)
    assert all(np.isnan(trial.figures["auc"]) for trial in trials)
    assert [grove.number for grove in groves] == [0, 1, 2]
