"""How the number of strata of a tree was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..data.parts import Parts, need
from ..tree.master_tree import MasterTree
from ..words import area

__all__ = ["SIZES", "ChosenSize"]

SIZES = ("readable", "best")


@dataclass(frozen=True, repr=False)
class ChosenSize:
    """Held-out AUC, or local AUC, by the number of strata, and the number that was chosen.

    Attributes
    ----------
    size : {"readable", "best"}
        What was asked for: the fewest strata within a standard error of the best number, or the best number.
    n_strata : array of int
        Numbers of strata that were compared, from 1 on; the largest is the ceiling.
    fold_auc : array of shape (n_folds, n_sizes)
        AUC of each fold, of a tree grown without it; of the local AUC if `top` is less than 1.
    top : float
        Best share of the list that matters.
    """

    size: str
    n_strata: np.ndarray
    fold_auc: np.ndarray
    top: float = 1.0

    @property
    def n_folds(self) -> int:
        return len(self.fold_auc)

    @cached_property
    def auc(self) -> np.ndarray:
        """Mean over the folds, by the number of strata."""
        return self.fold_auc.mean(axis=0)

    @property
    def best(self) -> int:
        """Position of the number of strata with the largest mean; the smallest of equally good ones."""
        return int(np.argmax(self.auc))

    @cached_property
    def standard_error(self) -> np.ndarray:
        """Standard error of the mean difference to the best number of strata; 0 for that number."""
        behind = self.fold_auc[:, [self.best]] - self.fold_auc
        return behind.std(axis=0, ddof=1) / np.sqrt(self.n_folds)

    @property
    def chosen(self) -> int:
        """Position of the chosen number of strata."""
        if self.size == "best":
            return self.best
        behind = self.auc[self.best] - self.auc
        return int(np.argmax(behind <= self.standard_error))

    def is_clearly_above(self, other: ChosenSize, errors: float = 2.0) -> bool:
        """Whether the AUC of the same folds is larger, by more than some standard errors of the difference."""
        ahead = self.fold_auc[:, self.chosen] - other.fold_auc[:, other.chosen]
        return bool(ahead.mean() > errors * ahead.std(ddof=1) / np.sqrt(self.n_folds))

    def __str__(self) -> str:
        k, best = self.chosen, self.best
        what = "AUC" if self.top == 1.0 else f"local AUC of the best {self.top:g}"
        of_best = f"{self.n_strata[best]} strata have the best held-out {what}, {area(self.auc[best])}"
        if k == best:
            why = f"{of_best}, of at most {self.n_strata[-1]}"
        else:
            why = (
                f"{of_best}; {self.n_strata[k]} are the fewest within a standard error of it: {area(self.auc[k])}, "
                f"behind by {area(self.auc[best] - self.auc[k])} with a standard error of "
                f"{area(self.standard_error[k])}"
            )
        return f"{why} ({self.n_folds} folds)."

    __repr__ = __str__

    def to_parts(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "kind": "chosen-size",
            "size": self.size,
            "top": float(self.top),
            "n_strata": self.n_strata.astype(np.int64),
            "n_folds": int(self.n_folds),
            "fold_auc": self.fold_auc.ravel(),
        }

    @classmethod
    def from_parts(cls, parts: Parts, grown: MasterTree) -> ChosenSize:
        """The same again, checked."""
        parts.choice("kind", ("chosen-size",))
        n_folds, top = parts.whole("n_folds", 2, 1 << 16), parts.number("top")
        need(0.0 < top <= 1.0, "its choice of a size has an invalid top")
        n_strata = parts.array("n_strata", np.int64, None)
        need(
            len(n_strata) > 0 and n_strata[0] == 1 and (np.diff(n_strata) > 0).all(), "its numbers of strata are wrong"
        )
        fold_auc = parts.array("fold_auc", np.float64, n_folds * len(n_strata))
        need(not np.isnan(fold_auc).any(), "the held-out AUC of its sizes contains NaN")
        return cls(parts.choice("size", SIZES), n_strata, fold_auc.reshape(n_folds, -1), top)
