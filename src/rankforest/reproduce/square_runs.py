"""Replications of the artificial experiments of the TreeRank paper (2011): samples, trees, and their AUC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..data.simulate import Simulated
from ..metrics import roc_auc
from .ledger import Outcome
from .square_settings import STUDIES, SquareStudy, draw_sample

__all__ = ["First", "first_replication", "square_outcome"]


@dataclass(frozen=True)
class First:
    """The samples and trees of the first replication, which the figures show.

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
    """Training rows and test rows."""
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
    """Refit the trees of the first replication."""
    study = STUDIES[key]
    train, test = draw(study, seed, n_test, 0)
    models = {line.name: clone(line.model).fit(train.X, train.y) for line in study.lines if line.model is not None}
    return First(study, train, test, models)
