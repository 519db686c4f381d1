"""Displays from a fitted estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike

from rankforest.metrics._responses import score_rows

__all__ = ["FromEstimator", "model_name"]


def model_name(model: Any) -> str:
    """Name in error messages of the object given as a model.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> model_name(TreeRank()), model_name(TreeRank)
    ('TreeRank', 'The class TreeRank')
    """
    return f"The class {model.__name__}" if isinstance(model, type) else type(model).__name__


class FromEstimator:
    """Adds ``from_estimator`` to a display that has ``from_predictions``."""

    from_predictions: ClassVar[Callable[..., Any]]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        name: str | None = None,
        pos_label: object = None,
        **options: Any,
    ) -> Self:
        """Compute the display from a fitted estimator and held-out rows.

        Parameters
        ----------
        estimator : object with ``score_samples``, ``decision_function`` or ``predict_proba``
            A fitted ranking tree or forest, or any binary scikit-learn classifier that scores.
        X : array-like or frame of shape (n, d)
            Rows to score; use rows that the estimator was not trained on.
        y : array-like of shape (n,)
            Their labels.
        name : str, optional
            Name in the legend; without it, the name of the estimator's class.
        pos_label : label, optional
            The positive class; by default that of the estimator. For the other class the scores
            are negated.
        **options
            The other arguments of ``from_predictions``.

        Examples
        --------
        >>> from sklearn.linear_model import LogisticRegression
        >>> from rankforest.plots import RocDisplay
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
        >>> display = RocDisplay.from_estimator(LogisticRegression().fit(X, y), X, y)
        >>> display.name, display.curve.auc
        ('LogisticRegression', 0.75)
        """
        if isinstance(estimator, type):
            raise TypeError(f"{model_name(estimator)} cannot score rows; create an instance and fit it first.")
        score, pos_label = score_rows(estimator, X, pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, score, name=name, pos_label=pos_label, **options)
