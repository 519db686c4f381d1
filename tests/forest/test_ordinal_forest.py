"""OrdinalRankingForest: aggregated and out-of-bag predictions, choice of the growth, and the interface."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from rankforest import OrdinalRankingForest, Sampling, progress
from rankforest.data import simulate
from rankforest.forest.contest import Trial, rounds_of, trees_to_choose
from rankforest.forest.groves import Grove
from rankforest.forest.ordinal import ranked_probability_score
from rankforest.forest.ordinal_complexity import ORDINAL_CANDIDATES, candidates_for
from rankforest.growing.ordinal import OrdinalGrowth
from rankforest.metrics import concordance_index
from rankforest.tree.ordinal_tree import OrdinalTree

LEVELS = np.array([1.0, 2.0, 4.0, 7.0])


def sample(seed: int, n: int = 150) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values with some missing, labels with uneven spacing, weights of which some are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    codes = np.digitize(X[:, 0] + X[:, 1] + 0.5 * rng.normal(size=n), [-1.0, 0.0, 1.5])
    X[rng.random((n, 3)) < 0.05] = np.nan
    weights = rng.uniform(0.5, 2.0, n)
    weights[:7] = 0.0
    return X, LEVELS[codes], weights


def fixed(n_trees: int = 12, **parameters: Any) -> OrdinalRankingForest:
    return OrdinalRankingForest(n_trees, cuts="best", max_features=2, min_samples_leaf=2, random_state=3, **parameters)


def median(mass: np.ndarray) -> int:
    return int(np.flatnonzero(np.cumsum(mass) >= 0.5 * mass.sum() - 1e-12)[0])


def lower_middle(values: list[Any]) -> Any:
    return sorted(values)[(len(values) - 1) // 2]


def of_leaf(tree: OrdinalTree, row: np.ndarray) -> np.ndarray:
    mass = tree.leaf_mass[tree.apply(row[None, :])[0]]
    return mass / mass.sum()


@pytest.mark.parametrize("n_trees", [7, 12])
def test_aggregations_from_the_leaves(n_trees: int) -> None:
    X, y, weights = sample(0)
    forest = fixed(n_trees).fit(X, y, weights)
    shares = [[of_leaf(tree, row) for tree in forest.trees_] for row in X]
    mean = [np.mean(of_row, axis=0) for of_row in shares]
    np.testing.assert_allclose(forest.predict_proba(X), mean)
    np.testing.assert_allclose(forest.score_samples(X), np.array(mean) @ LEVELS)
    assert forest.predict(X).tolist() == [LEVELS[median(one)] for one in mean]
    forest.set_aggregation("median")
    np.testing.assert_allclose(forest.predict_proba(X), mean)
    np.testing.assert_allclose(forest.score_samples(X), [np.median([s @ LEVELS for s in row]) for row in shares])
    assert forest.predict(X).tolist() == [LEVELS[lower_middle([median(s) for s in row])] for row in shares]
    np.testing.assert_array_equal(forest.apply(X), np.column_stack([tree.apply(X) for tree in forest.trees_]))


@pytest.mark.parametrize("aggregation", ["mean", "median"])
def test_out_of_bag_by_hand(aggregation: str) -> None:
    """Every row by the trees whose draw does not hold it; few trees, so that some rows have none."""
    X, y, weights = sample(1)
    forest = fixed(4, aggregation=aggregation).fit(X, y, weights)
    kept = np.flatnonzero(weights > 0)
    codes = np.searchsorted(LEVELS, y[kept]).astype(np.uint8)
    times = np.array([forest._draw.times(codes, tree) for tree in range(4)])
    scores, guesses = np.full(len(y), np.nan), np.full(len(y), np.nan)
    proba = np.full((len(y), 4), np.nan)
    for i, row in enumerate(kept):
        shares = [of_leaf(tree, X[row]) for tree, drawn in zip(forest.trees_, times) if drawn[i] == 0]
        if shares:
            proba[row] = np.mean(shares, axis=0)
            mean = aggregation == "mean"
            scores[row] = proba[row] @ LEVELS if mean else np.median([s @ LEVELS for s in shares])
            guesses[row] = LEVELS[median(proba[row]) if mean else lower_middle([median(s) for s in shares])]
    np.testing.assert_allclose(forest.oob_proba_, proba)
    np.testing.assert_allclose(forest.oob_scores_, scores)
    known = ~np.isnan(scores)
    assert 0 < known.sum() < len(kept)
    assert forest.oob_error_ == pytest.approx(np.average(np.abs(guesses - y)[known], weights=weights[known]))
    expected = concordance_index(y[known], scores[known], sample_weight=weights[known])
    assert forest.oob_c_index_ == pytest.approx(expected)


def test_ranked_probability_score_by_hand() -> None:
    rng = np.random.default_rng(2)
    shares, labels, weights = rng.dirichlet(np.ones(4), 20), rng.integers(0, 4, 20), rng.uniform(1, 2, 20)
    expected = [
        sum((LEVELS[m + 1] - LEVELS[m]) * (shares[i, : m + 1].sum() - (labels[i] <= m)) ** 2 for m in range(3))
        for i in range(20)
    ]
    assert ranked_probability_score(shares, labels, LEVELS, weights) == pytest.approx(
        np.average(expected, weights=weights)
    )
    shares[3] = np.nan
    del expected[3]
    assert ranked_probability_score(shares, labels, LEVELS) == pytest.approx(np.mean(expected))


def test_kinds_are_chosen_by_their_out_of_bag_score() -> None:
    """At most three, all within a twentieth of the best; the first trees of the chosen ones stay in the forest."""
    drawn = simulate.ordinal_square(400, random_state=0)
    forest = OrdinalRankingForest(31, random_state=0).fit(drawn.X, drawn.y)

    def score(trial: Trial) -> float:
        return trial.figures["ranked_probability_score"]

    scores = [score(trial) for trial in forest.trials_]
    assert len(scores) == len(ORDINAL_CANDIDATES)
    kept = [trial for trial in forest.trials_ if trial.kept]
    best = sorted(score(trial) for trial in forest.trials_ if trial.n_trees == 24)[:3]  # the finalists have more trees
    assert sorted(score(trial) for trial in kept) == [score for score in best if score <= 1.05 * best[0]]
    assert [grove.growth for grove in forest._groves] == [t.growth for t in sorted(kept, key=score)]
    assert sum(len(grove.trees) for grove in forest._groves) == len(forest.trees_) == 31
    for grove in forest._groves:
        alone = Grove(grove.growth, grove.number)
        assert alone.first_tree == grove.first_tree
    assert {type(tree) for tree in forest.trees_} == {OrdinalTree}


def test_what_is_given_is_not_tried() -> None:
    everything = candidates_for(OrdinalGrowth(cuts="auto", max_features="auto", min_samples_leaf="auto"))  # type: ignore[arg-type]
    assert len(everything) == len(ORDINAL_CANDIDATES)
    some = candidates_for(OrdinalGrowth(cuts="best", max_features="auto", min_samples_leaf="auto"))  # type: ignore[arg-type]
    assert {kind.cuts for kind in some} == {"best"}
    assert len(set(some)) == len(some) < len(everything)
    X, y, _ = sample(3)
    forest = fixed().fit(X, y)
    assert forest.trials_ == []
    assert len({grove.growth for grove in forest._groves}) == 1
    without = OrdinalRankingForest(5, sampling=Sampling(replace=False), random_state=0).fit(X, y)
    assert without.trials_ == []
    assert not hasattr(without, "oob_error_")
    with pytest.raises(ValueError, match="nothing is out of bag"):
        without.oob_permutation_importance()


def test_large_samples_are_compared_by_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trees are grown on samples of all rows, and those of the kept kinds stay."""
    monkeypatch.setattr("rankforest.forest.contest.SCORED_ROWS", 120)
    drawn = simulate.ordinal_square(300, random_state=0)
    told: list[tuple[int, int]] = []
    with progress(lambda *done: told.append(done)):
        forest = OrdinalRankingForest(20, random_state=0).fit(drawn.X, drawn.y)
    assert {int(tree.node_count[0]) for tree in forest.trees_} == {300}
    n_tried = trees_to_choose(len(ORDINAL_CANDIDATES), rounds_of(8, 0))
    n_grown = n_tried + sum(max(0, len(g.trees) - 24) for g in forest._groves)
    assert told[-1] == (n_grown, n_grown)


