"""What an estimator says about rows: scores, and the label that they speak for."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankforest.metrics._inputs import FloatArray

__all__ = ["score_rows"]


def score_rows(estimator: Any, X: Any, pos_label: object = None) -> tuple[FloatArray, Any]:
    """Scores of the rows by a fitted binary estimator, and the label that belongs at their top.

    ``decision_function`` is asked first, then ``predict_proba``. Ranking trees and forests speak for their
    ``pos_label_``, other estimators for the second of their ``classes_``.

    Parameters
    ----------
    estimator : object with ``decision_function`` or ``predict_proba``
    X : array-like or frame
        Rows to score.
    pos_label : label, optional
        The label to put at the top; scores that speak for the other one are turned around.

    Returns
    -------
    score : ndarray of shape (n,)
    pos_label : label or None
        As given, or the label that the estimator puts at the top; None if it does not say.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0]], ["no", "yes"])
    >>> score, label = score_rows(model, [[0.0], [1.0]], "no")
    >>> bool(score[0] > score[1]), label
    (True, 'no')
    """
    classes: list[Any] = list(getattr(estimator, "classes_", ()))
    known = len(classes) == 2
    favoured = getattr(estimator, "pos_label_", classes[1] if known else None)
    wanted = favoured if pos_label is None else pos_label
    if hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.decision_function(X), dtype=np.float64)
        return (-score if known and wanted != favoured and wanted in classes else score), wanted
    if hasattr(estimator, "predict_proba") and known:
        probability = np.asarray(estimator.predict_proba(X), dtype=np.float64)
        return probability.T[0 if wanted == classes[0] else 1], wanted
    raise ValueError(
        f"estimator {type(estimator).__name__} has neither decision_function nor predict_proba of two classes; compute "
        "its scores and pass them instead."
    )
