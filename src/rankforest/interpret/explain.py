"""Explanations of the scores of any fitted model."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..estimators.fitted_model import FittedModel
from ..estimators.registry import model_classes
from ..shapley.comparison import Comparison
from ..shapley.explanation import Explanation

__all__ = ["explain", "why"]


def explain(model: Any, X: Any, background: Any = None, *, interactions: bool = False) -> Explanation:
    """Contribution of each feature to the score of each row; they add up exactly.

    Parameters
    ----------
    model : FittedModel
    X : table of shape (n, q)
    background : table of shape (m, q) or None, default=None
        The rows to compare with. None: at most 100 of the rows of X; for a scorecard its training rows.
    interactions : bool, default=False
        Whether to split the values further, into those of pairs of features.

    Examples
    --------
    >>> import numpy as np
    >>> from rankforest import RankBoost
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf10_sparse(300, random_state=0)
    >>> model = RankBoost(20, n_folds=None, random_state=0).fit(sample.X, sample.y)
    >>> found = explain(model, sample.X[:5], background=sample.X[5:50])
    >>> found.scale, np.abs(found.values.sum(axis=1) + found.base_values - model.margin(sample.X[:5])).max() < 1e-9
    ('margin', np.True_)
    """
    return _fitted(model).explain(X, background, interactions=interactions)


def why(model: Any, x: Any, other: Any, *, interactions: bool = False) -> Comparison:
    """Why one row is above another: what each feature adds to the difference of their scores.

    Parameters
    ----------
    model : FittedModel
    x, other : sequence, mapping by name, series, or table of one row
    interactions : bool, default=False
    """
    return _fitted(model).why(x, other, interactions=interactions)


def _fitted(model: Any) -> FittedModel:
    if not isinstance(model, FittedModel):
        name = f"The class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(
            f"{name} is no model of rankforest; fit one of these first: {', '.join(sorted(model_classes()))}."
        )
    check_is_fitted(model)
    return model
