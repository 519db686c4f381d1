"""RankingForest through its public interface."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import SVC

import naive
from rankforest import Dyadic, LeafRank, Pruning, RankingForest, Sampling, TreeRank, progress
from rankforest.consensus import kendall_distance
from rankforest.data import simulate
from rankforest.forest.aggregation import AGGREGATIONS, KEMENY
from rankforest.interpret import partial_dependence
from rankforest.metrics import roc_auc
from rankforest.tree.ranking_tree import RankingTree

FIXED = LeafRank(max_depth=4, max_features="sqrt", min_mass_leaf=0.0)


def same_forest(one: RankingForest, other: RankingForest) -> bool:
    """All arrays of all trees, and the scores out of bag."""
    if len(one.trees_) != len(other.trees_):
        return False
    for a, b in zip(one.trees_, other.trees_):
        ours, theirs = naive.arrays_of(a), naive.arrays_of(b)  # type: ignore[arg-type]
        if not all(np.array_equal(ours[name], theirs[name]) for name in ours):
            return False
    return np.array_equal(getattr(one, "oob_scores_", 0), getattr(other, "oob_scores_", 0), equal_nan=True)


@pytest.fixture(scope="module")
def sparse_signal() -> simulate.Simulated:
    return simulate.rf10_sparse(300, random_state=0)


@pytest.fixture
def fitted(sparse_signal: simulate.Simulated) -> RankingForest:
    return RankingForest(20, splitter=FIXED, random_state=0).fit(sparse_signal.X, sparse_signal.y)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories and whole numbers, a tenth of the cells missing."""
    rng = np.random.default_rng(0)
    age, city = rng.normal(50, 10, 300), rng.choice(["Lyon", "Paris", "Nice", "Brest"], 300)
    grade = rng.integers(1, 6, 300)
    signal = (age - 50) / 10 + np.where(np.isin(city, ["Lyon", "Nice"]), 1.0, -1.0) + (grade == 3) * 2.0
    y = np.where(signal + 0.5 * rng.normal(size=300) > 0.5, "bad", "good")
    frame = pd.DataFrame({"age": age, "city": city, "grade": grade})
    for column in ["age", "city"]:
        frame.loc[rng.random(300) < 0.1, column] = None
    return frame, y


# ---- what comes in


@pytest.mark.parametrize("kind", ["pandas category", "polars"])
def test_frames_with_categories_and_holes(mixed: tuple[pd.DataFrame, np.ndarray], kind: str) -> None:
    frame, y = mixed
    other = pl.from_pandas(frame) if kind == "polars" else frame.assign(city=frame["city"].astype("category"))
    models = [
        RankingForest(15, categorical_features=["grade"], pos_label="bad", random_state=0).fit(X, y)
        for X in (frame, other)
    ]
    assert same_forest(*models)
    assert models[0].oob_auc_ > 0.85
    assert list(models[1].feature_names_in_) == ["age", "city", "grade"]
    np.testing.assert_array_equal(models[0].score_samples(other), models[1].score_samples(frame))
    assert roc_auc(y, models[0].score_samples(frame), pos_label="bad") > 0.9
    assert list(models[0].classes_) == ["bad", "good"]
    proba = models[0].predict_proba(frame)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert np.corrcoef(proba[:, 0], y == "bad")[0, 1] > 0.5
    assert np.mean(models[0].predict(frame) == y) > 0.8
    unseen, missing = frame.head(50).assign(city="Rome"), frame.head(50).assign(city=None)
    missing["city"] = missing["city"].astype(frame["city"].dtype)
    np.testing.assert_array_equal(models[0].score_samples(unseen), models[0].score_samples(missing))


@pytest.mark.parametrize("missing", ["learned", "cell_mean"])
def test_missing_cells_lose_no_row(missing: str, sparse_signal: simulate.Simulated) -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random(sparse_signal.X.shape) < 0.2, np.nan, sparse_signal.X)
    model = RankingForest(15, splitter=LeafRank(missing=missing, cuts="random"), random_state=0).fit(X, sparse_signal.y)
    assert all(tree.cell_count[0] == 300 for tree in model.trees_)
    assert model.oob_auc_ > 0.7
    assert np.isfinite(model.score_samples(X)).all()


def test_sparse_equals_dense() -> None:
    rng = np.random.default_rng(1)
    X = rng.poisson(0.5, (200, 8)).astype(float)
    y = (X[:, 0] + X[:, 3] + rng.normal(size=200) > 1.2).astype(int)
    dense, thin = (RankingForest(10, random_state=0).fit(kind(X), y) for kind in (np.asarray, sparse.csr_matrix))
    assert same_forest(dense, thin)
    np.testing.assert_array_equal(dense.score_samples(X), thin.score_samples(sparse.csc_array(X)))


