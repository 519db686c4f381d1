"""RankingForest(top=u): what is chosen out of bag is chosen by the top of the list."""

from __future__ import annotations

import numpy as np
import pytest

import forests
import naive
from rankforest import LeafRank, Pruning, RankingForest, Sampling
from rankforest.data import simulate
from rankforest.forest.aggregation import SUMMED
from rankforest.forest.complexity import CANDIDATES, kinds_of, ranking_contest
from rankforest.forest.contest import FINALISTS, KEPT, choose_groves, rounds_of
from rankforest.forest.groves import Grove, grow_grove, grow_ranking_trees
from rankforest.forest.out_of_bag import auc_of, out_of_bag_scores
from rankforest.forest.sampling import Draw
from rankforest.forest.top import MARGIN, best_aggregation, local_auc_of, order_by_both
from rankforest.growing.treerank import Growth
from rankforest.metrics import bootstrap_test, local_auc

SAMPLE = simulate.rf20(400, random_state=0)
RULE = LeafRank(max_depth=3, max_features="sqrt")


def test_the_whole_list_is_the_global_forest() -> None:
    whole, one = (RankingForest(20, top=top, random_state=0).fit(SAMPLE.X, SAMPLE.y) for top in (None, 1))
    for a, b in zip(whole.trees_, one.trees_, strict=True):
        for name, array in naive.arrays_of(a).items():
            np.testing.assert_array_equal(naive.arrays_of(b)[name], array)
    np.testing.assert_array_equal(whole.oob_scores_, one.oob_scores_)
    assert whole.aggregation_ == one.aggregation_ == "proba"


def test_cells_far_right_of_the_line_stay_whole() -> None:
    u = 0.05
    forest = RankingForest(10, splitter=RULE, top=u, random_state=0).fit(SAMPLE.X, SAMPLE.y)
    split = 0
    for tree in forest.trees_:
        weight = tree.cell_mass.sum(axis=1)
        before = np.zeros(len(weight))
        for cell in np.flatnonzero(tree.cell_left >= 0):
            left, right = tree.cell_left[cell], tree.cell_right[cell]
            before[left], before[right] = before[cell], before[cell] + weight[left]
            assert before[cell] < MARGIN * u * weight[0]
            split += before[cell] >= u * weight[0]
    assert split > 0  # the margin is used


