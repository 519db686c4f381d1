"""What is finished is kept on disk, so that a run can be stopped and goes on from there.

A folder holds the settings it was made with, one line of a CSV file per finished replication and line of a table, and
where a study needs them the ranks that the replication gave to the test rows.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.atomic import atomic_write

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
    folder : path or None
        Made where it is absent; None keeps nothing beyond this object, and no ranks.
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

    def __init__(self, folder: str | Path | None, columns: Sequence[str], settings: dict[str, object]) -> None:
        self.columns = tuple(columns)
        self.figures: dict[tuple[str, int], dict[str, float]] = {}
        self.folder = None if folder is None else writable_folder(folder)
        if self.folder is not None:
            _check(self.folder / "settings.json", {**settings, "columns": list(self.columns)})
            self._read(self.folder / "replications.csv")

    def add(self, line: str, replication: int, outcome: Outcome) -> None:
        """Keep one outcome: first its ranks, then its line, which says that all of it is there."""
        figures = {name: float(outcome.figures[name]) for name in self.columns}
        if self.folder is not None:
            if outcome.ranks is not None:
                path = self._ranks_path(line, replication)
                path.parent.mkdir(exist_ok=True)
                ranks = outcome.ranks
                atomic_write(path, lambda file: np.save(file, ranks))
            with open(self.folder / "replications.csv", "a", newline="") as file:
                file.write(_text([[line, replication, *map(repr, figures.values())]]))
        self.figures[line, replication] = figures

    def column(self, line: str, name: str, n_replications: int) -> NDArray[np.float64]:
        """One figure over the first replications of a line."""
        return np.array([self.figures[line, r][name] for r in range(n_replications)])

    def ranks(self, line: str, n_replications: int) -> list[NDArray[np.uint16]]:
        """The ranks of the test rows in the first replications of a line."""
        return [np.load(self._ranks_path(line, r)) for r in range(n_replications)]

    def _ranks_path(self, line: str, replication: int) -> Path:
        assert self.folder is not None, "ranks are kept in a folder"
        return self.folder / "ranks" / f"{line}-{replication}.npy"

    def _read(self, path: Path) -> None:
        header = _text([["line", "replication", *self.columns]])
        text = path.read_text() if path.exists() else header
        # Whoever was stopped in the middle of a line has not finished it.
        whole = text[: text.rfind("\n") + 1] or header
        if whole != text or not path.exists():
            atomic_write(path, whole)
        for line, replication, *values in list(csv.reader(whole.splitlines()))[1:]:
            found = {name: float(value) for name, value in zip(self.columns, values, strict=True)}
            self.figures[line, int(replication)] = found


def _check(path: Path, settings: dict[str, object]) -> None:
    """Write the settings to a new folder; compare them with those of an existing one."""
    if not path.exists():
        atomic_write(path, json.dumps(settings, indent=1))
        return
    found = json.loads(path.read_text())
    for name, value in settings.items():
        if found.get(name) != value:
            raise ValueError(
                f"The folder {str(path.parent)!r} holds replications with {name} {found.get(name)!r}, not {value!r}; "
                "give another folder, or remove this one."
            )


def _text(rows: list[list[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
