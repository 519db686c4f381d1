"""How a forest counts in a consensus: by its score, or, in files of earlier versions, by its log-odds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logit

from ..program.program import Expression, Logit
from ..shapley.score_parts import Part
from ..shapley.tree_terms import LinkedTrees, TreeTerms

__all__ = ["ForestMargin", "LogOdds", "margin_named"]

# Scores are clipped to [_LEAST, 1 - _LEAST] before their log-odds are taken.
_LEAST = 1e-12


@dataclass(frozen=True)
class ForestMargin:
    """The score itself. It is a mean over trees, so the margin of the consensus is a sum over trees."""

    name: str = "score"

    def __call__(self, score: np.ndarray) -> np.ndarray:
        return score

    def expression(self, score: Expression) -> Expression:
        """The same in a program."""
        return score

    def part(self, score: TreeTerms, factor: float, offset: float) -> Part:
        """``offset + factor * margin`` as a part of a score that is explained."""
        return replace(score, factor=factor * score.factor, offset=offset + factor * score.offset)


@dataclass(frozen=True)
class LogOdds(ForestMargin):
    """The log-odds of the score, which are no sum over trees."""

    name: str = "log_odds"

    def __call__(self, score: np.ndarray) -> np.ndarray:
        return logit(np.clip(score, _LEAST, 1.0 - _LEAST))

    def expression(self, score: Expression) -> Expression:
        return Logit(score, _LEAST)

    def part(self, score: TreeTerms, factor: float, offset: float) -> Part:
        return LinkedTrees(score, self, _slope, factor, offset)


def _slope(score: np.ndarray) -> np.ndarray:
    """Derivative of the log-odds."""
    inside = np.clip(score, _LEAST, 1.0 - _LEAST)
    return 1.0 / (inside * (1.0 - inside))


def margin_named(name: str) -> ForestMargin:
    """The margin of this name.

    Examples
    --------
    >>> margin_named("score")(np.array([0.25]))
    array([0.25])
    """
    return {kind.name: kind for kind in (ForestMargin(), LogOdds())}[name]
