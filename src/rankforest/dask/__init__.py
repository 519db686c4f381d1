"""The same estimators and metrics on a Dask cluster: rows in partitions, the same model file as a local fit."""

from ..extras import needed as _needed

_needed("distributed", "rankforest.dask needs", "dask")

from . import metrics  # noqa: E402
from .estimators import (  # noqa: E402
    OrdinalRankingForest,
    OrdinalRankingTree,
    RankBoost,
    RankConsensus,
    RankingForest,
    TreeRank,
)

__all__ = [
    "OrdinalRankingForest",
    "OrdinalRankingTree",
    "RankBoost",
    "RankConsensus",
    "RankingForest",
    "TreeRank",
    "metrics",
]
