"""Tables 1 to 6 of the Ranking Forests paper (2013), run again: published and own figures side by side.

A test set of 3000 rows, the same for all; 30 training sets. All lines of a replication learn from the same training
set, and a line that stands in two tables is run once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import __version__
from ..data.simulate import Simulated
from .forest_settings import METHODS, N_REPLICATIONS, N_TEST, SAMPLES, TABLES, ForestLine, ForestTable
from .ledger import Ledger, Outcome
from .measures import LIST_FIGURES, delta_env, double_ranks, envelope, instab, list_figures
from .options import Experiment, Options, Report
from .replicate import Study, replicate
from .sheet import Column, Sheet, mean_and_sd

__all__ = ["FOREST_TABLES", "ForestResults", "forest_results", "forest_sheet"]

# A quick look: fewer test rows, and only forests and samples of at most these sizes.
QUICK_TEST, QUICK_TREES, QUICK_TRAIN = 1000, 20, 2000

_NOTES = (
    "Mean over {n} replications, with the standard deviation; test rows {n_test}.",
    "Assumed, as the paper does not say: no pruning; inner trees grown by cost-sensitive Gini with leaves of at least "
    "2% of the balanced mass of their cell, the default of LeafRank; bootstrap samples of n rows; F_L features drawn "
    "out of the F_T of the cell.",
    "Delta-Env: area between the pointwise highest and lowest ROC curve over the replications, relative to that of "
    "plain TreeRank on as many rows.",
    "Instab: mean Kendall distance between the lists of two replications. DCG: the sum over the positives of "
    "1 / log2(1 + position); as a rank statistic with the natural logarithm, ties at their mid-rank. The paper's "
    "normalisation of both is not stated: compare orders, not values. AVE: average precision; as a rank statistic the "
    "sum over the positives of 1 / position.",
)
_INDICATORS = (
    ("auc", "AUC", ".3f"),
    ("sd", "sd", ".3f"),
    ("env", "ΔEnv", "+.0%"),
    ("instab", "Instab", ".3f"),
    ("dcg", "DCG", ".3f"),
    ("ave", "AVE", ".2f"),
    ("hr10", "HR@10%", ".0%"),
    ("hr20", "HR@20%", ".0%"),
)


@dataclass(frozen=True)
class ForestResults:
    """The finished replications of one table.

    Attributes
    ----------
    table : ForestTable
    lines : list of ForestLine
        Those that were run; a quick look leaves out the large ones.
    test : Simulated
        The test set.
    ledger : Ledger
    n_replications : int
    """

    table: ForestTable
    lines: Sequence[ForestLine]
    test: Simulated
    ledger: Ledger
    n_replications: int

    def figures(self, line: ForestLine) -> dict[str, float | None]:
        """The indicators of one line, under the names of the published ones."""
        found: dict[str, float | None] = {}
        for name in LIST_FIGURES:
            found[name], sd = mean_and_sd(self.ledger.column(line.key, name, self.n_replications).tolist())
            if name == "auc":
                found["sd"] = sd
        if self.n_replications > 1:
            ranks = self.ledger.ranks(line.key, self.n_replications)
            found["instab"] = instab(ranks)
            if line.key != line.plain_key:
                plain = self.ledger.ranks(line.plain_key, self.n_replications)
                found["env"] = delta_env(envelope(self.test.y, ranks), envelope(self.test.y, plain))
        return found


def draw_test(sample: str, seed: int, n_test: int) -> Simulated:
    """The test set of a study."""
    chosen = SAMPLES[sample]
    return chosen.draw(n_test, np.random.default_rng([seed, chosen.number, 0]))


def forest_outcome(
    sample: str, lines: dict[str, ForestLine], seed: int, n_test: int, key: str, replication: int
) -> Outcome:
    """One replication of one line: learn, and rank the test set."""
    chosen, line = SAMPLES[sample], lines[key]
    rng = np.random.default_rng([seed, chosen.number, 1 + replication, line.n_train])
    train, test = chosen.draw(line.n_train, rng), draw_test(sample, seed, n_test)
    model = line.model(chosen.inner_depth, int(rng.integers(2**31))).fit(train.X, train.y)
    score = model.score_samples(test.X)
    return Outcome(list_figures(test.y, score), double_ranks(score))


def forest_results(number: int, options: Options) -> ForestResults:
    """Run what is missing of a table."""
    table = TABLES[number]
    lines = list(table.lines)
    n_test = N_TEST
    if options.quick:
        n_test = QUICK_TEST
        lines = [x for x in lines if (x.n_trees or 1) <= QUICK_TREES and x.n_train <= QUICK_TRAIN]
    sample = table.sample.key
    settings = {"study": sample, "seed": options.seed, "n_test": n_test, "version": __version__}
    ledger = Ledger(options.ledger_folder(sample), LIST_FIGURES, settings)
    by_key = {line.key: line for line in lines}
    study = Study(list(by_key), partial(forest_outcome, sample, by_key, options.seed, n_test))
    n = options.n_replications(N_REPLICATIONS)
    replicate(study, ledger, n, n_jobs=options.n_jobs, progress=options.progress)
    return ForestResults(table, lines, draw_test(sample, options.seed, n_test), ledger, n)


def forest_sheet(results: ForestResults) -> Sheet:
    """Published and own figures side by side."""
    table = results.table
    columns = [Column("method"), Column("F_T", "d"), Column("F_L", "d"), Column(table.varies, "d")]
    for _, title, style in _INDICATORS:
        columns += [Column(f"{title} published", style), Column(f"{title} ours", style)]
    columns += [Column("DCG as rank statistic, ours", ".2f"), Column("AVE as rank statistic, ours", ".2f")]
    rows = []
    for line in results.lines:
        own = results.figures(line)
        size = line.n_trees if table.varies == "B" else line.n_train
        row: list[object] = [METHODS[line.method], line.f_t, line.f_l, size]
        for name, _, _ in _INDICATORS:
            row += [line.published.get(name), own.get(name)]
        rows.append([*row, own["dcg_sum"], own["ave_sum"]])
    own_notes = [note.format(n=results.n_replications, n_test=len(results.test.y)) for note in _NOTES]
    auc_star = f"AUC* = {results.test.auc_star:.4f}."
    return Sheet(table.title, columns, rows, [*own_notes, f"{table.sample.note} {auc_star}", *table.misprints])


def forest_report(number: int, options: Options) -> Report:
    """A table, and its figure."""
    results = forest_results(number, options)

    def draw() -> object:
        from .forest_figures import draw_forest_figure

        return draw_forest_figure(results)

    return Report(forest_sheet(results), draw)


FOREST_TABLES = [
    Experiment(f"table{number}", table.title, partial(forest_report, number)) for number, table in TABLES.items()
]
