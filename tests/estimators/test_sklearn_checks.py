"""scikit-learn's own checks of an estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import LeafRank, TreeRank

UNSIGNED = "the score is a place in the list, in [0, 1]; its sign does not stand for a label"
EXPECTED_FAILURES = {"check_classifiers_classes": UNSIGNED, "check_classifiers_train": UNSIGNED}


class SignedTreeRank(TreeRank):
    """TreeRank with a signed score, for the rest of the checks that fail on the sign alone."""

    def decision_function(self, X: Any) -> np.ndarray:
        return self.predict_proba(X)[:, 1] - 0.5


@parametrize_with_checks(
    [
        TreeRank(),
        TreeRank(LeafRank(max_depth=2, max_leaf_nodes=3), missing="cell_mean", max_leaf_nodes=9, max_bins=1000),
    ],
    expected_failed_checks=lambda estimator: EXPECTED_FAILURES,
)
def test_tree_rank(estimator: Any, check: Any) -> None:
    check(estimator)


@parametrize_with_checks([SignedTreeRank(max_depth=2)])
def test_all_but_the_sign(estimator: Any, check: Any) -> None:
    check(estimator)