@pytest.mark.parametrize("splitter", [None, FIXED])
def test_the_unit_of_weight_does_not_matter(splitter: Any, sparse_signal: simulate.Simulated) -> None:
    weight = np.random.default_rng(0).integers(1, 9, 300) / 4.0
    model = RankingForest(10, splitter=splitter, random_state=0)
    reference = clone(model).fit(sparse_signal.X, sparse_signal.y, weight)
    for scale in (2.0**-60, 2.0**30):
        scaled = clone(model).fit(sparse_signal.X, sparse_signal.y, weight * scale)
        for how in ("proba", "mean_rank", "negative_rank", "plugin"):
            np.testing.assert_array_equal(
                scaled.score_samples(sparse_signal.X, aggregation=how),
                reference.score_samples(sparse_signal.X, aggregation=how),
            )
        assert scaled.oob_auc_ == pytest.approx(reference.oob_auc_)
        np.testing.assert_allclose(scaled.predict_proba(sparse_signal.X), reference.predict_proba(sparse_signal.X))
    equal = clone(model).fit(sparse_signal.X, sparse_signal.y, np.full(300, 0.1))
    plain = clone(model).fit(sparse_signal.X, sparse_signal.y)
    np.testing.assert_allclose(equal.score_samples(sparse_signal.X), plain.score_samples(sparse_signal.X))


def test_weights_move_the_ranking() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    y = np.where(rng.random(500) < 0.5, X[:, 0] > 0, X[:, 1] > 0)
    weight = np.where(y == (X[:, 0] > 0), 1.0, 1e-3)
    model = RankingForest(10, random_state=0).fit(X, y, weight)
    assert model.feature_importances_[0] > 0.75
    known = ~np.isnan(model.oob_scores_)
    auc = roc_auc(y[known], model.oob_scores_[known], sample_weight=weight[known])
    assert model.oob_auc_ == pytest.approx(auc)


def test_a_weight_of_two_is_two_rows_where_all_rows_are_seen(sparse_signal: simulate.Simulated) -> None:
    """Ranks of the strata; the rates of finest cells are smoothed by rows of typical weight."""
    X, y = sparse_signal.X[:100], sparse_signal.y[:100]
    weight = np.random.default_rng(0).integers(1, 4, 100)
    model = RankingForest(4, splitter=FIXED, sampling=Sampling(replace=False), aggregation="mean_rank", random_state=0)
    weighted = clone(model).fit(X, y, weight.astype(float))
    repeated = clone(model).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.score_samples(X), repeated.score_samples(X))


def test_rows_of_weight_zero_are_left_out(sparse_signal: simulate.Simulated) -> None:
    """Their out-of-bag scores are NaN; all other results equal those without these rows."""
    weight = np.ones(300)
    weight[::3] = 0.0
    model = RankingForest(10, random_state=0)
    weighted = clone(model).fit(sparse_signal.X, sparse_signal.y, weight)
    dropped = clone(model).fit(sparse_signal.X[weight > 0], sparse_signal.y[weight > 0])
    assert weighted.oob_scores_.shape == (300,)
    assert np.isnan(weighted.oob_scores_[::3]).all()
    np.testing.assert_array_equal(weighted.oob_scores_[weight > 0], dropped.oob_scores_)
    np.testing.assert_array_equal(weighted.score_samples(sparse_signal.X), dropped.score_samples(sparse_signal.X))
    assert weighted.oob_auc_ == dropped.oob_auc_
    weighted.set_aggregation("median_rank")
    assert weighted.oob_scores_.shape == (300,)
    assert weighted.oob_roc().auc == pytest.approx(weighted.oob_auc_)
    assert str(weighted.describe()).count(" in the top ") == 2


# ---- the same model


@pytest.mark.parametrize("splitter", [None, FIXED, Dyadic(2)])
def test_threads_do_not_change_the_model(splitter: Any) -> None:
    n = 150 if isinstance(splitter, Dyadic) else 600
    sample = simulate.rf20(n, random_state=0)
    weight = np.random.default_rng(0).exponential(size=n)
    X = sample.X[:, :2] if isinstance(splitter, Dyadic) else sample.X
    one, two = (RankingForest(12, splitter=splitter, n_jobs=n, random_state=0).fit(X, sample.y, weight) for n in (1, 2))
    for how in set(AGGREGATIONS) - set(KEMENY):
        np.testing.assert_array_equal(one.score_samples(X, aggregation=how), two.score_samples(X, aggregation=how))
    np.testing.assert_array_equal(one.oob_scores_, two.oob_scores_)
    assert one.instability_ == two.instability_
    if not isinstance(splitter, Dyadic):
        assert same_forest(one, two)


def test_seeds(sparse_signal: simulate.Simulated) -> None:
    model = RankingForest(10, random_state=3)
    one = clone(model).fit(sparse_signal.X, sparse_signal.y)
    assert same_forest(one, clone(model).fit(sparse_signal.X, sparse_signal.y))
    assert same_forest(one, one.fit(sparse_signal.X, sparse_signal.y))
    generator = np.random.RandomState(3)
    first, second = (clone(model).set_params(random_state=generator) for _ in range(2))
    assert same_forest(one, first.fit(sparse_signal.X, sparse_signal.y))
    assert not same_forest(one, second.set_params(random_state=4).fit(sparse_signal.X, sparse_signal.y))


