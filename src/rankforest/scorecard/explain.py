"""The points of one row, the reasons for its total, and why one row is above another."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..data.schema import Feature, Schema
from ..words import number, percent, signed
from .card import PairSteps, Scorecard, Steps, average_points
from .printed import html_table, text_table
from .words import cell_words, term_name

__all__ = ["CardContrast", "CardExplanation", "Reason", "explain_points", "why_points"]


@dataclass(frozen=True)
class Reason:
    """The points of one feature, or of a pair, in one row.

    Attributes
    ----------
    feature : str
    value : str
        The value of the row.
    step : str
        The step that it is in.
    points : float
    best, average : float
        The most points of any step, and the mean over the training rows.
    """

    feature: str
    value: str
    step: str
    points: float
    best: float
    average: float

    @property
    def lost(self) -> float:
        """Points lost against the best step."""
        return self.best - self.points

    @property
    def gained(self) -> float:
        """Points above the average; negative below it."""
        return self.points - self.average


@dataclass(frozen=True, repr=False)
class CardExplanation:
    """The points of one row; they and the offset add up to the total exactly.

    Attributes
    ----------
    total, offset : float
    reasons : tuple of Reason
        One for each feature or pair of the card, in its order.
    probability : float or None
        Of a positive, by the calibration of the model.
    low, high : float
        The least and the greatest total of the card.
    """

    total: float
    offset: float
    reasons: tuple[Reason, ...]
    probability: float | None
    low: float
    high: float

    def best(self, n: int = 4) -> tuple[Reason, ...]:
        """The features that raise the total most, compared with the average row."""
        found = sorted((reason for reason in self.reasons if reason.gained > 0), key=lambda reason: -reason.gained)
        return tuple(found[:n])

    def worst(self, n: int = 4, *, against: str = "best") -> tuple[Reason, ...]:
        """Reason codes: the features that cost the row most points.

        Parameters
        ----------
        n : int
        against : {"best", "average"}
            Whether points are lost against the best step of the feature, or against the average row.
        """
        if against not in ("best", "average"):
            raise ValueError(f"against is {against!r}; give 'best' or 'average'.")

        def cost(reason: Reason) -> float:
            return reason.lost if against == "best" else -reason.gained

        return tuple(sorted((reason for reason in self.reasons if cost(reason) > 0), key=lambda r: -cost(r))[:n])

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values."""
        reasons = [asdict(reason) | {"lost": reason.lost, "gained": reason.gained} for reason in self.reasons]
        return {
            "total": self.total, "probability": self.probability, "offset": self.offset, "low": self.low,
            "high": self.high, "reasons": reasons,
        }  # fmt: skip

    def _head(self) -> str:
        chance = "" if self.probability is None else f", probability {percent(self.probability)}"
        span = f"the card goes from {number(self.low, 6)} to {number(self.high, 6)}"
        offset = "" if self.offset == 0 else f"; every row has {number(self.offset, 6)} points"
        return f"total {number(self.total, 6)} ({span}{offset}){chance}"

    def _cells(self) -> list[tuple[str, ...]]:
        ordered = sorted(self.reasons, key=lambda reason: -abs(reason.gained))
        return [
            ("feature", "value", "step", "points", "best", "lost", "against average"),
            *(
                (
                    reason.feature, reason.value, reason.step, number(reason.points, 6), number(reason.best, 6),
                    number(reason.lost, 6), signed(round(reason.gained, 1) + 0.0, 1),
                )
                for reason in ordered
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self._head()}\n{text_table(self._cells(), left=3)}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._cells(), left=3, notes=[self._head()])


