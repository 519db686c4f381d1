"""The path of a row through a tree, with its conditions, and the split that separates two rows."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.positive_words import POSITIVE, PositiveWords
from ..data.schema import Feature, Schema
from ..data.table import read_table
from ..words import area, number, percent
from .conditions import Condition, Said, Verdict, bracketed
from .master_tree import MasterTree
from .oblique_tree import ObliqueTree
from .rules import side_rule

__all__ = ["Contrast", "Step", "TreePath", "coded_row", "contrast", "path_of"]


@dataclass(frozen=True)
class Step:
    """One split on the path of a row.

    Attributes
    ----------
    cell : int
        The master node that is split.
    better : bool
        Whether the row goes to the left, where positives are more likely.
    conditions : tuple of Condition, or a Verdict of another rule
        All of them hold for the row, and they do not all hold for any row of the other side.
    """

    cell: int
    better: bool
    conditions: tuple[Said, ...]


@dataclass(frozen=True, repr=False)
class TreePath:
    """The path of one row through the master tree.

    Attributes
    ----------
    values : dict
        The row by feature name; None for missing.
    steps : tuple of Step
        The splits, from the root on.
    stratum : int
        From 0, where positives are most likely.
    n_strata : int
    score, rate, lift : float
        Of the stratum: score, share of positives in training, and its ratio to the overall share.
    positive : PositiveWords
        What positives are called.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> path_of(model.tree_, [2.0]).to_dict()["steps"]
    [{'cell': 0, 'better': False, 'conditions': ['x0 <= 2.5']}]
    """

    values: dict[str, Any]
    steps: tuple[Step, ...]
    stratum: int
    n_strata: int
    score: float
    rate: float
    lift: float
    positive: PositiveWords = POSITIVE

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values; strata as `apply` counts them."""
        return {
            "stratum": self.stratum,
            "n_strata": self.n_strata,
            "score": self.score,
            "rate": self.rate,
            "lift": self.lift,
            "steps": [
                {"cell": step.cell, "better": step.better, "conditions": [str(c) for c in step.conditions]}
                for step in self.steps
            ],
        }

    def __str__(self) -> str:
        lines = [
            f"stratum {self.stratum + 1} of {self.n_strata}: score {area(self.score, 3)}, "
            f"{percent(self.rate)} {self.positive.of_rows}, lift {area(self.lift, 2)}"
        ]
        for step in self.steps:
            lines.append(f"  [{'+' if step.better else '-'}] {_told(step.conditions, self.values)}")
        return "\n".join(lines)

    __repr__ = __str__


@dataclass(frozen=True, repr=False)
class Contrast:
    """Two rows, and the split that separates them.

    Attributes
    ----------
    row, other : TreePath
    n_shared : int
        Splits that both rows pass on the same side.
    node : int or None
        The master node whose split separates them; None if they are in the same stratum.
    above, below : Step or None
        That split for the row that it puts above, and for the one below.
    decisive : tuple of Condition
        The conditions of `above` that the row below does not fulfil.
    """

    row: TreePath
    other: TreePath
    n_shared: int
    node: int | None
    above: Step | None
    below: Step | None
    decisive: tuple[Said, ...]

    @property
    def order(self) -> int:
        """1 if the first row is above, -1 if the second one is, 0 if they share a stratum.

        Examples
        --------
        >>> from rankforest import LeafRank, TreeRank
        >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
        >>> contrast(model.tree_, [1.0], [3.0]).order, contrast(model.tree_, [1.0], [2.0]).order
        (-1, 0)
        """
        return int(np.sign(self.other.stratum - self.row.stratum))

    def to_dict(self) -> dict[str, Any]:
        """The same in plain values; strata as `apply` counts them."""
        return {
            "order": self.order,
            "strata": [self.row.stratum, self.other.stratum],
            "scores": [self.row.score, self.other.score],
            "rates": [self.row.rate, self.other.rate],
            "n_shared": self.n_shared,
            "node": self.node,
            "above": None if self.above is None else [str(c) for c in self.above.conditions],
            "below": None if self.below is None else [str(c) for c in self.below.conditions],
            "decisive": [str(c) for c in self.decisive],
        }

    def __str__(self) -> str:
        if self.above is None or self.below is None:
            return (
                f"Both rows are in stratum {self.row.stratum + 1} of {self.row.n_strata}, score {self.row.score:.3f}: "
                "the tree does not order them."
            )
        names = ("first", "second") if self.order > 0 else ("second", "first")
        upper, lower = (self.row, self.other) if self.order > 0 else (self.other, self.row)
        shared = {0: "at the first split", 1: "after one shared split"}.get(
            self.n_shared, f"after {self.n_shared} shared splits"
        )
        return "\n".join(
            [
                f"The {names[0]} row is above: stratum {upper.stratum + 1} (score {upper.score:.3f}), the {names[1]} "
                f"in stratum {lower.stratum + 1} (score {lower.score:.3f}) of {upper.n_strata}.",
                f"They are separated {shared}, at node {self.node}:",
                f"  [+] {names[0]}: {_told(self.above.conditions, upper.values)}",
                f"  [-] {names[1]}: {_told(self.below.conditions, lower.values)}",
                f"  what the {names[1]} row lacks: {_told(self.decisive, lower.values)}",
            ]
        )

    __repr__ = __str__