def test_clone_and_grid_search(sparse_signal: simulate.Simulated) -> None:
    model = RankingForest(
        5, splitter=LeafRank(max_depth=3), max_features=2, sampling=Sampling(classes="balanced"), random_state=0
    )
    assert clone(model).get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert clone(model).splitter.max_depth == 3
    search = GridSearchCV(
        RankingForest(5, random_state=0), {"sampling__size": [0.1, 1.0], "max_depth": [1, 4]},
        scoring="roc_auc", cv=2,
    ).fit(sparse_signal.X, sparse_signal.y)  # fmt: skip
    assert search.best_score_ > 0.75
    assert len(set(search.cv_results_["mean_test_score"])) == 4
    assert cross_val_score(model, sparse_signal.X, sparse_signal.y, scoring="roc_auc", cv=2).mean() > 0.7


# ---- growing on


def test_warm_start_of_one_rule_is_the_forest_at_once(sparse_signal: simulate.Simulated) -> None:
    model = RankingForest(10, splitter=FIXED, warm_start=True, random_state=0).fit(sparse_signal.X, sparse_signal.y)
    first = model.trees_
    model.set_params(n_estimators=25).fit(sparse_signal.X, sparse_signal.y)
    assert all(a is b for a, b in zip(first, model.trees_))
    at_once = RankingForest(25, splitter=FIXED, random_state=0).fit(sparse_signal.X, sparse_signal.y)
    assert same_forest(model, at_once)
    assert model.oob_auc_ == at_once.oob_auc_
    assert model.instability_ == at_once.instability_


def test_warm_start_keeps_the_rules_that_were_chosen(sparse_signal: simulate.Simulated) -> None:
    """A larger forest would compare more trees before choosing; with warm_start the choice is kept."""
    model = RankingForest(10, warm_start=True, random_state=0).fit(sparse_signal.X, sparse_signal.y)
    before, trials = model._groves, model.trials_
    told: list[tuple[int, int]] = []
    with progress(lambda *numbers: told.append(numbers)):
        model.set_params(n_estimators=20).fit(sparse_signal.X, sparse_signal.y)
    assert told[-1] == (10, 10)
    assert model.trials_ == trials
    assert [len(grove.trees) for grove in model._groves] == [7, 7, 6]
    for old, new in zip(before, model._groves, strict=True):
        assert new.growth == old.growth
        assert new.trees[: len(old.trees)] == old.trees
    same = model.trees_
    assert model.fit(sparse_signal.X, sparse_signal.y).trees_ == same  # nothing to add


def test_warm_start_says_what_it_cannot_do(sparse_signal: simulate.Simulated) -> None:
    X, y = sparse_signal.X, sparse_signal.y
    model = RankingForest(6, splitter=FIXED, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match=r"^n_estimators is 3, and the forest has 6 trees already; .* only grow\.$"):
        model.set_params(n_estimators=3).fit(X, y)
    for other in ((X[:50], y[:50]), (X[:, :4], y), (X, -y), (X[::-1], y), (X, y, np.arange(1.0, 301.0))):
        with pytest.raises(ValueError, match=r"^warm_start adds trees to a forest of the same data; .* start anew\.$"):
            model.set_params(n_estimators=9).fit(*other)
    assert len(model.trees_) == 6
    assert len(model.set_params(warm_start=False).fit(X[:50], y[:50]).trees_) == 9


