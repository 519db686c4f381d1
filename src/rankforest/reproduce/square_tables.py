"""Figures 6 and 9 to 13 of the TreeRank paper (2011), run again: AUC, ROC curves, level sets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import __version__
from .ledger import Ledger
from .options import Experiment, Report, RunOptions
from .replicate import Study, replicate
from .sheet import Sheet, SheetColumn, mean_and_sd
from .square_figures import draw_curves, draw_level_sets, draw_square
from .square_runs import First, first_replication, square_outcome
from .square_settings import N_TEST, STUDIES

__all__ = ["SQUARE_FIGURES", "square_report"]

N_REPLICATIONS = 30
QUICK_TEST = 2000
FIGURES = ("learning", "test", "strata")


def square_report(key: str, title: str, picture: Callable[[First], Any], options: RunOptions) -> Report:
    """The table of a study, and one of its pictures."""
    study = STUDIES[key]
    n_test = QUICK_TEST if options.quick else N_TEST
    settings = {"study": key, "seed": options.seed, "n_test": n_test, "version": __version__}
    ledger = Ledger(options.ledger_folder(key), FIGURES, settings)
    lines = [line.key for line in study.lines]
    n = options.n_replications(N_REPLICATIONS)
    run = partial(square_outcome, key, options.seed, n_test)
    replicate(Study(lines, run), ledger, n, n_jobs=options.n_jobs)

    rows = []
    for line in study.lines:
        row: list[object] = [line.name]
        for name, published in zip(FIGURES[:2], line.published or (None, None)):
            row += [published, *mean_and_sd(ledger.column(line.key, name, n).tolist())]
        strata = ledger.column(line.key, "strata", n).mean()
        rows.append([*row, None if np.isnan(strata) else strata])
    columns = [SheetColumn("")]
    for sample in ("learning", "test"):
        columns += [
            SheetColumn(f"{sample} AUC published", ".2f"),
            SheetColumn(f"{sample} AUC ours", ".3f"),
            SheetColumn("sd", ".3f"),
        ]
    notes = [f"Mean over {n} replications; test rows {n_test}; AUC* = {study.law.auc_star:.4f}.", *study.notes]
    sheet = Sheet(title, [*columns, SheetColumn("strata ours", ".1f")], rows, notes)

    def figure() -> object:
        return picture(first_replication(key, options.seed, n_test))

    return Report(sheet, figure)


def _experiment(name: str, key: str, picture: Callable[[First], Any]) -> Experiment:
    title = f"TreeRank (2011), Figure {name.removeprefix('fig')}: {STUDIES[key].name}"
    return Experiment(name, title, partial(square_report, key, title, picture))


SQUARE_FIGURES = [
    _experiment("fig6", "erm", draw_level_sets),
    _experiment("fig9", "uniform", draw_square),
    _experiment("fig10", "gaussians", draw_square),
    _experiment("fig11", "crossed", draw_square),
    _experiment("fig12", "complexity", draw_curves),
    _experiment("fig13", "complexity", draw_level_sets),
]
