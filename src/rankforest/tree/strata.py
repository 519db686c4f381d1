"""The ordered strata of a ranking tree as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ..extras import needed
from ..metrics.interval import wilson
from ..words import area, counts, percent
from .master_tree import MasterTree
from .rules import strata_rules

__all__ = ["ObservedStrata", "StrataTable", "observed_strata", "strata_table"]


@dataclass(frozen=True, repr=False, eq=False)
class StrataTable:
    """One entry per stratum, best first.

    Attributes
    ----------
    source : {"training", "held-out"}
        Whether training rows are counted where the tree sends them, or where held-out routing sent them.
    rows : array
        Training rows.
    mass, positives : arrays
        Training weight, and that of the positives.
    rate, lift : arrays
        Share of positives, and its ratio to the overall share.
    rate_low, rate_high : arrays
        Wilson's score interval of the rate; each row is one trial, whatever its weight.
    cumulative_share, cumulative_capture : arrays
        Share of all mass, and of all positives, in this stratum and the better ones.
    rule : tuple of str
        Each stratum in words, computed on first use, because a deep tree has long rules.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> strata_table(model.tree_).rule
    ('x0 > 2.5', 'x0 <= 2.5')
    """

    rows: np.ndarray
    mass: np.ndarray
    positives: np.ndarray
    rate: np.ndarray
    rate_low: np.ndarray
    rate_high: np.ndarray
    lift: np.ndarray
    cumulative_share: np.ndarray
    cumulative_capture: np.ndarray
    tree: MasterTree = field(repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def source(self) -> str:
        return self.tree.source

    @cached_property
    def rule(self) -> tuple[str, ...]:
        """Each stratum in words: of many alternatives the three with most training mass."""
        return strata_rules(self.tree)

    def to_dict(self, *, rules: bool = False) -> dict[str, np.ndarray]:
        """Columns by name, the stratum's number first, and last, if asked for, its rule."""
        columns = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "tree"}
        last = {"rule": np.array(self.rule, dtype=object)} if rules else {}
        return {"stratum": np.arange(1, len(self) + 1), **columns, **last}

    def to_frame(self, *, rules: bool = False) -> Any:
        """The table as a pandas data frame."""
        pd = needed("pandas", "StrataTable.to_frame needs", instead="use to_dict()")
        return pd.DataFrame(self.to_dict(rules=rules))

    def rules(self, *, max_alternatives: int = 3) -> str:
        """The rule of every stratum, one alternative a line.

        Parameters
        ----------
        max_alternatives : int
            Most alternatives told of one stratum.

        Examples
        --------
        >>> from rankforest import LeafRank, TreeRank
        >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
        >>> print(strata_table(model.tree_).rules())
        stratum 1 (100.0%): x0 > 2.5
        stratum 2 (0.0%): x0 <= 2.5
        """
        told = self.rule if max_alternatives == 3 else strata_rules(self.tree, max_alternatives=max_alternatives)
        lines: list[str] = []
        for i, words in enumerate(told):
            head = f"stratum {i + 1} ({percent(self.rate[i])}): "
            lines.append(head + words.replace("; or ", "\n" + "or ".rjust(len(head))))
        return "\n".join(lines)

    def _cells(self) -> Sequence[Sequence[str]]:
        """The printed table: the head and one row per stratum."""
        head = ("stratum", "rows", "positives", "rate", "interval", "lift", "share", "capture")
        rows, positives = counts(self.rows), counts(self.positives)
        return [head] + [
            (
                f"{i + 1}",
                rows[i],
                positives[i],
                percent(self.rate[i]),
                f"{area(100 * self.rate_low[i], 1)}-{percent(self.rate_high[i])}",
                area(self.lift[i], 2),
                percent(self.cumulative_share[i]),
                percent(self.cumulative_capture[i]),
            )
            for i in range(len(self))
        ]

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells]
        return "\n".join([*lines, *self._notes()])

    def _notes(self) -> list[str]:
        """A note on the figures, if they are not in-sample."""
        return ["(training rows, counted where held-out routing sent them)"] if self.tree.held_out else []

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *body = self._cells()
        rows = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
        rows += ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in body]
        notes = "".join(f"\n<caption>{escape(note)}</caption>" for note in self._notes())
        return f"<table>{notes}\n" + "\n".join(rows) + "\n</table>"


def strata_table(tree: MasterTree, *, level: float = 0.95) -> StrataTable:
    """Strata of a ranking tree on its training sample, best first.

    Parameters
    ----------
    tree : MasterTree
    level : float
        Level of the intervals of the rates. They are valid for a sample that was not used to grow the tree; on the
        training sample they are too narrow.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 0])
    >>> print(strata_table(model.tree_))
    stratum  rows  positives    rate     interval  lift   share  capture
          1     1          1  100.0%  20.7-100.0%  4.00   25.0%   100.0%
          2     1          0    0.0%    0.0-79.3%  0.00   50.0%   100.0%
          3     2          0    0.0%    0.0-65.8%  0.00  100.0%   100.0%
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; give a number between 0 and 1, such as 0.95.")
    positives = tree.leaf_mass[:, 1]
    mass = tree.leaf_mass.sum(axis=1)
    rows = tree.cell_count[tree.leaves]
    rate_low, rate_high = wilson(tree.leaf_rate, rows, level)
    return StrataTable(
        rows=rows,
        mass=mass,
        positives=positives,
        rate=tree.leaf_rate,
        rate_low=rate_low,
        rate_high=rate_high,
        lift=tree.leaf_rate / (positives.sum() / mass.sum()),
        cumulative_share=np.cumsum(mass) / mass.sum(),
        cumulative_capture=np.cumsum(positives) / positives.sum(),
        tree=tree,
    )


class ObservedStrata(NamedTuple):
    """Counts of new rows in the strata of a tree; one entry per stratum, best first.

    Attributes
    ----------
    rows : array of int
    positives : array
        Weight of the positives.
    rate : array
        Share of positives; NaN for a stratum without rows.
    """

    rows: np.ndarray
    positives: np.ndarray
    rate: np.ndarray


def observed_strata(
    cells: np.ndarray, positive: np.ndarray, n_strata: int, weights: np.ndarray | None = None
) -> ObservedStrata:
    """Count rows in the strata of a tree.

    Parameters
    ----------
    cells : array of int
        Stratum of each row, 0 = best, such as ``TreeRank.apply`` gives.
    positive : array of bool
    n_strata : int
    weights : array or None

    Examples
    --------
    >>> observed_strata(np.array([0, 0, 2]), np.array([True, False, False]), 3).rate
    array([0.5, nan, 0. ])
    """
    w = np.ones(len(positive)) if weights is None else weights
    rows = np.bincount(cells, minlength=n_strata)
    mass = np.bincount(cells, weights=w, minlength=n_strata)
    positives = np.bincount(cells, weights=w * positive, minlength=n_strata)
    rate = np.divide(positives, mass, out=np.full(n_strata, np.nan), where=mass > 0)
    return ObservedStrata(rows, positives, rate)
