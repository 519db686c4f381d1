"""Replications side by side; those that are finished are not run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed

from ..fitting.progress import Meter, progress
from .ledger import Ledger, Outcome

__all__ = ["Study", "replicate"]


@dataclass(frozen=True)
class Study:
    """Lines of a table that are replicated.

    Attributes
    ----------
    lines : list of str
        Names of the lines; they are names of files too.
    run : callable
        From a line and the number of a replication to its outcome. It depends on nothing else, and can be sent to
        another process.
    """

    lines: Sequence[str]
    run: Callable[[str, int], Outcome]


def replicate(study: Study, ledger: Ledger, n_replications: int, *, n_jobs: int = -1) -> int:
    """Run what is not in the ledger yet.

    Parameters
    ----------
    study : Study
    ledger : Ledger
        Outcomes are added to it as they come, so that stopping loses only those under way.
    n_replications : int
        Of every line.
    n_jobs : int
        Outcomes computed at once; -1 is one per processor. The figures are the same for any number.

    Returns
    -------
    int
        How many were run.
    """
    missing = [(line, r) for r in range(n_replications) for line in study.lines if (line, r) not in ledger.figures]
    if not missing:
        return 0
    jobs = (delayed(_named)(study.run, line, r) for line, r in missing)
    with Meter(len(missing), unit="replications") as meter:
        for line, r, outcome in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(jobs):
            ledger.add(line, r, outcome)
            if meter.tick is not None:
                meter.tick(r)
    return len(missing)


def _named(run: Callable[[str, int], Outcome], line: str, replication: int) -> tuple[str, int, Outcome]:
    with progress(None):  # the bar is that of the replications
        return line, replication, run(line, replication)
