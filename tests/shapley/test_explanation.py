"""The object: rows and features of it, words, places, backgrounds, and what shap draws."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import naive_shapley
from rankforest import LeafRank, RankBoost, RankConsensus, RankingForest, RankScore, Stream, TreeRank, progress
from rankforest.data import simulate
from rankforest.estimators._forest_margin import LogOdds
from rankforest.interpret import Explanation, explain, why
from rankforest.shapley.places import places_of

SAMPLE = simulate.rf20(400, random_state=0)
X, Y = SAMPLE.X, SAMPLE.y


def boost(**more):
    return RankBoost(10, loss="log_loss", max_leaf_nodes=8, n_folds=None, random_state=0, **more)


@pytest.fixture(scope="module")
def model():
    return boost().fit(X, Y)


@pytest.fixture(scope="module")
def told(model):
    return model.explain(X[:30], X[30:60])


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"age": rng.normal(size=80), "city": rng.choice(["Lyon", "Rome", None], 80)})
    table.loc[::7, "age"] = np.nan
    return table, (table["age"].fillna(1.0) + (table["city"] == "Rome") + rng.normal(size=80) > 0.5).astype(int)


# ---- rows and features


def test_rows_and_features_are_taken_as_from_an_array(told):
    assert told.shape == (30, 20)
    assert len(told) == 30
    one = told[3]
    np.testing.assert_array_equal(one.values, told.values[3])
    assert (one.scores, one.base_values) == (told.scores[3], told.base_values[3])
    np.testing.assert_array_equal(told[5:9].values, told.values[5:9])
    np.testing.assert_array_equal(told[told.scores > 0].data, told.data[told.scores > 0])
    feature = told[:, "x4"]
    np.testing.assert_array_equal(feature.values, told.values[:, 4])
    assert (feature.feature_names, feature.shape) == ("x4", (30,))
    np.testing.assert_array_equal(feature[2:4].data, told.data[2:4, 4])
    np.testing.assert_array_equal(told[:, ["x4", "x1"]].values, told.values[:, [4, 1]])
    np.testing.assert_array_equal(told[2, 4:6].values, told.values[2, 4:6])
    assert told[2]["x4"].values == told.values[2, 4]
    np.testing.assert_array_equal(told.abs.mean(0), np.abs(told.values).mean(axis=0))
    with pytest.raises(KeyError, match="no feature 'age'"):
        told[:, "age"]
    with pytest.raises(IndexError, match="fewer axes"):
        told[1, 2, 3]


def test_importance_is_the_mean_size(told):
    found = told.importance()
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found["x3"] == pytest.approx(np.abs(told.values[:, 3]).mean())


def test_plain_values_and_pickles(told):
    plain = told[:2].to_dict()
    first = plain["rows"][0]
    assert first["base"] + sum(each["contribution"] for each in first["contributions"]) == pytest.approx(first["score"])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(told)).values, told.values)


def test_data_have_names_categories_and_missing_values(frame):
    table, y = frame
    told = boost().fit(table, y).explain(table)
    assert told.feature_names == ("age", "city")
    assert told.data[0, 1] is None or told.data[0, 1] == table["city"][0] or np.isnan(told.data[0, 1])
    assert np.isnan(told.data[0, 0])
    assert told.data[1, 0] == table["age"][1]
    assert "missing" in str(told[0])


# ---- background


def test_without_background_rows_are_compared_with_each_other(model):
    told = model.explain(X[:40])
    np.testing.assert_allclose(told.values, model.explain(X[:40], X[:40]).values, atol=1e-12)
    many = model.explain(X)  # 100 of them, spaced by score
    assert len(many.background_scores) == 100
    assert many.base_values[0] == pytest.approx(model.margin(X).mean(), abs=0.05)
    with pytest.raises(ValueError, match="One row has nothing to be compared with"):
        model.explain(X[:1])
    with pytest.raises(ValueError, match="pass at least one row"):
        model.explain(X[:1], X[:0])
    with pytest.raises(TypeError, match="rows in memory"):
        model.explain(Stream([X]))


def test_a_card_compares_with_its_training_rows(frame):
    table, y = frame
    card = RankScore(pairs=1, random_state=0).fit(table, y)
    told, all_rows = card.explain(table[:5]), card.explain(table[:5], table)
    np.testing.assert_allclose(told.values, all_rows.values, atol=1e-9)
    assert told.base_values[0] == pytest.approx(card.score_samples(table).mean())
    assert "the training rows" in str(told[0])


# ---- words


def test_trees_and_cards_keep_their_words(frame):
    table, y = frame
    tree = TreeRank(LeafRank(max_depth=2)).fit(table, y)
    told = tree.explain(table[:4], table[4:])
    assert [path.stratum for path in told.words] == tree.apply(table[:4]).tolist()
    assert str(tree.path_of(table.iloc[2])) in str(told[2])
    assert len(told[1:3].words) == 2
    assert tree.why(table.iloc[0], table.iloc[1]).words.row.stratum == tree.apply(table[:1])[0]
    card = RankScore(random_state=0).fit(table, y)
    assert card.explain(table[:2])[1].words.total == card.score_samples(table[:2])[1]
    pair = card.why(table.iloc[0], table.iloc[1])
    assert pair.words.difference == pytest.approx(pair.values.sum())
    assert boost().fit(table, y).explain(table).words is None


def test_sentences(told, model):
    assert str(told).startswith("30 rows, 20 features: exact Shapley values of the margin.")
    line = str(told[0]).splitlines()[0]
    assert line.startswith("The margin is ")
    assert line.endswith(" of the 30 background rows:")
    assert f"{'above' if told.scores[0] > told.base_values[0] else 'below'} the mean" in line
    pair = why(model, X[0], X[1])
    above = "first" if model.margin(X[:1])[0] > model.margin(X[1:2])[0] else "second"
    assert str(pair).startswith(f"The {above} row is above: margin ")
    assert pair.order == (1 if above == "first" else -1)
    same = why(model, X[0], X[0])
    assert same.order == 0
    assert "no feature makes a difference" in str(same)
    assert same.to_dict()["contributions"][0]["contribution"] == 0.0
    assert "other features" in str(replace(told[0], values=np.arange(1.0, 21.0)))


# ---- places


def naive_place(score, others):
    others = np.asarray(others)
    return 1 + (others > score + 1e-9).sum() + (np.abs(others - score) <= 1e-9).sum() / 2


def test_places_are_those_of_the_scores_on_the_way(told):
    found = told.places()
    np.testing.assert_array_equal(found.end, rankdata(-told.scores))
    np.testing.assert_allclose(found.values.sum(axis=1), found.start - found.end)
    for i in (0, 7):
        others = np.delete(told.scores, i)
        score = told.base_values[i]
        assert found.start[i] == naive_place(score, others)
        for j in sorted(range(20), key=lambda j: -abs(told.values[i, j])):
            before, score = naive_place(score, others), score + told.values[i, j]
            assert found.values[i, j] == before - naive_place(score, others)


def test_places_in_another_list(told, model):
    listed = model.margin(X[100:300])
    found = told[:3].places(listed)
    assert found.end[1] == naive_place(told.scores[1], listed)
    assert str(told[1].places(listed)) == found.tell(1)
    assert found.tell(1).startswith(f"From place {found.start[1]:g} to {found.end[1]:g} of 200:")
    assert sum(found.to_dict(1)["gained"].values()) == pytest.approx(found.start[1] - found.end[1])
    assert told[1].places().n_listed == 30  # the background rows
    assert found.tell(1, most=1).endswith(f"all other features: to place {found.end[1]:g}")
    with pytest.raises(ValueError, match="give `among`"):
        replace(told[1], background_scores=np.empty(0)).places()


def test_equal_scores_share_a_place():
    found = places_of(np.zeros((2, 1)), np.zeros(2), np.zeros(2), np.zeros(2), ("a",), own=True)
    assert found.start.tolist() == found.end.tolist() == [1.5, 1.5]


# ---- a consensus, and a function of a sum of trees


@pytest.fixture(scope="module")
def consensus():
    forest = RankingForest(8, splitter=LeafRank(max_depth=3), max_depth=3, random_state=0)
    return RankConsensus(forest, boost(), weights=(0.5, 0.5), random_state=0).fit(X, Y)


@pytest.fixture
def of_an_earlier_version(consensus, monkeypatch):
    """Its forest counts with its log-odds."""
    monkeypatch.setattr(consensus, "_forest_margin", LogOdds())
    return consensus


def test_a_consensus_of_many_features_has_shapley_values(consensus):
    """Over all subsets of ten features in which two rows differ, with all aggregations that are means over trees."""
    near = X[12].copy()
    near[10:] = X[0, 10:]
    for how in ("proba", "mean_rank", "plugin"):
        consensus.forest_.set_aggregation(how)
        pair = consensus.why(X[0], near, interactions=True)
        assert pair.exact
        assert pair.values.sum() == pytest.approx(np.subtract(*consensus.margin(np.array([X[0], near]))), abs=1e-9)

        def margin(changed):
            return consensus.margin(np.hstack([changed, np.tile(X[0, 10:], (len(changed), 1))]))

        expected = naive_shapley.values_of_pair(margin, X[0, :10], near[:10])
        np.testing.assert_allclose(pair.values, np.append(expected, np.zeros(10)), atol=1e-11)
        matrix = naive_shapley.interactions_of_pair(margin, X[0, :10], near[:10])
        np.testing.assert_allclose(pair.interaction_values[:10, :10], matrix, atol=1e-11)
    told = consensus.explain(X[:12], X[12:30], interactions=True)
    assert told.exact
    assert "exact Shapley values" in str(told)
    np.testing.assert_allclose(told.values.sum(axis=1) + told.base_values, consensus.margin(X[:12]), atol=1e-9)


def test_log_odds_of_many_features_add_up(of_an_earlier_version):
    consensus = of_an_earlier_version
    told = consensus.explain(X[:12], X[12:30], interactions=True)
    assert not told.exact
    assert "proportions" in str(told)
    np.testing.assert_allclose(told.values.sum(axis=1) + told.base_values, consensus.margin(X[:12]), atol=1e-9)
    pair = consensus.why(X[0], X[12])
    assert pair.values.sum() == pytest.approx(np.subtract(*consensus.margin(X[[0, 12]])), abs=1e-9)
    # the forest's own values in the proportions of its scores, and boosting's exactly
    (w_forest, w_boost), scales = consensus.weights_, consensus._scales
    of_forest = consensus.forest_.why(X[0], X[12])
    slope = np.subtract(*np.log(of_forest.scores / (1 - of_forest.scores))) / of_forest.difference
    expected = w_forest / scales[0].spread * slope * of_forest.values
    expected += w_boost / scales[1].spread * consensus.booster_.why(X[0], X[12]).values
    np.testing.assert_allclose(pair.values, expected, atol=1e-12)


def test_equal_sums_have_the_slope_of_the_function(of_an_earlier_version):
    assert of_an_earlier_version.why(X[3], X[3]).values.tolist() == [0.0] * 20


def test_scores_that_are_no_mean_of_trees_need_few_features():
    forest = RankingForest(4, splitter=LeafRank(), aggregation="median_rank", random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"Exact values would need .* aggregation is 'median_rank'"):
        forest.explain(X[:20], X[20:40])
    near = X[0].copy()
    near[[2, 5]] += 3.0
    pair = forest.why(X[0], near)
    assert pair.values.sum() == pytest.approx(np.subtract(*forest.score_samples(np.array([X[0], near]))), abs=1e-9)
    assert not np.delete(pair.values, [2, 5]).any()


# ---- around


def test_progress_is_told(model):
    seen = []
    with progress(lambda done, total: seen.append((done, total))):
        model.explain(X, X[:2])
    assert seen == [(done, 13) for done in range(1, 14)]


def test_threads_change_no_bit():
    one, two = boost().fit(X, Y), boost(n_jobs=3).fit(X, Y)
    assert (one.explain(X, X[:9]).values == two.explain(X, X[:9]).values).all()


def test_functions_and_methods_agree(model, told):
    np.testing.assert_array_equal(explain(model, X[:30], X[30:60]).values, told.values)
    assert isinstance(told, Explanation)
    with pytest.raises(TypeError, match="is no model of rankforest"):
        explain(object(), X)


# ---- shap


def test_shap_draws_it(told, frame):
    shap = pytest.importorskip("shap")
    plt = pytest.importorskip("matplotlib.pyplot")
    table, y = frame
    of_frame = boost().fit(table, y).explain(table).to_shap()
    given = told.to_shap()
    np.testing.assert_array_equal(given[:, "x4"].values, told.values[:, 4])
    for draw in (
        lambda: shap.plots.beeswarm(given, show=False),
        lambda: shap.plots.bar(given, show=False),
        lambda: shap.plots.waterfall(told[0].to_shap(), show=False),
        lambda: shap.plots.scatter(given[:, "x4"], color=given[:, "x1"], show=False),
        lambda: shap.plots.scatter(told[:, "x4"].to_shap(), show=False),
        lambda: shap.plots.beeswarm(of_frame, show=False),
        lambda: shap.plots.scatter(of_frame[:, "city"], show=False),
    ):
        draw()
        assert plt.gcf().axes
        plt.close("all")
