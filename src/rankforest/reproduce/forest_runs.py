"""The replications behind Tables 1 to 6 of the Ranking Forests paper (2013): learn, and rank the test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import __version__
from ..data.simulate import Simulated
from .forest_settings import (
    N_REPLICATIONS,
    N_TEST,
    SAMPLES,
    ForestLine,
    ForestTable,
    table_with,
)
from .ledger import Ledger, Outcome
from .measures import LIST_FIGURES, delta_env, double_ranks, envelope, instab, list_figures
from .options import RunOptions
from .replicate import Study, replicate
from .sheet import mean_and_sd

__all__ = ["ForestResults", "draw_test", "forest_outcome", "forest_results", "run_lines"]

# A quick look: fewer test rows, and only forests and samples of at most these sizes.
QUICK_TEST, QUICK_TREES, QUICK_TRAIN = 1000, 20, 2000


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


def forest_results(number: int, options: RunOptions) -> ForestResults:
    """Run what is missing of a table."""
    table = table_with(number, law=options.law, bootstrap_size=options.bootstrap_size)
    lines = list(table.lines)
    n_test = N_TEST
    if options.quick:
        n_test = QUICK_TEST
        lines = [x for x in lines if (x.n_trees or 1) <= QUICK_TREES and x.n_train <= QUICK_TRAIN]
    return run_lines(table, lines, options, options.n_replications(N_REPLICATIONS), n_test)


def run_lines(
    table: ForestTable, lines: Sequence[ForestLine], options: RunOptions, n_replications: int, n_test: int = N_TEST
) -> ForestResults:
    """Run what is missing of some lines; the ledger of a set is shared by all that ask for lines on it."""
    sample = table.sample.key
    settings = {"study": sample, "seed": options.seed, "n_test": n_test, "version": __version__}
    ledger = Ledger(options.ledger_folder(sample), LIST_FIGURES, settings)
    by_key = {line.key: line for line in lines}
    study = Study(list(by_key), partial(forest_outcome, sample, by_key, options.seed, n_test))
    replicate(study, ledger, n_replications, n_jobs=options.n_jobs)
    return ForestResults(table, lines, draw_test(sample, options.seed, n_test), ledger, n_replications)