def test_the_forest_does_not_depend_on_threads_or_storage() -> None:
    X, y, weights = sample(4)
    one = OrdinalRankingForest(20, random_state=0).fit(X, y, weights)
    for other in (
        clone(one).set_params(n_jobs=3).fit(X, y, weights),
        pickle.loads(pickle.dumps(one)),
    ):
        np.testing.assert_array_equal(other.predict_proba(X), one.predict_proba(X))
        np.testing.assert_array_equal(other.oob_proba_, one.oob_proba_)
    another = clone(one).set_params(random_state=1).fit(X, y, weights)
    assert not np.array_equal(another.predict_proba(X), one.predict_proba(X))


def test_warm_start_adds_trees() -> None:
    X, y, weights = sample(5)
    forest = fixed(6, warm_start=True).fit(X, y, weights)
    first = forest.trees_
    forest.set_params(n_estimators=10).fit(X, y, weights)
    assert forest.trees_[:6] == first
    whole = fixed(10).fit(X, y, weights)
    np.testing.assert_array_equal(forest.predict_proba(X), whole.predict_proba(X))
    assert forest.oob_error_ == whole.oob_error_
    with pytest.raises(ValueError, match="can only grow"):
        forest.set_params(n_estimators=4).fit(X, y, weights)
    with pytest.raises(ValueError, match="the same data"):
        forest.set_params(n_estimators=12).fit(X, y)
    with pytest.raises(ValueError, match="the same data"):
        forest.fit(X, y * 2, weights)


