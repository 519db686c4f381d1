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
from ..metrics import roc_auc
from .forest_settings import (
    METHODS,
    N_REPLICATIONS,
    N_TEST,
    SAMPLES,
    SPARSE_LAWS,
    TABLES,
    ForestLine,
    ForestTable,
    table_with,
)
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
    table = table_with(number, law=options.law, bootstrap_size=options.bootstrap_size)
    lines = list(table.lines)
    n_test = N_TEST
    if options.quick:
        n_test = QUICK_TEST
        lines = [x for x in lines if (x.n_trees or 1) <= QUICK_TREES and x.n_train <= QUICK_TRAIN]
    return run_lines(table, lines, options, options.n_replications(N_REPLICATIONS), n_test)


def run_lines(
    table: ForestTable, lines: Sequence[ForestLine], options: Options, n_replications: int, n_test: int = N_TEST
) -> ForestResults:
    """Run what is missing of some lines; the ledger of a set is shared by all that ask for lines on it."""
    sample = table.sample.key
    settings = {"study": sample, "seed": options.seed, "n_test": n_test, "version": __version__}
    ledger = Ledger(options.ledger_folder(sample), LIST_FIGURES, settings)
    by_key = {line.key: line for line in lines}
    study = Study(list(by_key), partial(forest_outcome, sample, by_key, options.seed, n_test))
    replicate(study, ledger, n_replications, n_jobs=options.n_jobs, progress=options.progress)
    return ForestResults(table, lines, draw_test(sample, options.seed, n_test), ledger, n_replications)


def forest_sheet(results: ForestResults) -> Sheet:
    """Published and own figures side by side."""
    table = results.table
    columns = [Column("method"), Column("F_T", "d"), Column("F_L", "d"), Column(table.varies, "d")]
    for _, title, style, ours in _INDICATORS:
        columns += [Column(f"{title} published", style), *(Column(own_title, style) for own_title in ours.values())]
    columns += [Column("DCG as rank statistic, ours", ".2f"), Column("AVE as rank statistic, ours", ".2f")]
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


def forest_report(number: int, options: Options) -> Report:
    """A table, and its figure."""
    results = forest_results(number, options)

    def draw() -> object:
        from .forest_figures import draw_forest_figure

        return draw_forest_figure(results)

    return Report(forest_sheet(results), draw)


def _experiment(number: int, table: ForestTable) -> Experiment:
    settings = {"bootstrap_size", "law"} if table.sample in SPARSE_LAWS.values() else {"bootstrap_size"}
    return Experiment(f"table{number}", table.title, partial(forest_report, number), frozenset(settings))


FOREST_TABLES = [_experiment(number, table) for number, table in TABLES.items()]
