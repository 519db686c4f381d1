"""How much a ranking changes when the model is fitted to other rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankforest.metrics._responses import score_rows

__all__ = ["instability"]


def instability(estimator: Any, X: Any, y: Any, n_splits: int = 5, *, random_state: Any = 0) -> float:
    """Mean Kendall distance between the rankings of refits.

    The estimator is fitted to random halves of the rows, each with the class shares of the whole; every refit ranks all
    rows, and the distance between two rankings is the share of pairs that they put in different order (a pair that only
    one of them ties counts one half).

    Parameters
    ----------
    estimator : classifier with ``score_samples``, ``decision_function`` or ``predict_proba``
    X, y
        Rows and labels.
    n_splits : int
        Refits.
    random_state : int, RandomState or None
        Seed of the halves.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf10_sparse(400, random_state=0)
    >>> coarse, fine = (instability(TreeRank(max_depth=d), sample.X, sample.y) for d in (2, 8))
    >>> bool(0 < coarse < fine < 0.5)
    True
    """
    # keeps the import of the metrics fast
    from sklearn.base import clone
    from sklearn.model_selection import StratifiedShuffleSplit
    from sklearn.utils import check_random_state

    from rankforest.consensus import mean_pairwise_distance
    from rankforest.data.rows import take_rows

    if n_splits < 2:
        raise ValueError(f"n_splits is {n_splits}; give at least 2, because the distance is between two refits.")
    rng = check_random_state(random_state)
    y = np.asarray(y)
    halves = StratifiedShuffleSplit(n_splits, test_size=0.5, random_state=rng).split(np.zeros(len(y)), y)
    rankings = []
    for rows, _ in halves:
        model = clone(estimator).fit(take_rows(X, rows), y[rows])
        scores, _ = score_rows(model, X)
        rankings.append(-scores.astype(np.float64))
    return float(mean_pairwise_distance(np.array(rankings)))
