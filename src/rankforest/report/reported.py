"""Which models have a report."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..estimators.fitted_model import FittedModel
from ..estimators.registry import model_classes

__all__ = ["reported"]


def reported(model: Any) -> FittedModel:
    """The model, if it is fitted and has a report.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> reported(TreeRank(max_depth=2).fit([[1.0], [2.0]], [0, 1]))
    TreeRank(max_depth=2, pos_label=1)
    """
    if not isinstance(model, FittedModel) or not model.has_report:
        known = ", ".join(name for name, cls in sorted(model_classes().items()) if cls.has_report)
        raise ValueError(
            f"There is no report of a {type(model).__name__}; give a fitted {known}, without a pipeline or search "
            "around it."
        )
    check_is_fitted(model)
    return model
