"""Options of a reproduction, and its report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

__all__ = ["Experiment", "Printable", "Report", "RunOptions"]


@dataclass(frozen=True)
class RunOptions:
    """How an experiment is run.

    Attributes
    ----------
    out : path
        Folder of the results; finished replications are kept in it.
    data : path or None
        Folder of the real sets.
    quick : bool
        Small sizes and few replications: a preview, not a result.
    replications : int or None
        None: as many as in the paper, or few with `quick`.
    n_jobs : int
        Replications that run in parallel; -1: one per processor.
    seed : int
    bootstrap_size : int or None
        Rows n* of the bootstrap samples of a forest; None: as many as training rows.
    law : str or None
        "shift" or "scale": how the classes of RF 10 sparse differ; None: "shift".
    """

    out: Path
    data: Path | None = None
    quick: bool = False
    replications: int | None = None
    n_jobs: int = -1
    seed: int = 0
    bootstrap_size: int | None = None
    law: str | None = None

    def n_replications(self, published: int, quick: int = 3) -> int:
        """Number of replications: the option if given, else few for a quick run, else as in the paper.

        Examples
        --------
        >>> RunOptions(Path()).n_replications(30), RunOptions(Path(), quick=True).n_replications(30)
        (30, 3)
        """
        if self.replications is not None:
            return self.replications
        return quick if self.quick else published

    def ledger_folder(self, study: str) -> Path:
        """Folder of the replications of a study; quick runs have their own.

        Examples
        --------
        >>> RunOptions(Path("out"), quick=True).ledger_folder("rf10").as_posix()
        'out/replications/rf10-quick'
        """
        return self.out / "replications" / (f"{study}-quick" if self.quick else study)


class Printable(Protocol):
    """A table, such as `rankforest.reproduce.sheet.Sheet`."""

    def markdown(self) -> str:
        """The table in Markdown."""
        ...

    def csv(self) -> str:
        """The table as CSV, with all digits."""
        ...


@dataclass(frozen=True)
class Report:
    """The result of an experiment.

    Attributes
    ----------
    sheet : table with ``markdown()`` and ``csv()``
    draw : callable or None
        Draws the figure; needs matplotlib.
    """

    sheet: Printable
    draw: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        Name on the command line.
    title : str
    run : callable
        From options to a report.
    settings : set of str
        Which of "bootstrap_size" and "law" it uses.
    """

    name: str
    title: str
    run: Callable[[RunOptions], Report]
    settings: frozenset[str] = frozenset()
