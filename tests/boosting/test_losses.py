"""Gradients of the losses against their definition over all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from naive_boost import pair_derivatives
from rankforest import _core
from rankforest.boosting.rounds import LOSSES


def drawn(seed: int, n: int, spread: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(np.uint8)
    y[:2] = 0, 1
    return rng.normal(size=n) * spread + y, y, rng.random(n) + 0.1


@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_over_pairs(spread: float, weighted: bool) -> None:
    f, y, w = drawn(0, 300, spread)
    g, h, start = _core.loss_gradients(LOSSES.index("logistic"), f, y, w if weighted else None)
    true_g, true_h = pair_derivatives("logistic", f, y, w if weighted else np.ones(300))
    # the grid: a step of at most range / 511 where it is not the finest, 1 / 32
    step = max(1 / 32, float(np.ptp(f)) / 511)
    scale = np.abs(true_g).max()
    np.testing.assert_allclose(g, true_g, atol=0.25 * step**2 * scale)
    np.testing.assert_allclose(h, true_h, atol=0.25 * step**2 * scale)
    assert start == 0.0
    assert abs(g.sum()) < 1e-9 * np.abs(g).sum()  # moving all scores changes no pair


@pytest.mark.parametrize("spread", [0.0, 2.0])
def test_exponential_over_pairs(spread: float) -> None:
    f, y, w = drawn(1, 100, spread)
    g, h, _ = _core.loss_gradients(LOSSES.index("exponential"), f, y, w)
    true_g, true_h = pair_derivatives("exponential", f, y, w)
    np.testing.assert_allclose(g, true_g, rtol=1e-12)
    np.testing.assert_allclose(h, true_h, rtol=1e-12)


def test_exponential_of_far_scores() -> None:
    f = np.array([1000.0, -1000.0, 999.0, -999.5])
    g, h, _ = _core.loss_gradients(LOSSES.index("exponential"), f, np.array([0, 0, 1, 1], dtype=np.uint8), None)
    assert np.isfinite(g).all()
    np.testing.assert_allclose(g, [2.0, 0.0, 0.0, -2.0], atol=1e-12)
    np.testing.assert_allclose(h, np.abs(g))


def test_log_loss_by_differences() -> None:
    f, y, w = drawn(2, 50, 2.0)

    def loss(f: np.ndarray) -> float:
        return float(np.sum(w / w.mean() * np.log1p(np.exp(np.where(y == 1, -f, f)))))

    g, h, start = _core.loss_gradients(LOSSES.index("log_loss"), f, y, w)
    step = 1e-4
    for i in range(0, 50, 7):
        up, down = (f + s * step * (np.arange(50) == i) for s in (1, -1))
        np.testing.assert_allclose(g[i], (loss(up) - loss(down)) / (2 * step), rtol=1e-5)
        np.testing.assert_allclose(h[i], (loss(up) - 2 * loss(f) + loss(down)) / step**2, rtol=1e-4)
    np.testing.assert_allclose(start, np.log(w[y == 1].sum() / w[y == 0].sum()))
