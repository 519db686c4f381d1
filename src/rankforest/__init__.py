"""Ranking trees and forests: put the positives at the top of the list, and show why."""

import importlib as _importlib
import typing as _typing

from . import _notebook

if _typing.TYPE_CHECKING:
    from . import consensus as consensus
    from . import data as data
    from . import export as export
    from . import interpret as interpret
    from . import metrics as metrics
    from . import plots as plots
    from . import report as report
    from .boosting.early_stopping import EarlyStopping as EarlyStopping
    from .data.constraints import Constraints as Constraints
    from .data.stream import Stream as Stream
    from .estimators.best_instances import BestInstances as BestInstances
    from .estimators.false_alarm import FalseAlarmConstrained as FalseAlarmConstrained
    from .estimators.oapbpm import OAPBPM as OAPBPM
    from .estimators.ordinal_forest import OrdinalRankingForest as OrdinalRankingForest
    from .estimators.ordinal_tree import OrdinalRankingTree as OrdinalRankingTree
    from .estimators.prank import PRank as PRank
    from .estimators.rank_boost import RankBoost as RankBoost
    from .estimators.rank_consensus import RankConsensus as RankConsensus
    from .estimators.rank_score import RankScore as RankScore
    from .estimators.ranking_forest import RankingForest as RankingForest
    from .estimators.threshold_rank_boost import ThresholdRankBoost as ThresholdRankBoost
    from .estimators.tree_rank import TreeRank as TreeRank
    from .fitting.progress import progress as progress
    from .forest.sampling import Sampling as Sampling
    from .splitting.dyadic import Dyadic as Dyadic
    from .splitting.leafrank import LeafRank as LeafRank
    from .splitting.weighted_erm import WeightedERM as WeightedERM
    from .storage.model import load_model as load_model
    from .storage.model import read_header as read_header
    from .storage.model import save_model as save_model
    from .tree.pruning_options import Pruning as Pruning
    from .tree.ranking_tree import RankingTree as RankingTree
    from .two_sample.rank_test import two_sample_test as two_sample_test

__version__ = "0.1.0"

# Public names and where they live; they are imported on first use, so that `import rankforest` costs nothing.
_PUBLIC = {
    "BestInstances": "estimators.best_instances",
    "Constraints": "data.constraints",
    "Dyadic": "splitting.dyadic",
    "EarlyStopping": "boosting.early_stopping",
    "FalseAlarmConstrained": "estimators.false_alarm",
    "LeafRank": "splitting.leafrank",
    "OAPBPM": "estimators.oapbpm",
    "OrdinalRankingForest": "estimators.ordinal_forest",
    "OrdinalRankingTree": "estimators.ordinal_tree",
    "PRank": "estimators.prank",
    "Pruning": "tree.pruning_options",
    "RankBoost": "estimators.rank_boost",
    "RankConsensus": "estimators.rank_consensus",
    "RankScore": "estimators.rank_score",
    "RankingForest": "estimators.ranking_forest",
    "RankingTree": "tree.ranking_tree",
    "Sampling": "forest.sampling",
    "Stream": "data.stream",
    "ThresholdRankBoost": "estimators.threshold_rank_boost",
    "TreeRank": "estimators.tree_rank",
    "WeightedERM": "splitting.weighted_erm",
    "load_model": "storage.model",
    "progress": "fitting.progress",
    "read_header": "storage.model",
    "save_model": "storage.model",
    "two_sample_test": "two_sample.rank_test",
}

_MODULES = ("consensus", "data", "export", "interpret", "metrics", "plots", "report")

__all__ = [*_PUBLIC, *_MODULES, "__version__"]


def __getattr__(name: str) -> _typing.Any:
    if name in _MODULES:
        return _importlib.import_module(f"{__name__}.{name}")
    if name in _PUBLIC:
        found = getattr(_importlib.import_module(f"{__name__}.{_PUBLIC[name]}"), name)
        globals()[name] = found  # the next use finds it here
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


def _notebook_view(model: _typing.Any) -> str | None:
    found: str | None = _importlib.import_module(f"{__name__}.report.notebook").notebook_view(model)
    return found


_notebook.make_views_with(_notebook_view)
