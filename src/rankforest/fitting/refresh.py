"""The report of a refresh: what was renewed, and the AUC of new rows before and after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.parts import need
from ..data.storable import storable
from ..metrics.delong import auc_test
from ..words import area, rows, signed

__all__ = ["Refresh", "judged"]

_CLEARLY = 1.645  # standard errors: the one-sided 5% of a normal distribution


@storable
@dataclass(frozen=True)
class Refresh:
    """A refresh of a fitted model on new rows.

    Attributes
    ----------
    what : str
        What was renewed, in words.
    n_rows : int
        Number of the new rows.
    auc_before, auc_after : float
        AUC of the new rows by the old model and by the refreshed one, which is asked only about rows that its new parts
        were not trained on.
    error : float
        Standard error of the difference (DeLong).
    accepted : bool
        Whether the gain is too large to be due to chance (one-sided test at 5%); otherwise the old model is kept.

    Examples
    --------
    >>> print(Refresh("half of the trees are new", 500, 0.7, 0.75, 0.01, True))
    refreshed on 500 rows: half of the trees are new; held-out AUC 0.7000 -> 0.7500 (+0.0500, standard error 0.0100)
    """

    what: str
    n_rows: int
    auc_before: float
    auc_after: float
    error: float
    accepted: bool

    def check(self) -> None:
        """Raise InvalidParts if a report from a file has values that no refresh has."""
        need(isinstance(self.what, str) and len(self.what) < 10_000, "a refresh has no words")
        numbers = (self.auc_before, self.auc_after, self.error)
        need(all(type(each) is float for each in numbers), "a refresh has no AUC")
        need(all(0.0 <= auc <= 1.0 for auc in numbers[:2]), "a refresh has no AUC")
        need(type(self.n_rows) is int and self.n_rows > 0 and type(self.accepted) is bool, "a refresh has no rows")

    def __str__(self) -> str:
        change = (
            f"held-out AUC {area(self.auc_before)} -> {area(self.auc_after)} "
            f"({signed(self.auc_after - self.auc_before)}, standard error {area(self.error)})"
        )
        if self.accepted:
            return f"refreshed on {rows(self.n_rows)}: {self.what}; {change}"
        return f"the old model is kept: on {rows(self.n_rows)} the gain may be due to chance; {change}"


def judged(what: str, labels: np.ndarray, old: np.ndarray, new: np.ndarray, weights: np.ndarray | None) -> Refresh:
    """The report of a refresh, from old scores of some rows and held-out new ones, NaN where there are none."""
    known = ~np.isnan(new)
    labels, old, new, weights = labels[known], old[known], new[known], None if weights is None else weights[known]
    test = auc_test(labels, new, old, sample_weight=weights, pos_label=1)
    after, before = test.auc
    error = float(test.difference.standard_error)
    return Refresh(what, len(labels), float(before), float(after), error, bool(after - before > _CLEARLY * error))
