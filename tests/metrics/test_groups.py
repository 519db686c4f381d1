"""Intervals of rows that are not independent: whole groups are drawn."""

from __future__ import annotations

import numpy as np
import pytest

from rankforest.metrics import bootstrap_interval, bootstrap_test, compare, evaluate, roc_auc
from rankforest.metrics._inputs import check_ranking_inputs
from rankforest.metrics._resampling import draws
from rankforest.metrics.within import auc_within, auc_within_error

RNG = np.random.default_rng(0)
Y = (RNG.random(200) < 0.4).astype(int)
SCORE = RNG.normal(size=200) + Y
OTHER = RNG.normal(size=200) + 0.3 * Y
REPEATED = np.repeat(np.arange(200), 4)


def test_draws_have_whole_groups_and_both_classes() -> None:
    inputs = check_ranking_inputs([0, 1, 0, 0, 1, 0], [1, 2, 3, 4, 5, 6], sample_weight=[1, 2, 0, 1, 1, 3])
    groups = np.array([0, 0, 0, 1, 2, 1])
    for times in draws(inputs, 50, np.random.default_rng(1), groups):
        assert times[2] == 0  # its weight is 0
        assert times[1] == 2 * times[0]
        assert times[5] == 3 * times[3]
        assert times[0] + times[3] + times[4] == 3
        assert times[[1, 4]].any()
        assert times[[0, 3, 5]].any()


def test_copies_of_rows_add_nothing() -> None:
    """Four copies of each row, as a group: the standard error is that of the rows, and not half of it."""
    once = bootstrap_interval(Y, SCORE, n_replicates=400).standard_error
    together = bootstrap_interval(Y[REPEATED], SCORE[REPEATED], groups=REPEATED, n_replicates=400).standard_error
    apart = bootstrap_interval(Y[REPEATED], SCORE[REPEATED], n_replicates=400).standard_error
    assert together == pytest.approx(once, rel=0.15)
    assert apart == pytest.approx(once / 2, rel=0.15)


def test_a_paired_test_of_copies_is_that_of_the_rows() -> None:
    together = bootstrap_test(Y[REPEATED], SCORE[REPEATED], OTHER[REPEATED], groups=REPEATED, n_replicates=400)
    once = bootstrap_test(Y, SCORE, OTHER, n_replicates=400)
    assert together.values == pytest.approx(once.values)
    assert together.difference.standard_error == pytest.approx(once.difference.standard_error, rel=0.15)


def test_evaluations_and_comparisons_draw_groups() -> None:
    found = evaluate(
        Y[REPEATED], SCORE[REPEATED], u=0.1, probability=np.full(800, 0.4), groups=REPEATED, n_replicates=100
    )
    by = {row.metric: row for row in found.rows}
    assert by["AUC"].method == by["recall, top 10%"].method == "groups"
    assert by["AUC"].value == pytest.approx(roc_auc(Y, SCORE))
    assert by["Brier score"].low is None
    models = {"one": SCORE[REPEATED], "other": OTHER[REPEATED]}
    compared = compare(models, None, Y[REPEATED], metrics=["roc_auc"], groups=REPEATED, n_replicates=100)
    plain = compare(models, None, Y[REPEATED], metrics=["roc_auc"])
    wide, narrow = (table.rows[1].difference.standard_error for table in (compared, plain))  # type: ignore[union-attr]
    assert wide > 1.5 * narrow
    assert "Bootstrap of whole groups." in str(compared)


def test_bad_groups_are_refused() -> None:
    with pytest.raises(ValueError, match="X has 200 rows but groups has 2 groups"):
        bootstrap_interval(Y, SCORE, groups=[1, 2])


# ---- pairs within blocks


def test_auc_within_blocks_is_the_mean_of_the_blocks() -> None:
    blocks = np.arange(200) % 3 - 1
    weights = RNG.random(200) + 0.5
    scores = np.where(np.arange(200) % 7 == 0, np.nan, SCORE)
    known = ~np.isnan(scores)
    parts = [known & (blocks == block) for block in (-1, 0, 1)]
    each = [roc_auc(Y[rows], scores[rows], sample_weight=weights[rows]) for rows in parts]
    assert auc_within(Y, scores, weights, blocks) == pytest.approx(np.mean(each))
    errors = [auc_within_error(Y[rows], scores[rows], weights[rows]) for rows in parts]
    assert auc_within_error(Y, scores, weights, blocks) == pytest.approx(np.sqrt(np.sum(np.square(errors))) / 3)
    assert auc_within(Y, scores, weights) == roc_auc(Y[known], scores[known], sample_weight=weights[known])


def test_a_block_of_one_class_does_not_count() -> None:
    labels, blocks = np.array([0, 1, 1, 1]), np.array([0, 0, 1, 1])
    assert auc_within(labels, np.array([0.5, 0.4, 0.1, 0.2]), blocks=blocks) == 0.0
