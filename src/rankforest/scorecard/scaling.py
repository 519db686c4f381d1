"""Scaling as credit departments do it: a total at which the odds are known, and points that double the odds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import expit

from ..words import number
from .card import Scorecard

__all__ = ["OddsLine", "Scale", "odds_line", "scaled_card"]

_ROUNDS = 50
_LARGEST = 700.0  # log odds beyond it are not finite as odds


@dataclass(frozen=True)
class OddsLine:
    """The log odds of a positive as a line: start + slope * total."""

    start: float
    slope: float

    def log_odds(self, total: np.ndarray | float) -> Any:
        return self.start + self.slope * total


@dataclass(frozen=True)
class Scale:
    """A scale of totals.

    Attributes
    ----------
    pdo : float
        Points to double the odds.
    base_points, base_odds : float
        The total at which there are so many positives for each negative.
    """

    pdo: float = 20.0
    base_points: float = 600.0
    base_odds: float = 50.0

    def check(self) -> None:
        """Raise ValueError for a scale that is none."""
        for name in ("pdo", "base_odds"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                hint = "; for points that fall with the risk, fit with the good label as pos_label" * (name == "pdo")
                raise ValueError(f"{name} is {value}; give a number above 0{hint}.")
        if not math.isfinite(self.base_points):
            raise ValueError(f"base_points is {self.base_points}; give a number.")

    def points(self, log_odds: Any) -> Any:
        """The total of given log odds, not rounded.

        Examples
        --------
        >>> float(Scale(pdo=20, base_points=600, base_odds=50).points(math.log(100)))
        620.0
        """
        return self.base_points + self.pdo / math.log(2) * (log_odds - math.log(self.base_odds))

    def __str__(self) -> str:
        return (
            f"{number(self.base_points, 6)} points are odds of {number(self.base_odds, 6)} to 1, and "
            f"{number(self.pdo, 6)} points double the odds"
        )


def odds_line(total: np.ndarray, probability: np.ndarray, weights: np.ndarray | None = None) -> OddsLine:
    """The line of log odds nearest to some probabilities: logistic regression on the totals, by Newton's method.

    Parameters
    ----------
    total : array
    probability : array
        Of a positive, or labels.
    weights : array or None

    Examples
    --------
    >>> total = np.array([0.0, 10.0, 20.0, 30.0])
    >>> odds_line(total, expit(-1.0 + 0.1 * total))
    OddsLine(start=-1.0, slope=0.1)
    """
    w = np.ones(len(total)) if weights is None else weights
    centre = float(np.average(total, weights=w))
    size = float(np.sqrt(np.average((total - centre) ** 2, weights=w)))
    if size == 0:
        raise ValueError("All rows have the same total, so that there is no scale; fit a card that orders the rows.")
    X = np.column_stack([np.ones(len(total)), (total - centre) / size])
    beta = np.zeros(2)
    for _ in range(_ROUNDS):
        found = expit(X @ beta)
        curvature = X.T @ (X * (w * found * (1 - found) + 1e-12 * w)[:, None])
        step = np.linalg.solve(curvature, X.T @ (w * (probability - found)))
        step *= min(1.0, 5.0 / float(np.abs(step).max(initial=1e-300)))
        beta = beta + step
        if np.abs(step).max() < 1e-12:
            break
    beta = np.clip(beta, -_LARGEST, _LARGEST)
    slope = float(beta[1] / size)
    if slope <= 0:
        raise ValueError("The probability does not rise with the total, so that no points double the odds.")
    return OddsLine(float(f"{beta[0] - slope * centre:.12g}"), float(f"{slope:.12g}"))


def scaled_card(card: Scorecard, line: OddsLine, scale: Scale) -> tuple[Scorecard, float]:
    """The card on another scale, in whole points, and the largest change of a total by the rounding.

    Parameters
    ----------
    card : Scorecard
    line : OddsLine
        Of its totals.
    scale : Scale
    """
    scale.check()
    factor = scale.pdo / math.log(2) * line.slope
    exact = scale.points(line.log_odds(card.offset))
    offset = round(exact)
    error = np.array([offset - exact, offset - exact])  # least and greatest over all rows
    steps, pairs = [], []
    for each in card.steps:
        points = np.round(factor * each.points)
        missing = float(np.round(factor * each.missing))
        steps.append(replace(each, points=points, missing=missing, spread=factor * each.spread))
    for pair in card.pairs:
        pairs.append(replace(pair, points=np.round(factor * pair.points), spread=factor * pair.spread))
    found = replace(card, steps=tuple(steps), pairs=tuple(pairs), offset=float(offset))
    for old, new in zip(card.terms, found.terms):
        change = new.table - factor * old.table
        error += [change.min(), change.max()]
    return found, float(np.abs(error).max())
