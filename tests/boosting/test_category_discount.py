"""The discount on cuts of many categories in boosting: what differences between categories are more than chance."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import naive_boost
from boosters import assert_same, constraints, core_params, run
from forests import sample_of
from rankforest import RankBoost, _core
from rankforest.boosting import rounds
from rankforest.boosting.race import Runner, race
from rankforest.boosting.rounds import Boosting, held_out_folds
from rankforest.data.sample import Sample

# ---- the core and its twin


def sample_of_many(seed: int, n: int = 160, m: int = 30, *, weighted: bool = False) -> Sample:
    """A number, a column of m categories that matter, and one of m that do not; some values are missing."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, m, n), rng.integers(0, m, n)])
    margin = 1.5 * X[:, 0] + 3 * rng.normal(size=m)[X[:, 1].astype(int)]
    y = rng.random(n) < 1 / (1 + np.exp(-margin))
    y[:2] = False, True
    X[rng.random(X.shape) < 0.05] = np.nan
    return sample_of(X, y, rng.integers(1, 5, n) / 2.0 if weighted else None, categorical=[1, 2])


def n_cuts(arrays: dict[str, np.ndarray], feature: int) -> int:
    return int(np.count_nonzero(arrays["feature"] == feature))


@pytest.mark.parametrize("loss", ["log_loss", "exponential"])
@pytest.mark.parametrize(
    "changes",
    [
        {"max_leaf_nodes": 6, "min_samples_leaf": 3, "category_smoothing": 0.5},
        {"max_leaf_nodes": 6, "category_l2": 0.0, "l2": 0.0, "subsample": 0.7},
        {"max_leaf_nodes": 6, "random_cuts": True, "min_samples_leaf": 2},
        {"max_leaf_nodes": 6, "max_features": 2, "min_hessian_leaf": 1.0, "category_l2": 0.1},
        {"symmetric": True, "max_leaf_nodes": 8, "category_l2": 0.1},
        {"symmetric": True, "max_leaf_nodes": 8, "random_cuts": True, "l2": 0.5},
    ],
)
def test_trees_are_those_of_the_twin(loss: str, changes: dict[str, Any]) -> None:
    cuts: dict[bool, list[int]] = {True: [], False: []}
    for seed in range(3):
        sample = sample_of_many(seed, weighted=seed == 1)
        for discount in (True, False):
            params = core_params(loss, seed=seed, learning_rate=0.3, category_discount=discount, **changes)
            arrays = run(sample, params, 3).trees(3)
            twins, _ = naive_boost.boost(sample, params, 3, np.zeros(sample.n_rows, dtype=np.uint8))
            assert sum(assert_same(arrays, t, twin, sample) for t, twin in enumerate(twins)) >= 3
            cuts[discount] += arrays["feature"].tolist()
    assert cuts[True] != cuts[False]
    assert cuts[True].count(2) <= cuts[False].count(2)  # noise


def test_constrained_trees_are_those_of_the_twin() -> None:
    """Categories with an order are cut like numbers: they have no discount."""
    order = [[], list(np.random.default_rng(0).permutation(30) + 1), []]
    rules = constraints(monotonic=[1, 0, 0], order=order)
    sample = sample_of_many(5)
    assert list(sample.binned.bins.n_bins[1:]) == [30, 30]
    params = core_params(constraints=rules, max_leaf_nodes=8, category_discount=True, learning_rate=0.3)
    arrays = run(sample, params, 3).trees(3)
    twins, _ = naive_boost.boost(sample, params, 3, np.zeros(sample.n_rows, dtype=np.uint8))
    assert sum(assert_same(arrays, t, twin, sample) for t, twin in enumerate(twins)) >= 6
    assert n_cuts(arrays, 1) > 0