def path_of(tree: MasterTree, row: ArrayLike, *, positive: PositiveWords = POSITIVE) -> TreePath:
    """The path of a row through the master tree, and the conditions at each split.

    Parameters
    ----------
    tree : MasterTree
    row : array of shape (n_features,)
        Numbers, and categories coded as in the schema; NaN for missing. `coded_row` makes it.
    positive : PositiveWords
        What positives are called.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 0])
    >>> print(path_of(model.tree_, [1.2]))
    stratum 2 of 3: score 0.625, 0.0% positive, lift 0.00
      [+] x0 <= 2.5 (it is 1.2)
      [-] x0 <= 1.5 (it is 1.2)
    """
    x = np.asarray(row, dtype=np.float64)
    if x.shape != (tree.schema.n_features,):
        raise ValueError(f"row has shape {x.shape}; give one value for each of the {tree.schema.n_features} features.")
    if isinstance(tree, ObliqueTree):  # the sums are shown like features
        return path_of(tree.wide, tree.widened(x))
    values = {feature.name: _value(feature, float(v)) for feature, v in zip(tree.schema.features, x)}
    # Also mentions a missing value of a feature without missing values in training: the text must hold for this row.
    may_miss = tree.has_missing | np.array([value is None for value in values.values()])
    steps: list[Step] = []
    cell = 0
    while tree.cell_left[cell] >= 0:
        for better in (True, False):
            rule = side_rule(tree, cell, better=better, may_miss=may_miss)
            held = [a for a in rule if all(_holds(said, x, tree.schema) for said in a)]
            if held:
                break
        steps.append(Step(cell, better, tuple(held[0])))
        cell = int(tree.cell_left[cell] if better else tree.cell_right[cell])
    stratum = int(np.searchsorted(tree.leaves, cell))
    rate = float(tree.leaf_rate[stratum])
    return TreePath(
        values=values,
        steps=tuple(steps),
        stratum=stratum,
        n_strata=tree.n_leaves,
        score=float(tree.leaf_score[stratum]),
        rate=rate,
        lift=rate * float(tree.cell_mass[0].sum() / tree.cell_mass[0, 1]),
        positive=positive,
    )


