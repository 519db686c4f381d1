"""Runs replications in parallel; finished ones are not run again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from joblib import Parallel, delayed

from ..fitting.progress import Meter, progress
from .ledger import Ledger, Outcome

__all__ = ["Study", "replicate"]


@dataclass(frozen=True)
class Study:
    """The lines of a table and the function that runs one replication of a line.

    Attributes
    ----------
    lines : list of str
        Names of the lines; also used as file names.
    run : callable
        From a line and the number of a replication to its outcome. It depends on nothing else, and can be sent to
        another process.
    """

    lines: Sequence[str]
    run: Callable[[str, int], Outcome]


def replicate(study: Study, ledger: Ledger, n_replications: int, *, n_jobs: int = -1) -> int:
    """Run the replications that are not in the ledger yet.

    Parameters
    ----------
    study : Study
    ledger : Ledger
        Outcomes are added as they finish, so an interrupted run loses only those in progress.
    n_replications : int
        Of every line.
    n_jobs : int
        Replications that run in parallel; -1: one per processor. The results do not depend on it.

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
    with progress(None):  # only one progress bar: that of the replications
        return line, replication, run(line, replication)
