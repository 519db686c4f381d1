"""Small artificial tables in the place of the real sets, for `--quick` without a data folder.

They have the names and the form of the sets that they stand in for, so that a benchmark reads and learns them as it
would the real ones; its figures on them mean nothing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

__all__ = ["BESIDE", "STAND_INS", "data_folder"]

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
N_ROWS = 160


@contextmanager
def data_folder(given: Path | None, *, quick: bool, beside: Path | None = None) -> Iterator[Path | None]:
    """The folder of the real sets: the one given; else, with `--quick`, one of stand-ins; else the one `beside`.

    Where there is none, a line says that the real sets are left out.
    """
    if given is None and quick:
        print(f"No --data folder: small artificial tables stand in for {', '.join(STAND_INS)}.\n", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for number, (name, make) in enumerate(STAND_INS.items()):
                make(np.random.default_rng(number)).to_csv(Path(folder) / f"{name}.csv.gz", index=False)
            yield Path(folder)
        return
    folder = given or beside
    if folder is not None and folder.is_dir():
        yield folder
        return
    asked = f"There is no folder {given}" if given else "No --data folder was given"
    print(f"{asked}: the real sets are left out.\n", flush=True)
    yield None


def _numbers(rng: np.random.Generator, n_features: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Features, and a value that depends on the first three of them."""
    X = rng.normal(size=(N_ROWS, n_features)).round(4)
    value = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * rng.normal(size=N_ROWS)
    return pd.DataFrame(X).add_prefix("a"), value


def _sonar(rng: np.random.Generator) -> pd.DataFrame:
    frame, value = _numbers(rng, 6)
    return frame.assign(target=np.where(value > 0, "M", "R"))


def _wdbc(rng: np.random.Generator) -> pd.DataFrame:
    """Numbers, some of them missing."""
    frame, value = _numbers(rng, 5)
    frame.loc[rng.random(N_ROWS) < 0.1, "a4"] = np.nan
    return frame.assign(target=(value > 0.5).astype(int))


def _german_credit(rng: np.random.Generator) -> pd.DataFrame:
    """Numbers and text."""
    frame, value = _numbers(rng, 4)
    purpose = rng.choice(["car", "house", "study"], size=N_ROWS)
    return frame.assign(purpose=purpose, target=np.where(value + (purpose == "car") > 0.5, 2, 1))


def _era(rng: np.random.Generator) -> pd.DataFrame:
    frame, value = _numbers(rng, 4)
    return frame.assign(target=np.clip(np.round(5 + 2 * value), 1, 9).astype(int))


def _car(rng: np.random.Generator) -> pd.DataFrame:
    """Ordered categories, written as text."""
    grades = {
        "buying": ["low", "med", "high", "vhigh"],
        "maint": ["low", "med", "high", "vhigh"],
        "doors": ["2", "3", "4", "5more"],
        "persons": ["2", "4", "more"],
        "lug_boot": ["small", "med", "big"],
        "safety": ["low", "med", "high"],
    }
    codes = {name: rng.integers(len(values), size=N_ROWS) for name, values in grades.items()}
    value = codes["safety"] + codes["persons"] - 0.5 * codes["buying"] + rng.normal(size=N_ROWS)
    target = np.array(["unacc", "acc", "good", "vgood"])[np.digitize(value, np.quantile(value, [0.5, 0.7, 0.9]))]
    return pd.DataFrame({name: np.array(grades[name])[codes[name]] for name in grades}).assign(target=target)


STAND_INS: dict[str, Callable[[np.random.Generator], pd.DataFrame]] = {
    "sonar": _sonar,
    "wdbc": _wdbc,
    "german_credit": _german_credit,
    "era": _era,
    "car": _car,
}
