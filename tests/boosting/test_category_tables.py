"""Tables of categories: what they learn, how they become trees, and when the race takes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from forests import sample_of, values_of
from rankforest import RankBoost, load_model, save_model
from rankforest.boosting import boost_team as team_module
from rankforest.boosting.category_tables import CategoryTable, RowResiduals, Scale, candidate_tables, fit_tables
from rankforest.boosting.kinds import POOL
from rankforest.boosting.race import race
from rankforest.boosting.rounds import Boosting, boost, held_out_folds
from rankforest.boosting.table_tree import flat_trees
from rankforest.boosting.trees import BoostedTrees
from rankforest.data.sample import Sample

SIZES = (14, 9, 4)


def drawn(n: int, seed: int, *, effect: float = 1.2) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Three categories, some missing, and a number; the log-odds depend on the pair of the first two."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(size, size=n) for size in SIZES]
    effects = rng.normal(scale=effect, size=SIZES[:2])
    number = rng.normal(size=n)
    X = pd.DataFrame({f"c{j}": np.array([f"v{k:02d}" for k in code]) for j, code in enumerate(codes)})
    X.loc[rng.random(n) < 0.03, "c1"] = None
    X["number"] = number
    logit = effects[codes[0], codes[1]] + 0.3 * number
    return X, (rng.random(n) < 1 / (1 + np.exp(-logit))).astype(int), effects


N_CODES = [size + 1 for size in SIZES] + [0]


def residuals_of(sample: Sample, rows: np.ndarray | None = None) -> RowResiduals:
    rows = np.arange(sample.n_rows) if rows is None else rows
    labels, weights = sample.labels[rows], None if sample.weights is None else sample.weights[rows]
    return RowResiduals(sample.binned.codes[rows], labels, weights, rows, Scale.of(labels, weights), N_CODES)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_equal_those_of_a_loop_over_the_rows(weighted: bool) -> None:
    X, y, _ = drawn(300, 0)
    weights = np.random.default_rng(1).uniform(0.5, 3.0, 300) if weighted else None
    sample, rows = sample_of(X, y, weights), np.arange(0, 300, 2)
    residuals = residuals_of(sample, rows)
    shift = np.linspace(-1, 1, N_CODES[2])
    residuals.add((2,), shift)
    found = residuals.sums((0, 1))
    w = np.ones(300) if weights is None else weights
    w = w / w[rows].mean()
    start = np.log(np.sum(w[rows] * y[rows]) / np.sum(w[rows] * (1 - y[rows])))
    expected = np.zeros((2, 2, N_CODES[0] * N_CODES[1]))
    for i in rows:
        a, b, c = sample.binned.codes[i, :3]
        p = 1 / (1 + np.exp(-(start + shift[c])))
        half = (int(i) * 0x9E3779B97F4A7C15 % 2**64) >> 63
        expected[half, :, int(a) * N_CODES[1] + int(b)] += w[i] * (p - y[i]), w[i] * p * (1 - p)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    assert 0.3 < np.mean(found[0, 1] > 0) / np.mean(found[1, 1] > 0) < 3.0


def test_the_table_of_the_pair_is_found_and_its_effects_are_shrunk() -> None:
    X, y, truth = drawn(6000, 1)
    sample = sample_of(X, y)
    tables = fit_tables(residuals_of(sample), candidate_tables(N_CODES, 6000), N_CODES)
    assert [table.features for table in tables] == [(0, 1)]
    effects = tables[0].effects[1:, 1:]
    assert np.corrcoef(effects.ravel(), truth.ravel())[0, 1] > 0.9
    assert effects.std() < truth.std()
    assert len(np.unique(tables[0].effects)) <= 33
    assert tables[0].gain > 50.0


def test_labels_that_depend_on_nothing_give_no_table() -> None:
    X, y, _ = drawn(4000, 2)
    shuffled = np.random.default_rng(0).permutation(y)
    assert fit_tables(residuals_of(sample_of(X, shuffled)), candidate_tables(N_CODES, 4000), N_CODES) == []


def test_a_table_is_the_same_as_its_tree() -> None:
    X, y, _ = drawn(2000, 3)
    sample, rng = sample_of(X, y), np.random.default_rng(0)
    pair = CategoryTable((0, 1), rng.integers(-4, 5, size=N_CODES[:2]) / 4, 8.0)
    one = CategoryTable((2,), np.array([0.5, 0.0, 0.0, -1.0, 2.0]), 3.0)
    same = CategoryTable((2,), np.zeros(5), 0.0)
    arrays = flat_trees([pair, one, None, same])
    trees = BoostedTrees(schema=sample.table.schema, start=0.0, n_boosters=1, **arrays)
    codes = sample.binned.codes.astype(int)
    values = values_of(sample)
    np.testing.assert_array_equal(trees.added(values, 0, 1), pair.effects[codes[:, 0], codes[:, 1]])
    np.testing.assert_array_equal(trees.added(values, 1, 2), one.effects[codes[:, 2]])
    np.testing.assert_array_equal(trees.added(values, 2, 4), 0.0)
    np.testing.assert_allclose(np.bincount(trees.feature, trees.gain, 4), [4.0, 4.0, 3.0, 0.0])


def test_boosters_start_with_the_tables_of_their_own_rows() -> None:
    X, y, _ = drawn(3000, 4)
    weights = np.random.default_rng(2).uniform(0.5, 2.0, 3000)
    sample = sample_of(X, y, weights)
    folds = held_out_folds(sample.labels, 3, 1, 0)[:2]
    kind = Boosting(max_leaf_nodes=4, max_features=None, tables=True)
    found = boost(sample, kind, folds, n_rounds=6, seed=0)
    again = boost(sample, kind, folds, n_rounds=6, seed=0, n_threads=3)
    np.testing.assert_array_equal(found.trees.value, again.trees.value)
    first = found.trees.added(values_of(sample), 0, 1)
    expected = np.zeros(3000)
    codes = sample.binned.codes.astype(int)
    for out in folds:
        tables = fit_tables(
            residuals_of(sample, np.flatnonzero(out == 0)), candidate_tables(N_CODES, 3000), N_CODES
        )  # fmt: skip
        assert [table.features for table in tables] == [(0, 1)]
        expected += tables[0].effects[codes[:, 0], codes[:, 1]] / 2
    np.testing.assert_allclose(first, expected, rtol=1e-12)
    for b, out in enumerate(folds):
        alone = boost(sample, kind, folds[b : b + 1], n_rounds=6, seed=b)
        np.testing.assert_allclose(
            np.asarray(found.held_out)[out == 1], alone.trees.margin(values_of(sample))[out == 1], rtol=1e-9
        )


@pytest.mark.parametrize(("effect", "taken"), [(1.2, True), (0.0, False)])
def test_the_race_takes_tables_where_pairs_matter(effect: float, taken: bool) -> None:
    X, y, _ = drawn(6000, 5, effect=effect)
    sample = sample_of(X, y)
    ladder = [Boosting(max_leaf_nodes=leaves, max_features=None, learning_rate=0.1) for leaves in (4, 8)]
    runners = race(sample, ladder, held_out_folds(sample.labels, 5, 1, 0), n_rounds=40, seed=0, n_threads=1)
    assert runners[0].boosters.boosting.tables == taken
    # coarser trees run with tables only if the best kind wins with them
    assert sum(runner.boosters.boosting.tables for runner in runners) == (2 if taken else 1)


def test_a_category_of_many_values_adds_a_kind_to_the_pool() -> None:
    rng = np.random.default_rng(0)
    many = rng.integers(70, size=2000)
    effects = rng.normal(scale=1.5, size=70)
    y = (rng.random(2000) < 1 / (1 + np.exp(-effects[many]))).astype(int)
    X = pd.DataFrame({"many": [f"v{k}" for k in many], "few": rng.choice(list("abc"), 2000)})
    model = RankBoost(10, n_folds=2, random_state=0).fit(X, y)
    assert [trial.boosting.tables for trial in model.trials_].count(True) == 1
    assert len(model.trials_) == len(POOL) + 1
    few = RankBoost(10, n_folds=2, random_state=0).fit(X[["few"]], y)
    assert not any(trial.boosting.tables for trial in few.trials_)


def test_a_model_with_tables_is_stored(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, _ = drawn(3000, 6)
    monkeypatch.setattr(team_module, "MANY_ROWS", 1000)
    monkeypatch.setattr("rankforest.boosting.kinds.MANY_ROWS", 1000)
    model = RankBoost(60, random_state=0).fit(X, y)
    assert model.trials_[0].boosting.tables
    assert sum(model.feature_importances_[:2]) > 0.5
    save_model(model, tmp_path / "model.rankforest")
    loaded = load_model(tmp_path / "model.rankforest")
    np.testing.assert_array_equal(loaded.score_samples(X), model.score_samples(X))
    monkeypatch.setattr("rankforest.boosting.race.has_tables", lambda sample, constraints: False)
    without = RankBoost(60, random_state=0).fit(X, y)
    assert model.held_out_auc_ > without.held_out_auc_ + 0.01
