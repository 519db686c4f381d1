"""Permutation importance of any model: the drop of a metric when the values of a feature are shuffled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import ArrayLike

from ..fitting.permutation import PermutationImportance
from ..metrics._responses import score_rows
from ..metrics.roc import roc_auc

__all__ = ["permutation_importance"]


def permutation_importance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_repeats: int = 5,
    random_state: Any = None,
    sample_weight: ArrayLike | None = None,
    metric: Callable[..., float] = roc_auc,
) -> PermutationImportance:
    """Mean drop of AUC when the values of a feature are shuffled among the rows.

    Parameters
    ----------
    model : object with ``score_samples``, ``decision_function`` or ``predict_proba``
        A fitted ranking tree or forest, or any binary scikit-learn classifier that scores.
    X : array or data frame of shape (n, q)
        Use rows that the model was not trained on, to measure the drop on new rows.
    y : array of shape (n,)
    n_repeats : int
        Times that each feature is shuffled.
    random_state : int, RandomState or None
    sample_weight : array of shape (n,) or None
    metric : callable
        ``metric(y, score)``, with ``sample_weight`` where it is given; ``y`` is 1 for the positives and 0 otherwise.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf10_sparse(500, random_state=0)
    >>> model = TreeRank(max_depth=3).fit(sample.X, sample.y)
    >>> found = permutation_importance(model, sample.X, sample.y, random_state=0)
    >>> bool(found.baseline - found.mean.max() >= 0.4)
    True
    """
    from sklearn import inspection  # not needed to fit or score, and slow to import

    scores = ("score_samples", "decision_function", "predict_proba")
    if not any(callable(getattr(model, name, None)) for name in scores):
        raise TypeError(
            f"{type(model).__name__} has neither score_samples nor decision_function, so it cannot rank rows; give a "
            "fitted ranker."
        )
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame) and not hasattr(X, "iloc"):
        X = frame.to_pandas()  # scikit-learn shuffles columns of arrays and pandas frames

    label = getattr(model, "pos_label_", None)
    label = model.classes_[1] if label is None else label

    def scorer(model: Any, X: Any, y: np.ndarray, **weights: Any) -> float:
        return metric(y, score_rows(model, X, label)[0], **weights)

    labels = np.asarray(np.asarray(y) == label).astype(np.int64)
    weights = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
    found = inspection.permutation_importance(
        model,
        X,
        labels,
        scoring=scorer,
        n_repeats=n_repeats,
        random_state=random_state,
        **weights,
    )
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(found.importances_mean))])
    return PermutationImportance(
        names=tuple(map(str, names)),
        mean=found.importances_mean,
        std=found.importances_std,
        drops=found.importances,
        baseline=scorer(model, X, labels, **weights),
    )
