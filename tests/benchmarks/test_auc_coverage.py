"""The quick version of the study of coverage: intervals of the AUC hold with few rows, under every law of the study."""

from __future__ import annotations

import auc_coverage
import numpy as np
import pytest
from auc_coverage import LAWS, coverage, placed, true_auc

from rankforest.metrics import auc_interval, roc_auc


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(("auc", "m", "n"), [(0.9, 5, 50), (0.95, 10, 100), (0.7, 10, 10), (0.8, 200, 200)])
def test_the_score_interval_holds(law: str, auc: float, m: int, n: int) -> None:
    held, length = coverage(law, auc, m, n, 400, ["score"])["score"]
    assert held > (0.88 if law == "outliers" else 0.91)  # 0.95 less three standard errors; the law of largest variance
    assert length < 0.6


def test_delongs_own_interval_does_not() -> None:
    """Why the default is another one: ten positives, an AUC of .95, and four laws that are not at all odd."""
    for law in ("binormal", "spread positives", "exponential", "five ratings"):
        found = coverage(law, 0.95, 10, 100, 400, ["score", "logit"])
        assert found["logit"][0] < 0.92
        assert found["score"][0] > 0.94


def test_the_study_judges_what_users_get() -> None:
    rng = np.random.default_rng(0)
    for law in LAWS:
        positive, negative = LAWS[law](rng, 0.8, 30, 40)
        y, score = np.repeat([1, 0], [30, 40]), np.concatenate([positive, negative])
        found, sample = auc_interval(y, score), placed(positive, negative)
        studied = auc_coverage.interval_of_auc(sample, 0.05)
        assert (found.low, found.high) == pytest.approx((studied.low, studied.high))
        many = LAWS[law](rng, 0.8, 100_000, 100_000)
        assert roc_auc(np.repeat([1, 0], 100_000), np.concatenate(many)) == pytest.approx(true_auc(law, 0.8), abs=0.006)
