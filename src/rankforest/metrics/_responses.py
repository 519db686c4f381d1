"""Scores of rows by any estimator, and the label that belongs at their top."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankforest.data.numbers import FloatArray
from rankforest.data.yes_no import default_positive

__all__ = ["score_rows"]


def score_rows(estimator: Any, X: Any, pos_label: object = None) -> tuple[FloatArray, Any]:
    """Scores of the rows by a fitted binary estimator, and the label that belongs at their top.

    For a ranking tree or forest these are its ``score_samples``, where ``pos_label_`` has the high scores. For any
    other estimator they are its ``decision_function``, where the second of its ``classes_`` has the high scores, or its
    ``predict_proba``.

    Parameters
    ----------
    estimator : object with ``score_samples`` and ``pos_label_``, ``decision_function`` or ``predict_proba``
        A fitted estimator, also inside a pipeline or search.
    X : array-like or frame
        Rows to score.
    pos_label : label, optional
        The positive label; by default the estimator's ``pos_label_``, or else the default of the metrics for its two
        classes. If the high scores belong to the other label, the scores are negated.

    Returns
    -------
    score : ndarray of shape (n,)
    pos_label : label or None
        As given, or the positive label of the estimator; None if it has none.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0]], ["no", "yes"])
    >>> score, label = score_rows(model, [[0.0], [1.0]])
    >>> bool(score[0] < score[1]), label
    (True, np.str_('yes'))
    >>> score, label = score_rows(model, [[0.0], [1.0]], "no")
    >>> bool(score[0] < score[1]), label
    (False, 'no')
    """
    classes = list(getattr(estimator, "classes_", []))
    favoured = _favoured_label(estimator)
    ranks = favoured is not None and hasattr(estimator, "score_samples")
    speaks_for = favoured if ranks else classes[1] if len(classes) == 2 else None
    if pos_label is not None:
        wanted: Any = pos_label
    else:
        wanted = default_positive(*classes) if favoured is None and len(classes) == 2 else favoured
    if ranks or hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.score_samples(X) if ranks else estimator.decision_function(X))
        turned = len(classes) == 2 and wanted != speaks_for and wanted in classes
        return (-score if turned else score), wanted
    if hasattr(estimator, "predict_proba") and len(classes) == 2:
        # The metric checks that the label is among the classes, because it has the labels of y.
        column = 0 if wanted == classes[0] else 1
        return np.asarray(estimator.predict_proba(X))[:, column], wanted
    raise ValueError(
        f"estimator {type(estimator).__name__} has neither decision_function nor predict_proba of two classes; compute "
        "its scores and pass them to the metric, or to from_predictions of a display."
    )


def _favoured_label(estimator: Any) -> Any:
    """The positive label of a ranking estimator, also inside a pipeline or search; None if it has none."""
    while estimator is not None:
        if hasattr(estimator, "pos_label_"):
            return estimator.pos_label_
        steps = getattr(estimator, "steps", None)
        estimator = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
    return None
