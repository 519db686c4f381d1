"""Export to text: the rules of a tree, the table of a scorecard, or the description of another model."""

from __future__ import annotations

from typing import Any

from .model import exported

__all__ = ["to_text"]


def to_text(model: Any) -> str:
    """A tree as its rules, a scorecard as its table, any other model as its description.

    Parameters
    ----------
    model : fitted estimator

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> print(to_text(model), end="")
    3 rows, 33.3% with label 1; split adds 0.5000 to the AUC
      label 1 more likely if x0 > 2.5
    [+] stratum 1: 1 row, 100.0% with label 1
    [-] stratum 2: 2 rows, 0.0% with label 1
    """
    found = exported(model)
    return "".join(f"{part}\n" for part in (found.text(), *found.constraints()))
