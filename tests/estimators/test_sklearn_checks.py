"""scikit-learn's own checks of every estimator; what is expected to fail has a reason in the mathematics."""

from __future__ import annotations

from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankforest import (
    OAPBPM,
    FalseAlarmConstrained,
    LeafRank,
    OrdinalRankingForest,
    OrdinalRankingTree,
    PRank,
    RankBoost,
    RankConsensus,
    RankingForest,
    RankScore,
    Sampling,
    ThresholdRankBoost,
    TreeRank,
)

DRAWN = "rows are drawn into samples and folds one by one: a row of weight 2 is not two rows"
SMOOTHED = "rates are smoothed by two rows of mean weight: weights 2 for all are weights 1 for all, not twice the rows"
UNORDERED = "text has no order of its own, and without one there is no ordinal problem: `order` is needed"

TREES = [
    TreeRank(),
    TreeRank(LeafRank(max_depth=2, max_leaf_nodes=3, missing="cell_mean", max_bins=1000), max_leaf_nodes=9),
]
DRAWING = [
    RankingForest(6),
    RankingForest(
        4, splitter=LeafRank(max_depth=2, max_bins=1000), aggregation="median_rank", sampling=Sampling(replace=False)
    ),
    RankBoost(20),
    RankScore(n_estimators=20),
    ThresholdRankBoost(max_bins=1000),
    RankConsensus(RankingForest(20), RankBoost(20, n_folds=(2, 1))),
    FalseAlarmConstrained(LogisticRegression(), alpha=0.3, held_out=0.5, random_state=0),
]
ORDINAL = [
    OrdinalRankingTree(),
    OrdinalRankingTree("ranking", pruning=None),
    OrdinalRankingForest(4),
    OrdinalRankingForest(3, aggregation="median", cuts="best", max_features="sqrt", min_samples_leaf=2),
    PRank(random_state=0),
    PRank("poly", n_epochs=3, random_state=0),
    OAPBPM(10, random_state=0),
]


def expected_failures(estimator: Any) -> dict[str, str]:
    found: dict[str, str] = {}
    folds = isinstance(estimator, OrdinalRankingTree) and estimator.pruning is not None
    if folds or isinstance(estimator, TreeRank | OrdinalRankingForest) or estimator in DRAWING:
        for data in ("dense", "sparse"):
            reason = SMOOTHED if isinstance(estimator, TreeRank) else DRAWN
            found[f"check_sample_weight_equivalence_on_{data}_data"] = reason
    if isinstance(estimator, OrdinalRankingTree | OrdinalRankingForest | PRank | OAPBPM):
        found["check_classifiers_classes"] = UNORDERED
    return found


@parametrize_with_checks([*TREES, *DRAWING, *ORDINAL], expected_failed_checks=expected_failures)
def test_estimator(estimator: Any, check: Any) -> None:
    check(estimator)
