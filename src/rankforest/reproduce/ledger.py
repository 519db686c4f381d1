"""What is finished is kept on disk, so that a run can be stopped and goes on from there.

A folder holds the settings it was made with, one line of a CSV file per finished replication and line of a table, and
where a study needs them the ranks that the replication gave to the test rows.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ledger", "Outcome", "writable_folder"]


class Outcome(NamedTuple):
    """What one replication of one line gave.

    Attributes
    ----------
    figures : dict of float
        By name; the names are those of the ledger's columns.
    ranks : array of uint16 or None
        Twice the mid-ranks of the test rows, where they are needed later.
    """

    figures: dict[str, float]
    ranks: NDArray[np.uint16] | None = None


def writable_folder(path: str | Path) -> Path:
    """The folder, made where it is absent; one sentence where it cannot be written to."""
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial = folder / ".trial"
        trial.write_text("")
        trial.unlink()
    except OSError as error:
        raise ValueError(
            f"The folder {str(path)!r} cannot be written to ({error.strerror}); give another one with --out."
        ) from None
    return folder


class Ledger:
    """Finished replications in a folder.

    Parameters
    ----------
    folder : path
        Made where it is absent.
    columns : list of str
        Names of the figures of a replication.
    settings : dict
        What the figures depend on besides line and replication. A folder that was made with other settings is refused.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Ledger(folder, ["auc"], {"seed": 0}).add("tree", 0, Outcome({"auc": 0.75}))
    ...     Ledger(folder, ["auc"], {"seed": 0}).figures
    {('tree', 0): {'auc': 0.75}}
    """

    def __init__(self, folder: str | Path, columns: Sequence[str], settings: dict[str, object]) -> None:
        self.folder = writable_folder(folder)
        self.columns = tuple(columns)
        self._path = self.folder / "replications.csv"
        self._check(settings)
        self.figures: dict[tuple[str, int], dict[str, float]] = {}
        self._read()

    def add(self, line: str, replication: int, outcome: Outcome) -> None:
        """Keep one outcome: first its ranks, then its line, which says that all of it is there."""
        if outcome.ranks is not None:
            path = self._ranks_path(line, replication)
            path.parent.mkdir(exist_ok=True)
            unfinished = path.with_suffix(".tmp.npy")
            np.save(unfinished, outcome.ranks)
            os.replace(unfinished, path)
        values = [repr(float(outcome.figures[name])) for name in self.columns]
        with open(self._path, "a", newline="") as file:
            file.write(",".join([line, str(replication), *values]) + "\n")
        self.figures[line, replication] = dict(outcome.figures)

    def column(self, line: str, name: str, n_replications: int) -> NDArray[np.float64]:
        """One figure over the first replications of a line."""
        return np.array([self.figures[line, r][name] for r in range(n_replications)])

    def ranks(self, line: str, n_replications: int) -> list[NDArray[np.uint16]]:
        """The ranks of the test rows in the first replications of a line."""
        return [np.load(self._ranks_path(line, r)) for r in range(n_replications)]

    def _ranks_path(self, line: str, replication: int) -> Path:
        return self.folder / "ranks" / f"{line}-{replication}.npy"

    def _check(self, settings: dict[str, object]) -> None:
        path = self.folder / "settings.json"
        if not path.exists():
            unfinished = path.with_suffix(".tmp")
            unfinished.write_text(json.dumps(settings, indent=1))
            os.replace(unfinished, path)
            return
        found = json.loads(path.read_text())
        for name, value in json.loads(json.dumps(settings)).items():
            if found.get(name) != value:
                raise ValueError(
                    f"The folder {str(self.folder)!r} holds replications with {name} {found.get(name)!r}, not "
                    f"{value!r}; give another folder, or remove this one."
                )

    def _read(self) -> None:
        header = ",".join(["line", "replication", *self.columns]) + "\n"
        text = self._path.read_text() if self._path.exists() else ""
        # Whoever was stopped in the middle of a line has not finished it.
        whole = text[: text.rfind("\n") + 1]
        if not whole.startswith(header):
            whole = header
        if whole != text:
            unfinished = self._path.with_suffix(".tmp")
            unfinished.write_text(whole)
            os.replace(unfinished, self._path)
        for row in list(csv.reader(whole.splitlines()))[1:]:
            line, replication, *values = row
            self.figures[line, int(replication)] = {
                name: float(value) for name, value in zip(self.columns, values, strict=True)
            }
