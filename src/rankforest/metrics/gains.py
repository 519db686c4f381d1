"""What each part of the list catches: the gains table."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankforest.metrics._inputs import FloatArray
from rankforest.metrics._top import top_of_list

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GainsTable", "gains_table"]


@dataclass(frozen=True, eq=False)
class GainsTable:
    """What each part of the list catches, from the best group to the worst.

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
        try:
            import pandas as pd
        except ImportError:
            raise ImportError(
                "GainsTable.to_frame needs pandas, which is not installed; run `pip install pandas` or use to_dict()."
            ) from None
        return pd.DataFrame({field.name: getattr(self, field.name) for field in fields(self)}).set_index("group")

    def __str__(self) -> str:
        mass, positives = float(self.mass.sum()), float(self.positives.sum())
        style = _mass_style(np.append(self.mass, self.positives))
        columns = {
            "group": [f"{value}" for value in self.group],
            "mass": [format(value, style) for value in self.mass],
            "positives": [format(value, style) for value in self.positives],
            "rate": [f"{value:.4f}" for value in self.rate],
            "lift": [f"{value:.2f}" for value in self.lift],
            "cum. share": [f"{value:.1%}" for value in self.cumulative_share],
            "cum. capture": [f"{value:.1%}" for value in self.cumulative_capture],
            "cum. lift": [f"{value:.2f}" for value in self.cumulative_lift],
        }
        widths = {name: max(map(len, [name, *cells])) for name, cells in columns.items()}
        head = "  ".join(name.rjust(width) for name, width in widths.items())
        rows = [
            "  ".join(cell.rjust(width) for cell, width in zip(cells, widths.values()))
            for cells in zip(*columns.values())
        ]
        title = (
            f"{len(self.group)} groups, mass {mass:{style}}, positives {positives:{style}}, rate {positives / mass:.4f}"
        )
        return "\n".join([title, head, *rows])


def gains_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    n_groups: int = 10,
    sample_weight: ArrayLike | None = None,
    pos_label: object = None,
) -> GainsTable:
    """Cut the list into groups of equal mass, from best to worst, and count the positives that each one holds.

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
        One entry per group; print it, or take ``to_dict()`` or ``to_frame()``.

    Examples
    --------
    >>> table = gains_table([0, 0, 0, 1, 0, 1, 1, 1], range(8), n_groups=4)
    >>> table.positives
    array([2., 1., 1., 0.])
    >>> table.cumulative_capture
    array([0.5 , 0.75, 1.  , 1.  ])
    """
    try:
        groups = operator.index(n_groups)
    except TypeError:
        groups = 0
    if groups < 1 or isinstance(n_groups, bool):
        raise ValueError(f"n_groups must be an integer of at least 1, got {n_groups!r}; use 10 for deciles.")
    share = np.arange(1, groups + 1) / groups
    top = top_of_list(y_true, y_score, share, sample_weight, pos_label)
    group_mass = np.full(groups, top.mass[-1] / groups)
    # Interpolation can overshoot by one rounding; a group without positives should say 0, a pure one 1.
    positives = np.clip(np.diff(top.positives, prepend=0.0), 0.0, group_mass)
    rate = positives / group_mass
    return GainsTable(
        group=np.arange(1, groups + 1),
        mass=group_mass,
        positives=positives,
        rate=rate,
        lift=rate / top.rate,
        cumulative_share=share,
        cumulative_capture=top.beta,
        cumulative_lift=top.beta / share,
    )


def _mass_style(values: FloatArray) -> str:
    """Format of masses: whole numbers as such, others with about three digits."""
    largest = float(values.max())
    if not 1e-6 <= largest < 1e15:
        return ".3e"
    if np.allclose(values, np.round(values), rtol=0, atol=1e-9):
        return ".0f"
    return f".{max(1, 2 - int(np.floor(np.log10(largest))))}f"
