"""PRank in the core: equal to its twin, mistake by mistake; its theorem and its invariant hold."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_ordinal
from rankforest import _core

RBF, POLY, PRECOMPUTED = 1, 2, 0


def sample(seed: int, n: int = 40, q: int = 3, k: int = 4, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, q))
    score = X @ rng.normal(size=q) + noise * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.arange(1, k) / k)).astype(np.uint8)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    n=st.integers(2, 30),
    k=st.integers(2, 6),
    n_epochs=st.integers(1, 4),
    shuffle=st.booleans(),
    average=st.booleans(),
    share=st.sampled_from([0.3, 0.8, 1.0]),
)
def test_linear_learners_equal_the_twin(seed, n, k, n_epochs, shuffle, average, share):
    X, y = sample(seed, n=n, k=k)
    X = np.round(4 * X)  # whole numbers: sums are exact, and scores do tie with thresholds
    params = _core.PRankParams(k, n_epochs, shuffle, average, share, seed)
    weights, thresholds, loss = _core.prank(X, y, params, 3, 2)
    assert weights.shape == (3, 3)
    assert thresholds.shape == (3, k - 1)
    for learner in range(3):
        examples = naive_ordinal.stream(n, n_epochs, shuffle, share, seed, learner)
        twin = naive_ordinal.prank(naive_ordinal.kernel_score(X @ X.T), y.tolist(), k, examples)
        assert loss[learner].tolist() == twin.loss + [0] * (n_epochs - len(twin.loss))
        if average and twin.history:
            times, expected = naive_ordinal.averaged(twin)
            assert_allclose(weights[learner], times @ X, atol=1e-9)
            assert_allclose(thresholds[learner], expected, rtol=1e-13)
        else:
            assert_array_equal(weights[learner], np.array(twin.times) @ X)
            assert_array_equal(thresholds[learner], twin.thresholds)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("kind", [RBF, POLY, PRECOMPUTED])
def test_kernels_equal_the_twin(kind, average):
    X, y = sample(3, n=50)
    gamma, coef0, degree = 0.4, 1.5, 3
    if kind == RBF:
        gram = np.array([[np.exp(-gamma * ((a - b) ** 2).sum()) for b in X] for a in X])
    else:
        gram = np.array([[(gamma * (a @ b) + coef0) ** degree for b in X] for a in X])
    params = _core.PRankParams(4, 3, True, average, 1.0, 5)
    rows = gram if kind == PRECOMPUTED else X
    times, thresholds, loss = _core.kernel_prank(rows, y, params, kind, gamma, coef0, degree)
    twin = naive_ordinal.prank(
        naive_ordinal.kernel_score(gram), y.tolist(), 4, naive_ordinal.stream(50, 3, True, 1.0, 5, 0)
    )
    expected = naive_ordinal.averaged(twin) if average else (twin.times, twin.thresholds)
    assert_allclose(times, expected[0], rtol=1e-12)
    assert_allclose(thresholds, expected[1], rtol=1e-12)
    assert loss.tolist() == twin.loss
    assert loss[0] > 0


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31), st.integers(1, 70), st.integers(1, 9), st.integers(1, 5))
def test_scores_do_not_depend_on_the_rows_beside(seed, n, q, n_points):
    rng = np.random.default_rng(seed)
    X, points, times, weights = rng.normal(size=(n, q)), rng.normal(size=(n_points, q)), *rng.normal(size=(2, 9))
    times, weights = times[:n_points].copy(), weights[:q].copy()
    expected = {
        "linear": [sum(x * w for x, w in zip(row, weights)) for row in X],
        RBF: [sum(t * np.exp(-0.4 * ((row - p) ** 2).sum()) for t, p in zip(times, points)) for row in X],
        POLY: [sum(t * (0.4 * (row @ p) + 1.5) ** 3 for t, p in zip(times, points)) for row in X],
    }
    for kind, twin in expected.items():

        def scores(rows, kind=kind):
            if kind == "linear":
                return _core.prank_scores(rows, weights)
            return _core.kernel_prank_scores(rows, points, times, kind, 0.4, 1.5, 3)

        found = scores(X)
        assert_allclose(found, twin, rtol=1e-9, atol=1e-9)
        assert_array_equal(np.concatenate([scores(X[i : i + 1]) for i in range(n)]), found)
        cut = int(rng.integers(0, n + 1))
        assert_array_equal(np.concatenate([scores(X[:cut]), scores(X[cut:])]), found)


def test_the_product_as_a_kernel_is_the_linear_learner():
    X, y = sample(1, n=200)
    params = _core.PRankParams(4, 5, True, False, 1.0, 9)
    weights, thresholds, loss = _core.prank(X, y, params, 1, 1)
    times, same_thresholds, same_loss = _core.kernel_prank(X, y, params, POLY, 1.0, 0.0, 1)
    assert_allclose(times @ X, weights[0], atol=1e-9)
    assert_array_equal(thresholds[0], same_thresholds)
    assert_array_equal(loss[0], same_loss)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 8), st.sampled_from([1, 3, 100]))
def test_mistake_bound(seed, k, n_epochs):
    """Crammer and Singer, theorem 2: on separable data the rank loss is at most (k - 1)(R^2 + 1) / gamma^2."""
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=4), np.sort(rng.normal(size=k - 1))
    b += 0.2 * np.arange(k - 1)
    norm = np.sqrt(w @ w + b @ b)
    w, b = w / norm, b / norm
    X = rng.normal(size=(400, 4)) * rng.uniform(0.5, 3)
    above = X @ w[:, None] - b
    X = X[np.abs(above).min(axis=1) > rng.uniform(0, 0.03)]
    above = X @ w[:, None] - b
    y = (above > 0).sum(axis=1).astype(np.uint8)
    gamma, radius = np.abs(above).min(), (X**2).sum(axis=1).max()
    _, thresholds, loss = _core.prank(X, y, _core.PRankParams(k, n_epochs, True, False, 1.0, seed), 1, 1)
    assert loss.sum() <= (k - 1) * (radius + 1) / gamma**2
    assert loss.sum() > 0 or len(set(y)) == 1  # the learner starts with all rows in one class
    assert (np.diff(thresholds) >= 0).all()


def test_mistakes_end_on_separable_data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    X = X[np.abs(X @ [[1.0], [2.0]] - [-1.0, 0.5]).min(axis=1) > 0.3]
    y = np.digitize(X @ [1.0, 2.0], [-1.0, 0.5]).astype(np.uint8)
    _, _, loss = _core.prank(X, y, _core.PRankParams(3, 200, True, False, 1.0, 0), 1, 1)
    assert loss[0, 0] > 0
    assert loss[0, -50:].sum() == 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**31), st.integers(2, 9), st.booleans())
def test_thresholds_stay_in_order(seed, k, average):
    """Crammer and Singer, lemma 1, after every single example; on random labels."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, k, 30).astype(np.uint8)
    twin = naive_ordinal.prank(
        naive_ordinal.kernel_score(X @ X.T), y.tolist(), k, naive_ordinal.stream(30, 2, True, 1.0, seed, 0)
    )
    assert all(b == sorted(b) for _, b in twin.history)
    for length in (1, 5, 30):
        params = _core.PRankParams(k, 3, True, average, 0.7, seed)
        _, thresholds, _ = _core.prank(X[:length], y[:length], params, 4, 1)
        assert (np.diff(thresholds, axis=1) >= 0).all()
        assert (np.diff(thresholds.mean(axis=0)) >= 0).all()


