"""Tables 1 to 6 of the Ranking Forests paper (2013), run again: published and own figures side by side.

A test set of 3000 rows, the same for all; 30 training sets. All lines of a replication learn from the same training
set, and a line that stands in two tables is run once.
"""

from __future__ import annotations

from functools import partial

from ..metrics import roc_auc
from .forest_figures import draw_forest_figure
from .forest_runs import ForestResults, forest_results
from .forest_settings import (
    METHODS,
    SPARSE_LAWS,
    TABLES,
    ForestTable,
)
from .options import Experiment, Report, RunOptions
from .sheet import Sheet, SheetColumn

__all__ = ["FOREST_TABLES", "forest_report", "forest_sheet"]

_NOTES = (
    "Mean over {n} replications, with the standard deviation; test rows {n_test}.",
    "Assumed, as the paper does not say: no pruning; inner trees grown by cost-sensitive Gini with leaves of at least "
    "2% of the balanced mass of their cell, the default of LeafRank; bootstrap samples of {n_star}; F_L features drawn "
    "out of the F_T of the cell.",
    "Delta-Env: area between the pointwise highest and lowest ROC curve over the replications, relative to that of "
    "plain TreeRank on as many rows.",
    "Instab: mean Kendall distance between the lists of two replications. DCG: the sum over the positives of "
    "1 / log2(1 + position); as a rank statistic with the natural logarithm, ties at their mid-rank. The paper's "
    "normalisation of both is not stated: compare orders, not values.",
    "AVE is called average precision in the paper. Mean precision, the mean over all k of the share of positives among "
    "the first k rows, is closer to the printed figures. As a rank statistic: the sum over the positives of "
    "1 / position.",
)
# Name of the published figure, its title, how it is shown, and the names and titles of our figures beside it.
_INDICATORS = (
    ("auc", "AUC", ".3f", {"auc": "AUC ours"}),
    ("sd", "sd", ".3f", {"sd": "sd ours"}),
    ("env", "ΔEnv", "+.0%", {"env": "ΔEnv ours"}),
    ("instab", "Instab", ".3f", {"instab": "Instab ours"}),
    ("dcg", "DCG", ".3f", {"dcg": "DCG ours"}),
    ("ave", "AVE", ".2f", {"mean_precision": "mean precision ours", "average_precision": "average precision ours"}),
    ("hr10", "HR@10%", ".0%", {"hr10": "HR@10% ours"}),
    ("hr20", "HR@20%", ".0%", {"hr20": "HR@20% ours"}),
)


def forest_sheet(results: ForestResults) -> Sheet:
    """Published and own figures side by side."""
    table = results.table
    columns = [SheetColumn("method"), SheetColumn("F_T", "d"), SheetColumn("F_L", "d"), SheetColumn(table.varies, "d")]
    for _, title, style, ours in _INDICATORS:
        columns += [
            SheetColumn(f"{title} published", style),
            *(SheetColumn(own_title, style) for own_title in ours.values()),
        ]
    columns += [SheetColumn("DCG as rank statistic, ours", ".2f"), SheetColumn("AVE as rank statistic, ours", ".2f")]
    rows = []
    for line in results.lines:
        own = results.figures(line)
        size = line.n_trees if table.varies == "B" else line.n_train
        row: list[object] = [METHODS[line.method], line.f_t, line.f_l, size]
        for name, _, _, ours in _INDICATORS:
            row += [line.published.get(name), *(own.get(own_name) for own_name in ours)]
        rows.append([*row, own["dcg_sum"], own["ave_sum"]])
    drawn = {line.bootstrap_size for line in results.lines if line.is_forest} - {None}
    n_star = f"{drawn.pop()} rows for the forests and of n for bagging" if drawn else "n rows"
    own_notes = [note.format(n=results.n_replications, n_test=len(results.test.y), n_star=n_star) for note in _NOTES]
    # The test rows are the same in all replications, so what they are off by is in all figures.
    on_test = roc_auc(results.test.y, results.test.eta)
    auc_star = f"AUC* = {results.test.auc_star:.4f}; on these test rows the optimal rule has {on_test:.4f}."
    return Sheet(table.title, columns, rows, [*own_notes, f"{table.sample.note} {auc_star}", *table.misprints])


def forest_report(number: int, options: RunOptions) -> Report:
    """A table, and its figure."""
    results = forest_results(number, options)

    return Report(forest_sheet(results), partial(draw_forest_figure, results))


def _experiment(number: int, table: ForestTable) -> Experiment:
    settings = {"bootstrap_size", "law"} if table.sample in SPARSE_LAWS.values() else {"bootstrap_size"}
    return Experiment(f"table{number}", table.title, partial(forest_report, number), frozenset(settings))


FOREST_TABLES = [_experiment(number, table) for number, table in TABLES.items()]
