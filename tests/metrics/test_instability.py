"""Instability: how far refits to other rows are from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit

from rankforest import TreeRank
from rankforest.consensus import kendall_distance
from rankforest.data import simulate
from rankforest.metrics import instability


class Fixed(ClassifierMixin, BaseEstimator):
    """Ranks by the first feature, whatever it is fitted to; or by it and against it, in turn."""

    turns = 0

    def __init__(self, turning: bool = False) -> None:
        self.turning = turning

    def fit(self, X: Any, y: Any) -> Fixed:
        type(self).turns += self.turning
        self.sign_ = -1 if type(self).turns % 2 else 1
        self.classes_ = np.unique(y)
        self.n_rows_, self.share_ = len(y), np.mean(y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        score = self.sign_ * np.asarray(X)[:, 0]
        return np.column_stack([-score, score])


def test_a_fixed_rule_is_stable_and_one_that_turns_is_not() -> None:
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    assert instability(Fixed(), X, y) == 0.0
    # + - + - : of the six pairs of refits four disagree on everything
    assert instability(Fixed(turning=True), X, y, n_splits=4) == pytest.approx(4 / 6)


def test_it_is_the_mean_kendall_distance_between_refits_to_halves() -> None:
    sample = simulate.rf10_sparse(200, random_state=0)
    model = TreeRank(max_depth=3)
    scores = []
    for rows, _ in StratifiedShuffleSplit(4, test_size=0.5, random_state=np.random.RandomState(7)).split(
        sample.X, sample.y
    ):
        assert len(rows) == 100
        scores.append(model.fit(sample.X[rows], sample.y[rows]).score_samples(sample.X))
    distances = [kendall_distance(-scores[a], -scores[b]) for a in range(4) for b in range(a)]
    assert instability(model, sample.X, sample.y, 4, random_state=7) == pytest.approx(np.mean(distances))
    assert instability(model, sample.X, sample.y, 4, random_state=8) != pytest.approx(np.mean(distances))


def test_any_classifier_and_any_frame() -> None:
    sample = simulate.rf10_sparse(300, random_state=1)
    frame = pd.DataFrame(sample.X, columns=[f"f{j}" for j in range(10)])
    steady = instability(LogisticRegression(), frame, pd.Series(sample.y))
    assert 0.0 < steady < instability(TreeRank(), frame, sample.y) < 0.5


@pytest.mark.parametrize("n_splits", [0, 1])
def test_one_refit_has_no_distance(n_splits: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^n_splits is {n_splits}; give at least 2, because the distance is between two refits\.$"
    ):
        instability(TreeRank(), [[0.0], [1.0]], [0, 1], n_splits)
