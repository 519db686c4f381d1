"""What was changed by hand on a card, with the AUC before and after."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from ..data.parts import need
from ..data.storable import storable
from ..words import area, rows, signed

__all__ = ["NO_EDITS", "Edit", "History"]


@storable
@dataclass(frozen=True)
class Edit:
    """One change of a card by hand.

    Attributes
    ----------
    what : str
        The change in words.
    auc_before, auc_after : float or None
        AUC on the rows that the change was measured on; None if there were none.
    n_rows : int
        Number of these rows.
    source : {"training", "given"} or None
        Which rows these are.

    Examples
    --------
    >>> print(Edit("age, missing: 3 points instead of 5", 0.8, 0.79, 400, "given"))
    age, missing: 3 points instead of 5; AUC 0.8000 -> 0.7900 (-0.0100) on 400 rows given
    """

    what: str
    auc_before: float | None = None
    auc_after: float | None = None
    n_rows: int = 0
    source: str | None = None

    def check(self) -> None:
        """Raise InvalidParts if an edit from a file has values that no edit has."""
        need(isinstance(self.what, str) and len(self.what) < 10_000, "a change by hand has no words")
        measured = (self.auc_before, self.auc_after)
        sound = all(auc is None or (type(auc) is float and 0.0 <= auc <= 1.0) for auc in measured)
        need(sound and type(self.n_rows) is int and self.n_rows >= 0, "a change by hand has no AUC")
        need(self.source in ("training", "given", None), "a change by hand was measured on unknown rows")

    def __str__(self) -> str:
        if self.auc_before is None or self.auc_after is None:
            return self.what
        change = signed(self.auc_after - self.auc_before)
        which = "given" if self.source == "given" else "of training"
        return (
            f"{self.what}; AUC {area(self.auc_before)} -> {area(self.auc_after)} ({change}) "
            f"on {rows(self.n_rows)} {which}"
        )


class History(tuple[Edit, ...]):
    """The changes of a card, the first one first.

    Examples
    --------
    >>> History([Edit("debt: no points")])
    1. debt: no points
    """

    def __str__(self) -> str:
        return "\n".join(f"{i + 1}. {edit}" for i, edit in enumerate(self)) or "no changes by hand"

    __repr__ = __str__

    def to_dict(self) -> list[dict[str, Any]]:
        """The same in plain values."""
        return [dict(vars(edit)) for edit in self]

    def _repr_html_(self) -> str:
        return "<ol>" + "".join(f"<li>{escape(str(edit))}</li>" for edit in self) + "</ol>"


NO_EDITS = History()
