"""Which rows of a scored file are flagged: those of a precision, or of a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..metrics._held_out_list import HeldOutList
from ..metrics.budget import BudgetSelection, best_rows
from ..metrics.conformal import ConformalSelection, check_enough, check_precision, select_batch
from ._errors import WrongUsage, usage

__all__ = ["Decision", "decision"]


@dataclass(frozen=True)
class Decision:
    """A goal, and the held-out rows behind it."""

    precision: float | None
    budget: int | None
    held_out: HeldOutList | None
    groups: np.ndarray | None = None  # of the rows of the file
    confidence: float = 0.95

    @property
    def names(self) -> tuple[str, ...]:
        """New columns."""
        return ("flagged",) if self.precision is None else ("flagged", "p_value")

    def of(self, scores: np.ndarray) -> ConformalSelection | BudgetSelection:
        """The flagged rows of the whole file."""
        if self.precision is not None:
            assert self.held_out is not None
            return select_batch(self.held_out, scores, self.precision, groups=self.groups)
        assert self.budget is not None
        lots = np.random.default_rng(0).random(len(scores))
        return best_rows(scores, self.budget, lots, self.held_out, self.confidence)

    def figures(self, found: ConformalSelection | BudgetSelection, of_rows: str) -> dict[str, Any]:
        """In plain values; `of_rows` is what rows of the positive label are called."""
        said = found.text(of_rows) if isinstance(found, BudgetSelection) else str(found)
        figures: dict[str, Any] = {"flagged": found.n_flagged, "said": said}
        if isinstance(found, ConformalSelection):
            return figures | {"precision": found.precision, "held_out": found.n_held_out}
        figures |= {"budget": found.budget, "threshold": found.threshold}
        if found.precision is not None:
            figures["precision"] = {name: getattr(found.precision, name) for name in ("estimate", "low", "high")}
        return figures


def decision(
    precision: float | None,
    budget: int | None,
    held_out: Callable[[], HeldOutList] | None,
    groups: Callable[[], np.ndarray | None] | None = None,
) -> Decision | None:
    """The decision that the options of a command ask for; None if they ask for none.

    Parameters
    ----------
    precision, budget
        As given.
    held_out : callable or None
        Reads the held-out rows; called when the options are sound.
    groups : callable or None
        Reads the groups of the rows of the file.
    """
    if groups is not None and held_out is None:
        raise WrongUsage("--group is a column of the rows of --held-out; give them, or leave it out.")
    if precision is None and budget is None:
        if held_out is not None:
            raise WrongUsage("--held-out has the labelled rows behind --precision or --budget; give one of them.")
        return None
    if precision is not None and budget is not None:
        raise WrongUsage("--precision and --budget are different goals; give one of them.")
    if budget is not None and budget < 1:
        raise WrongUsage(f"--budget is {budget}; give the number of rows to flag, at least 1.")
    if precision is not None:
        with usage():
            check_precision(precision)
        if held_out is None:
            raise WrongUsage(
                "--precision needs labelled rows that the model was not trained on; give them with --held-out FILE."
            )
    known = None if held_out is None else held_out()
    if precision is not None and known is not None:
        check_enough(known.n, precision)
    return Decision(precision, budget, known, None if groups is None or precision is None else groups())
