"""The score of a model, or of one of its trees, as a function of coded rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..data.schema import Schema
from ..estimators.fitted_model import FittedModel
from ..estimators.registry import model_classes
from ..tree.master_tree import MasterTree

__all__ = ["coded_scoring"]


def coded_scoring(model: Any) -> tuple[Schema, Callable[[np.ndarray], np.ndarray]]:
    """Schema of a model, and its score of a block coded in it."""
    if isinstance(model, FittedModel):
        check_is_fitted(model)
        return model.schema_, model.score_coded
    if not isinstance(model, MasterTree):
        name = f"The class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"{name} is neither a ranking tree nor a model of rankforest; fit one of these first: "
            f"{', '.join(sorted(model_classes()))}."
        )
    return model.schema, lambda block: model.leaf_score[model.apply(block)]
