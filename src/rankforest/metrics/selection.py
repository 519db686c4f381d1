"""Choosing a scoring rule for the top of the list: empirical risk minimisation over any pool of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankforest.metrics._inputs import check_share
from rankforest.metrics.bootstrap import check_replicates, paired_test_of_draws, replicate
from rankforest.metrics.compare import named_models, scores_of_models
from rankforest.metrics.interval import Interval, check_confidence
from rankforest.metrics.local import local_risk

__all__ = ["Selection", "select"]


@dataclass(frozen=True)
class Selection:
    """The rule with the least local risk, and the certainty of this choice.

    Attributes
    ----------
    winner : str
        Name of the rule with the least risk.
    rule : object
        The rule itself: the estimator, or the array of scores.
    u : float
    risk : dict of str -> float
        M-hat of every rule, the least first.
    local_auc : dict of str -> float
        Local AUC of every rule; the least risk is the largest local AUC.
    advantage : dict of str -> Interval
        Local AUC of the winner minus that of each other rule. The intervals are simultaneous: the confidence is that of
        all of them.
    confidence : float
    share_best : float
        Share of the bootstrap samples in which the winner wins, ties shared.
    """

    winner: str
    rule: Any
    u: float
    risk: dict[str, float]
    local_auc: dict[str, float]
    advantage: dict[str, Interval]
    confidence: float
    share_best: float

    def __str__(self) -> str:
        width = max(len(name) for name in self.risk)
        lines = [
            f"{self.winner} ranks the best {self.u:.3g} of the list best, in {self.share_best:.0%} of samples drawn",
            "",
            f"{'':<{width}}    risk  local AUC  behind by",
        ]
        for name, risk in self.risk.items():
            behind = f"  {self.advantage[name]}" if name in self.advantage else ""
            lines.append(f"{name:<{width}}  {risk:.4f}     {self.local_auc[name]:.4f}{behind}")
        return "\n".join(lines)


def select(
    rules: Mapping[str, Any] | Sequence[Any],
    X: Any,
    y: ArrayLike,
    u: float,
    *,
    confidence: float = 0.95,
    n_replicates: int = 1000,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
    random_state: Any = 0,
) -> Selection:
    """Choose the scoring rule that ranks the best share u of the list best.

    It is the rule with the least empirical risk M-hat = R-hat + (n- / n) L-hat (Ranking the best instances, 2007). No
    rule may be trained on these rows. The winner's own figure is slightly optimistic, because it is the best of
    several; the intervals of its advantage show how far it is ahead.

    Parameters
    ----------
    rules : dict of name -> rule, or sequence of rules
        Fitted estimators or arrays of scores, as in :func:`compare`.
    X, y, sample_weight, pos_label, confidence, n_replicates, random_state
        As in :func:`compare`.
    u : float
        Share of the list that matters, in (0, 1].

    Returns
    -------
    Selection

    Examples
    --------
    >>> from rankforest.data import simulate
    >>> sample = simulate.rf20(1000, random_state=0)
    >>> found = select({"eta": sample.eta, "first": sample.X[:, 0]}, None, sample.y, 0.1)
    >>> found.winner, found.advantage["first"].low > 0
    ('eta', True)
    """
    share = float(check_share(u))
    delta = check_confidence(confidence)
    check_replicates(n_replicates)
    named = named_models(rules)
    inputs, scores = scores_of_models(named, X, y, sample_weight, pos_label)
    names = list(named)
    risks = [
        float(local_risk(inputs.is_positive, score, share, sample_weight=inputs.weight, pos_label=True))
        for score in scores
    ]
    rng = np.random.default_rng(random_state)
    drawn = replicate(inputs, scores, [("local_auc", share)], n_replicates, rng)[:, 0]
    best = int(np.argmin(risks))
    order = sorted(range(len(names)), key=lambda k: (risks[k], k))
    advantage = {
        names[k]: paired_test_of_draws(drawn[best], drawn[k], delta / (len(names) - 1)).difference
        for k in order
        if k != best
    }
    leads = drawn[:, 1:] == drawn[:, 1:].max(axis=0)
    return Selection(
        winner=names[best],
        rule=named[names[best]],
        u=share,
        risk={names[k]: risks[k] for k in order},
        local_auc={names[k]: float(drawn[k, 0]) for k in order},
        advantage=advantage,
        confidence=1.0 - delta,
        share_best=float((leads[best] / leads.sum(axis=0)).mean()),
    )
