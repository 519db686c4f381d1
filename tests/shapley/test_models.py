"""Explanations of every model: they add up, and are Shapley values by their definition."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import naive_shapley
from rankforest import (
    OAPBPM,
    BestInstances,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    PRank,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    ThresholdRankBoost,
    TreeRank,
)

N = 240
RNG = np.random.default_rng(0)


def table(n, rng):
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "debt": rng.normal(size=n),
            "city": rng.choice(["Lyon", "Paris", "Rome", None], n),
            "kids": rng.integers(0, 5, n).astype(float),
        }
    )
    frame.loc[rng.random(n) < 0.15, "debt"] = np.nan
    return frame


FRAME = table(N, RNG)
SIGNAL = FRAME["age"] / 30 + FRAME["debt"].fillna(1.0) * (FRAME["city"] == "Rome") - FRAME["kids"] / 3
Y = (SIGNAL + RNG.normal(size=N) > SIGNAL.median()).to_numpy().astype(int)
LEVELS = np.clip(np.digitize(SIGNAL + RNG.normal(size=N), [0.5, 1.5]), 0, 2)
ROWS, OTHERS = table(6, RNG), table(5, RNG)


def forest(how, **more):
    return RankingForest(6, splitter=LeafRank(max_depth=3), aggregation=how, max_depth=3, random_state=0, **more)


def boost():
    return RankBoost(8, loss="log_loss", max_leaf_nodes=6, n_folds=3, random_state=0)


MODELS = {
    "tree": (TreeRank(LeafRank(max_depth=3), max_depth=3), "score"),
    "proba": (forest("proba"), "score"),
    "mean_rank": (forest("mean_rank"), "score"),
    "plugin": (forest("plugin"), "score"),
    "negative_rank": (forest("negative_rank"), "score"),
    "median_rank": (forest("median_rank"), "score"),
    "kemeny": (forest("kemeny"), "score"),
    "classifier": (TreeRank(DecisionTreeClassifier(max_depth=2), max_depth=2), "score"),
    "boost": (boost(), "margin"),
    "thresholds": (ThresholdRankBoost(8, n_folds=3, random_state=0), "margin"),
    "consensus": (RankConsensus(forest("proba"), boost(), weights=(0.4, 0.6), random_state=0), "margin"),
    "best": (BestInstances(boost(), top=0.3), "margin"),
    "card": (RankScore(random_state=0), "points"),
    "card of pairs": (RankScore(pairs=2, random_state=0), "points"),
    "ordinal tree": (OrdinalRankingTree(max_depth=3), "score"),
    "ordinal forest": (OrdinalRankingForest(6, max_depth=3, random_state=0), "score"),
    "ordinal median": (OrdinalRankingForest(6, max_depth=3, aggregation="median", random_state=0), "score"),
    "prank": (PRank(random_state=0), "score"),
    "kernel": (PRank(kernel="rbf", random_state=0), "score"),
    "oapbpm": (OAPBPM(5, random_state=0), "score"),
}


@pytest.fixture(scope="module", params=MODELS)
def fitted(request):
    model, scale = MODELS[request.param]
    y = LEVELS if model.ordered else Y
    return model.fit(FRAME, y), scale


def scores_of(model, scale, X):
    return getattr(model, "estimator_", model).margin(X) if scale == "margin" else model.score_samples(X)


def test_values_add_up_and_are_shapley_values(fitted):
    model, scale = fitted
    told = model.explain(ROWS, OTHERS, interactions=True)
    assert (told.scale, told.exact, told.feature_names) == (scale, True, tuple(FRAME.columns))
    expected = scores_of(model, scale, ROWS)
    np.testing.assert_allclose(told.scores, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(told.base_values, scores_of(model, scale, OTHERS).mean(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(told.values.sum(axis=1) + told.base_values, expected, rtol=0, atol=1e-9)
    coded, others = model._coded(ROWS), model._coded(OTHERS)
    score = model.score_parts().scores
    for i, x in enumerate(coded[:2]):
        values = np.mean([naive_shapley.values_of_pair(score, x, z) for z in others], axis=0)
        np.testing.assert_allclose(told.values[i], values, atol=1e-12)
        matrix = np.mean([naive_shapley.interactions_of_pair(score, x, z) for z in others], axis=0)
        np.testing.assert_allclose(told.interaction_values[i], matrix, atol=1e-12)


def test_a_pair_adds_up_and_explanations_are_means_of_pairs(fitted):
    model, scale = fitted
    pairs = [model.why(ROWS.iloc[0], OTHERS.iloc[k].to_dict()) for k in range(len(OTHERS))]
    first = scores_of(model, scale, ROWS)[0]
    for pair, other in zip(pairs, scores_of(model, scale, OTHERS)):
        assert pair.values.sum() == pytest.approx(first - other, abs=1e-9)
        assert pair.difference == pytest.approx(first - other, abs=1e-12)
    told = model.explain(ROWS[:1], OTHERS)
    np.testing.assert_allclose(np.mean([pair.values for pair in pairs], axis=0), told.values[0], atol=1e-12)
    back = model.why(OTHERS.iloc[0], ROWS.iloc[0])
    np.testing.assert_allclose(back.values, -pairs[0].values, atol=1e-12)