@pytest.mark.parametrize("splitter", [None, FIXED, Dyadic(2)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupted_fit_leaves_the_model_as_it_was(
    splitter: Any, n_jobs: int, sparse_signal: simulate.Simulated
) -> None:
    X, y = sparse_signal.X[:, :3], sparse_signal.y
    model = RankingForest(6, splitter=splitter, random_state=0, n_jobs=n_jobs).fit(X, y)
    scores, state = model.score_samples(X), dict(model.__dict__)

    def stop(done: int, total: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    model.set_params(random_state=1)
    with progress(stop), pytest.raises(KeyboardInterrupt):
        model.fit(X[:200], y[:200])
    np.testing.assert_array_equal(model.score_samples(X), scores)
    for name in state.keys() - {"random_state"}:
        assert model.__dict__[name] is state[name]
    fresh = RankingForest(6, splitter=splitter)
    with progress(stop), pytest.raises(KeyboardInterrupt):
        fresh.fit(X, y)
    with pytest.raises(NotFittedError):
        fresh.score_samples(X)


@pytest.mark.parametrize("n_trees", [1, 2, 8, 45])
@pytest.mark.parametrize("options", [{}, {"splitter": FIXED}, {"pruning": Pruning("cv", n_folds=2)}])
def test_progress_counts_to_the_end(n_trees: int, options: Any) -> None:
    sample = simulate.rf10_sparse(60, random_state=0)
    told: list[tuple[int, int]] = []
    model = RankingForest(n_trees, random_state=0, **options)
    with progress(lambda *numbers: told.append(numbers)):
        model.fit(sample.X, sample.y)
    assert len(model.trees_) == n_trees
    assert [done for done, _ in told] == list(range(1, told[-1][1] + 1))
    assert {total for _, total in told} == {told[-1][0]}
    if "splitter" in options:
        assert told[-1] == (n_trees, n_trees)


def test_no_bar_without_a_terminal(sparse_signal: simulate.Simulated, capsys: pytest.CaptureFixture[str]) -> None:
    assert not sys.stderr.isatty()
    RankingForest(5, random_state=0).fit(sparse_signal.X, sparse_signal.y)
    assert capsys.readouterr() == ("", "")


# ---- scores


def test_aggregations_can_be_changed(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    X = sparse_signal.X[:80]
    asked = {how: fitted.score_samples(X, aggregation=how) for how in AGGREGATIONS}
    np.testing.assert_array_equal(fitted.score_samples(X), asked["proba"])
    assert len({scores.tobytes() for scores in asked.values()}) == len(AGGREGATIONS)
    for how, scores in asked.items():
        assert 0.0 <= scores.min() < scores.max() <= 1.0
        assert roc_auc(sparse_signal.y[:80], scores) > 0.9
        assert fitted.set_aggregation(how) is fitted
        np.testing.assert_array_equal(fitted.score_samples(X), scores)
        # as if it had been fitted so
        again = RankingForest(20, splitter=FIXED, aggregation=how, random_state=0).fit(sparse_signal.X, sparse_signal.y)
        assert same_forest(fitted, again)
        assert fitted.oob_auc_ == again.oob_auc_
        assert fitted.calibration_error_ == again.calibration_error_
        np.testing.assert_array_equal(fitted.predict_proba(X), again.predict_proba(X))
        assert fitted.oob_aggregation_ == how
        assert fitted.describe().to_dict()["Out of bag"]["aggregation"] == how
        if how not in KEMENY:
            np.testing.assert_array_equal(fitted.rank(X), rankdata(-scores))
    np.testing.assert_array_equal(fitted.rank(X, aggregation="plugin"), rankdata(-asked["plugin"]))
    ranks = fitted.rank(X, aggregation="kemeny")
    assert kendall_distance(ranks, -asked["mean_rank"]) < 0.2


def test_out_of_bag_figures_are_those_of_the_consensus(sparse_signal: simulate.Simulated) -> None:
    """Not those of mean ranks, which order rows that the consensus ties."""
    model = RankingForest(20, splitter=FIXED, aggregation="kemeny_ties", random_state=0)
    model.fit(sparse_signal.X, sparse_signal.y)
    by_ranks = clone(model).set_params(aggregation="mean_rank").fit(sparse_signal.X, sparse_signal.y)
    score = model.score_samples(sparse_signal.X)
    known = ~np.isnan(model.oob_scores_)
    assert np.isin(model.oob_scores_[known], score).all()  # places in the consensus
    assert len(np.unique(score)) < 20 < len(np.unique(by_ranks.oob_scores_[known]))
    assert model.oob_auc_ == pytest.approx(roc_auc(sparse_signal.y[known], model.oob_scores_[known]))
    assert model.oob_auc_ < by_ranks.oob_auc_
    assert model.oob_permutation_importance(n_repeats=1).baseline == model.oob_auc_
    np.testing.assert_allclose(model.oob_roc().auc, model.oob_auc_)
    assert np.isin(model.oob_scores_as_of_fresh_rows()[known], score).all()
    # pairs cannot be placed so
    assert model.oob_pair_auc() == by_ranks.oob_pair_auc()
    assert model.oob_pair_auc().aggregation == "mean_rank"
    assert model.set_aggregation("median_rank").oob_pair_auc().aggregation == "median_rank"
    assert model.oob_pair_auc() != by_ranks.oob_pair_auc()


def test_a_stored_consensus_scores(sparse_signal: simulate.Simulated) -> None:
    model = RankingForest(10, splitter=FIXED, aggregation="kemeny", random_state=0)
    model.fit(sparse_signal.X, sparse_signal.y)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.score_samples(sparse_signal.X), model.score_samples(sparse_signal.X))
    # without the training rows the figures stay those of the aggregation that they were measured with
    loaded.set_aggregation("mean_rank")
    assert (loaded.aggregation_, loaded.oob_aggregation_) == ("mean_rank", "kemeny")
    assert loaded.oob_auc_ == model.oob_auc_


def test_a_stored_forest_refuses_a_consensus_that_it_cannot_find(
    fitted: RankingForest, sparse_signal: simulate.Simulated
) -> None:
    X, loaded = sparse_signal.X, pickle.loads(pickle.dumps(fitted))
    before = loaded.score_samples(X)
    for how in ("kemeny", "kemeny_ties"):
        for ask in (
            lambda how=how: loaded.set_aggregation(how),
            lambda how=how: loaded.score_samples(X, aggregation=how),
        ):
            with pytest.raises(ValueError, match=f"aggregation is '{how}', which is searched among the training rows"):
                ask()
    assert (loaded.aggregation, loaded.aggregation_) == ("auto", fitted.aggregation_)
    np.testing.assert_array_equal(loaded.score_samples(X), before)
    # the remedy that the sentence names
    np.testing.assert_array_equal(loaded.rank(X, aggregation="kemeny"), fitted.rank(X, aggregation="kemeny"))
    # a consensus that is stored can be taken again, the other one cannot
    kept = RankingForest(5, splitter=FIXED, aggregation="kemeny", random_state=0).fit(X, sparse_signal.y)
    again = pickle.loads(pickle.dumps(kept)).set_aggregation("mean_rank").set_aggregation("kemeny")
    np.testing.assert_array_equal(again.score_samples(X), kept.score_samples(X))
    with pytest.raises(ValueError, match="aggregation is 'kemeny_ties'"):
        again.set_aggregation("kemeny_ties")
    # an unfitted forest, and one with its rows, take any
    assert RankingForest().set_aggregation("kemeny").aggregation == "kemeny"
    assert fitted.set_aggregation("kemeny").aggregation_ == "kemeny"


def test_probabilities_follow_the_scores(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    for how in AGGREGATIONS:
        fitted.set_aggregation(how)
        order = np.argsort(fitted.score_samples(sparse_signal.X), kind="stable")
        positive = fitted.predict_proba(sparse_signal.X)[order, 1]
        assert (np.diff(positive) >= 0.0).all()
        assert 0.0 < positive[0] < positive[-1] < 1.0


def test_probabilities_are_calibrated_on_new_rows() -> None:
    """Rare positives, and classes drawn equally often: the raw rates are far off."""
    train, test = simulate.rf10_sparse(1500, random_state=0), simulate.rf10_sparse(4000, random_state=1)
    kept, kept_test = ((s.y < 0) | (np.random.default_rng(0).random(len(s.y)) < 0.2) for s in (train, test))
    model = RankingForest(100, splitter=FIXED, sampling=Sampling(classes="balanced"), random_state=0)
    model.fit(train.X[kept], train.y[kept])
    X, positive = test.X[kept_test], test.y[kept_test] > 0
    calibrated, raw = model.predict_proba(X)[:, 1], model.score_samples(X)

    def error(probability: np.ndarray) -> float:
        groups = np.array_split(np.argsort(probability), 10)
        return float(np.mean([abs(probability[g].mean() - positive[g].mean()) for g in groups]))

    assert error(calibrated) < 0.04
    assert error(calibrated) < 0.3 * error(raw)
    assert np.mean((calibrated - positive) ** 2) < np.mean((raw - positive) ** 2)
    assert model.calibration_error_ == pytest.approx(error(calibrated), abs=0.04)


def test_strata(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    strata = fitted.apply(sparse_signal.X)
    assert strata.shape == (300, 20)
    for b in (0, 19):
        np.testing.assert_array_equal(strata[:, b], fitted.trees_[b].apply(sparse_signal.X))


# ---- stored and loaded


def test_a_stored_forest_scores_but_has_no_training_rows(
    fitted: RankingForest, sparse_signal: simulate.Simulated
) -> None:
    X = sparse_signal.X
    instability, pair = fitted.instability_, fitted.oob_pair_auc()
    stored = pickle.dumps(fitted)
    loaded = pickle.loads(stored)
    assert same_forest(fitted, loaded)
    for how in set(AGGREGATIONS) - set(KEMENY):
        np.testing.assert_array_equal(
            loaded.score_samples(X, aggregation=how), fitted.score_samples(X, aggregation=how)
        )
    np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
    np.testing.assert_array_equal(loaded.rank(X[:30], aggregation="kemeny"), fitted.rank(X[:30], aggregation="kemeny"))
    assert loaded.instability_ == instability  # it was asked for before
    assert loaded.oob_auc_ == fitted.oob_auc_
    assert 0.5 < pair.auc < 1.0
    needed = r"^This needs the training rows, which a stored forest does not carry along; .* or fit again\.$"
    for ask in (loaded.oob_pair_auc, loaded.oob_permutation_importance, loaded.oob_roc):
        with pytest.raises(AttributeError, match=needed):
            ask()
    text = str(loaded.describe())
    assert "AUC" in text
    assert "training rows" not in text
    wide = RankingForest(3, random_state=0).fit(np.hstack([X] * 50), sparse_signal.y)
    assert len(pickle.dumps(wide)) < X.nbytes * 50  # bins of the rows are not among it


# ---- kinds of forests


def test_bagging_is_the_mean_of_trees_on_drawn_rows(sparse_signal: simulate.Simulated) -> None:
    """F_T = F_L = q: nothing is drawn but rows."""
    X, y = sparse_signal.X, sparse_signal.y
    model = RankingForest(4, splitter=LeafRank(max_depth=3), max_depth=4, random_state=0).fit(X, y)
    for b, tree in enumerate(model.trees_):
        times = model._draw.times((y > 0).astype(np.uint8), b)
        alone = TreeRank(LeafRank(max_depth=3, max_bins=300), max_depth=4).fit(
            np.repeat(X, times, axis=0), np.repeat(y, times)
        )
        assert tree.auc == pytest.approx(alone.tree_.auc, abs=0.01)
        assert tree.cell_mass[0].tolist() == alone.tree_.cell_mass[0].tolist()


def test_features_are_drawn_once_per_cell_or_at_every_node(sparse_signal: simulate.Simulated) -> None:
    X, y = sparse_signal.X, sparse_signal.y

    def most_in_a_cell(model: RankingForest) -> int:
        used = []
        for tree in model.fit(X, y).trees_:
            assert isinstance(tree, RankingTree)
            used += [len(np.unique(tree.feature[tree.owner == c])) for c in np.unique(tree.owner)]
        return max(used)

    inner = LeafRank(max_depth=5, min_mass_leaf=0.0)
    assert most_in_a_cell(RankingForest(5, splitter=inner, max_features=1, random_state=0)) == 1
    assert most_in_a_cell(RankingForest(5, splitter=inner, max_features=2, random_state=0)) == 2
    at_nodes = LeafRank(max_depth=5, min_mass_leaf=0.0, max_features=1)
    assert most_in_a_cell(RankingForest(5, splitter=at_nodes, random_state=0)) > 5
    assert most_in_a_cell(RankingForest(5, splitter=at_nodes, max_features=3, random_state=0)) == 3


@pytest.mark.parametrize("pruning", ["cv", "cv-1se", "structural"])
@pytest.mark.parametrize("splitter", [None, LeafRank(max_depth=3)])
def test_base_trees_are_pruned(pruning: str, splitter: Any) -> None:
    """All trees are pruned, also those grown during the choice of rules."""
    sample = simulate.rf20(150, random_state=0)
    options: dict[str, Any] = {"splitter": splitter, "random_state": 0, "max_depth": 5}
    plain = RankingForest(6, **options).fit(sample.X, sample.y)
    pruned = RankingForest(6, pruning=Pruning(pruning, n_folds=2), **options).fit(sample.X, sample.y)
    sizes = [[tree.n_leaves for tree in model.trees_] for model in (plain, pruned)]
    assert [trial.figures for trial in plain.trials_] == [trial.figures for trial in pruned.trials_]
    assert all(small <= large for large, small in zip(*sizes))
    assert sum(sizes[1]) < sum(sizes[0])
    two = clone(pruned).set_params(n_jobs=2).fit(sample.X, sample.y)
    np.testing.assert_array_equal(two.score_samples(sample.X), pruned.score_samples(sample.X))


@pytest.mark.parametrize("splitter", [SVC(kernel="linear", C=0.1), Dyadic(2), [LeafRank(max_depth=2), Dyadic(1)]])
def test_any_rule_cuts_the_cells(splitter: Any) -> None:
    sample = simulate.rf10_sparse(120, random_state=0)
    X = sample.X[:, :3]
    model = RankingForest(4, splitter=splitter, max_depth=3, random_state=0, n_jobs=2).fit(X, sample.y)
    assert model.trials_ == []
    for how in AGGREGATIONS:
        assert roc_auc(sample.y, model.score_samples(X, aggregation=how)) > 0.7
    assert 0.5 < model.oob_auc_ < 1.0
    assert 0.0 < model.instability_ < 0.5
    assert "strata per tree" in str(model.describe())
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.score_samples(X), model.score_samples(X))


@pytest.mark.parametrize("classes", ["stratified", "balanced"])
@pytest.mark.parametrize("replace", [True, False])
def test_classes_are_drawn_as_asked(classes: str, replace: bool, sparse_signal: simulate.Simulated) -> None:
    kept = np.r_[np.flatnonzero(sparse_signal.y > 0)[:40], np.flatnonzero(sparse_signal.y < 0)[:120]]
    X, y = sparse_signal.X[kept], sparse_signal.y[kept]
    sampling = Sampling(60, replace=replace, classes=classes)
    model = RankingForest(8, sampling=sampling, random_state=0).fit(X, y)
    expected = [30.0, 30.0] if classes == "balanced" else [45.0, 15.0]
    assert all(tree.cell_mass[0].tolist() == expected for tree in model.trees_)
    assert model.oob_auc_ > 0.6


def test_all_rows_in_every_tree_leave_nothing_out_of_bag(sparse_signal: simulate.Simulated) -> None:
    for classes in (None, "stratified"):
        sampling = Sampling(replace=False, classes=classes)
        model = RankingForest(4, sampling=sampling, random_state=0).fit(sparse_signal.X, sparse_signal.y)
        assert not hasattr(model, "oob_auc_")
        assert not hasattr(model, "oob_scores_")
        for ask in (model.oob_pair_auc, model.oob_permutation_importance):
            with pytest.raises(
                ValueError, match=r"^Every tree has seen every row, so nothing is out of bag; set .*\.$"
            ):
                ask()
        np.testing.assert_array_equal(model.predict_proba(sparse_signal.X)[:, 1], model.score_samples(sparse_signal.X))


def test_without_out_of_bag_scores(sparse_signal: simulate.Simulated) -> None:
    X, y = sparse_signal.X, sparse_signal.y
    model = RankingForest(6, sampling=Sampling(oob=False), aggregation="mean_rank", random_state=0).fit(X, y)
    assert not hasattr(model, "oob_auc_")
    rates, scores = model.score_samples(X, aggregation="proba"), model.score_samples(X)
    probability, peer = model.predict_proba(X)[:, 1], IsotonicRegression().fit(scores, rates).predict(scores)
    assert (np.diff(probability[np.argsort(scores)]) >= 0).all()  # as near to the rates as the order allows
    assert ((probability - rates) ** 2).sum() <= ((peer - rates) ** 2).sum() + 1e-12
    np.testing.assert_array_equal(model.set_aggregation("proba").predict_proba(X)[:, 1], rates)
    with pytest.raises(AttributeError, match=r'^The forest has no out-of-bag scores; fit it with sampling="auto"\.$'):
        model.oob_roc()
    assert not hasattr(model.set_aggregation("plugin"), "oob_auc_")
    assert 0.5 < model.oob_pair_auc().auc < 1.0  # can be asked for all the same
    # a second fit forgets what the first has measured
    model.set_params(sampling=Sampling(oob=True)).fit(X, y)
    assert hasattr(model, "oob_auc_")
    assert not hasattr(model.set_params(sampling=Sampling(oob=False)).fit(X, y), "oob_auc_")


def test_two_per_cent_of_positives_do_not_collapse() -> None:
    """Trees of two cells would rank nothing: mean ranks would be near chance."""
    train, test = simulate.rf10_sparse(3000, random_state=0), simulate.rf10_sparse(3000, random_state=1)
    kept = np.r_[np.flatnonzero(train.y > 0)[:30], np.flatnonzero(train.y < 0)]
    model = RankingForest(60, random_state=0, n_jobs=2).fit(train.X[kept], train.y[kept])
    assert roc_auc(test.y, model.score_samples(test.X)) > 0.8
    assert model.oob_auc_ > 0.7
    assert np.mean([tree.n_leaves for tree in model.trees_]) > 4
    balanced = RankingForest(60, sampling=Sampling(classes="balanced"), random_state=0).fit(
        train.X[kept], train.y[kept]
    )
    assert roc_auc(test.y, balanced.score_samples(test.X)) > 0.8
    assert np.isfinite(balanced.oob_scores_[:30]).mean() > 0.9  # positives are out of bag as well
    assert balanced.oob_auc_ > 0.75


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_a_handful_of_rows(aggregation: str) -> None:
    """One positive: many samples miss it, and some rows are in all samples."""
    rng = np.random.default_rng(0)
    for seed in range(8):
        X, y = rng.normal(size=(6, 2)), np.array([0, 0, 0, 0, 0, 1])
        model = RankingForest(4, aggregation=aggregation, random_state=seed).fit(X, y)
        assert np.isfinite(model.score_samples(X)).all()
        assert np.isfinite(model.predict_proba(X)).all()
        assert "trees" in str(model.describe())
        model.set_aggregation("median_rank")
        assert model.oob_pair_auc().n_pairs <= 5


# ---- reading


def test_description(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    said = fitted.describe()
    sections = said.to_dict()
    assert list(sections) == ["Forest", "Out of bag", "Importance", "Parameters other than the defaults"]
    assert sections["Forest"]["training rows"] == f"300 ({(sparse_signal.y > 0).sum()} with label 1)"
    assert sections["Forest"]["trees"] == "20"
    assert sections["Out of bag"]["AUC"] == f"{fitted.oob_auc_:.4f}"
    assert set(list(sections["Importance"])[:4]) == {"x0", "x1", "x2", "x3"}
    assert sections["Parameters other than the defaults"].keys() == {"n_estimators", "splitter", "random_state"}
    assert str(said) == repr(said)
    assert "\n  AUC  " in str(said)
    adaptive = RankingForest(10, random_state=0).fit(sparse_signal.X, sparse_signal.y).describe()
    assert str(adaptive).count(" kept") == 3
    names = pd.DataFrame(sparse_signal.X[:, :2], columns=["<b>", "a & b"])
    html = RankingForest(5, random_state=0).fit(names, sparse_signal.y).describe()._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    assert html.count("<table>") == html.count("</table>") == 5
    with pytest.raises(NotFittedError):
        RankingForest().describe()


def test_repr() -> None:
    assert repr(RankingForest()) == "RankingForest()"
    assert repr(RankingForest(50, splitter=LeafRank(cuts="random"))) == (
        "RankingForest(n_estimators=50, splitter=LeafRank(cuts='random'))"
    )


def test_importance_finds_the_informative_features(fitted: RankingForest) -> None:
    """The first four of ten."""
    importance = fitted.feature_importances_
    assert importance.sum() == pytest.approx(1.0)
    assert importance[:4].min() > importance[4:].max()
    found = fitted.oob_permutation_importance(n_repeats=3)
    assert found.baseline == pytest.approx(fitted.oob_auc_)
    assert found.mean[:4].min() > max(found.mean[4:].max(), 0.01)
    assert np.abs(found.mean[4:]).max() < 0.03


def test_partial_dependence(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    X = sparse_signal.X[:100]
    found = partial_dependence(fitted, X, 0, grid_size=6)
    grid = np.asarray(found.grids[0])
    for value, average in zip(grid, np.asarray(found.values).ravel()):
        moved = X.copy()
        moved[:, 0] = value
        assert average == pytest.approx(fitted.score_samples(moved).mean())
    assert found.values[-1] > found.values[0] + 0.1


def test_out_of_bag_figures(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    known = ~np.isnan(fitted.oob_scores_)
    labels = sparse_signal.y[known] > 0
    assert fitted.oob_auc_ == pytest.approx(naive.auc_by_pairs(fitted.oob_scores_[known], labels.astype(int)))
    assert fitted.oob_roc().auc == pytest.approx(fitted.oob_auc_)
    pair = fitted.oob_pair_auc()
    assert pair.exact
    assert float(pair) == pytest.approx(fitted.oob_auc_, abs=0.1)
    drawn = fitted.oob_pair_auc(max_pairs=2000, random_state=1)
    assert abs(drawn.auc - pair.auc) < 4 * drawn.standard_error
    rankings = fitted.apply(sparse_signal.X).T
    distances = [kendall_distance(rankings[a], rankings[b]) for a in range(20) for b in range(a)]
    assert fitted.instability_ == pytest.approx(np.mean(distances))


# ---- errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0; give a whole number of at least 1"),
        ({"n_estimators": 2.5}, "n_estimators is 2.5"),
        ({"aggregation": "borda"}, "aggregation is 'borda'; choose one of 'auto', 'proba', 'mean_rank'"),
        ({"sampling": 0}, "size of sampling is 0; give 'auto', None"),
        ({"sampling": 5}, "size of sampling is 5; .* from 1 to 4, the number of rows"),
        ({"sampling": "all"}, "size of sampling is 'all'; give 'auto', None"),
        ({"sampling": Sampling(classes="even")}, "classes of sampling is 'even'; choose None, 'stratified' or"),
        ({"sampling": Sampling(replace="no")}, "replace of sampling is 'no'; give True or False"),
        ({"pruning": "yes"}, "pruning is 'yes'; choose None, 'cv', 'cv-1se' or 'structural', or give a Pruning"),
        ({"pruning": Pruning("cv", n_folds=1)}, "n_folds of pruning is 1"),
        ({"max_depth": 0}, "max_depth is 0"),
        ({"max_features": "cube"}, "max_features is 'cube'"),
        ({"splitter": LeafRank(missing="drop")}, "LeafRank's missing is 'drop'"),
        ({"splitter": LeafRank(max_bins=1)}, "LeafRank's max_bins is 1"),
        ({"splitter": LeafRank(cuts="good")}, "LeafRank's cuts is 'good'; choose one of 'best', 'random'"),
        (
            {"splitter": Dyadic(2), "monotonic_cst": [1], "aggregation": "mean_rank"},
            "monotonic_cst needs a splitter with axis-parallel cuts",
        ),
        ({"pos_label": "maybe"}, "maybe"),
    ],
)
def test_wrong_parameters_are_named_in_one_sentence(options: dict[str, Any], message: str) -> None:
    model = RankingForest(**options)
    with pytest.raises(ValueError, match=message) as error:
        model.fit(pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}), [0, 1, 0, 1])
    assert "\n" not in str(error.value)
    assert not hasattr(model, "trees_")


def test_wrong_questions_are_answered_in_one_sentence(fitted: RankingForest, sparse_signal: simulate.Simulated) -> None:
    X = sparse_signal.X
    for ask in (
        lambda: fitted.score_samples(X, aggregation="borda"),
        lambda: fitted.rank(X, aggregation="borda"),
        lambda: fitted.set_aggregation("borda"),
    ):
        with pytest.raises(ValueError, match="aggregation is 'borda'; choose one of 'auto', 'proba'"):
            ask()
    assert fitted.aggregation == "auto"
    with pytest.raises(ValueError, match="max_pairs is 0; give a whole number of at least 1"):
        fitted.oob_pair_auc(max_pairs=0)
    with pytest.raises(ValueError, match="n_repeats is 0; give a whole number of at least 1"):
        fitted.oob_permutation_importance(n_repeats=0)
    with pytest.raises(TypeError, match="give a LeafRank"):
        RankingForest(splitter="leafrank").fit(X, sparse_signal.y)
    for name in ("trees_", "feature_importances_", "instability_"):
        with pytest.raises(NotFittedError):
            getattr(RankingForest(), name)
    for ask in (RankingForest().oob_pair_auc, RankingForest().oob_roc, RankingForest().oob_permutation_importance):
        with pytest.raises(NotFittedError):
            ask()


def test_constraints_hold_for_all_aggregations() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    forest = RankingForest(10, monotonic_cst=[1, 0, 0], random_state=0).fit(X, y)
    assert forest.aggregation_ == "proba"
    grid = np.repeat(X[:20], 50, axis=0)
    grid[:, 0] = np.tile(np.linspace(-4, 4, 50), 20)
    for aggregation in AGGREGATIONS:
        scores = forest.score_samples(grid, aggregation=aggregation).reshape(20, 50)
        assert np.diff(scores, axis=1).min() >= -1e-12
        assert np.ptp(scores) > 0.1
    for aggregation in ("kemeny", "kemeny_ties"):  # the ranking of exactly these rows
        ranks = forest.rank(grid, aggregation=aggregation).reshape(20, 50)
        assert np.diff(ranks, axis=1).max() <= 0
        assert np.ptp(ranks) > 100
    without = RankingForest(10, monotonic_cst=[1, 0, 0], aggregation="mean_rank", sampling=Sampling(oob=False)).fit(
        X, y
    )
    np.testing.assert_allclose(without.predict_proba(X).sum(axis=1), 1.0)
