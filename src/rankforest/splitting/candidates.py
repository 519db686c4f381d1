"""Several splitting rules, of which every cell takes the one that ranks held-out rows best."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from ..data.schema import Schema
from .cell import Cell, Cut, Division, RuleFailed, SplittingRule, held_out_sides

__all__ = ["Candidates"]


class Candidates(SplittingRule):
    """Choose per cell by the held-out gain of AUC; made of the list given as `splitter`."""

    def __init__(self, rules: Sequence[SplittingRule]) -> None:
        self.rules = tuple(rules)
        self.axis_parallel = all(rule.axis_parallel for rule in self.rules)

    def check(self, schema: Schema) -> None:
        for rule in self.rules:
            rule.check(schema)

    def learn(self, cell: Cell) -> Division | None:
        cut = self.divide(cell)
        return None if cut is None else cut.division

    def divide(self, cell: Cell) -> Cut | None:
        best: tuple[SplittingRule, np.ndarray] | None = None
        most = 0.0
        failures: list[str] = []
        for rule in self.rules:
            try:
                left = held_out_sides(rule, cell)
            except RuleFailed as error:
                failures.append(str(error))
                continue
            if left is None:  # too few rows to choose by: the first rule that needs no held-out rows
                return next((rule.divide(cell) for rule in self.rules if not rule.routes_held_out), None)
            gain = cell.gain(left)
            if gain > most:
                best, most = (rule, left), gain
        if len(failures) == len(self.rules):
            raise RuleFailed("; ".join(failures))
        for failure in failures:
            warnings.warn(f"A candidate was left out at {cell.name}: {failure}.", stacklevel=2)
        if best is None:
            return None
        rule, left = best
        if not rule.routes_held_out:
            return rule.divide(cell)
        division = rule.learn(cell)
        return None if division is None else Cut(division, left)
