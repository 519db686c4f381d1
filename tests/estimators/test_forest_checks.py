"""scikit-learn's own checks of a forest."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import LeafRank, RankingForest

UNSIGNED = "the score is a place in the list, in [0, 1]; its sign does not stand for a label"
WEIGHTS = "rows are drawn, and rates are smoothed by two rows of typical weight: a row of weight 2 is not two rows"
ON_WEIGHTS = {
    "check_sample_weight_equivalence_on_dense_data": WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": WEIGHTS,
}
ON_SIGNS = {"check_classifiers_classes": UNSIGNED, "check_classifiers_train": UNSIGNED}


class SignedForest(RankingForest):
    """A forest with a signed score, for the rest of the checks that fail on the sign alone."""

    def decision_function(self, X: Any, *, aggregation: str | None = None) -> np.ndarray:
        return (
            self.predict_proba(X)[:, 1] - 0.5
            if aggregation is None
            else super().decision_function(X, aggregation=aggregation)
        )


@parametrize_with_checks(
    [
        RankingForest(6),
        RankingForest(4, splitter=LeafRank(max_depth=2), aggregation="median_rank", bootstrap=False, max_bins=1000),
    ],
    expected_failed_checks=lambda estimator: ON_SIGNS | ON_WEIGHTS,
)
def test_forest(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks([SignedForest(3)], expected_failed_checks=lambda estimator: ON_WEIGHTS)
def test_all_but_the_sign(estimator: Any, check: Any) -> None:
    check(estimator)
