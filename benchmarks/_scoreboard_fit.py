"""One fit of a scoreboard: one model on one part of one set, in one thread; its figures and the order it gives."""

from __future__ import annotations

import gc
import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from _scoreboard_models import Entry
from _sets import drawn_rows
from memory import reset_high_water, resident
from scipy.stats import rankdata
from sklearn.model_selection import StratifiedKFold, train_test_split
from threadpoolctl import threadpool_limits

from forest import scores_of
from rankforest.metrics import hit_ratio, local_auc, roc_auc

__all__ = [
    "COSTS", "METRICS", "MOST_TEST_ROWS", "SHARES", "Done", "Rules", "Source", "Task", "halves", "learned_rows", "run",
    "thirds",
]  # fmt: skip

SHARES = (0.01, 0.05, 0.1)
METRICS = ("AUC", *(f"{metric} {u:.0%}" for metric in ("local AUC", "hit ratio") for u in SHARES))
COSTS = ("rows", "features", "positives", "fit seconds", "score seconds", "peak MiB")
MOST_TEST_ROWS = 200_000
Split = tuple[np.ndarray, np.ndarray]


def learned_rows(n: int, n_folds: int) -> int:
    """How many of `n` rows are learned from: half of them, or all but the third that is tested on."""
    return n // 2 if n_folds == 2 else n - min(n // 3, MOST_TEST_ROWS)


def halves(y: np.ndarray, repeat: int, fold: int) -> Split:
    """Rows to learn from and rows to test on: the folds of 2-fold cross-validation, other ones in every repeat."""
    return list(StratifiedKFold(2, shuffle=True, random_state=repeat).split(y, y))[fold]


def thirds(y: np.ndarray, repeat: int, fold: int) -> Split:
    """A third to test on, at most 200 000 rows, and the others to learn from; there is one fold."""
    n_test = len(y) - learned_rows(len(y), n_folds=1)
    train, test = train_test_split(np.arange(len(y)), test_size=n_test, stratify=y, random_state=repeat)
    return np.sort(train), np.sort(test)


class Source(Protocol):
    """A set by its name, and its table from the folder of the sets."""

    @property
    def name(self) -> str: ...

    @property
    def several(self) -> bool:
        """Whether it is small enough for more than one split."""

    def table(self, folder: Path) -> tuple[pd.DataFrame, np.ndarray]: ...


@dataclass(frozen=True)
class Rules:
    """What all fits of a scoreboard have in common."""

    entries: Callable[[int], dict[str, Entry]]  # the models, by the number of trees
    split: Callable[[np.ndarray, int, int], Split]
    n_trees: int
    n_folds: int
    most_rows: int | None = None  # of a set
    most_seconds: float | None = None  # of a fit and its scores; it is ended then
    orders: bool = False  # whether the order of the held-out rows is kept


@dataclass(frozen=True)
class Task:
    """What is fitted: the model's name on one part of the set, tested on the other."""

    source: Source
    repeat: int
    fold: int
    model: str
    folder: Path
    rules: Rules

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.source.name, str(self.repeat), str(self.fold), self.model

    @property
    def alone(self) -> bool:
        """Whether it has a process of its own: to measure memory, which libraries keep, or to be ended."""
        return self.repeat == self.fold == 0 or self.rules.most_seconds is not None


@dataclass(frozen=True)
class Done:
    """The figures of a task, in the order of METRICS and COSTS, and the places of the rows held out; or what failed."""

    task: Task
    figures: tuple[str, ...] = ()
    rows: np.ndarray | None = None
    ranks: np.ndarray | None = None  # equal scores have equal ranks, 1 is the lowest score
    failure: str | None = None


@lru_cache(maxsize=1)
def _table(folder: Path, source: Source, most_rows: int | None) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = source.table(folder)
    if most_rows is not None and len(y) > most_rows:
        kept = drawn_rows(len(y), most_rows)
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    return X, y


@cache
def _warm(rules: Rules, model: str) -> None:
    """A first tiny fit: imports and buffers are no part of what a fit takes."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    X["d"] = pd.Categorical(rng.choice(["u", "v"], size=60))
    _fit_and_score(rules.entries(rules.n_trees)[model].make(), X, np.arange(60) % 2, X)


def _fit_and_score(fresh: Any, X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame) -> tuple[Any, ...]:
    """Scores, processor seconds of fit and of scoring, MiB of the fit at its peak beyond what was in use before it."""
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
    del fitted
    gc.collect()
    return scores, fit_seconds, score_seconds, peak


def run(task: Task, starting: Callable[[Done], None] = lambda unfinished: None) -> Done:
    """Fits, scores and measures; a failure is reported, so that one model on one set does not end all.

    Right before the fit `starting` is called with what is to be kept if the fit never ends.
    """
    rules = task.rules
    try:
        X, y = _table(task.folder, task.source, rules.most_rows)
        train, test = rules.split(y, task.repeat, task.fold)
        _warm(rules, task.model)
        data = X.iloc[train], y[train], X.iloc[test]
        size = [str(len(y)), str(X.shape[1]), str(y.sum())]
        starting(Done(task, (*["nan"] * len(METRICS), *size, f"{rules.most_seconds or np.nan:.4f}", "nan", "nan")))
        fresh = rules.entries(rules.n_trees)[task.model].make()
        scores, fit_seconds, score_seconds, peak = _fit_and_score(fresh, *data)
        tops = [*local_auc(y[test], scores, SHARES), *hit_ratio(y[test], scores, SHARES)]
        figures = [f"{value:.6f}" for value in (roc_auc(y[test], scores), *tops)]
        figures += [*size, f"{fit_seconds:.4f}", f"{score_seconds:.4f}", f"{peak:.2f}" if task.alone else "nan"]
        if not rules.orders:
            return Done(task, tuple(figures))
        ranks = rankdata(scores, method="dense")
        small = np.uint16 if len(test) <= np.iinfo(np.uint16).max else np.uint32
        return Done(task, tuple(figures), test.astype(np.uint32), ranks.astype(small))
    except Exception as failure:  # whatever a library raises
        return Done(task, failure=f"{type(failure).__name__}: {str(failure).splitlines()[0] if str(failure) else ''}")
