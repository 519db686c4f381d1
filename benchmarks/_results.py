"""Results of finished folds are kept in a file, so that an interrupted run can be continued."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

__all__ = ["Results"]


class Results:
    """Finished rows (set, repeat, fold, model, figures, costs), stored in a file if one is given."""

    def __init__(self, path: Path | None, metrics: Sequence[str], costs: Sequence[str] = ("seconds",)) -> None:
        self.path, self.figures, self.rows = path, (*metrics, *costs), []
        self.columns = ("set", "repeat", "fold", "model", *self.figures)
        if path is not None and path.exists():
            with path.open(newline="") as file:
                self.rows = [tuple(row[name] for name in self.columns) for row in csv.DictReader(file)]
        elif path is not None:
            with path.open("w", newline="") as file:
                csv.writer(file).writerow(self.columns)
        self.done = {row[:4] for row in self.rows}

    def add(self, *row: Any) -> None:
        texts = tuple(map(str, row))
        self.rows.append(texts)
        self.done.add(texts[:4])
        if self.path is not None:
            with self.path.open("a", newline="") as file:
                csv.writer(file).writerow(texts)

    def drop(self, models: Sequence[str], sets: Sequence[str] | None = None) -> None:
        """Forget what these models have done (on these sets), so that it is done again."""
        self.rows = [row for row in self.rows if row[3] not in models or (sets is not None and row[0] not in sets)]
        self.done = {row[:4] for row in self.rows}
        if self.path is not None:
            beside = self.path.with_name(f"{self.path.name}.part")
            with beside.open("w", newline="") as file:
                csv.writer(file).writerows((self.columns, *self.rows))
            os.replace(beside, self.path)

    def frame(self) -> pd.DataFrame:
        found = pd.DataFrame(self.rows, columns=list(self.columns))
        return found.astype(dict.fromkeys(self.figures, float))
