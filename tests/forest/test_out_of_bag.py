"""Out-of-bag scores and AUC by hand: each row is scored by the trees that were not trained on it."""

from __future__ import annotations

from itertools import product
from statistics import mean, median
from typing import Any

import numpy as np
import pytest

import forests
import naive
from rankforest import Dyadic, RankingForest
from rankforest.data import simulate
from rankforest.data.rows import spaced_rows
from rankforest.data.training_rows import TrainingRows
from rankforest.forest import groves as groves_module
from rankforest.forest import out_of_bag
from rankforest.forest.aggregation import tree_score_block
from rankforest.forest.groves import Grove
from rankforest.forest.out_of_bag import auc_of, out_of_bag_scores, pair_auc, rows_with_scores
from rankforest.forest.sampling import Draw
from rankforest.forest.subpartition import inductive_consensus
from rankforest.forest.votes import flags_of
from rankforest.metrics import roc

WAYS = ["proba", "mean_rank", "median_rank", "negative_rank", "plugin"]
DRAWS = [Draw(60, True, None, 5), Draw(20, False, None, 1), Draw(0, True, (25, 25), 2)]


def forest_of(draw: Draw, weighted: bool = False, **kinds: Any) -> tuple[list[Grove], TrainingRows, np.ndarray]:
    """Two groves, and the values of the rows."""
    sample = forests.mixed_sample(3, 60, weighted=weighted)
    groves = [forests.grove_of(sample, n, draw=draw, number=k, **kinds)[0] for k, n in ((0, 4), (3, 3))]
    return groves, sample.training_rows(), forests.values_of(sample)


def unseen(groves: list[Grove], draw: Draw, labels: np.ndarray) -> np.ndarray:
    """Whether each row is out of the sample of each tree."""
    numbers = [grove.first_tree + b for grove in groves for b in range(len(grove.trees))]
    return np.array([draw.times(labels, number) == 0 for number in numbers]).T


@pytest.mark.parametrize("aggregation", WAYS)
@pytest.mark.parametrize("draw", DRAWS)
def test_scores(aggregation: str, draw: Draw) -> None:
    groves, training, X = forest_of(draw)
    scores, counts = out_of_bag_scores(groves, draw, training, aggregation, 1)
    trees = [tree for grove in groves for tree in grove.trees]
    by_tree, out = tree_score_block(trees, X, aggregation, 1), unseen(groves, draw, training.labels)
    middle = median if aggregation == "median_rank" else mean
    for i in range(60):
        known = [by_tree[i, b] for b in range(7) if out[i, b]]
        assert counts[i] == len(known)
        assert scores[i] == (pytest.approx(middle(known)) if known else pytest.approx(np.nan, nan_ok=True))
    assert 0 < np.isnan(scores).sum() < 30 or draw.size == 20
    again, _ = out_of_bag_scores(groves, draw, training, aggregation, 1, X)  # the values in place of the bins
    np.testing.assert_array_equal(again, scores)


