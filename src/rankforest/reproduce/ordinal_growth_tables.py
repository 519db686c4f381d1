"""Figures 2 to 4 of the ordinal ranking tree paper (2008) as tables: error, leaves and cuts by depth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from .options import Experiment, Report, RunOptions
from .ordinal_figures import draw_cuts, draw_errors
from .ordinal_growth import CUT_DEPTH, N_TEST, TREES, GrowthTrials, grow, growth_trial
from .ordinal_tables import half_width
from .sheet import Sheet, SheetColumn

__all__ = ["ORDINAL_FIGURES"]

N_CURVE, N_CUTS = 50_000, 1000
CURVE_DEPTH, QUICK_CURVE = 12, 2000


def _sheet(title: str, growth: GrowthTrials, criteria: Sequence[str], notes: Sequence[str]) -> Sheet:
    columns, rows = [SheetColumn("depth", "d")], []
    for criterion in criteria:
        name = TREES[criterion]
        columns += [SheetColumn(f"{name}: error", ".4f"), SheetColumn("± (95%)", ".4f"), SheetColumn("leaves", ".1f")]
        columns.append(SheetColumn("smaller side", ".3f"))
    for d in range(growth.depth):
        row: list[object] = [d + 1]
        for criterion in criteria:
            error = growth.trials(criterion, "error")[:, d]
            leaves, smaller = (growth.trials(criterion, figure)[:, d].mean() for figure in ("leaves", "smaller"))
            row += [error.mean(), half_width(error), leaves, smaller]
        rows.append(row)
    own = [
        f"Mean over {growth.n_trials} trials of {growth.n_train} rows, {N_TEST} test rows, with 95% intervals of "
        "Student's t. Smaller side: mean over the cuts of this depth of the share of the cell's rows on their smaller "
        "side.",
        *notes,
    ]
    return Sheet(title, columns, rows, own)


def curve_report(title: str, options: RunOptions) -> Report:
    """Figure 2: error by depth."""
    n_train = QUICK_CURVE if options.quick else N_CURVE
    growth = grow("ordinal-curve", n_train, CURVE_DEPTH, options)
    notes = ["The least error that any rule can have is 0.1526. The depth is not chosen by cross-validation here."]

    return Report(_sheet(title, growth, list(TREES), notes), partial(draw_errors, growth))


def cuts_report(title: str, criterion: str, options: RunOptions) -> Report:
    """Figures 3 and 4: the cuts of one tree, level by level."""
    growth = grow("ordinal-cuts", N_CUTS, CUT_DEPTH, options)
    notes = ["The picture shows the first trial."]

    def draw() -> object:
        return draw_cuts(criterion, growth_trial(options.seed, N_CUTS, 0))

    return Report(_sheet(title, growth, [criterion], notes), draw)


def _cuts_figure(number: int, criterion: str) -> Experiment:
    title = f"Ordinal ranking tree (2008), Figure {number}: how the {TREES[criterion]} cuts the square"
    return Experiment(f"ordinal-fig{number}", title, partial(cuts_report, title, criterion))


_CURVE_TITLE = "Ordinal ranking tree (2008), Figure 2: rank error by the depth of the tree"
ORDINAL_FIGURES = [
    Experiment("ordinal-fig2", _CURVE_TITLE, partial(curve_report, _CURVE_TITLE)),
    _cuts_figure(3, "gini"),
    _cuts_figure(4, "ranking"),
]