def test_progress_and_reading() -> None:
    X, y, weights = sample(6)
    told: list[tuple[int, int]] = []
    with progress(lambda *done: told.append(done)):
        forest = fixed(9).fit(X, y, weights)
    assert told == [(i, 9) for i in range(1, 10)]
    told.clear()
    with progress(lambda *done: told.append(done)):
        forest = OrdinalRankingForest(30, random_state=0).fit(X, y, weights)
    assert told[-1][0] == told[-1][1]
    gains = sum(np.bincount(tree.feature, weights=tree.node_gain, minlength=3) for tree in forest.trees_)
    np.testing.assert_allclose(forest.feature_importances_, gains / gains.sum())
    drops = forest.oob_permutation_importance(n_repeats=2)
    assert drops.baseline == pytest.approx(forest.oob_c_index_)
    assert min(drops.mean[:2]) > 0.05 > drops.mean[2]
    assert 0.0 < forest.instability_ < 0.5
    stored = pickle.loads(pickle.dumps(forest))
    with pytest.raises(AttributeError, match="training rows"):
        stored.oob_permutation_importance()


def test_a_forest_predicts_better_than_chance_and_than_one_tree() -> None:
    drawn, fresh = (simulate.ordinal_square(600, random_state=seed) for seed in (0, 1))
    forest = OrdinalRankingForest(80, random_state=0).fit(drawn.X, drawn.y)
    error = np.abs(forest.predict(fresh.X) - fresh.y).mean()
    alone = np.mean([
        np.abs(tree.levels[tree.leaf_median[tree.apply(fresh.X)]] - fresh.y).mean() for tree in forest.trees_[:20]
    ])  # fmt: skip
    assert error < 0.85 * alone
    assert forest.oob_error_ == pytest.approx(error, abs=0.05)
    assert forest.oob_c_index_ == pytest.approx(concordance_index(fresh.y, forest.score_samples(fresh.X)), abs=0.02)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"aggregation": "mode"}, "aggregation is 'mode'; choose one of 'mean', 'median'"),
        ({"criterion": "auc"}, "criterion is 'auc'"),
        ({"cuts": "some"}, "cuts is 'some'"),
        ({"max_features": "many"}, "max_features is 'many'"),
        ({"min_samples_leaf": "few"}, "min_samples_leaf is 'few'"),
        ({"sampling": 0.0}, "size of sampling is 0.0"),
        (
            {"sampling": Sampling(classes="balanced")},
            "classes of sampling is 'balanced', and rows of ordered labels",
        ),
    ],
)
def test_bad_parameters_are_named(parameters: dict[str, Any], message: str) -> None:
    X, y, _ = sample(7, 40)
    with pytest.raises(ValueError, match=message):
        OrdinalRankingForest(**{"n_estimators": 3, **parameters}).fit(X, y)