def test_kinds_are_chosen_by_both_figures() -> None:
    sample = forests.sample_of(SAMPLE.X, SAMPLE.y > 0)
    draw, u, n = Draw(sample.n_rows, True, None, 3), 0.1, 8
    kinds = kinds_of(Growth(CANDIDATES[0].rule, max_depth=4), sample.n_rows, own_depth=False)
    groves, trials = choose_groves(kinds, sample, draw, ranking_contest(u), rounds=rounds_of(n, 0), n_threads=1)
    training = sample.training_rows()
    figures = {}  # of every kind with n trees, and with three times as many
    for number, kind in enumerate(kinds):
        grove = grow_grove(Grove(kind, number), 3 * n, sample, draw, grow_ranking_trees, n_threads=1)
        for whole in (n, 3 * n):
            some = [slice(0, whole), slice(0, whole // 2), slice(whole // 2, whole)]
            scores = [out_of_bag_scores([grove], draw, training, "proba", 1, which=which)[0] for which in some]
            known = [~np.isnan(s) for s in scores]
            local = [local_auc(sample.labels[k], s[k], u) for s, k in zip(scores, known)]
            auc = [auc_of(s, training) for s in scores]
            figures[number, whole] = [2 * found[0] - (found[1] + found[2]) / 2 for found in (auc, local)]
    aucs, locals_ = zip(*(figures[number, n] for number in range(len(kinds))))
    finalists = order_by_both(range(len(kinds)), aucs, locals_)[:FINALISTS]
    last = [figures[number, 3 * n if number in finalists else n] for number in range(len(kinds))]
    np.testing.assert_allclose([trial.figures["auc"] for trial in trials], [auc for auc, _ in last])
    np.testing.assert_allclose([trial.figures["local_auc"] for trial in trials], [local for _, local in last])
    best = order_by_both(finalists, *(list(some) for some in zip(*last)))[:KEPT]
    assert [grove.number for grove in groves] == best
    assert [trial.kept for trial in trials] == [number in best for number in range(len(kinds))]


def test_order_by_both_places() -> None:
    # places by AUC 0 1 2 3, by local AUC 2 0 1 3
    assert order_by_both(range(4), [0.9, 0.8, 0.7, 0.6], [0.2, 0.4, 0.3, 0.1]) == [1, 0, 2, 3]
    # equal sums: the better at the top
    assert order_by_both(range(2), [0.9, 0.8], [0.1, 0.2]) == [1, 0]
    # figures that are not known come last
    assert order_by_both(range(3), [np.nan, 0.8, 0.9], [np.nan, 0.2, 0.1])[-1] == 0


def test_the_aggregation_is_left_only_for_one_that_is_clearly_better() -> None:
    seen = set()
    for seed in range(12):
        sample = simulate.rf10_sparse(150, random_state=seed)
        forest = RankingForest(15, splitter=RULE, top=0.2, random_state=seed).fit(sample.X, sample.y)
        groves, draw, rows = forest._groves, forest._draw, forest._rows
        scores = {how: out_of_bag_scores(groves, draw, rows, how, 1)[0] for how in SUMMED}
        known = ~np.isnan(scores["proba"])
        clear = {"proba": 0.0}
        for how in ("mean_rank", "negative_rank"):
            lead = local_auc(rows.labels[known], scores[how][known], 0.2)
            lead -= local_auc(rows.labels[known], scores["proba"][known], 0.2)
            error = bootstrap_test(
                rows.labels[known], scores[how][known], scores["proba"][known], "local_auc", 0.2,
                n_replicates=100, random_state=draw.seed,
            ).difference.standard_error  # fmt: skip
            if lead > error:
                clear[how] = lead
        assert forest.aggregation_ == max(clear, key=lambda how: clear[how])
        assert forest.aggregation_ == best_aggregation(groves, draw, rows, 0.2, 1)
        seen.add(forest.aggregation_)
    assert len(seen) > 1


def test_scores_are_those_of_the_chosen_aggregation() -> None:
    sample = simulate.rf10_sparse(150, random_state=0)
    forest = RankingForest(15, splitter=RULE, top=0.2, random_state=0).fit(sample.X, sample.y)
    expected = forest.score_samples(sample.X, aggregation=forest.aggregation_)
    np.testing.assert_array_equal(forest.score_samples(sample.X), expected)
    for how in ("mean_rank", "auto", "proba"):
        forest.set_aggregation(how)
        assert forest.aggregation == how
        np.testing.assert_array_equal(
            forest.score_samples(sample.X), forest.score_samples(sample.X, aggregation=forest.aggregation_)
        )
    given = RankingForest(15, splitter=RULE, top=0.2, aggregation="plugin", random_state=0).fit(sample.X, sample.y)
    assert given.aggregation_ == "plugin"


def test_nothing_to_choose_by() -> None:
    sample = simulate.rf10_sparse(100, random_state=0)
    forest = RankingForest(5, top=0.2, sampling=Sampling(replace=False), random_state=0).fit(sample.X, sample.y)
    assert forest.aggregation_ == "proba"
    rows = forests.sample_of(sample.X, sample.y > 0).training_rows()
    assert np.isnan(local_auc_of(np.full(100, np.nan), rows, 0.1))


def test_pruned_base_trees_look_at_the_top() -> None:
    sample = simulate.rf20(200, random_state=0)
    kwargs = {"splitter": RULE, "pruning": Pruning("cv", n_folds=3), "max_depth": 4, "random_state": 0}
    top, whole = (RankingForest(4, top=t, **kwargs).fit(sample.X, sample.y) for t in (0.1, None))
    assert [tree.n_leaves for tree in top.trees_] != [tree.n_leaves for tree in whole.trees_]
    with pytest.raises(ValueError, match="pruning is 'structural'"):
        RankingForest(4, top=0.1, pruning="structural").fit(sample.X, sample.y)


def test_a_wrong_share_is_said_before_any_work() -> None:
    with pytest.raises(ValueError, match="top is 0; give the share of the list that matters"):
        RankingForest(4, top=0).fit(SAMPLE.X, SAMPLE.y)


def test_the_description_tells_what_was_chosen_by() -> None:
    text = str(RankingForest(10, top=0.1, random_state=0).fit(SAMPLE.X, SAMPLE.y).describe())
    assert "Splitting, chosen by out-of-bag AUC and local AUC of the first 0.1" in text
