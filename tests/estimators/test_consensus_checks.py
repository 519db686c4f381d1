"""scikit-learn's own checks of RankConsensus."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import RankBoost, RankConsensus, RankingForest

UNSIGNED = "the score is in (0, 1); its sign does not stand for a label"
WEIGHTS = "rows are drawn into folds and samples one by one: a row of weight 2 is not two rows"
ON_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
ON_SIGNS = {"check_classifiers_classes": UNSIGNED, "check_classifiers_train": UNSIGNED}


class SignedConsensus(RankConsensus):
    """RankConsensus with a signed score, for the rest of the checks that fail on the sign alone."""

    def decision_function(self, X: Any) -> np.ndarray:
        return self.predict_proba(X)[:, 1] - 0.5

    def predict_proba(self, X: Any) -> np.ndarray:
        scores = super().decision_function(X)
        return self._pair(self._calibration(scores))


@parametrize_with_checks(
    [RankConsensus(RankingForest(8), RankBoost(8, n_folds=2, n_repeats=1))],
    expected_failed_checks=lambda estimator: ON_SIGNS | ON_WEIGHTS,
)
def test_rank_consensus(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks(
    [SignedConsensus(RankingForest(20), RankBoost(20, n_folds=2, n_repeats=1))],
    expected_failed_checks=lambda estimator: ON_WEIGHTS,
)
def test_all_but_the_sign(estimator: Any, check: Any) -> None:
    check(estimator)