def contrast(tree: MasterTree, row: ArrayLike, other: ArrayLike) -> Contrast:
    """The master node that separates two rows, and the conditions that put one above the other.

    Parameters
    ----------
    tree : MasterTree
    row, other : arrays of shape (n_features,)
        As in `path_of`.

    Examples
    --------
    >>> from rankforest import LeafRank, TreeRank
    >>> model = TreeRank(LeafRank(max_depth=1, min_mass_leaf=0)).fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    >>> print(contrast(model.tree_, [1.0], [3.0]))
    The second row is above: stratum 1 (score 0.833), the first in stratum 2 (score 0.333) of 2.
    They are separated at the first split, at node 0:
      [+] second: x0 > 2.5 (it is 3)
      [-] first: x0 <= 2.5 (it is 1)
      what the first row lacks: x0 > 2.5 (it is 1)
    """
    if isinstance(tree, ObliqueTree):
        return contrast(tree.wide, *(tree.widened(np.asarray(each, dtype=np.float64)) for each in (row, other)))
    one, two = path_of(tree, row), path_of(tree, other)
    n_shared = 0
    for a, b in zip(one.steps, two.steps):
        if a.better != b.better:
            above, below = (a, b) if a.better else (b, a)
            lower = np.asarray(other if a.better else row, dtype=np.float64)
            decisive = tuple(said for said in above.conditions if not _holds(said, lower, tree.schema))
            return Contrast(one, two, n_shared, a.cell, above, below, decisive)
        n_shared += 1
    return Contrast(one, two, n_shared, None, None, None, ())


def coded_row(x: Any, schema: Schema) -> np.ndarray:
    """One row as the tree reads it, from a sequence, a mapping by name, a pandas Series or a table of one row.

    Parameters
    ----------
    x : sequence, mapping, Series, or table of one row
    schema : Schema
        Of the training table.

    Examples
    --------
    >>> schema = Schema((Feature("age", "numeric"), Feature("city", "categorical", ("Lyon", "Paris"))), named=True)
    >>> coded_row({"city": "Paris", "age": 30}, schema)
    array([30.,  1.])
    """
    if hasattr(x, "to_dict") and getattr(x, "ndim", None) == 1 and schema.named:
        x = x.to_dict()
    if isinstance(x, Mapping):
        absent = [name for name in schema.names if name not in x]
        if absent:
            raise ValueError(f"The row has no value for {absent[0]!r}; give None or NaN where it is missing.")
        x = [x[name] for name in schema.names]
    one_dimensional = getattr(x, "ndim", None) == 1 or (
        isinstance(x, Sequence) and all(isinstance(value, str) or np.ndim(value) == 0 for value in x)
    )
    with warnings.catch_warnings():
        if one_dimensional:
            x = [list(x)]
            # a bare row has no names to check
            warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
        table = read_table(x, schema=schema)
    if table.n_rows != 1:
        raise ValueError(f"Give one row to explain, not a table of {table.n_rows} rows.")
    return next(iter(table.blocks()))[0]


def _value(feature: Feature, value: float) -> Any:
    """The value of a code; None for missing."""
    if math.isnan(value):
        return None
    if feature.categories is None:
        return value
    return feature.categories[int(value)] if 0 <= value < len(feature.categories) else None


def _holds(said: Said, row: np.ndarray, schema: Schema) -> bool:
    """Whether a condition or verdict holds for a coded row."""
    if isinstance(said, Verdict):
        return said.holds(row)
    return said.holds(float(row[schema.names.index(said.feature.name)]))


def _shown(condition: Condition, value: Any) -> str:
    """A value with six digits, or more if these are needed to put it on the correct side of the printed bounds."""
    if value is None:
        return "missing"
    if not isinstance(value, float):
        return str(value)
    bounds = [float(f"{b:.{max(6, getattr(b, 'digits', 17)) - 1}e}") for b in (condition.above, condition.up_to)]
    for digits in range(6, 17):
        rounded = float(f"{value:.{digits - 1}e}")
        if all((rounded > bound) == (value > bound) for bound in bounds):
            return number(value, digits)
    return number(value)


def _told(conditions: Sequence[Said], values: Mapping[str, Any]) -> str:
    """The conditions, each with the value of the row."""
    words = []
    for condition in conditions:
        if isinstance(condition, Verdict):
            words.append(str(condition))
            continue
        value = values[condition.feature.name]
        shown = _shown(condition, value)
        said = bracketed(str(condition))
        words.append(said if said == f"{condition.feature.name} is {shown}" else f"{said} (it is {shown})")
    return " and ".join(words)
