"""RankConsensus in a model file: its two members, and how they vote."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.schema import Schema
from ..estimators.rank_consensus import RankConsensus, Scale
from .calibration import put_calibration, take_calibration
from .checks import check_finite, check_moderate
from .errors import require
from .ranking_forest import measures_to, take_measures
from .shelf import Shelf

__all__ = ["put_rank_consensus", "take_rank_consensus"]

_MEMBERS = {"forest": "RankingForest", "booster": "RankBoost"}


def put_rank_consensus(model: RankConsensus, shelf: Shelf) -> dict[str, Any]:
    """The members, their scales and votes, and the map to probabilities."""
    from .estimators import pack

    shelf.put("weights", model.weights_)
    shelf.put("scales", np.array([[scale.centre, scale.spread] for scale in model._scales]))
    shelf.put("held_out_scores", model.held_out_scores_)
    put_calibration(shelf.below("calibration"), model._calibration)
    members = {name: pack(getattr(model, f"{name}_"), shelf.below(name)) for name in _MEMBERS}
    return {**members, "measures": measures_to(model, ("held_out_auc_",))}


def take_rank_consensus(model: RankConsensus, fitted: dict[str, Any], shelf: Shelf, schema: Schema) -> None:
    """The same, checked."""
    from .estimators import schema_of, unpack

    require(fitted.keys() == {*_MEMBERS, "measures"}, "the description of its members cannot be read")
    for name, kind in _MEMBERS.items():
        member = fitted[name]
        require(isinstance(member, dict) and member.get("model") == kind, f"its {name} cannot be read")
        made = unpack(member, shelf.below(name))
        agrees = schema_of(made) == schema and made.classes_.tolist() == model.classes_.tolist()
        require(agrees and made.pos_label_ == model.pos_label_, f"its {name} was fitted on other features or labels")
        setattr(model, f"{name}_", made)
    weights, scales = shelf.take("weights", np.float64, 2), shelf.take("scales", np.float64, 2, 2)
    check_finite(weights, "weights", least=0.0)
    require(abs(float(weights.sum()) - 1.0) < 1e-6, "its weights do not sum to 1")
    check_moderate(scales, "scales")
    require((scales[:, 1] > 1e-100).all(), "its scales are not positive")
    model.weights_ = weights
    model._scales = tuple(Scale(centre, spread) for centre, spread in scales.tolist())
    model.held_out_scores_ = shelf.take("held_out_scores", np.float64, None)
    model._calibration = take_calibration(shelf.below("calibration"))
    take_measures(model, fitted["measures"], ("held_out_auc_",))