@pytest.mark.parametrize("n_bits", [1, 130, 1 << 28])
def test_trees_are_asked_few_at_a_time_if_there_are_many_rows(n_bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    groves, training, X = forest_of(DRAWS[0])
    at_once, asked = out_of_bag_scores(groves, DRAWS[0], training, "proba", 1, X), []
    monkeypatch.setattr(groves_module, "BITS_AT_ONCE", n_bits)
    of_draw = Draw.out_of_bag
    monkeypatch.setattr(Draw, "out_of_bag", lambda self, *rest: asked.append(rest[2]) or of_draw(self, *rest))
    scores, counts = out_of_bag_scores(groves, DRAWS[0], training, "proba", 1)
    np.testing.assert_allclose(scores, at_once[0], rtol=1e-14)
    np.testing.assert_array_equal(counts, at_once[1])
    assert asked == {1: [1] * 7, 130: [2, 2, 2, 1], 1 << 28: [4, 3]}[n_bits]


@pytest.mark.parametrize("aggregation", WAYS)
def test_blocks_do_not_change_the_scores(aggregation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    groves, training, _ = forest_of(DRAWS[0])
    whole = out_of_bag_scores(groves, DRAWS[0], training, aggregation, 1)
    monkeypatch.setattr("rankforest.data.training_rows._ROWS_AT_ONCE", 13)
    monkeypatch.setattr("rankforest.forest.out_of_bag.MATRIX_CELLS", 35)
    for one, other in zip(whole, out_of_bag_scores(groves, DRAWS[0], training, aggregation, 1)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("aggregation", WAYS)
def test_scores_of_other_rules(aggregation: str) -> None:
    sample = forests.mixed_sample(0, missing=0.0)
    sample = forests.sample_of(forests.values_of(sample)[:, :2], sample.labels)
    grove, draw = forests.grove_of(sample, 5, rule=Dyadic(2), max_depth=3)
    training = sample.training_rows()
    scores, _ = out_of_bag_scores([grove], draw, training, aggregation, 1)
    by_tree = tree_score_block(grove.trees, forests.values_of(sample), aggregation, 1)
    out = unseen([grove], draw, training.labels)
    middle = np.median if aggregation == "median_rank" else np.mean
    for i in np.flatnonzero(out.any(axis=1)):
        assert scores[i] == pytest.approx(middle(by_tree[i, out[i]]))
    assert np.isnan(scores[~out.any(axis=1)]).all()


def test_flags() -> None:
    groves, training, _ = forest_of(DRAWS[0])
    bits = np.concatenate([grove.out_of_bag(DRAWS[0], training.labels, 1) for grove in groves])
    rows = np.array([59, 0, 8, 7, 8])
    np.testing.assert_array_equal(flags_of(bits, rows), unseen(groves, DRAWS[0], training.labels)[rows])


@pytest.mark.parametrize("weighted", [False, True])
def test_auc_leaves_rows_out_that_every_tree_has_seen(weighted: bool) -> None:
    groves, training, _ = forest_of(DRAWS[0], weighted)
    scores, _ = out_of_bag_scores(groves, DRAWS[0], training, "proba", 1)
    known = ~np.isnan(scores)
    weights = None if training.weights is None else training.weights[known]
    assert auc_of(scores, training) == pytest.approx(naive.auc_by_pairs(scores[known], training.labels[known], weights))
    only_one_class = np.where(training.labels == 1, scores, np.nan)
    assert np.isnan(auc_of(only_one_class, training))


@pytest.mark.parametrize("share_unknown", [0.0, 0.2, 1.0])
def test_auc_of_very_many_rows_is_counted(share_unknown: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number as `roc_auc`, to the last bit; neither scores nor labels are changed."""
    rng = np.random.default_rng(0)
    _, training, _ = forest_of(DRAWS[0])
    labels, scores = rng.integers(0, 2, 3000).astype(np.uint8), rng.integers(0, 400, 3000) / 7.0
    training = TrainingRows(training.binned, labels, None)
    scores[rng.random(3000) < share_unknown] = np.nan
    known, before = ~np.isnan(scores), scores.copy()
    for module in (out_of_bag, roc):
        monkeypatch.setattr(module, "MANY_ROWS", 1000)
    wanted = roc.roc_auc(labels[known], scores[known]) if known.any() else np.nan
    monkeypatch.setattr(out_of_bag, "roc_auc", None)  # so it cannot be the other way
    np.testing.assert_equal(auc_of(scores, training), wanted)
    np.testing.assert_array_equal(scores, before)
    assert np.isnan(auc_of(np.where(labels == 1, scores, np.nan), training))


@pytest.mark.parametrize("most", [1, 7, 50, 1000])
@pytest.mark.parametrize("share_unknown", [0.0, 0.02, 0.5, 0.97])
def test_spaced_rows_among_those_with_a_score(share_unknown: float, most: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores = np.where(rng.random(200) < share_unknown, np.nan, rng.random(200))
        known = np.flatnonzero(~np.isnan(scores))
        expected = known[spaced_rows(len(known), most)]
        np.testing.assert_array_equal(np.arange(200)[rows_with_scores(scores, most)], expected)


# ---- of a consensus


@pytest.mark.parametrize("strict", [True, False])
def test_rows_are_placed_in_the_consensus_by_their_out_of_bag_mean_rank(strict: bool) -> None:
    """As a fresh row is whose cell training has not seen."""
    groves, training, _ = forest_of(DRAWS[0])
    trees = [tree for grove in groves for tree in grove.trees]
    consensus = inductive_consensus(trees, training, strict=strict, seed=0, n_threads=1)
    means, counts = out_of_bag_scores(groves, DRAWS[0], training, "mean_rank", 1)
    found, same_counts = out_of_bag_scores(
        groves, DRAWS[0], training, "kemeny" if strict else "kemeny_ties", 1, consensus=consensus
    )
    np.testing.assert_array_equal(same_counts, counts)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(means))
    assert np.isnan(means).any()
    unseen_cell = np.full((1, len(trees)), -1, dtype=np.int32)
    for mean_rank, got in zip(means, found):
        if not np.isnan(mean_rank):
            assert got == consensus.place(unseen_cell, np.array([mean_rank]))[0]
            distance = np.abs(consensus.mean_score - mean_rank)
            assert got in consensus.score[distance <= distance.min() + 1e-12]


# ---- by pairs


def pairs_by_hand(groves: list[Grove], draw: Draw, training: TrainingRows, X: np.ndarray, how: str) -> tuple:
    """AUC over all pairs that some tree has not seen, and their number."""
    trees = [tree for grove in groves for tree in grove.trees]
    by_tree, out = tree_score_block(trees, X, how, 1), unseen(groves, draw, training.labels)
    weights = np.ones(training.n_rows) if training.weights is None else training.weights
    won = total = n_pairs = 0.0
    for i, j in product(np.flatnonzero(training.labels == 1), np.flatnonzero(training.labels == 0)):
        neither = out[i] & out[j]
        if not neither.any():
            continue
        ours, theirs = by_tree[i, neither], by_tree[j, neither]
        if how == "kemeny":  # the median ranking of the two rows
            lead = float((ours > theirs).sum() - (ours < theirs).sum())
        else:
            middle = np.median if how == "median_rank" else np.mean
            lead = float(middle(ours) - middle(theirs))
        pair = weights[i] * weights[j]
        won += pair * (0.5 if abs(lead) < 1e-9 else float(lead > 0))
        total += pair
        n_pairs += 1
    return won / total, n_pairs


@pytest.mark.parametrize("aggregation", [*WAYS, "kemeny", "kemeny_ties"])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_pairs(aggregation: str, weighted: bool) -> None:
    """Pairs are ordered by the forest's own aggregation, or the result says by which one."""
    groves, training, X = forest_of(DRAWS[0], weighted)
    how = "mean_rank" if aggregation == "kemeny_ties" else aggregation
    expected, n_pairs = pairs_by_hand(groves, DRAWS[0], training, X, how)
    found = pair_auc(groves, DRAWS[0], training, aggregation)
    assert found.aggregation == how
    assert float(found) == found.auc == pytest.approx(expected)
    assert found.n_pairs == n_pairs < 60 * 60 / 4
    assert found.exact
    assert found.standard_error == 0.0
    # the limit counts pairs
    all_pairs = int(np.prod(np.bincount(training.labels)))
    assert pair_auc(groves, DRAWS[0], training, aggregation, max_pairs=all_pairs).exact
    assert not pair_auc(groves, DRAWS[0], training, aggregation, max_pairs=all_pairs - 1).exact


@pytest.mark.parametrize("weighted", [False, True])
def test_drawn_pairs_are_within_their_standard_error(weighted: bool) -> None:
    groves, training, X = forest_of(DRAWS[0], weighted)
    expected, _ = pairs_by_hand(groves, DRAWS[0], training, X, "proba")
    drawn = [pair_auc(groves, DRAWS[0], training, "proba", max_pairs=500, seed=seed) for seed in range(40)]
    z = [(found.auc - expected) / found.standard_error for found in drawn]
    assert not any(found.exact for found in drawn)
    assert np.abs(z).max() < 4.0
    assert 0.6 < np.std(z) < 1.4  # the error is as large as it says
    assert drawn[0] == pair_auc(groves, DRAWS[0], training, "proba", max_pairs=500, seed=0, n_threads=2)
    assert drawn[0] != drawn[1]


def test_no_pair_that_no_tree_has_seen() -> None:
    """One tree leaves one row out."""
    sample = forests.mixed_sample(0, 20)
    draw = Draw(19, False, None, 0)
    grove, _ = forests.grove_of(sample, 1, draw=draw)
    found = pair_auc([grove], draw, sample.training_rows(), "proba")
    assert found.n_pairs == 0
    assert np.isnan(found.auc)


# ---- permutation importance


def test_importance_is_the_drop_when_a_feature_is_shuffled() -> None:
    sample = forests.mixed_sample(3, 60)
    forest = RankingForest(7, splitter=forests.RULE, random_state=0)
    forest.fit(forests.values_of(sample), sample.labels)
    found = forest.oob_permutation_importance(n_repeats=2, random_state=4)
    groves, draw, training = forest._groves, forest._draw, forest._rows
    rng = np.random.default_rng(4)
    X = training.values(slice(None))
    whole = auc_of(out_of_bag_scores(groves, draw, training, "proba", 1)[0], training)
    assert found.baseline == whole == forest.oob_auc_
    for j, repeat in product(range(4), range(2)):
        shuffled = X.copy()
        shuffled[:, j] = rng.permutation(X[:, j])
        scores, _ = out_of_bag_scores(groves, draw, training, "proba", 1, shuffled)
        assert found.drops[j, repeat] == pytest.approx(whole - auc_of(scores, training))
    np.testing.assert_allclose(found.mean, found.drops.mean(axis=1))


@pytest.mark.parametrize("aggregation", ["proba", "mean_rank", "median_rank"])
def test_powers_of_single_scores(aggregation: str) -> None:
    sample = forests.mixed_sample(0, 60)
    model = RankingForest(7, splitter=forests.RULE, random_state=0).fit(forests.values_of(sample), sample.labels)
    groves, draw, rows = model._groves, model._draw, model._rows
    scores = tree_score_block(model.trees_, rows.values(np.arange(60)), aggregation, 1) ** 2
    flags = flags_of(groves[0].out_of_bag(draw, rows.labels, 1), np.arange(60))
    found, counts = out_of_bag_scores(groves, draw, rows, aggregation, 1, power=2)
    middle = np.median if aggregation == "median_rank" else np.mean
    for i in range(60):
        assert counts[i] == flags[i].sum()
        if counts[i]:
            assert found[i] == pytest.approx(middle(scores[i, flags[i]]))


@pytest.mark.parametrize("aggregation", ["proba", "median_rank"])
def test_scores_spread_as_those_of_fresh_rows(aggregation: str) -> None:
    """Over many samples: the raw scores have too large a variance, the others that of fresh rows."""
    raw, drawn_together, fresh = [], [], []
    for seed in range(30):
        sample, others = simulate.rf20(200, random_state=seed), simulate.rf20(500, random_state=1000 + seed)
        model = RankingForest(20, splitter=forests.RULE, aggregation=aggregation, random_state=seed).fit(
            sample.X, sample.y
        )
        raw.append(np.nanstd(model.oob_scores_))
        drawn_together.append(np.nanstd(model.oob_scores_as_of_fresh_rows()))
        fresh.append(model.score_samples(others.X).std())
    assert np.mean(raw) > 1.1 * np.mean(fresh)
    assert np.mean(drawn_together) == pytest.approx(np.mean(fresh), rel=0.04)
