"""The real sets of the benchmarks: the positive label, columns to leave out, and numeric columns that are categories.

The files are public data sets that are not part of this project; the caller names their folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["BINARY", "SETS", "RealSet", "drawn_rows", "file_of", "found_in", "frame_of", "present", "read"]

ENDINGS = (".csv.gz", ".csv", ".parquet")
_DRAW = 0  # the seed of the rows that are kept of a large set


@dataclass(frozen=True)
class RealSet:
    """A file of the data folder, its label in the column `target`.

    Positive is the label `positive`, or what is at least `at_least`, or what is above the quantile 1 - `top`.
    """

    name: str
    positive: Any = 1
    at_least: float | None = None
    top: float | None = None
    drop: tuple[str, ...] = ()  # columns that must not be learned from
    categories: tuple[str, ...] = ()  # categories that the file writes as integers
    several: bool = True  # small enough for more than one split

    def labels(self, target: pd.Series) -> np.ndarray:
        if self.at_least is not None:
            found = target >= self.at_least
        elif self.top is not None:
            found = target > target.quantile(1 - self.top)
        else:
            found = target.isin(self.positive if isinstance(self.positive, tuple) else [self.positive])
        return found.to_numpy().astype(int)

    def table(self, folder: Path) -> tuple[pd.DataFrame, np.ndarray]:
        """Features, categories declared as such, and labels 0 / 1."""
        X, y = read(folder, self)
        text = list(X.select_dtypes(exclude="number"))
        X = X.astype(dict.fromkeys((*text, *self.categories), "category"))
        return X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1), y  # LightGBM refuses names with brackets


# sets with two labels
BINARY = (
    RealSet("sonar", positive="M"),
    RealSet("ionosphere", positive="g"),
    RealSet("wdbc"),
    RealSet("australian_credit", categories=("A1", "A4", "A5", "A6", "A8", "A9", "A11", "A12")),
    RealSet("german_credit", positive=2),
    RealSet("spambase"),
    RealSet("churn", drop=("phone number",), categories=("state", "area code")),
    RealSet("phoneme"),
    RealSet("mammography"),
    RealSet("taiwan_default", categories=("SEX", "EDUCATION", "MARRIAGE")),
    RealSet("bank_marketing", positive="yes", drop=("duration",)),
    RealSet("adult", positive=">50K"),
    RealSet("covtype", positive=2),
)
# ordered labels, numbers and relevances, cut in two
_CUT = (
    RealSet("boston_housing", top=0.25),
    RealSet("era", at_least=6),
    RealSet("lev", at_least=3),
    RealSet("wine_red", at_least=7),
    RealSet("car", positive=("acc", "good", "vgood")),
    RealSet("abalone", top=0.25),
    RealSet("computer_act", top=0.25),
    RealSet("mq2008", at_least=1, drop=("part", "qid", "docid")),
    RealSet("california", top=0.25),
)
SETS = {real.name: real for real in (*BINARY, *_CUT)}


def file_of(folder: Path, name: str) -> Path | None:
    """The file of a set; None if it does not exist."""
    return next((path for end in ENDINGS if (path := folder / f"{name}{end}").exists()), None)


def present(folder: Path, names: Iterable[str], files: Mapping[str, Iterable[str]] | None = None) -> list[str]:
    """The sets whose file is there (or whose `files` are); the others are named and left out."""
    needed = {name: [name] if files is None else files[name] for name in names}
    found = [name for name, parts in needed.items() if all(file_of(folder, part) is not None for part in parts)]
    absent = [name for name in needed if name not in found]
    if absent:
        print(f"Left out, for their files are not in the data folder: {', '.join(absent)}.\n")
    return found


def found_in(folder: Path) -> dict[str, RealSet]:
    """Other files of the folder whose last column is `target` with two labels; the greater one is positive."""
    found = {}
    for path in sorted(folder.iterdir()):
        end = next((end for end in ENDINGS if path.name.endswith(end)), None)
        name = path.name.removesuffix(end or "")
        if end is None or name in SETS or name in found:
            continue
        frame = _frame(path)
        labels = sorted(frame["target"].dropna().unique()) if frame.columns[-1] == "target" else []
        if len(labels) == 2:
            found[name] = RealSet(name, positive=labels[1])
        else:
            print(f"{path.name} is left out: its last column is not `target` with two labels.\n")
    return found


def frame_of(folder: Path, name: str) -> pd.DataFrame:
    """The table of a file of the folder."""
    path = file_of(folder, name)
    if path is None:
        raise FileNotFoundError(f"There is no {name}.csv.gz in {folder}; name the folder of the sets by --data.")
    return _frame(path)


def drawn_rows(n: int, most: int) -> np.ndarray:
    """The rows that are kept of a set with more than `most`, always the same ones, in their order."""
    return np.sort(np.random.default_rng(_DRAW).permutation(n)[:most])


def read(folder: Path, real: RealSet) -> tuple[pd.DataFrame, np.ndarray]:
    """Features as they are, and labels 0 / 1."""
    frame = frame_of(folder, real.name)
    y = real.labels(frame.pop("target"))
    return frame.drop(columns=list(real.drop)), y


def _frame(path: Path) -> pd.DataFrame:
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, na_values=["?"])
