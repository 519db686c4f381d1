"""The same estimators and metrics on a Dask cluster: rows in partitions, the same model file as a local fit."""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as _missing:
    raise ImportError("rankforest.dask needs Dask; pip install 'rankforest[dask]'.") from _missing

from . import metrics
from .estimators import (
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
