"""The gains table: positives, lift and capture of each part of the list."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.data.numbers import FloatArray
from rankforest.extras import needed
from rankforest.metrics._top import Top, top_of_list
from rankforest.words import area, count, counts, percent

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GainsTable", "gains_table", "printed_counts"]


@dataclass(frozen=True, eq=False)
class GainsTable:
    """Positives, lift and capture of each part of the list, from the best group to the worst.

    Attributes
    ----------
    group : ndarray of int
        1 for the best group.
    mass, positives : ndarray
        Mass of all rows and of the positives in the group.
    rate : ndarray
        Share of positives in the group.
    lift : ndarray
        ``rate`` over the share of positives in the whole list.
    cumulative_share : ndarray
        Share of the list down to and including the group.
    cumulative_capture : ndarray
        Share of all positives down to and including the group.
    cumulative_lift : ndarray
        ``cumulative_capture`` over ``cumulative_share``.

    Examples
    --------
    >>> print(gains_table([0, 1, 0, 1], [1, 2, 3, 4], n_groups=2))
    2 groups, mass 4, positives 2, rate 0.5000
    group  mass  positives    rate  lift  cum. share  cum. capture  cum. lift
        1     2          1  0.5000  1.00       50.0%         50.0%       1.00
        2     2          1  0.5000  1.00      100.0%        100.0%       1.00
    """

    group: NDArray[np.int64]
    mass: FloatArray
    positives: FloatArray
    rate: FloatArray
    lift: FloatArray
    cumulative_share: FloatArray
    cumulative_capture: FloatArray
    cumulative_lift: FloatArray

    def to_dict(self) -> dict[str, list[float]]:
        """The columns as plain lists, ready for JSON.

        Examples
        --------
        >>> gains_table([0, 1, 0, 1], [1, 2, 3, 4], n_groups=2).to_dict()["cumulative_capture"]
        [0.5, 1.0]
        """
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}

    def to_frame(self) -> pd.DataFrame:
        """The table as a pandas data frame, indexed by group.

        Examples
        --------
        >>> gains_table([0, 1, 0, 1], [1, 2, 3, 4], n_groups=2).to_frame().loc[1, "rate"]
        np.float64(0.5)
        """
        pandas = needed("pandas", "GainsTable.to_frame needs", instead="use to_dict()")
        frame: pd.DataFrame = pandas.DataFrame({field.name: getattr(self, field.name) for field in fields(self)})
        return frame.set_index("group")

    def __str__(self) -> str:
        mass, positives = float(self.mass.sum()), float(self.positives.sum())
        printed = printed_counts(self.mass, self.positives)
        columns = {
            "group": [f"{value}" for value in self.group],
            "mass": printed[0],
            "positives": printed[1],
            "rate": [area(value) for value in self.rate],
            "lift": [area(value, 2) for value in self.lift],
            "cum. share": [percent(value) for value in self.cumulative_share],
            "cum. capture": [percent(value) for value in self.cumulative_capture],
            "cum. lift": [area(value, 2) for value in self.cumulative_lift],
        }
        widths = {name: max(map(len, [name, *cells])) for name, cells in columns.items()}
        head = "  ".join(name.rjust(width) for name, width in widths.items())
        rows = [
            "  ".join(cell.rjust(width) for cell, width in zip(cells, widths.values()))
            for cells in zip(*columns.values())
        ]
        totals = f"mass {count(mass)}, positives {count(positives)}, rate {area(positives / mass)}"
        title = f"{len(self.group)} groups, {totals}"
        return "\n".join([title, head, *rows])


def gains_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_groups: int = 10,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> GainsTable:
    """Cut the list into groups of equal mass, from best to worst, and count the positives of each group.

    Tied rows that straddle a border are shared proportionally between the groups, so that all groups have exactly
    the same mass whatever the ties.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As in :func:`roc_curve`.
    n_groups : int, default 10
        Number of groups; 10 gives deciles.

    Returns
    -------
    GainsTable
        One entry per group; print it, or use ``to_dict()`` or ``to_frame()``.

    Examples
    --------
    >>> table = gains_table([0, 0, 0, 1, 0, 1, 1, 1], range(8), n_groups=4)
    >>> table.positives
    array([2., 1., 1., 0.])
    >>> table.cumulative_capture
    array([0.5 , 0.75, 1.  , 1.  ])
    """
    share = group_shares(n_groups)
    return gains_of(top_of_list(y_true, y_score, share, sample_weight, pos_label))


def group_shares(n_groups: int) -> FloatArray:
    """Shares of the list at which the groups end.

    Examples
    --------
    >>> group_shares(4)
    array([0.25, 0.5 , 0.75, 1.  ])
    """
    try:
        groups = operator.index(n_groups)
    except TypeError:
        groups = 0
    if groups < 1 or isinstance(n_groups, bool):
        raise ValueError(f"n_groups must be an integer of at least 1, got {n_groups!r}; use 10 for deciles.")
    return np.arange(1, groups + 1) / groups


def gains_of(top: Top) -> GainsTable:
    """The gains table of a list that was cut at the shares of the groups."""
    groups = len(top.u)
    group_mass = np.full(groups, top.mass[-1] / groups)
    # Interpolation can overshoot by one rounding; a group without positives should have exactly 0, a pure one 1.
    positives = np.clip(np.diff(top.positives, prepend=0.0), 0.0, group_mass)
    rate = positives / group_mass
    return GainsTable(
        group=np.arange(1, groups + 1),
        mass=group_mass,
        positives=positives,
        rate=rate,
        lift=rate / top.rate,
        cumulative_share=top.u,
        cumulative_capture=top.beta,
        cumulative_lift=top.beta / top.u,
    )


def printed_counts(mass: FloatArray, positives: FloatArray) -> tuple[list[str], list[str]]:
    """Mass and positives of the groups, as they are printed.

    Masses with whole sums are counts of rows. Ties, or a number of rows that is not a multiple of the number of groups,
    split rows between groups; the table then prints whole rows, or tenths in groups of less than ten.

    Examples
    --------
    >>> printed_counts(np.array([313.8, 313.8, 313.4]), np.array([172.133, 99.0, 0.867]))
    (['314', '314', '313'], ['172', '99', '1'])
    """
    totals = np.array([mass.sum(), positives.sum()])
    if np.allclose(totals, np.round(totals), rtol=1e-12, atol=1e-9):
        decimals = 0 if mass.min() >= 10 else 1
        mass, positives = np.round(mass, decimals), np.round(positives, decimals)
    found = counts(np.append(mass, positives))
    return found[: len(mass)], found[len(mass) :]
