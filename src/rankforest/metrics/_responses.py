"""What an estimator says about rows: scores, and the label that they speak for."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankforest.data.numbers import FloatArray
from rankforest.data.yes_no import default_positive

__all__ = ["score_rows"]


def score_rows(estimator: Any, X: Any, pos_label: object = None) -> tuple[FloatArray, Any]:
    """Scores of the rows by a fitted binary estimator, and the label that belongs at their top.

    A ranking tree or forest is asked for ``score_samples``, which speaks for its ``pos_label_``. Any other estimator is
    asked for ``decision_function``, which speaks for the second of its ``classes_``, then for ``predict_proba``.

    Parameters
    ----------
    estimator : object with ``score_samples`` and ``pos_label_``, ``decision_function`` or ``predict_proba``
        A fitted estimator; pipelines and searches are looked into.
    X : array-like or frame
        Rows to score.
    pos_label : label, optional
        The label to put at the top; without it, the estimator's own ``pos_label_``, or of its two classes the one that
        metrics take. If the scores speak for the other one, they are turned around.

    Returns
    -------
    score : ndarray of shape (n,)
    pos_label : label or None
        As given, or the label that the estimator puts at the top; None if it does not say.

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
        # A label that is not among the classes is refused by the metric, which knows the labels of y.
        column = 0 if wanted == classes[0] else 1
        return np.asarray(estimator.predict_proba(X))[:, column], wanted
    raise ValueError(
        f"estimator {type(estimator).__name__} has neither decision_function nor predict_proba of two classes; compute "
        "its scores and pass them to the metric, or to from_predictions of a display."
    )


def _favoured_label(estimator: Any) -> Any:
    """The label that a ranking estimator puts at the top, also inside of a pipeline or search; None: it is not said."""
    while estimator is not None:
        if hasattr(estimator, "pos_label_"):
            return estimator.pos_label_
        steps = getattr(estimator, "steps", None)
        estimator = steps[-1][1] if steps else getattr(estimator, "best_estimator_", None)
    return None
