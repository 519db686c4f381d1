"""Rows of a file that were in the fit of a model, recognised by the prints in the model file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.left_out import NotInFile
from ..data.row_prints import PrintsOfRows, RowPrints
from ..words import count, percent
from ._model import Loaded

__all__ = ["KnownRows", "known_rows", "known_rows_of", "notes_of_rows"]


@dataclass(frozen=True)
class KnownRows:
    """Which rows of a file were in the fit.

    Attributes
    ----------
    path : str
        Of the model.
    n_rows, n_known : int
        Rows of the file, and those of them that were in the fit; of a sample if the model has a part of the prints.
    n_of_fit : int
        Rows of the fit.
    places : array or None
        For each row the training row that it is equal to, -1 for none; None if the model has a part of the prints.
    """

    path: str
    n_rows: int
    n_known: int
    n_of_fit: int
    places: np.ndarray | None

    @property
    def all_known(self) -> bool:
        """Whether all rows were in the fit."""
        return self.n_known == self.n_rows

    @property
    def fresh(self) -> np.ndarray | None:
        """Which rows were not in the fit; None if it is known of a sample only."""
        return None if self.places is None else self.places < 0

    @property
    def said(self) -> str:
        """How many rows were in the fit, in words."""
        if self.all_known and self.places is not None:
            return f"{self.path} was fitted on these rows"
        if self.places is None:
            return f"{percent(self.n_known / self.n_rows, 0)} of the rows or so were in the fit of {self.path}"
        return f"{count(self.n_known)} of {count(self.n_rows)} rows were in the fit of {self.path}"

    def held_out(self, model: Any) -> np.ndarray | None:
        """The held-out score of each row, NaN where there is none; None if the model has none."""
        try:
            found = None if model.ordered else model.held_out_scores()
        except NotInFile:
            return None
        if found is None or self.places is None or self.places.max(initial=-1) >= len(found.scores):
            return None
        scores = np.append(found.scores, np.nan)[self.places]
        return None if np.isnan(scores).all() else scores


def known_rows(loaded: Loaded, prints: np.ndarray) -> KnownRows | None:
    """The rows of these prints that were in the fit; None if they are no more than chance explains.

    In a table of few different rows, new rows may well be equal to rows of the fit.
    """
    of_fit = RowPrints.from_dict(loaded.notes.get("rows"))
    if of_fit is None:
        return None
    n_known, n_rows = of_fit.among(prints)
    if not of_fit.beyond_chance(n_known, n_rows):
        return None
    return KnownRows(loaded.path, n_rows, n_known, of_fit.n_rows, of_fit.places(prints) if of_fit.is_whole else None)


def known_rows_of(loaded: Loaded, features: Any, labels: np.ndarray) -> KnownRows | None:
    """The same for rows that are in memory."""
    prints = PrintsOfRows()
    prints.see(features)
    return known_rows(loaded, prints.of(labels))


def notes_of_rows(features: Any, labels: np.ndarray) -> dict[str, Any]:
    """The note of a model file by which these rows of its fit are recognised."""
    prints = PrintsOfRows()
    prints.see(features)
    return {"rows": RowPrints.of(prints.of(labels)).to_dict()}
