"""Figures 6 and 9 to 13 of the TreeRank paper (2011), run again: AUC, ROC curves, level sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import __version__
from ..data.simulate import Simulated
from ..metrics import roc_auc
from .ledger import Ledger, Outcome
from .options import Experiment, Options, Report
from .replicate import Study, replicate
from .sheet import Column, Sheet, mean_and_sd
from .square_settings import N_TEST, STUDIES, SquareStudy, draw_sample

__all__ = ["SQUARE_FIGURES", "First", "first_replication", "square_report"]

N_REPLICATIONS = 30
QUICK_TEST = 2000
FIGURES = ("learning", "test", "strata")


@dataclass(frozen=True)
class First:
    """The samples and trees of the first replication, which the pictures show.

    Attributes
    ----------
    study : SquareStudy
    train, test : Simulated
    models : dict
        By the name of the line, without the optimal rule.
    """

    study: SquareStudy
    train: Simulated
    test: Simulated
    models: dict[str, Any]


def draw(study: SquareStudy, seed: int, n_test: int, replication: int) -> tuple[Simulated, Simulated]:
    """Rows to learn from and rows to test on."""
    rng = np.random.default_rng([seed, study.number, replication])
    return draw_sample(study.law, study.n_train, rng), draw_sample(study.law, n_test, rng)


def square_outcome(key: str, seed: int, n_test: int, line: str, replication: int) -> Outcome:
    """One replication of one tree."""
    study = STUDIES[key]
    train, test = draw(study, seed, n_test, replication)
    chosen = next(each for each in study.lines if each.key == line)
    if chosen.model is None:
        return Outcome(
            {"learning": roc_auc(train.y, train.eta), "test": roc_auc(test.y, test.eta), "strata": float("nan")}
        )
    model = clone(chosen.model).fit(train.X, train.y)
    learning, tested = (roc_auc(sample.y, model.score_samples(sample.X)) for sample in (train, test))
    return Outcome({"learning": learning, "test": tested, "strata": model.tree_.n_leaves})


def first_replication(key: str, seed: int, n_test: int) -> First:
    """The trees of the first replication, fitted again."""
    study = STUDIES[key]
    train, test = draw(study, seed, n_test, 0)
    models = {line.name: clone(line.model).fit(train.X, train.y) for line in study.lines if line.model is not None}
    return First(study, train, test, models)


def square_report(key: str, title: str, picture: str, options: Options) -> Report:
    """The table of a study, and one of its pictures."""
    study = STUDIES[key]
    n_test = QUICK_TEST if options.quick else N_TEST
    settings = {"study": key, "seed": options.seed, "n_test": n_test, "version": __version__}
    ledger = Ledger(options.ledger_folder(key), FIGURES, settings)
    lines = [line.key for line in study.lines]
    n = options.n_replications(N_REPLICATIONS)
    run = partial(square_outcome, key, options.seed, n_test)
    replicate(Study(lines, run), ledger, n, n_jobs=options.n_jobs, progress=options.progress)

    rows = []
    for line in study.lines:
        row: list[object] = [line.name]
        for name, published in zip(FIGURES[:2], line.published or (None, None)):
            row += [published, *mean_and_sd(ledger.column(line.key, name, n).tolist())]
        strata = ledger.column(line.key, "strata", n).mean()
        rows.append([*row, None if np.isnan(strata) else strata])
    columns = [Column("")]
    for sample in ("learning", "test"):
        columns += [Column(f"{sample} AUC published", ".2f"), Column(f"{sample} AUC ours", ".3f"), Column("sd", ".3f")]
    notes = [f"Mean over {n} replications; test rows {n_test}; AUC* = {study.law.auc_star:.4f}.", *study.notes]
    sheet = Sheet(title, [*columns, Column("strata ours", ".1f")], rows, notes)

    def figure() -> object:
        from . import square_figures

        return getattr(square_figures, picture)(first_replication(key, options.seed, n_test))

    return Report(sheet, figure)


def _experiment(name: str, key: str, picture: str) -> Experiment:
    title = f"TreeRank (2011), Figure {name.removeprefix('fig')}: {STUDIES[key].name}"
    return Experiment(name, title, partial(square_report, key, title, picture))


SQUARE_FIGURES = [
    _experiment("fig6", "erm", "draw_level_sets"),
    _experiment("fig9", "uniform", "draw_square"),
    _experiment("fig10", "gaussians", "draw_square"),
    _experiment("fig11", "crossed", "draw_square"),
    _experiment("fig12", "complexity", "draw_curves"),
    _experiment("fig13", "complexity", "draw_level_sets"),
]
