"""Thresholds on held-out scores: a row of such a score keeps its side if another machine rounds its score otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rankforest import BestInstances, FalseAlarmConstrained
from rankforest.data import simulate

SAMPLE = simulate.rf10_sparse(600, random_state=0)


class Rounded(LogisticRegression):
    """Its scores differ in the last bits, by `ulps`, as they do among other rows or on another processor."""

    ulps = 0

    def decision_function(self, X: Any) -> np.ndarray:
        scores = super().decision_function(X)
        return scores + type(self).ulps * np.spacing(np.abs(scores))


@pytest.mark.parametrize(
    "model",
    [
        FalseAlarmConstrained(Rounded(), alpha=0.2, random_state=0),
        FalseAlarmConstrained(Rounded(), alpha=0.2, confidence=0.9, random_state=0),
        BestInstances(Rounded(), precision=0.7, random_state=0),
        BestInstances(Rounded(), top=0.2, random_state=0),
    ],
    ids=["false alarms", "sure", "precision", "share"],
)
def test_the_last_bit_of_a_score_decides_nothing(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model.fit(SAMPLE.X, SAMPLE.y)
    flagged = model.flag(SAMPLE.X)
    assert 0 < flagged.sum() < len(flagged)
    for ulps in (-2, -1, 1, 2):
        monkeypatch.setattr(Rounded, "ulps", ulps)
        np.testing.assert_array_equal(model.flag(SAMPLE.X), flagged)