def test_threads_make_no_difference():
    X, y = sample(2, n=300)
    params = _core.PRankParams(4, 3, True, True, 0.5, 1)
    for one, other in zip(_core.prank(X, y, params, 7, 1), _core.prank(X, y, params, 7, 3)):
        assert_array_equal(one, other)


def test_arguments_are_checked_at_the_door():
    X, y = sample(0, n=10)
    params = _core.PRankParams(4, 1, True, True, 1.0, 0)
    with pytest.raises(ValueError, match="one label per row"):
        _core.prank(X, y[:-1], params, 1, 1)
    with pytest.raises(ValueError, match="beyond the levels"):
        _core.prank(X, y + np.uint8(4), params, 1, 1)
    with pytest.raises(ValueError, match="two levels and one epoch"):
        _core.prank(X, y, _core.PRankParams(4, 0, True, True, 1.0, 0), 1, 1)
    with pytest.raises(ValueError, match="one learner"):
        _core.prank(X, y, params, 0, 1)
    with pytest.raises(ValueError, match="square"):
        _core.kernel_prank(X, y, params, PRECOMPUTED, 1.0, 0.0, 1)
    with pytest.raises(ValueError, match="no such kernel"):
        _core.kernel_prank(X, y, params, 3, 1.0, 0.0, 1)


# In a process of its own, so that a signal that goes astray does not end the test session.
SCRIPT = """
import os, signal, threading
import numpy as np
from rankforest import _core
X = np.random.default_rng(0).normal(size=(20_000, 5))
y = np.random.default_rng(1).integers(0, 3, 20_000).astype(np.uint8)
signal.signal(signal.SIGINT, signal.default_int_handler)
for learn in (
    lambda: _core.prank(X, y, _core.PRankParams(3, 10**6, True, False, 1.0, 0), 4, 2),
    lambda: _core.kernel_prank(X, y, _core.PRankParams(3, 10**6, True, False, 1.0, 0), 1, 1.0, 0.0, 1),
):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    try:
        learn()
    except KeyboardInterrupt:
        print("stopped")
"""


def test_interrupt():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
    assert done.stdout.split() == ["stopped", "stopped"], done.stderr
