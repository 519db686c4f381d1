"""A ranking tree whose cells are cut by fitted rules of any kind: dyadic cubes, classifiers, small trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .master_tree import MasterTree

__all__ = ["RuleTree"]


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class RuleTree(MasterTree):
    """A fitted ranking tree of fitted rules.

    Attributes
    ----------
    divisions : tuple
        The division of each cell, None for leaves: an object whose ``goes_left(X)`` is True for rows of the left
        child, and whose ``words()`` describes them.
    """

    divisions: tuple[Any, ...]

    def apply(self, X: np.ndarray, n_threads: int = 1) -> np.ndarray:
        """Stratum (0 = best) of each row of a float64 block, categories coded as in the schema."""
        cell_of = np.zeros(len(X), dtype=np.int32)
        rows_of = {0: np.arange(len(X))}
        for cell in np.flatnonzero(self.cell_left >= 0).tolist():  # parents come before children
            rows = rows_of.pop(cell)
            left = self.divisions[cell].goes_left(X[rows]) if len(rows) else np.zeros(0, dtype=bool)
            for child, part in ((int(self.cell_left[cell]), rows[left]), (int(self.cell_right[cell]), rows[~left])):
                rows_of[child] = part
                cell_of[part] = child
        return np.searchsorted(self.leaves, cell_of).astype(np.int32)
