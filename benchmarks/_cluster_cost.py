"""The cost model of a fit on a cluster, fitted to the runs that `cluster.py` keeps.

    seconds = start + rows x columns / threads x coding + rows x (columns x work + row) x trees / growing
              + tasks x dispatch

`growing` is the number of threads that grow trees: all of them in the way "histograms", at most one per tree in the
others, and one for a booster. `coding` is the same for all models: it is told by those whose trees one thread grows.
The five constants are fitted by least squares of relative errors, and are not negative.
The tasks of a fit are counted, not modelled: in the way "histograms" they are rounds x (partitions + sums). Rounds grow
slowly with the rows, because trees grow deeper. A cluster of one machine has no network to speak of, so its bandwidth
is a setting, see `_cluster_reading.py`.

    bytes = values that cut points are drawn from + labels + rows x trees x (a + b x columns) + trees x (...)

In the way "histograms" the last bracket is histograms of a tree x bytes of one x (partitions + sums), where the
histograms of a tree are c + d x rows; in the others it is a constant.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from _timing import print_table
from scipy.optimize import nnls

__all__ = ["Cost", "Sent", "Shape", "by_fit", "cost_of", "n_results", "print_cost", "sent_of"]

BIN_BYTES = 16
BINS = 256
FAN_IN = 8  # results that one task adds up
PARTS_PER_THREAD = 4
DRAWN_ROWS = 200_000  # whose values the cut points are drawn from
VALUE_BYTES = 8


@dataclass(frozen=True)
class Shape:
    """A fit: what its cost depends on."""

    rows: int
    columns: int
    trees: int
    threads: int
    way: str
    one_by_one: bool = False  # each tree needs the one before it
    n_parts: int = 10**9  # partitions of the table; there are at most four per thread

    @classmethod
    def of(cls, run: dict[str, Any]) -> Shape:
        parts = run.get("parts", 10**9)
        one = run["model"] in ("RankBoost", "TreeRank")
        way = "histograms" if run["model"] == "RankBoost" and run["way"] == "bags" else run["way"]
        return cls(run["n"], run["q"], run["trees"], run["workers"], way, one, parts)

    @property
    def growing(self) -> int:
        """Threads that grow trees."""
        if self.way == "histograms":
            return self.threads
        return 1 if self.one_by_one else min(self.threads, self.trees)

    @property
    def parts(self) -> int:
        return min(PARTS_PER_THREAD * self.threads, self.n_parts)

    @property
    def histogram(self) -> int:
        """Bytes of the histogram of a node."""
        return self.columns * BINS * BIN_BYTES


def n_results(parts: int) -> int:
    """Results of a sum: those of the partitions, and the sums of eight, up to the last.

    >>> [n_results(parts) for parts in (1, 4, 8, 256)]
    [1, 5, 9, 293]
    """
    return parts if parts == 1 else parts + n_sums(parts)


def n_sums(parts: int) -> int:
    above = math.ceil(parts / FAN_IN)
    return above if above == 1 else above + n_sums(above)


@dataclass(frozen=True)
class Cost:
    """Seconds to start, to code a value, for a value and for a row of a tree, and for a task."""

    start: float
    coding: float
    work: float
    row: float
    dispatch: float

    @staticmethod
    def parts(shape: Shape, tasks: float) -> list[float]:
        """What each constant is multiplied by."""
        rows, grown = shape.rows, shape.rows * shape.trees / shape.growing
        return [1.0, rows * shape.columns / shape.threads, grown * shape.columns, grown, tasks]

    def seconds(self, shape: Shape, tasks: float) -> float:
        constants = [self.start, self.coding, self.work, self.row, self.dispatch]
        return float(np.dot(constants, self.parts(shape, tasks)))


@dataclass(frozen=True)
class Sent:
    """Bytes of a row and of a value of a tree, and of a tree: in units of histograms x results if these are summed."""

    row: float
    value: float
    tree: float
    tree_row: float

    @staticmethod
    def parts(shape: Shape) -> list[float]:
        """What each constant is multiplied by."""
        rows = shape.rows * shape.trees
        unit = shape.histogram * n_results(shape.parts) if shape.way == "histograms" else 1
        more = unit * rows if shape.way == "histograms" else 0
        return [rows, rows * shape.columns, unit * shape.trees, more]

    @staticmethod
    def to_read(shape: Shape) -> float:
        """Bytes before the first tree: values that the cut points are drawn from, and labels."""
        return VALUE_BYTES * shape.columns * min(shape.rows, DRAWN_ROWS) + shape.rows

    def histograms(self, rows: int) -> float:
        """Of one tree."""
        return self.tree + self.tree_row * rows

    def bytes(self, shape: Shape) -> float:
        return self.to_read(shape) + float(np.dot([self.row, self.value, self.tree, self.tree_row], self.parts(shape)))


def fitted(
    parts: Sequence[Sequence[float]], wanted: Sequence[float], known: Sequence[float] | float = 0.0
) -> list[float]:
    """Constants that are not negative, by least squares of relative errors, beside what is known."""
    matrix, values = np.array(parts), np.array(wanted)
    scale = np.maximum(matrix.max(axis=0), 1e-300)  # so that the columns are comparable
    found, _ = nnls(matrix / scale / values[:, None], 1.0 - np.asarray(known) / values)
    return (found / scale).tolist()


def cost_of(runs: Sequence[dict[str, Any]], *, coding: float | None = None, start: float | None = None) -> Cost:
    """Seconds of some runs of one model and way; `coding` and `start` are known, or fitted too."""
    parts = [Cost.parts(Shape.of(run), run["tasks"]) for run in runs]
    given = [start, coding, None, None, None]
    known = [sum((each * part for each, part in zip(given, row) if each is not None), 0.0) for row in parts]
    asked = [[part for each, part in zip(given, row) if each is None] for row in parts]
    found = iter(fitted(asked, [run["seconds"] for run in runs], known))
    return Cost(*(next(found) if each is None else each for each in given))


def coding_of(fits: Sequence[Sequence[dict[str, Any]]]) -> float | None:
    """Seconds to code a value: all threads do it, so fits tell it in which one thread grows all trees."""
    telling = [runs for runs in fits if Shape.of(runs[0]).growing == 1 and len({run["workers"] for run in runs}) > 1]
    return float(np.mean([cost_of(runs).coding for runs in telling])) if telling else None


def sent_of(runs: Sequence[dict[str, Any]]) -> Sent:
    """Bytes of some runs of one model and way."""
    shapes = [Shape.of(run) for run in runs]
    left = [max(run["bytes"] - Sent.to_read(shape), 1.0) for run, shape in zip(runs, shapes)]
    return Sent(*fitted([Sent.parts(shape) for shape in shapes], left))


def by_fit(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The runs of a file by model and way."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    found: dict[str, list[dict[str, Any]]] = {}
    for run in sorted(runs, key=lambda run: (run["model"], run["way"])):
        found.setdefault(f"{run['model']}, {run['way']}", []).append(run)
    return found


def cells_of(run: dict[str, Any]) -> int:
    return int(run["n"] * run["q"])


def largest(runs: Sequence[dict[str, Any]]) -> int:
    return max(map(cells_of, runs))


def print_cost(path: Path) -> dict[str, tuple[Cost, Sent, dict[str, Any]]]:
    """Fit all runs but those of the most values, and check the model on these; returned is a fit to all runs.

    That one has no `start`, whose seconds say nothing at a size where they would matter, and comes with the last run.
    """
    found = {}
    checked, constants, sent_table = [], [], []
    fits = by_fit(path)
    small = {name: [run for run in runs if cells_of(run) < largest(runs)] for name, runs in fits.items()}
    coding = coding_of([runs for runs in small.values() if runs])
    for name, runs in fits.items():
        used, left = small[name], [run for run in runs if cells_of(run) == largest(runs)]
        if len(used) < 2:
            continue
        cost, sent = cost_of(used, coding=coding), sent_of(used)
        found[name] = cost_of(runs, coding=coding, start=0.0), sent_of(runs), left[-1]
        constants.append([name, *constants_of(cost)])
        for run in left:
            shape = Shape.of(run)
            seconds, n_bytes = cost.seconds(shape, run["tasks"]), sent.bytes(shape)
            head = [name, f"{run['n']:,} x {run['q']}", run["workers"]]
            checked.append([*head, f"{run['seconds']:.1f}", f"{seconds:.1f}", f"{seconds / run['seconds']:.2f}"])
            sizes = [f"{run['bytes'] / 1e6:,.1f}", f"{n_bytes / 1e6:,.1f}", f"{n_bytes / run['bytes']:.2f}"]
            sent_table.append([*head, run["rounds"], run["tasks"], *sizes])
    print("Seconds to start, ns to code a value, ns for a value and for a row of a tree, ms for a task\n")
    print_table(["", "start", "coding", "work", "row", "task"], constants)
    print("Seconds, fitted to all sizes but the largest, checked on that one\n")
    print_table(["", "rows x columns", "workers", "seconds", "predicted", "ratio"], checked)
    print("Megabytes of arguments and results of all tasks, fitted and checked in the same way\n")
    print_table(["", "rows x columns", "workers", "rounds", "tasks", "counted", "predicted", "ratio"], sent_table)
    print("Fitted to all sizes, without a start: the same constants\n")
    print_table(
        ["", "coding", "work", "row", "task"], [[name, *constants_of(fit[0])[1:]] for name, fit in found.items()]
    )
    print("Bytes of a row and of a value of a tree; histograms of a tree, and more of them for each million rows\n")
    print_table(["", "row", "value", "histograms", "per million rows"], [sent_row(*each) for each in found.items()])
    return found


def constants_of(cost: Cost) -> list[str]:
    ns: Callable[[float], str] = lambda seconds: f"{1e9 * seconds:.3g}"  # noqa: E731
    return [f"{cost.start:.2f}", ns(cost.coding), ns(cost.work), ns(cost.row), f"{1e3 * cost.dispatch:.2f}"]


def sent_row(name: str, fitted_fit: tuple[Cost, Sent, dict[str, Any]]) -> list[str]:
    _, sent, run = fitted_fit
    more = [f"{sent.tree:.1f}", f"{1e6 * sent.tree_row:.1f}"] if Shape.of(run).way == "histograms" else ["", ""]
    return [name, f"{sent.row:.1f}", f"{sent.value:.2f}", *more]
