"""The scoreboard's linear ranker against all pairs, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from _ranksvm import RankSVM, pair_loss
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.sparse import csr_array

from rankforest.metrics import roc_auc


def brute_loss(scores: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Every pair looked at."""
    loss, gradient, n_pairs = 0.0, np.zeros(len(scores)), 0
    for i in np.flatnonzero(y == 1):
        for j in np.flatnonzero(y == 0):
            slack = max(0.0, 1.0 - (scores[i] - scores[j]))
            loss += slack**2
            gradient[i] -= 2 * slack
            gradient[j] += 2 * slack
            n_pairs += 1
    return loss / n_pairs, gradient / n_pairs


# multiples of a half bring ties and differences of exactly one
_scores = st.one_of(st.floats(-5, 5), st.integers(-6, 6).map(lambda value: value / 2))


@given(st.lists(st.tuples(_scores, st.booleans()), min_size=2, max_size=25))
def test_loss_and_gradient_are_those_of_all_pairs(rows: list[tuple[float, bool]]) -> None:
    scores, y = np.array([score for score, _ in rows]), np.array([int(label) for _, label in rows])
    y[:2] = 0, 1  # both labels
    loss, gradient = pair_loss(scores, y)
    expected_loss, expected_gradient = brute_loss(scores, y)
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-10, atol=1e-12)


DIRECTION = np.array([1.0, -2.0, 0.0])


def sample(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X @ DIRECTION + rng.normal(size=n) > 0.5).astype(int)


def test_gradient_is_the_numerical_one() -> None:
    X, y = sample()
    scores = X @ np.array([0.3, -0.4, 0.1])
    numerical = approx_fprime(scores, lambda s: pair_loss(s, y)[0], 1e-7)
    np.testing.assert_allclose(pair_loss(scores, y)[1], numerical, atol=1e-6)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_fit_is_the_minimum_over_all_pairs(C: float) -> None:
    X, y = sample()
    pairs = (X[y == 1][:, None] - X[y == 0]).reshape(-1, 3)

    def objective(w: np.ndarray) -> float:
        return 0.5 * w @ w + C * len(y) * np.mean(np.maximum(0.0, 1.0 - pairs @ w) ** 2)

    best = minimize(objective, np.zeros(3), method="BFGS", options={"gtol": 1e-8}).x
    model = RankSVM(C).fit(X, y)
    np.testing.assert_allclose(model.coef_, best, rtol=1e-3, atol=1e-4)
    assert np.array_equal(model.decision_function(X), X @ model.coef_)


def test_ranks_new_rows_and_takes_sparse_ones() -> None:
    X, y = sample(400)
    new_X, new_y = sample(400, seed=1)
    model = RankSVM().fit(X, y)
    # noise keeps the true direction itself below 1
    assert roc_auc(new_y, model.decision_function(new_X)) > roc_auc(new_y, new_X @ DIRECTION) - 0.01
    np.testing.assert_allclose(RankSVM().fit(csr_array(X), y).coef_, model.coef_, rtol=1e-6)


def test_refuses_other_labels() -> None:
    with pytest.raises(ValueError, match=r"labels \[0\]; pass 0 and 1"):
        RankSVM().fit(np.ones((2, 1)), np.zeros(2, dtype=int))
