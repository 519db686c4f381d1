"""Boosters side by side: folds, held-out rows, the round at which they stop."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from forests import mixed_sample, sample_of, values_of
from rankforest import _core
from rankforest.boosting.rounds import Boosters, Boosting, boost, held_out_folds
from rankforest.boosting.trees import BoostedTrees
from rankforest.data import simulate
from rankforest.metrics import roc_auc

PLAIN = Boosting(max_leaf_nodes=4, min_samples_leaf=2, max_features=None, subsample=0.8)


def none_of(sample: Any) -> np.ndarray:
    """One booster that learns from all rows."""
    return np.zeros((1, sample.n_rows), dtype=np.uint8)


def arrays_of(trees: Any) -> dict[str, np.ndarray]:
    return {name: value for name, value in vars(trees).items() if isinstance(value, np.ndarray)}


def assert_same_trees(first: Any, second: Any) -> None:
    for name, array in arrays_of(first).items():
        np.testing.assert_array_equal(array, arrays_of(second)[name], err_msg=name)


def test_the_best_round_is_that_of_the_mean_held_out_auc() -> None:
    sample = mixed_sample(0, 120, weighted=True)
    boosting = Boosting(loss="logistic", max_leaf_nodes=4, min_samples_leaf=2, learning_rate=0.2)
    folds = held_out_folds(sample.labels, 4, 2, 3)
    found = boost(sample, boosting, folds, n_rounds=80, patience=10, seed=3)
    assert found.curve is not None
    assert found.trees.n_boosters == 8
    assert found.trees.n_rounds == int(np.argmax(found.curve)) + 1
    assert len(found.curve) < 80  # it stopped by itself
    # what the last kept round says of each fold, by the metric of the library and by the trees themselves
    values, margins = values_of(sample), []
    for b in range(8):
        alone = boost_one(sample, boosting, folds[b], 3 + b, found.trees.n_rounds)
        margins.append((alone.margin(values), folds[b] == 1))
    aucs = [
        roc_auc(sample.labels[out], f[out], sample_weight=sample.weights[out])  # type: ignore[index]
        for f, out in margins
    ]
    np.testing.assert_allclose(found.curve[found.trees.n_rounds - 1], np.mean(aucs), rtol=1e-9)
    np.testing.assert_allclose(np.mean([f for f, _ in margins], axis=0), found.trees.margin(values), rtol=1e-9)
    held_out = np.zeros(sample.n_rows)
    for f, out in margins:
        held_out[out] += f[out] / 2
    np.testing.assert_allclose(found.held_out, held_out, rtol=1e-9, atol=1e-12)


def boost_one(sample: Any, boosting: Boosting, held_out: np.ndarray, seed: int, n_rounds: int) -> BoostedTrees:
    """One of the boosters of the test above, on its own."""
    return boost(sample, boosting, held_out[None], n_rounds=n_rounds, seed=seed).trees


@pytest.mark.parametrize("symmetric", [False, True])
def test_rounds_in_steps_are_the_rounds_of_one_call(symmetric: bool) -> None:
    """Whatever was asked in between, and in any number of threads."""
    sample = mixed_sample(5, 150, weighted=True)
    folds = held_out_folds(sample.labels, 3, 1, 2)
    kind = replace(PLAIN, symmetric=symmetric)
    at_once = Boosters(sample, kind, folds, seed=3)
    at_once.advance(40)
    steps = Boosters(sample, kind, folds, seed=3, n_threads=2)
    for n_rounds in (1, 16, 3, 20):
        steps.advance(n_rounds)
        steps.held_out(steps.best_round)
    assert steps.n_rounds == 40
    np.testing.assert_array_equal(steps.curve, at_once.curve)
    assert steps.best_round == at_once.best_round == int(np.argmax(steps.curve)) + 1
    for n_rounds in (0, 1, 7, steps.best_round, 39, 40):  # also rounds whose scores were not kept
        found, expected = steps.result(n_rounds), at_once.result(n_rounds)
        assert found.trees.n_rounds == n_rounds
        assert_same_trees(found.trees, expected.trees)
        np.testing.assert_array_equal(found.held_out, expected.held_out)
        alone = boost(sample, kind, folds, n_rounds=n_rounds, seed=3) if n_rounds else None
        if alone is not None:
            np.testing.assert_array_equal(found.held_out, alone.held_out)


def test_there_are_only_the_rounds_that_were_run() -> None:
    sample = mixed_sample(5, 50)
    boosters = Boosters(sample, PLAIN, none_of(sample), seed=0)
    with pytest.raises(ValueError, match="not so many rounds"):
        boosters.result(1)
    boosters.advance(2)
    assert boosters.best_round == 2  # no held-out rows
    with pytest.raises(ValueError, match="not so many rounds"):
        boosters.result(3)
    with pytest.raises(ValueError, match="at least one round"):
        boosters.advance(0)


def test_boosters_do_not_learn_from_held_out_rows() -> None:
    sample = mixed_sample(1, 100)
    out = (np.arange(100) % 4 == 0).astype(np.uint8)
    other = sample_of(np.where(out[:, None], 0.0, values_of(sample)), sample.labels ^ out, categorical=[2])
    params = [PLAIN.to_core(4, 5)]
    found = []
    for labels in (sample.labels, other.labels):
        boosters = _core.Boosters(sample.binned.core, labels, None, out[None], params)
        boosters.advance(6, 1)
        found.append(boosters.trees(6))
    for name, array in found[0].items():
        np.testing.assert_array_equal(array, found[1][name])


@pytest.mark.parametrize("loss", ["log_loss", "logistic", "exponential"])
def test_any_number_of_threads(loss: str) -> None:
    sample = mixed_sample(2, 150, weighted=True)
    boosting = Boosting(loss=loss, max_leaf_nodes=5, cuts="random")
    folds = held_out_folds(sample.labels, 5, 1, 1)
    one, three = (
        boost(sample, boosting, folds, n_rounds=20, patience=50, seed=1, n_threads=threads) for threads in (1, 3)
    )
    assert_same_trees(one.trees, three.trees)
    np.testing.assert_array_equal(one.held_out, three.held_out)
    other = boost(sample, boosting, folds, n_rounds=20, patience=50, seed=2)
    assert not np.array_equal(one.held_out, other.held_out)


@pytest.mark.parametrize("loss", ["log_loss", "logistic", "exponential"])
def test_the_order_of_the_rows_does_not_matter(loss: str) -> None:
    sample = mixed_sample(3, 80, weighted=True)
    turned = sample.take(np.arange(80)[::-1])
    boosting = Boosting(loss=loss, max_leaf_nodes=5, max_features=None, subsample=1.0)
    first, second = (boost(s, boosting, none_of(s), n_rounds=10, seed=0).trees for s in (sample, turned))
    X = values_of(sample)
    np.testing.assert_allclose(first.margin(X), second.margin(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", ["log_loss", "logistic", "exponential"])
def test_weights_are_repeated_rows(loss: str) -> None:
    """Weights have a mean of 1, so that l2 means the same for all of them: the twins agree where there is none."""
    rng = np.random.default_rng(4)
    X, y, times = rng.normal(size=(60, 3)).round(1), rng.integers(0, 2, 60), rng.integers(1, 4, 60)
    X[rng.random(X.shape) < 0.1] = np.nan
    weighted = sample_of(X, y, times.astype(float))
    repeated = sample_of(np.repeat(X, times, axis=0), np.repeat(y, times))
    boosting = Boosting(loss=loss, max_leaf_nodes=4, min_samples_leaf=1, max_features=None, subsample=1.0, l2=0.0)
    first, second = (boost(s, boosting, none_of(s), n_rounds=8, seed=0).trees for s in (weighted, repeated))
    np.testing.assert_array_equal(first.feature, second.feature)
    np.testing.assert_allclose(first.margin(X), second.margin(X), rtol=1e-9, atol=1e-9)


def test_rounds_lower_the_loss() -> None:
    """A Newton step with a small learning rate does not raise the loss over pairs, which is convex."""
    train = simulate.rf20(400, random_state=0)
    sample = sample_of(train.X, train.y == 1)
    boosting = Boosting(loss="logistic", max_features=None, subsample=1.0, learning_rate=0.1)
    trees = boost(sample, boosting, none_of(sample), n_rounds=30, seed=0).trees
    losses = []
    for r in range(31):
        f = trees.added(train.X, 0, r)
        losses.append(np.mean(np.log1p(np.exp(-(f[train.y == 1][:, None] - f[train.y != 1][None, :])))))
    assert losses[0] == pytest.approx(np.log(2))
    assert (np.diff(losses) < 0).all()


def test_nothing_to_cut() -> None:
    sample = sample_of(np.ones((20, 2)), np.arange(20) % 2)
    trees = boost(sample, replace(PLAIN, subsample=1.0), none_of(sample), n_rounds=5, seed=0).trees
    assert len(trees.feature) == 0
    np.testing.assert_allclose(trees.margin(np.ones((3, 2))), 0.0, atol=1e-12)
    assert trees.importance.tolist() == [0.0, 0.0]


def test_margins_of_the_training_rows() -> None:
    """Boosting without held-out rows hands out the margins that its trees give the rows, bit for bit."""
    sample = mixed_sample(0, 300, weighted=True)
    for subsample in (1.0, 0.6):
        found = boost(sample, replace(PLAIN, subsample=subsample), none_of(sample), n_rounds=40, seed=0)
        margins = np.concatenate([found.trees.margin(X) for X in sample.table.blocks()])
        np.testing.assert_array_equal(found.fitted, margins)
