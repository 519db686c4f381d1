"""Which bootstrap size n* explains the printed forests best (Ranking Forests, Tables 1 to 3).

The paper leaves n* <= n open (Remark 19) and prints no value. Here every line of the three tables is run with several
sizes, and compared with the printed figures; RF 10 sparse, of which the paper gives AUC* alone, comes with two laws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .forest_runs import QUICK_TEST, QUICK_TREES, ForestResults, run_lines
from .forest_settings import N_TEST, N_TRAIN, TABLES, ForestLine, ForestTable, table_with
from .options import Experiment, Report, RunOptions
from .sheet import Sheet, SheetColumn

__all__ = ["BOOTSTRAP_SIZES", "SizeFit", "bootstrap_fits", "bootstrap_sheet", "draw_fits", "mean_gap"]

SIZES = (10, 15, 20, 25, 35, 50, 100, 200, N_TRAIN)
QUICK_SIZES = (25, N_TRAIN)
N_REPLICATIONS = 10
# The published figures that are compared besides AUC, and ours.
_OTHERS = {"ave": "mean_precision", "hr10": "hr10", "hr20": "hr20"}
_NOTES = (
    "Mean over the lines of the absolute difference between our mean over {n} replications and the printed figure; "
    "n = {n_train}, test rows {n_test}. AVE is compared with the mean precision.",
    "n* is the number of rows that a tree draws with replacement; {n_train} is n* = n.",
)


@dataclass(frozen=True)
class SizeFit:
    """How far the lines of one set with one bootstrap size are from the printed ones.

    Attributes
    ----------
    results : ForestResults
        All lines with trees, bagging among them.
    bootstrap_size : int
    """

    results: ForestResults
    bootstrap_size: int

    @property
    def set_name(self) -> str:
        return self.results.table.sample.name

    def gap(self, name: str = "auc", *, n_trees: int | None = None, bagging: bool = False) -> float | None:
        """Mean absolute difference of one published figure over bagging, or over the forests of `n_trees` trees."""
        lines = [
            line
            for line in self.results.lines
            if line.is_forest != bagging and (n_trees is None or line.n_trees == n_trees)
        ]
        return mean_gap(self.results, lines, name)


def mean_gap(results: ForestResults, lines: Sequence[ForestLine], name: str) -> float | None:
    """Mean over lines of the absolute difference between a published figure and ours; None without lines."""
    if not lines:
        return None
    ours = [results.ledger.column(line.key, _OTHERS.get(name, name), results.n_replications).mean() for line in lines]
    return float(np.mean(np.abs(np.array(ours) - [line.published[name] for line in lines])))


def bootstrap_fits(options: RunOptions) -> list[SizeFit]:
    """Run what is missing, set by set and size by size."""
    sizes = QUICK_SIZES if options.quick else SIZES
    n = options.n_replications(N_REPLICATIONS, quick=2)
    n_test = QUICK_TEST if options.quick else N_TEST
    found = []
    for table in (TABLES[1], TABLES[2], TABLES[3], table_with(3, law="scale")):
        for size in sizes:
            lines = [line for line in _of_size(table, size) if not options.quick or line.n_trees == QUICK_TREES]
            found.append(SizeFit(run_lines(table, lines, options, n, n_test), size))
    return found


def _of_size(table: ForestTable, size: int) -> list[ForestLine]:
    """The lines with trees; n* = n is what the tables themselves run."""
    drawn = None if size == N_TRAIN else size
    return [replace(line, bootstrap_size=drawn) for line in table.lines if line.n_trees is not None]


def bootstrap_sheet(fits: Sequence[SizeFit]) -> Sheet:
    """One row per set and size."""
    trees = sorted({line.n_trees for fit in fits for line in fit.results.lines if line.n_trees is not None})
    columns = [SheetColumn("set"), SheetColumn("n*", "d"), SheetColumn("bagging, AUC", ".3f")]
    columns += [SheetColumn(f"forests, B = {b}, AUC", ".3f") for b in trees]
    columns += [SheetColumn(f"forests, {title}", ".3f") for title in ("AUC", "AVE", "HR@10%", "HR@20%")]
    rows: list[list[object]] = []
    for fit in fits:
        row: list[object] = [fit.set_name, fit.bootstrap_size, fit.gap(bagging=True)]
        row += [fit.gap(n_trees=b) for b in trees]
        rows.append([*row, fit.gap(), *(fit.gap(name) for name in _OTHERS)])
    first = fits[0].results
    values = {"n": first.n_replications, "n_train": N_TRAIN, "n_test": len(first.test.y)}
    return Sheet(_TITLE, columns, rows, [note.format(**values) for note in _NOTES])


def draw_fits(fits: Sequence[SizeFit]) -> Any:
    """How far the AUC of bagging and of the forests is from the printed one, by n*; one panel per set."""
    from ..plots._figure import INK, frame, pyplot

    names = list(dict.fromkeys(fit.set_name for fit in fits))
    figure, axes = pyplot().subplots(2, 2, figsize=(10, 8), layout="constrained", sharey=True)
    for ax, name in zip(axes.flat, names, strict=True):
        own = [fit for fit in fits if fit.set_name == name]
        sizes = [fit.bootstrap_size for fit in own]
        trees = sorted({line.n_trees for fit in own for line in fit.results.lines if line.n_trees is not None})
        ax.plot(sizes, [fit.gap(bagging=True) for fit in own], color=INK, marker="o", markersize=4, label="Bagging")
        for number, b in enumerate(trees):
            gaps = [fit.gap(n_trees=b) for fit in own]
            ax.plot(sizes, gaps, color=f"C{number}", marker="o", markersize=4, label=f"forests, B = {b}")
        ax.set(xscale="log", title=name, xlabel="bootstrap size n*", ylabel="mean |AUC ours − published|")
        # One label of two: the small sizes are close to each other.
        ax.set_xticks(sizes, [str(size) if k % 2 == 0 else "" for k, size in enumerate(sizes)])
        ax.minorticks_off()
        frame(ax, loc="upper left")
        ax.get_legend().remove()
    axes[0, 0].set_ylim(bottom=0)
    # RF 10 comes first and has all numbers of trees; RF 20 has no bagging of 100.
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5, frameon=False)
    return figure


def bootstrap_report(options: RunOptions) -> Report:
    """The table, and its picture."""
    fits = bootstrap_fits(options)
    return Report(bootstrap_sheet(fits), lambda: draw_fits(fits))


_TITLE = "Ranking Forests, Tables 1 to 3: how far from print, by the bootstrap size n*"
BOOTSTRAP_SIZES = Experiment("bootstrap", _TITLE, bootstrap_report)
