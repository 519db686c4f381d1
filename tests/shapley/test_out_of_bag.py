"""The out-of-bag rows of a forest as background: each tree compares with training rows that it has not seen."""

import numpy as np
import pandas as pd
import pytest

import naive_shapley
from rankforest import (
    BestInstances,
    LeafRank,
    OrdinalRankingForest,
    RankBoost,
    RankingForest,
    RankScore,
    Sampling,
    load_model,
    progress,
    save_model,
)
from rankforest.forest.aggregation import tree_score_block
from rankforest.forest.ordinal import mean_labels

N = 70


def table(seed, n=N):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.normal(size=n), "debt": rng.normal(size=n), "city": rng.choice(["A", "B", "C"], n)}
    )
    frame.loc[rng.random(n) < 0.2, "debt"] = np.nan
    frame.loc[rng.random(n) < 0.2, "city"] = None
    strength = frame["age"] + frame["debt"].fillna(0.5) * (frame["city"] == "B") + rng.normal(size=n)
    return frame, np.digitize(strength, [-0.5, 0.5]), rng.uniform(0.2, 2.0, n)


ROWS = table(9, 5)[0]
SMALL = {"n_estimators": 6, "random_state": 0}
FORESTS = {
    "proba": RankingForest(splitter=LeafRank(max_depth=3), aggregation="proba", **SMALL),
    "mean_rank": RankingForest(splitter=LeafRank(max_depth=3), aggregation="mean_rank", **SMALL),
    "kinds": RankingForest(9, aggregation="plugin", random_state=0),
    "ordinal": OrdinalRankingForest(max_depth=3, **SMALL),
}


@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("grouped", [False, True])
def test_each_tree_compares_with_the_rows_that_it_has_not_seen(name, grouped):
    """By brute force over all subsets, with the values of the training rows, which the forest has no longer."""
    X, strength, weights = table(0)
    groups = np.arange(N) // 2 if grouped else None
    model = FORESTS[name].fit(X, strength if name == "ordinal" else strength > 0, weights, groups=groups)
    told = model.explain(ROWS, "oob", interactions=True)
    np.testing.assert_allclose(told.values.sum(axis=1) + told.base_values, model.score_samples(ROWS), atol=1e-12)
    assert told.exact
    assert told.compared_with == "the out-of-bag rows"

    def score_of(tree):
        if name == "ordinal":
            return lambda block: mean_labels([tree], block, 1)[:, 0]
        return lambda block: tree_score_block([tree], block, model.aggregation_, 1)[:, 0]

    coded, rows = model._coded(ROWS), model._coded(X)
    bits = np.concatenate([grove.out_of_bag(model._draw, model._rows.labels, 1) for grove in model._groves])
    unseen = np.unpackbits(bits, axis=1, bitorder="little")[:, :N].astype(bool)
    assert unseen.any(axis=1).all()
    assert 0.2 < unseen.mean() < 0.6
    bases, values = [], []
    for tree, out in zip(model.trees_, unseen):
        share, score = weights[out] / weights[out].sum(), score_of(tree)
        bases.append(score(rows[out]) @ share)
        values.append([share @ [naive_shapley.values_of_pair(score, x, z) for z in rows[out]] for x in coded[:2]])
    np.testing.assert_allclose(told.base_values, np.mean(bases), atol=1e-12)
    np.testing.assert_allclose(told.values[:2], np.mean(values, axis=0), atol=1e-12)


def test_at_most_100_rows_of_each_tree_and_the_same_ones_again():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    model = RankingForest(30, splitter=LeafRank(max_depth=3), random_state=0).fit(
        X, X[:, 0] + rng.normal(size=1500) > 0
    )
    told, again = model.explain(X[:20], "oob"), model.set_params(n_jobs=2).explain(X[:20], "oob")
    np.testing.assert_array_equal(told.values, again.values)
    np.testing.assert_array_equal(told.base_values, again.base_values)
    assert told.base_values[0] == pytest.approx(np.mean(model.oob_scores_), abs=0.01)
    assert "the out-of-bag rows" in str(told)
    seen: list[tuple[int, int]] = []
    with progress(lambda done, total: seen.append((done, total))):
        model.explain(X[:2], "oob")
    assert seen[-1] == (30, 30)


def test_models_without_such_rows_say_what_to_give(tmp_path):
    X, strength, _ = table(0)
    y = strength > 0
    few = {"n_estimators": 4, "random_state": 0}
    with pytest.raises(ValueError, match=r"^background is 'oob', and RankScore has no out-of-bag rows; give a table"):
        RankScore(n_estimators=5).fit(X, y).explain(ROWS, "oob")
    with pytest.raises(ValueError, match="RankBoost has no out-of-bag rows"):
        BestInstances(RankBoost(5, n_folds=2), top=0.3).fit(X, y).explain(ROWS, "oob")
    with pytest.raises(ValueError, match=r"^background is 'oob', and every tree has seen every row; give rows"):
        RankingForest(sampling=Sampling(replace=False), **few).fit(X, y).explain(ROWS, "oob")
    for model in (RankingForest(aggregation="kemeny", **few), OrdinalRankingForest(aggregation="median", **few)):
        with pytest.raises(ValueError, match=r"^background is 'oob', and the score is no mean over .*trees; give rows"):
            model.fit(X, y).explain(ROWS, "oob")
    with pytest.raises(ValueError, match=r"^background is 'seen'; give a table of rows to compare with, such as 100"):
        model.explain(ROWS, "seen")
    forest = RankingForest(**few).fit(X, y)
    save_model(forest, tmp_path / "model")
    with pytest.raises(AttributeError, match="needs the training rows, which a stored forest does not carry along"):
        load_model(tmp_path / "model").explain(ROWS, "oob")
