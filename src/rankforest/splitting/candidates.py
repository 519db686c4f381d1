"""Several splitting rules; every cell uses the one that ranks held-out rows best."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.schema import Schema
from ..data.storable import storable
from .cell import Cell, Cut, Division, RuleFailed, SplittingRule, held_out_sides

__all__ = ["Candidates"]


@storable
@dataclass(frozen=True, eq=False)
class Candidates(SplittingRule):
    """Choice per cell by the held-out gain of AUC; the rule of a list given as `splitter`."""

    rules: Sequence[SplittingRule]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        if not all(isinstance(rule, SplittingRule) for rule in self.rules):
            raise TypeError("rules holds something that is no splitting rule.")

    @property
    def axis_parallel(self) -> bool:  # type: ignore[override]
        return all(rule.axis_parallel for rule in self.rules)

    @property
    def uses_values(self) -> bool:
        return any(rule.uses_values for rule in self.rules)

    @property
    def max_bins(self) -> int | None:  # type: ignore[override]
        return next((rule.max_bins for rule in self.rules if rule.max_bins is not None), None)

    def check(self, schema: Schema) -> None:
        for rule in self.rules:
            rule.check(schema)
        bins = sorted({rule.max_bins for rule in self.rules if rule.max_bins is not None})
        if len(bins) > 1:
            raise ValueError(
                f"max_bins of the LeafRanks in a list are {' and '.join(map(str, bins))}, and all cut the same bins; "
                "give them the same max_bins."
            )

    def settled(self, root: Cell) -> Candidates:
        return Candidates(tuple(rule.settled(root) for rule in self.rules))

    def learn(self, cell: Cell) -> Division | None:
        cut = self.divide(cell)
        return None if cut is None else cut.division

    def divide(self, cell: Cell) -> Cut | None:
        held_out: list[tuple[float, SplittingRule, np.ndarray]] = []
        failures: list[str] = []
        for rule in self.rules:
            try:
                left = held_out_sides(rule, cell)
            except RuleFailed as error:
                failures.append(str(error))
                continue
            if left is None:  # too few rows for a choice: use the first rule that needs no held-out rows
                return next((rule.divide(cell) for rule in self.rules if not rule.routes_held_out), None)
            held_out.append((float(cell.gain(left)), rule, left))
        held_out.sort(key=lambda found: -found[0])  # the first of equally good rules
        best = None
        for gain, rule, left in held_out:
            if gain <= 0.0:
                break
            try:
                best = _cut(rule, cell, left)
            except RuleFailed as error:
                failures.append(str(error))
            if best is not None:
                break
        if len(failures) == len(self.rules):
            raise RuleFailed("; ".join(failures))
        for failure in failures:
            warnings.warn(f"A candidate was left out at {cell.name}: {failure}.", stacklevel=2)
        return best


def _cut(rule: SplittingRule, cell: Cell, left: np.ndarray) -> Cut | None:
    """The cut of the whole cell by the chosen rule, given the sides of its held-out rows."""
    if not rule.routes_held_out:
        return rule.divide(cell)
    division = rule.learn(cell)
    return None if division is None else Cut(division, left, held_out=True)
