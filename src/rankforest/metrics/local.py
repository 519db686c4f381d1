"""The top of the list: local AUC (Ranking the best instances, 2007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.metrics._inputs import check_ranking_inputs, check_share, cumulative_mass

__all__ = ["local_auc"]


def local_auc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    u: float | Sequence[float] | NDArray[Any],
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> Any:
    """Probability that a positive is above a negative and among the best share ``u`` of the list.

    LocAUC = PartAUC + beta (1 - alpha), where (alpha, beta) is the point in which the ROC curve meets the control line
    u = p beta + (1 - p) alpha, and PartAUC is the area under the curve up to alpha. Ties at the quantile are shared
    proportionally. With ``u = 1`` it is the AUC.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    u : float or array-like
        Share of the (weighted) list, in (0, 1].

    Examples
    --------
    >>> local_auc([0, 1, 0, 1], [1, 2, 3, 4], 0.25)
    0.5
    >>> local_auc([0, 1, 0, 1], [1, 2, 3, 4], [0.5, 1.0])
    array([0.5 , 0.75])
    """
    share = check_share(u)
    inputs = check_ranking_inputs(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label)
    mass = cumulative_mass(inputs.is_positive, inputs.score, inputs.weight)
    alpha, beta = mass.negative / mass.negative[-1], mass.positive / mass.positive[-1]
    area = np.append(0.0, np.cumsum(np.diff(alpha) * (beta[1:] + beta[:-1]) / 2.0))
    top = np.atleast_1d(share) * mass.total[-1]
    step = np.clip(np.searchsorted(mass.total, top, side="left"), 1, len(mass.total) - 1)
    before, after = step - 1, step
    part = np.clip((top - mass.total[before]) / (mass.total[after] - mass.total[before]), 0.0, 1.0)
    at_alpha = alpha[before] + part * (alpha[after] - alpha[before])
    at_beta = beta[before] + part * (beta[after] - beta[before])
    partial = area[before] + (at_alpha - alpha[before]) * (beta[before] + at_beta) / 2.0
    found = partial + at_beta * (1.0 - at_alpha)
    return float(found[0]) if share.ndim == 0 else found.reshape(share.shape)
