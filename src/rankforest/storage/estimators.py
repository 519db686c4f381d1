"""Which estimators can be stored, and what is stored of each whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from ..data.schema import Schema
from .errors import ModelFileError, require
from .features import labels_from, labels_to, names_from, schema_from, schema_to
from .parameters import make, params_to
from .shelf import Shelf
from .summary import summary_from, summary_to

__all__ = ["pack", "unpack"]

_MOST_LABELS = 100


class Codec(NamedTuple):
    """How one estimator is stored and read: its class, and a function for either way."""

    cls: type
    put: Callable[[Any, Shelf], dict[str, Any]]
    take: Callable[[Any, dict[str, Any], Shelf, Schema], None]
    schema_of: Callable[[Any], Schema]
    ordered: bool = False  # whether its labels are


@cache
def codecs() -> dict[str, Codec]:
    """The estimators that can be stored, by name."""
    from ..estimators.best_instances import BestInstances
    from ..estimators.false_alarm import FalseAlarmConstrained
    from ..estimators.oapbpm import OAPBPM
    from ..estimators.ordinal_forest import OrdinalRankingForest
    from ..estimators.ordinal_tree import OrdinalRankingTree
    from ..estimators.prank import PRank
    from ..estimators.rank_boost import RankBoost
    from ..estimators.rank_consensus import RankConsensus
    from ..estimators.ranking_forest import RankingForest
    from ..estimators.threshold_rank_boost import ThresholdRankBoost
    from ..estimators.tree_rank import TreeRank
    from .boosted_trees import put_rank_boost, take_rank_boost
    from .flaggers import put_best_instances, put_false_alarm, take_best_instances, take_false_alarm
    from .ordinal_trees import put_ordinal_forest, put_ordinal_tree, take_ordinal_forest, take_ordinal_tree
    from .rank_consensus import put_rank_consensus, take_rank_consensus
    from .ranking_forest import put_forest, take_forest
    from .threshold_rankers import put_oapbpm, put_prank, take_oapbpm, take_prank
    from .tree_rank import put_tree_rank, take_tree_rank

    def of_tree(model: Any) -> Schema:
        return model.tree_.schema

    def of_trees(model: Any) -> Schema:
        return model.trees_[0].schema

    def of_direction(model: Any) -> Schema:
        return model.standardization_.schema

    def of_model(model: Any) -> Schema:
        return schema_of(model.estimator_)

    def of_team(model: Any) -> Schema:
        return model.team_.members[0].trees.schema

    found = (
        Codec(TreeRank, put_tree_rank, take_tree_rank, of_tree),
        Codec(RankingForest, put_forest, take_forest, of_trees),
        Codec(RankBoost, put_rank_boost, take_rank_boost, of_team),
        Codec(ThresholdRankBoost, put_rank_boost, take_rank_boost, of_team),
        Codec(RankConsensus, put_rank_consensus, take_rank_consensus, lambda model: schema_of(model.forest_)),
        Codec(BestInstances, put_best_instances, take_best_instances, of_model),
        Codec(FalseAlarmConstrained, put_false_alarm, take_false_alarm, of_model),
        Codec(OrdinalRankingTree, put_ordinal_tree, take_ordinal_tree, of_tree, ordered=True),
        Codec(OrdinalRankingForest, put_ordinal_forest, take_ordinal_forest, of_trees, ordered=True),
        Codec(PRank, put_prank, take_prank, of_direction, ordered=True),
        Codec(OAPBPM, put_oapbpm, take_oapbpm, of_direction, ordered=True),
    )
    return {codec.cls.__name__: codec for codec in found}


def _codec(model: Any) -> Codec:
    name = type(model).__name__
    codec = codecs().get(name)
    if codec is None or type(model) is not codec.cls:
        raise ModelFileError(
            f"The model is a {name}, which a model file cannot hold; give one of {', '.join(sorted(codecs()))}."
        )
    return codec


def schema_of(model: Any) -> Schema:
    """The features of a fitted model."""
    return _codec(model).schema_of(model)


def pack(model: Any, shelf: Shelf) -> dict[str, Any]:
    """A fitted model: its arrays on the shelf, and all else as JSON."""
    codec, name = _codec(model), type(model).__name__
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ModelFileError(f"The {name} is not fitted yet; call fit before it is saved.") from None
    fitted = codec.put(model, shelf)
    found: dict[str, Any] = {
        "model": name,
        "params": params_to(model),
        "schema": schema_to(codec.schema_of(model)),
        "classes": labels_to(model.classes_),
        "summary": summary_to(getattr(model, "summary_", None)),
        "fitted": fitted,
    }
    if not codec.ordered:
        found["positive"] = int(np.flatnonzero(model.classes_ == model.pos_label_)[0])
    return found


def unpack(header: dict[str, Any], shelf: Shelf) -> Any:
    """The model again, checked."""
    name = header.get("model")
    codec = codecs().get(name) if isinstance(name, str) else None
    if codec is None:
        raise ModelFileError(
            f"The file holds a model of the kind {str(name)[:60]!r}, which this version does not know; install a later "
            "one."
        )
    names = {"model", "params", "schema", "classes", "summary", "fitted"} | (set() if codec.ordered else {"positive"})
    require(header.keys() == names, "its header cannot be read")
    require(isinstance(header["fitted"], dict), "its header cannot be read")
    schema = schema_from(header["schema"])
    model = make(codec.cls, header["params"])
    model.classes_ = labels_from(header["classes"], least=2, most=_MOST_LABELS if codec.ordered else 2)
    if not codec.ordered:
        require(
            type(header["positive"]) is int and header["positive"] in (0, 1),
            "it does not say which label is at the top",
        )
        model.pos_label_ = model.classes_[header["positive"]]
    for attribute, value in names_from(schema).items():
        setattr(model, attribute, value)
    summary = summary_from(header["summary"], schema, len(model.classes_))
    if summary is not None and not codec.ordered:
        summary = summary.with_positives(model.pos_label_, summary.class_counts[header["positive"]])
    if summary is not None:
        model.summary_ = summary
    codec.take(model, header["fitted"], shelf, schema)
    return model
