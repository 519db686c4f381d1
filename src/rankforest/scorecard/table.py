"""The card as a table: points, rows, rate, weight of evidence and information value of every step."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..words import area, counts, number, percent
from .card import PairSteps, Scorecard, Steps
from .printed import frame_of, html_table, text_table
from .words import cell_words, step_words, term_name

__all__ = ["CardTable", "card_table", "card_text", "weight_of_evidence"]


def weight_of_evidence(mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of evidence and information value of each step.

    With p and n the shares of all positives and of all negatives that are in a step, the weight of evidence is
    log(p / n), and the information value (p - n) log(p / n). A step without positives, or without negatives, counts
    half a row more of each; a step without rows has the weight of evidence NaN and the information value 0.

    Parameters
    ----------
    mass : array of shape (n_steps, 2)
        Negatives and positives.

    Examples
    --------
    >>> woe, value = weight_of_evidence(np.array([[60.0, 10.0], [40.0, 30.0], [0.0, 0.0]]))
    >>> woe.round(3), value.round(3)
    (array([-0.875,  0.629,    nan]), array([0.306, 0.22 , 0.   ]))
    """
    filled = np.where((mass.min(axis=-1, keepdims=True) == 0), mass + 0.5, mass)
    filled[mass.sum(axis=-1) == 0] = np.nan
    share = filled / np.maximum(mass.sum(axis=0), np.finfo(float).tiny)
    with np.errstate(invalid="ignore"):
        woe = np.log(share[:, 1] / share[:, 0])
        value = (share[:, 1] - share[:, 0]) * woe
    return woe, np.nan_to_num(value)


@dataclass(frozen=True, repr=False, eq=False)
class CardTable:
    """One entry per step, feature by feature; the missing values of a feature come last.

    Attributes
    ----------
    feature, step : arrays of str
        Name of the feature (both, of a pair), and its range or categories.
    points, error : arrays
        Points of the step, and their standard error over the bags of the fit.
    rows, rate : arrays
        Training rows (their weight) in the step, and the share of positives among them; NaN without rows.
    woe, iv : arrays
        Weight of evidence and information value of the step.
    feature_iv : array
        Information value of the whole feature.
    offset : float
        Points that every row has.
    """

    feature: np.ndarray
    step: np.ndarray
    points: np.ndarray
    error: np.ndarray
    rows: np.ndarray
    rate: np.ndarray
    woe: np.ndarray
    iv: np.ndarray
    feature_iv: np.ndarray
    offset: float

    def __len__(self) -> int:
        return len(self.points)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "offset"}

    def to_frame(self) -> Any:
        """The table as a pandas data frame."""
        return frame_of(self.to_dict(), "CardTable")

    def _cells(self) -> list[tuple[str, ...]]:
        """The printed table: the head, and the steps; steps of missing values only where training had some."""
        rows = counts(self.rows)
        cells: list[tuple[str, ...]] = [("feature", "step", "points", "rows", "rate", "WoE", "IV")]
        before = None
        for i in self._shown():
            name, first = self.feature[i], self.feature[i] != before
            before = name
            known = self.rows[i] > 0
            cells.append(
                (
                    name if first else "",
                    self.step[i],
                    number(self.points[i], 6),
                    rows[i],
                    percent(self.rate[i]) if known else "",
                    area(self.woe[i], 2) if known else "",
                    area(self.feature_iv[i], 3) if first else "",
                )
            )
        return cells

    def _shown(self) -> list[int]:
        return [i for i in range(len(self)) if self.rows[i] > 0 or "missing" not in self.step[i]]

    def _notes(self) -> list[str]:
        found = [] if self.offset == 0 else [f"Every row has {number(self.offset, 6)} points more."]
        if len(self._shown()) < len(self):
            found.append("Steps of missing values that training did not have are left out here; to_dict() has them.")
        return found

    def __str__(self) -> str:
        return "\n".join([text_table(self._cells(), left=2), *self._notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self._cells(), left=2, notes=self._notes())


def card_table(card: Scorecard, *, most: int | None = None, widest_first: bool = False) -> CardTable:
    """The table of a card, by the training rows.

    Parameters
    ----------
    card : Scorecard
    most : int or None
        Most categories of a step that are listed.
    widest_first : bool
        Whether the features come by their range of points; otherwise in the order of the card.
    """
    terms = sorted(card.terms, key=lambda term: -np.ptp(term.table)) if widest_first else card.terms
    parts = [_part(card, term, most) for term in terms]
    names = [f.name for f in fields(CardTable) if f.name != "offset"]
    columns = {name: np.concatenate([part[name] for part in parts]) if parts else np.empty(0) for name in names}
    return CardTable(**columns, offset=card.offset)


def _part(card: Scorecard, term: Steps | PairSteps, most: int | None) -> dict[str, np.ndarray]:
    mass = term.mass.reshape(-1, 2)
    rows = mass.sum(axis=1)
    woe, value = weight_of_evidence(mass)
    return {
        "feature": np.full(len(rows), term_name(card.schema, term), dtype=object),
        "step": np.array(cell_words(card.schema, term, most=most), dtype=object),
        "points": term.table,
        "error": term.spread.ravel(),
        "rows": rows,
        "rate": np.divide(mass[:, 1], rows, out=np.full(len(rows), np.nan), where=rows > 0),
        "woe": woe,
        "iv": value,
        "feature_iv": np.full(len(rows), value.sum()),
    }


def card_text(card: Scorecard, *, most: int | None = None) -> str:
    """A card as text: the table of its features, the widest first, and the points of each pair as a matrix.

    Parameters
    ----------
    card : Scorecard
    most : int or None
        Most categories of a step that are listed.
    """
    table = card_table(replace(card, pairs=()), most=most, widest_first=True)
    return "\n".join([str(table), *(f"\n{_pair_text(card, pair, most)}" for pair in card.pairs)])


def _pair_text(card: Scorecard, pair: PairSteps, most: int | None) -> str:
    """The points of a pair, without the missing values that training did not have."""
    rows = pair.mass.sum(axis=2)
    words = [step_words(card.schema.features[axis.feature], axis, most=most) for axis in pair.axes]
    kept = [
        [k for k in range(len(w)) if k < len(w) - 1 or rows.sum(axis=1 - side)[k] > 0] for side, w in enumerate(words)
    ]
    head = (f"points of {term_name(card.schema, pair)}", *(words[1][j] for j in kept[1]))
    body = [(words[0][i], *(number(pair.points[i, j], 6) for j in kept[1])) for i in kept[0]]
    return text_table([head, *body], left=1)