def test_of_a_worked_table() -> None:
    """Twenty categories of ten rows, half of the rows positive; two categories are pure, each of its own class.

    Gradients are +-1/2 and hessians 1/4, so each pure category adds 5^2 / 2.5 = 10 to chi-square, the others nothing.
    By chance there are 20 - 10, so half of 20 is kept.
    """
    categories = np.repeat(np.arange(20), 10)
    g = [1 if row % 2 else -1 for row in range(200)]
    g[:10], g[10:20] = [1] * 10, [-1] * 10
    params = core_params(category_discount=True).tree
    many = 2**40  # units: so fine that the hessian's one more does not count
    kept = naive_boost.kept_of_gain(
        categories, list(range(200)), [many // 2 * each for each in g], [many // 4] * 200, (many, many), params
    )
    assert float(kept) == pytest.approx(0.5, abs=1e-9)
    params.category_discount = False
    assert naive_boost.kept_of_gain(categories, [0], g, g, (1, 1), params) == 1


def test_noise_adds_one_for_each_category_but_one() -> None:
    """The theorem behind it: gradients of the log loss have the variance that the hessians say."""
    rng = np.random.default_rng(3)
    m, each = 40, 25
    p = rng.random(m * each) * 0.8 + 0.1  # any model that is right
    found = []
    for _ in range(400):
        y = rng.random(m * each) < p
        g, h = (p - y).reshape(m, each).sum(axis=1), (p * (1 - p)).reshape(m, each).sum(axis=1)
        found.append((g**2 / h).sum() - g.sum() ** 2 / h.sum())
    assert np.mean(found) == pytest.approx(m - 1, abs=4 * np.std(found) / 20)


def test_scaled_weights_change_nothing() -> None:
    sample = sample_of_many(8, weighted=True)
    assert sample.weights is not None
    rows = pd.DataFrame(np.vstack(list(sample.table.blocks()))).astype({1: "category", 2: "category"})
    rows.columns = ["x", "a", "b"]
    boosters = [
        RankBoost(20, n_folds=3, random_state=0).fit(rows, sample.labels, sample_weight=scale * sample.weights)
        for scale in (1.0, 64.0)
    ]
    np.testing.assert_allclose(*(model.score_samples(rows) for model in boosters), rtol=1e-9)


def test_thresholds_of_the_paper_have_no_discount() -> None:
    sample = sample_of_many(2)
    with_it, without = (
        run(sample, core_params("exponential", threshold=True, category_discount=discount), 8).trees(8)
        for discount in (True, False)
    )
    assert all(np.array_equal(with_it[name], without[name]) for name in without)


def test_it_travels_with_the_parameters() -> None:
    params = core_params(category_discount=True)
    copy = pickle.loads(pickle.dumps(params))
    assert copy.tree.category_discount is True
    assert _core.GradientTreeParams().category_discount is False


# ---- small tables


def auc(n_categories: int, seed: int, n: int = 600) -> float:
    """On new rows, of a model of a number and of categories that say nothing."""
    rng = np.random.default_rng(seed)
    x, noise = rng.normal(size=(2, n + 3000))
    y = (x + noise > 0).astype(int)
    X = pd.DataFrame({"x": x, "c": [f"c{code}" for code in rng.integers(n_categories, size=len(y))]})
    model = RankBoost(60, n_folds=3, random_state=0).fit(X[:n], y[:n])
    return float(roc_auc_score(y[n:], model.score_samples(X[n:])))


def test_noise_of_many_categories_costs_less(monkeypatch: pytest.MonkeyPatch) -> None:
    now = np.mean([auc(250, seed) for seed in range(3)])
    monkeypatch.setattr(rounds, "_SMALL_TABLE", 0)
    assert now > np.mean([auc(250, seed) for seed in range(3)]) + 0.01


def test_fewer_categories_are_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    few = auc(64, 0)
    monkeypatch.setattr(rounds, "_SMALL_TABLE", 0)
    assert few == auc(64, 0)


# ---- large tables


def raced(seed: int, m: int, effect: float, ladder: list[Boosting], n: int = 3000) -> list[Runner]:
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, m, n)])
    y = rng.random(n) < 1 / (1 + np.exp(-X[:, 0] - effect * rng.normal(size=m)[X[:, 1].astype(int)]))
    sample = sample_of(X, y, categorical=[1], max_bins=1000)
    return race(sample, ladder, held_out_folds(sample.labels, 5, 1, 0), n_rounds=32, seed=0, n_threads=1)


LADDER = [Boosting(max_leaf_nodes=leaves, max_features=None, learning_rate=0.1) for leaves in (4, 8, 16)]


@pytest.fixture
def _no_discount_of_small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "_SMALL_TABLE", 0)


@pytest.mark.usefixtures("_no_discount_of_small_tables")
def test_the_race_takes_the_discount_where_categories_are_noise() -> None:
    runners = raced(0, 300, 0.0, LADDER)
    assert runners[0].boosters.boosting.category_discount
    plain = [runner for runner in runners if not runner.boosters.boosting.category_discount]
    assert runners[0].promise > max(runner.promise for runner in plain)


@pytest.mark.usefixtures("_no_discount_of_small_tables")
def test_other_races_know_nothing_of_it() -> None:
    """With fewer categories, or another loss than that whose hessian is the variance of the gradient."""
    logistic = [Boosting(loss="logistic", max_leaf_nodes=leaves, max_features=None) for leaves in (4, 8)]
    for m, ladder in ((64, LADDER), (300, logistic)):
        assert not any(runner.boosters.boosting.category_discount for runner in raced(0, m, 0.0, ladder))