@dataclass(frozen=True, repr=False)
class CardContrast:
    """Two rows: the difference of their totals is the sum of the differences of their points.

    Attributes
    ----------
    row, other : CardExplanation
    """

    row: CardExplanation
    other: CardExplanation

    @property
    def difference(self) -> float:
        """Total of the first row minus that of the second."""
        return self.row.total - self.other.total

    @property
    def order(self) -> int:
        """1 if the first row is above, -1 if the second one is, 0 if their totals are equal."""
        return int(np.sign(self.difference))

    def _pairs(self) -> list[tuple[Reason, Reason]]:
        """The features with different points, the largest difference first."""
        pairs = [(a, b) for a, b in zip(self.row.reasons, self.other.reasons) if a.points != b.points]
        return sorted(pairs, key=lambda pair: -abs(pair[0].points - pair[1].points))

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values."""
        return {
            "order": self.order,
            "totals": [self.row.total, self.other.total],
            "probabilities": [self.row.probability, self.other.probability],
            "differences": [
                {
                    "feature": a.feature,
                    "values": [a.value, b.value],
                    "points": [a.points, b.points],
                    "difference": a.points - b.points,
                }
                for a, b in self._pairs()
            ],
        }

    def _head(self) -> str:
        one, other = number(self.row.total, 6), number(self.other.total, 6)
        if self.order == 0:
            return f"Both rows have the total {one}: the card does not order them."
        names = ("first", "second") if self.order > 0 else ("second", "first")
        upper, lower = (one, other) if self.order > 0 else (other, one)
        apart = number(abs(self.difference), 6)
        return f"The {names[0]} row is above: total {upper}, the {names[1]} {lower}, {apart} points apart."

    def _cells(self) -> list[tuple[str, ...]]:
        return [
            ("feature", "first", "second", "points", "points", "difference"),
            *(
                (
                    a.feature, a.value, b.value, number(a.points, 6), number(b.points, 6),
                    f"{'+' if a.points > b.points else ''}{number(a.points - b.points, 6)}",
                )
                for a, b in self._pairs()
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self._head()}\n{text_table(self._cells(), left=3)}" if self._pairs() else self._head()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._cells(), left=3, notes=[self._head()])


def explain_points(card: Scorecard, row: np.ndarray, probability: float | None = None) -> CardExplanation:
    """The points of a row.

    Parameters
    ----------
    card : Scorecard
    row : array of shape (n_features,)
        Coded as in the schema; NaN for missing.
    probability : float or None
        Of a positive, for the text.

    Examples
    --------
    >>> from rankforest.data.schema import Schema
    >>> age = Steps(feature=0, edges=np.array([30.0]), points=np.array([2.0, 7.0]), missing=1.0,
    ...             spread=np.zeros(3), mass=np.ones((3, 2)))
    >>> card = Scorecard(schema=Schema((Feature("age", "numeric"),), named=True), steps=(age,))
    >>> print(explain_points(card, np.array([31.0])))
    total 7 (the card goes from 1 to 7)
    feature  value  step      points  best  lost  against average
    age      31     above 30       7     7     0             +3.7
    """
    block = np.asarray(row, dtype=np.float64)[None, :]
    reasons = tuple(_reason(card.schema, term, block) for term in card.terms)
    low, high = card.range
    return CardExplanation(float(card.total(block)[0]), float(card.offset), reasons, probability, low, high)


def why_points(
    card: Scorecard,
    row: np.ndarray,
    other: np.ndarray,
    probabilities: tuple[float | None, float | None] = (None, None),
) -> CardContrast:
    """Why one row is above another, feature by feature; rows as in `explain_points`."""
    return CardContrast(explain_points(card, row, probabilities[0]), explain_points(card, other, probabilities[1]))


def _reason(schema: Schema, term: Steps | PairSteps, block: np.ndarray) -> Reason:
    code = int(term.codes(block)[0])
    values = [_shown(schema.features[j], float(block[0, j])) for j in term.features]
    return Reason(
        feature=term_name(schema, term),
        value="; ".join(values),
        step=cell_words(schema, term, most=6)[code],
        points=float(term.table[code]),
        best=float(term.table.max()),
        average=average_points(term),
    )


def _shown(feature: Feature, value: float) -> str:
    if math.isnan(value):
        return "missing"
    return number(value) if feature.categories is None else str(feature.categories[int(value)])
