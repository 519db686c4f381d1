"""One fit of the scoreboard: one model on one half of one set, in one thread; its figures and the order it gives."""

from __future__ import annotations

import gc
import platform
import time
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _scoreboard_models import entries
from _sets import RealSet, table_of
from memory import reset_high_water, resident
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from forest import scores_of
from rankforest.metrics import hit_ratio, local_auc, roc_auc

__all__ = ["COSTS", "METRICS", "SHARES", "Done", "Task", "run"]

SHARES = (0.01, 0.05, 0.1)
METRICS = ("AUC", *(f"{metric} {u:.0%}" for metric in ("local AUC", "hit ratio") for u in SHARES))
COSTS = ("rows", "features", "positives", "fit seconds", "score seconds", "peak MiB")
_DRAW = 0  # the seed of the rows that are kept of a large set


@dataclass(frozen=True)
class Task:
    """What is fitted: the model's name on one half of the set, tested on the other."""

    real: RealSet
    repeat: int
    fold: int
    model: str
    folder: Path
    most_rows: int
    n_trees: int

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.real.name, str(self.repeat), str(self.fold), self.model

    @property
    def alone(self) -> bool:
        """Whether it runs in a separate process to measure memory: libraries keep memory that they free."""
        return self.repeat == self.fold == 0


@dataclass(frozen=True)
class Done:
    """The figures of a task, in the order of METRICS and COSTS, and the places of the rows held out; or what failed."""

    task: Task
    figures: tuple[str, ...] = ()
    rows: np.ndarray | None = None
    ranks: np.ndarray | None = None  # equal scores have equal ranks, 1 is the lowest score
    failure: str | None = None


@lru_cache(maxsize=1)
def _table(folder: Path, real: RealSet, most_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = table_of(folder, real)
    if len(y) > most_rows:
        kept = np.sort(np.random.default_rng(_DRAW).permutation(len(y))[:most_rows])
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    return X, y


@cache
def _warm(model: str, n_trees: int) -> None:
    """A first tiny fit: imports and buffers are no part of what a fit takes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    X["d"] = pd.Categorical(rng.choice(["u", "v"], size=60))
    _fit_and_score(model, n_trees, X, np.arange(60) % 2, X)


def _fit_and_score(model: str, n_trees: int, X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame) -> tuple[Any, ...]:
    """Scores, processor seconds of fit and of scoring, MiB of the fit at its peak beyond what was in use before it."""
    fresh = entries(n_trees)[model].make()
    measured = platform.system() == "Linux"
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reset_high_water()
        before = resident("VmRSS") if measured else 0
        start = time.process_time()
        fitted = fresh.fit(X, y)
        fit_seconds = time.process_time() - start
        peak = (resident("VmHWM") - before) / 2**20 if measured else float("nan")
        start = time.process_time()
        scores = np.asarray(scores_of(fitted, other), dtype=np.float64)
        score_seconds = time.process_time() - start
    del fresh, fitted
    gc.collect()
    return scores, fit_seconds, score_seconds, peak


def run(task: Task) -> Done:
    """Fits, scores and measures; a failure is reported, so that one model on one set does not end all."""
    try:
        X, y = _table(task.folder, task.real, task.most_rows)
        folds = list(StratifiedKFold(2, shuffle=True, random_state=task.repeat).split(X, y))
        train, test = folds[task.fold]
        _warm(task.model, task.n_trees)
        data = X.iloc[train], y[train], X.iloc[test]
        scores, fit_seconds, score_seconds, peak = _fit_and_score(task.model, task.n_trees, *data)
        tops = [*local_auc(y[test], scores, SHARES), *hit_ratio(y[test], scores, SHARES)]
        figures = [f"{value:.6f}" for value in (roc_auc(y[test], scores), *tops)]
        figures += [str(len(y)), str(X.shape[1]), str(y.sum()), f"{fit_seconds:.4f}", f"{score_seconds:.4f}"]
        figures.append(f"{peak:.2f}" if task.alone else "nan")
        ranks = rankdata(scores, method="dense")
        small = np.uint16 if len(test) <= np.iinfo(np.uint16).max else np.uint32
        return Done(task, tuple(figures), test.astype(np.uint32), ranks.astype(small))
    except Exception as failure:  # whatever a library raises
        return Done(task, failure=f"{type(failure).__name__}: {str(failure).splitlines()[0] if str(failure) else ''}")
