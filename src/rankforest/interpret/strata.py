"""The ordered strata of a ranking tree as a table that can be read and defended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..tree.ranking_tree import RankingTree

__all__ = ["StrataTable", "strata_table"]


@dataclass(frozen=True, repr=False)
class StrataTable:
    """One entry per stratum, best first.

    Attributes
    ----------
    rows : array
        Training rows.
    mass, positives : arrays
        Training weight, and that of the positives.
    rate, lift : arrays
        Share of positives, and its ratio to the overall share.
    cumulative_share, cumulative_capture : arrays
        Share of all mass, and of all positives, in this stratum and the better ones.
    """

    rows: np.ndarray
    mass: np.ndarray
    positives: np.ndarray
    rate: np.ndarray
    lift: np.ndarray
    cumulative_share: np.ndarray
    cumulative_capture: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name, the stratum's number first."""
        return {"stratum": np.arange(1, len(self) + 1), **self.__dict__}

    def to_frame(self) -> Any:
        """The table as a pandas data frame."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("StrataTable.to_frame needs pandas; install it, or use to_dict().") from error
        return pd.DataFrame(self.to_dict())

    def __str__(self) -> str:
        lines = [f"{'stratum':>7} {'rows':>8} {'positives':>10} {'rate':>7} {'lift':>6} {'share':>7} {'capture':>8}"]
        for i in range(len(self)):
            lines.append(
                f"{i + 1:>7} {self.rows[i]:>8.0f} {self.positives[i]:>10.6g} {self.rate[i]:>7.1%} {self.lift[i]:>6.2f} "
                f"{self.cumulative_share[i]:>7.1%} {self.cumulative_capture[i]:>8.1%}"
            )
        return "\n".join(lines)

    __repr__ = __str__


def strata_table(tree: RankingTree) -> StrataTable:
    """Strata of a ranking tree on its training sample, best first."""
    positives = tree.leaf_mass[:, 1]
    mass = tree.leaf_mass.sum(axis=1)
    return StrataTable(
        rows=tree.cell_count[tree.leaves],
        mass=mass,
        positives=positives,
        rate=tree.leaf_rate,
        lift=tree.leaf_rate / (positives.sum() / mass.sum()),
        cumulative_share=np.cumsum(mass) / mass.sum(),
        cumulative_capture=np.cumsum(positives) / positives.sum(),
    )
