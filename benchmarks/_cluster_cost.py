"""The cost model of a fit on a cluster, fitted to the runs that `cluster.py` keeps.

    seconds = start + rows x features x trees / threads x work + tasks x dispatch + bytes / bandwidth

`start`, `work` and `dispatch` are fitted by least squares of relative errors, and are not negative. A cluster of one
machine has no network to speak of, so the bandwidth is a setting. The tasks of a fit are counted, not modelled: in the
way "histograms" they are rounds x partitions, and neither depends on the number of rows.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _timing import print_table
from scipy.optimize import nnls

__all__ = ["Cost", "fit_cost", "print_cost"]


@dataclass(frozen=True)
class Cost:
    """Seconds to start, for a value of a row and tree, and for a task."""

    start: float
    work: float
    dispatch: float

    def seconds(
        self, n: int, q: int, trees: int, threads: int, tasks: float, sent: float = 0.0, bandwidth: float = np.inf
    ) -> float:
        return self.start + n * q * trees / threads * self.work + tasks * self.dispatch + sent / bandwidth

    def of(self, run: dict[str, Any]) -> float:
        return self.seconds(run["n"], run["q"], run["trees"], run["workers"], run["tasks"])


def fit_cost(runs: list[dict[str, Any]]) -> Cost:
    """The cost model of some runs of one model and way."""
    parts = np.array([[1.0, run["n"] * run["q"] * run["trees"] / run["workers"], run["tasks"]] for run in runs])
    seconds = np.array([run["seconds"] for run in runs])
    scale = parts.max(axis=0)  # so that the three columns are comparable
    found, _ = nnls(parts / scale / seconds[:, None], np.ones(len(runs)))
    return Cost(*(found / scale).tolist())


def print_cost(path: Path) -> None:
    """The cost model of each model and way, its error on the largest size, and what it says of a billion rows."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    checked, read = [], []
    for name, way in sorted({(run["model"], run["way"]) for run in runs}):
        own = [run for run in runs if (run["model"], run["way"]) == (name, way)]
        largest = max(run["n"] for run in own)
        used, left = [run for run in own if run["n"] < largest], [run for run in own if run["n"] == largest]
        if len(used) < 2:
            continue
        cost = fit_cost(used)
        for run in left:
            checked.append(
                [f"{name}, {way}", f"{run['n']:,}", run["workers"], f"{run['seconds']:.1f}", f"{cost.of(run):.1f}"]
                + [f"{cost.of(run) / run['seconds']:.2f}"]
            )
        read.append([f"{name}, {way}", f"{cost.start:.2f}", f"{1e9 * cost.work:.3f}", f"{1e3 * cost.dispatch:.2f}"])
        read[-1] += [_at_a_billion(cost, left[-1])]
    print("Fitted to all sizes but the largest, checked on that one\n")
    print_table(["", "rows", "workers", "seconds", "predicted", "ratio"], checked)
    print(
        "Seconds to start, nanoseconds per value and tree, milliseconds per task; hours for 10^9 rows on 64 threads\n"
    )
    print_table(["", "start", "work", "task", "hours"], read)


def _at_a_billion(cost: Cost, run: dict[str, Any], threads: int = 64, bandwidth: float = 1e9) -> str:
    """Hours of the same fit to a billion rows on 64 threads, with 1 GB/s: four partitions per thread as ever."""
    more = threads / run["workers"]
    if run["way"] != "histograms":
        return ""  # its codes do not fit a worker
    seconds = cost.seconds(10**9, run["q"], run["trees"], threads, run["tasks"] * more, run["bytes"] * more, bandwidth)
    return f"{seconds / 3600:.2f}"
