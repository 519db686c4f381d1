"""What the command line asks for, and what an experiment hands back."""

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
        Small sizes and few replications: a look, not a result.
    replications : int or None
        None is as many as the paper has, or few with `quick`.
    n_jobs : int
        Replications at once; -1 is one per processor.
    seed : int
    bootstrap_size : int or None
        Rows n* of the bootstrap samples of a forest; None is as many as it learns from.
    law : str or None
        "shift" or "scale", how the classes of RF 10 sparse differ; None is "shift".
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
        """As many as were asked for, else as in the paper, else a few.

        Examples
        --------
        >>> RunOptions(Path()).n_replications(30), RunOptions(Path(), quick=True).n_replications(30)
        (30, 3)
        """
        if self.replications is not None:
            return self.replications
        return quick if self.quick else published

    def ledger_folder(self, study: str) -> Path:
        """Where the replications of a study are kept; quick ones have a folder of their own.

        Examples
        --------
        >>> RunOptions(Path("out"), quick=True).ledger_folder("rf10").as_posix()
        'out/replications/rf10-quick'
        """
        return self.out / "replications" / (f"{study}-quick" if self.quick else study)


class Printable(Protocol):
    """A table, such as `rankforest.reproduce.sheet.Sheet`."""

    def markdown(self) -> str:
        """To read."""
        ...

    def csv(self) -> str:
        """To compute with."""
        ...


@dataclass(frozen=True)
class Report:
    """The result of an experiment.

    Attributes
    ----------
    sheet : table with ``markdown()`` and ``csv()``
    draw : callable or None
        Makes the figure, on demand: it needs matplotlib.
    """

    sheet: Printable
    draw: Callable[[], Any] | None = None


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Attributes
    ----------
    name : str
        As the command line knows it.
    title : str
    run : callable
        From options to a report.
    settings : set of str
        Those of "bootstrap_size" and "law" that it heeds.
    """

    name: str
    title: str
    run: Callable[[RunOptions], Report]
    settings: frozenset[str] = frozenset()
