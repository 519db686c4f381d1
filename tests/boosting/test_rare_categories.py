"""A feature of very many categories without meaning costs a small table little; other tables know nothing of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from rankforest import RankBoost
from rankforest.boosting import rounds


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
    monkeypatch.setattr(rounds, "_L2_OF_MANY", 1.0)
    assert now > np.mean([auc(250, seed) for seed in range(3)]) + 0.01


def test_fewer_categories_and_more_rows_are_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    few = auc(64, 0)
    monkeypatch.setattr(rounds, "_SMALL_TABLE", 500)
    many_rows = auc(250, 0)
    monkeypatch.setattr(rounds, "_L2_OF_MANY", 1.0)
    assert (few, many_rows) == (auc(64, 0), auc(250, 0))
