"""The training summary: shares that a count of the rows gives as well."""

import pickle

import numpy as np
import pytest

from mutants import fitted, mixed_table, models
from rankforest import RankingForest, Sampling, TreeRank
from rankforest.data.summary import GROUPS, ScoreSummary


@pytest.mark.parametrize("name", ["tree", "forest", "boosting", "ordinal tree", "perceptron", "best instances"])
def test_shares_are_those_of_a_count(name):
    X, y, levels, _ = mixed_table(150)
    model = fitted(models()[name])
    summary = model.summary_
    labels = levels if len(summary.class_counts) == 3 else y
    assert summary.class_counts == tuple(np.unique(labels, return_counts=True)[1].tolist())
    assert summary.n_rows == 150
    for column, feature in zip(X.columns, summary.features, strict=True):
        values = X[column]
        assert feature.missing == pytest.approx(values.isna().mean())
        assert sum(feature.shares) + feature.missing == pytest.approx(1.0)
        if feature.edges is None:
            expected = values.astype(object).dropna().value_counts().sort_index().to_numpy() / len(X)
        else:
            group = np.searchsorted(feature.edges, values.dropna(), side="left")
            expected = np.bincount(group, minlength=len(feature.edges) + 1) / len(X)
            assert len(feature.edges) == GROUPS - 1
            np.testing.assert_allclose(expected, (1 - feature.missing) / GROUPS, atol=0.02)
        np.testing.assert_allclose(feature.shares, expected)
    assert pickle.loads(pickle.dumps(model)).summary_ == summary


def test_rows_of_weight_zero_do_not_count_and_labels_are_in_order():
    X, y, _, weights = mixed_table(150)
    weights[:50] = 0.0
    kept = TreeRank(max_depth=1, pos_label="no").fit(X, y, sample_weight=weights).summary_
    alone = TreeRank(max_depth=1).fit(X[50:], y[50:], sample_weight=weights[50:]).summary_
    assert kept.class_counts == ((y[50:] == "no").sum(), (y[50:] == "yes").sum())
    assert kept.features == alone.features


def test_scores_of_a_tree_are_its_strata():
    model = fitted(TreeRank(max_depth=2))
    scores = model.summary_.scores
    X = mixed_table(150)[0]
    group = np.searchsorted(scores.edges, model.score_samples(X))
    assert scores.source == "training"
    assert len(scores.shares) == model.tree_.n_leaves
    np.testing.assert_allclose(scores.shares, np.bincount(group) / 150)
    smaller = model.subtree([model.tree_.cell_left[0]])
    assert len(smaller.summary_.scores.shares) == smaller.tree_.n_leaves


def test_scores_of_a_forest_are_out_of_bag_and_follow_the_aggregation():
    model = fitted(RankingForest(20, random_state=0))

    def counted():
        known = model.oob_scores_[~np.isnan(model.oob_scores_)]
        edges = model.summary_.scores.edges
        return np.bincount(np.searchsorted(edges, known), minlength=len(edges) + 1) / len(known)

    assert model.summary_.scores.source == "out-of-bag"
    np.testing.assert_allclose(model.summary_.scores.shares, counted())
    model.set_aggregation("mean_rank")
    np.testing.assert_allclose(model.summary_.scores.shares, counted())
    stored = pickle.loads(pickle.dumps(model)).set_aggregation("plugin")
    assert stored.summary_.scores is None
    assert fitted(RankingForest(3, sampling=Sampling(oob=False))).summary_.scores is None


def test_no_scores_no_summary():
    assert ScoreSummary.of("training", np.array([np.nan])) is None
    assert ScoreSummary.of("training", np.array([1.0])).shares == (1.0,)
