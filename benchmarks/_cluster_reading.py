"""The cost model of `_cluster_cost.py`, read at a size that no machine here has."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from _cluster_cost import FAN_IN, Cost, Sent, Shape, n_results
from _timing import print_table

__all__ = ["Asked", "Reading", "print_reading", "read_at"]


@dataclass(frozen=True)
class Asked:
    """The size to read at.

    Attributes
    ----------
    rows, columns, threads : int
    trees : mapping
        Trees, or rounds of boosting, of each model.
    bandwidth : float
        Bytes per second of each worker.
    """

    rows: int
    columns: int
    threads: int
    trees: Mapping[str, int]
    bandwidth: float


@dataclass(frozen=True)
class Reading:
    """Seconds of the parts of a fit."""

    rows: float
    tasks: float
    network: float
    n_rounds: float

    @property
    def together(self) -> float:
        return self.rows + self.tasks + self.network


def read_at(asked: Asked, cost: Cost, sent: Sent, run: dict[str, Any]) -> Reading:
    """What the model of a fit says of a size; the rounds of a tree are those of a run.

    A sum is a task per partition and the tasks that add eight results up. The network is as slow as one chain of these
    sums: eight results, one after the other, on each level. In the other ways every worker receives its share.
    """
    own = Shape.of(run)
    shape = Shape(asked.rows, asked.columns, asked.trees[run["model"]], asked.threads, own.way, own.one_by_one)
    n_rounds = run["rounds"] * shape.trees / run["trees"]
    if shape.way == "histograms":
        n_tasks = n_rounds * n_results(shape.parts)
        levels = math.ceil(round(math.log(shape.parts, FAN_IN), 9))
        summed = sent.histograms(shape.rows) * shape.trees * shape.histogram
        brought = shape.rows * shape.trees * (sent.row + sent.value * shape.columns)
        network = (summed * FAN_IN * levels + brought) / asked.bandwidth
    else:
        n_tasks = run["tasks"] / run["trees"] * shape.trees * shape.parts / own.parts
        network = sent.bytes(shape) / asked.bandwidth / asked.threads
    rows = cost.seconds(shape, 0.0)
    return Reading(rows, n_tasks * cost.dispatch, network, n_rounds)


def print_reading(asked: Asked, costs: dict[str, tuple[Cost, Sent, dict[str, Any]]]) -> None:
    """A line for each model and way whose codes need not fit one worker."""
    lines = []
    for name, (cost, sent, run) in costs.items():
        if run["way"] == "trees" or run["model"] not in asked.trees:
            continue
        found = read_at(asked, cost, sent, run)
        minutes = [f"{seconds / 60:,.1f}" for seconds in (found.rows, found.tasks, found.network, found.together)]
        lines.append([name, asked.trees[run["model"]], f"{found.n_rounds:,.0f}", *minutes])
    print(
        f"Minutes of a fit to {asked.rows:,} rows of {asked.columns} columns on {asked.threads} workers of one thread, "
        f"{asked.bandwidth / 1e9:g} GB/s each\n"
    )
    print_table(["", "trees", "rounds", "rows", "tasks", "network", "together"], lines)
