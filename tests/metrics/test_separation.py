"""Gini, KS and the relative local AUC: what others compute, and what a perfect list has."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp, somersd
from sklearn.metrics import roc_auc_score

from rankforest.metrics import gini, ks_statistic, local_auc, relative_local_auc, roc_auc


def draw(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and scores with ties that may point the wrong way."""
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(0, 2, 60))
    return y, (rng.normal(size=62) + rng.uniform(-1, 2) * y).round(1)


@pytest.mark.parametrize("seed", range(8))
def test_ks_is_that_of_scipy(seed: int) -> None:
    y, score = draw(seed)
    assert ks_statistic(y, score) == pytest.approx(ks_2samp(score[y == 1], score[y == 0]).statistic)
    assert ks_statistic(y, -score) == pytest.approx(ks_statistic(y, score))


@pytest.mark.parametrize("seed", range(8))
def test_gini_is_that_of_scikit_learn_and_somers_d(seed: int) -> None:
    y, score = draw(seed)
    assert gini(y, score) == pytest.approx(2 * roc_auc_score(y, score) - 1)
    assert gini(y, score) == pytest.approx(somersd(y, score).statistic)


def test_weights_repeat_rows() -> None:
    y, score = draw(0)
    times = np.random.default_rng(1).integers(0, 4, len(y))
    again = np.repeat(y, times), np.repeat(score, times)
    for metric in (gini, ks_statistic, lambda *a, **w: relative_local_auc(*a, 0.2, **w)):
        assert metric(y, score, sample_weight=times) == pytest.approx(metric(*again))


@pytest.mark.parametrize("u", [0.02, 0.1, 0.3, 0.6, 1.0])
def test_the_relative_local_auc_ends_at_a_perfect_list(u: float) -> None:
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.3).astype(int)
    score = y + rng.normal(size=500)
    best = local_auc(y, y + 0.5 * rng.random(500), u)
    assert best == pytest.approx(min(u / y.mean(), 1.0))
    assert relative_local_auc(y, score, u) == pytest.approx(local_auc(y, score, u) / best)
    assert relative_local_auc(y, y, u) == pytest.approx(1.0)
    if u <= 1 - y.mean():
        assert relative_local_auc(y, -y, u) == 0.0
    assert relative_local_auc(y, score, 1.0) == pytest.approx(roc_auc(y, score))
