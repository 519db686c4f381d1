"""Tuning: a few named settings of a model, compared by their held-out AUC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data.folds import Folds
from ..fitting.progress import part_of_progress
from ..metrics.ordinal import concordance_index
from ..metrics.roc import roc_auc
from .held_out import FoldScores, judge_folds

__all__ = ["Trial", "named_settings", "simplest_first", "tune"]

# Of every model, by its name on the command line; the default comes first, and wins ties.
_SETTINGS: dict[str, dict[str, dict[str, Any]]] = {
    "tree": {
        "up to 12 strata": {},
        "up to 6 strata": {"size": "readable", "max_leaf_nodes": 6},
        "up to 25 strata": {"size": "readable", "max_leaf_nodes": 25},
        "best order": {"size": "best"},
    },
    "scorecard": {
        "6 to 10 steps": {},
        "4 steps": {"max_steps": 4},
        "16 steps": {"max_steps": 16},
        "3 pairs": {"pairs": 3},
    },
    "forest": {
        "automatic": {},
        "5 rows in a leaf": {"min_samples_leaf": 5},
        "20 rows in a leaf": {"min_samples_leaf": 20},
        "half of the features": {"max_features": 0.5},
    },
    "boost": {
        "automatic": {},
        "slow": {"learning_rate": 0.03, "n_estimators": 1000},
        "no interactions": {"max_leaf_nodes": 2},
        "30 rows in a leaf": {"min_samples_leaf": 30},
    },
    "threshold-boost": {"automatic": {}, "100 rounds": {"n_estimators": 100}, "1000 rounds": {"n_estimators": 1000}},
    "ordinal": {
        "automatic": {},
        "5 rows in a leaf": {"min_samples_leaf": 5},
        "20 rows in a leaf": {"min_samples_leaf": 20},
        "half of the features": {"max_features": 0.5},
    },
    "ordinal-tree": {
        "automatic": {},
        "10 rows in a leaf": {"min_samples_leaf": 10},
        "30 rows in a leaf": {"min_samples_leaf": 30},
    },
}

# Of a tree whose kind is given; a plain tree has no "best order".
_GIVEN_TREE: dict[str, dict[str, Any]] = {
    "as given": {},
    "up to 6 strata": {"max_leaf_nodes": 6},
    "up to 25 strata": {"max_leaf_nodes": 25},
    "best order": {"size": "best"},
}
_OF_A_KIND = {"size", "splitter", "max_depth", "max_leaf_nodes", "pruning"}
_OF_PLAIN_TREES = {"size", "splitter", "pruning"}  # the size is given, or has to be None

# Models to read, whose settings have an order: from the simplest on.
_SIMPLEST = {
    "tree": ("up to 6 strata", "up to 12 strata", "up to 25 strata", "as given", "best order"),
    "ordinal-tree": ("30 rows in a leaf", "10 rows in a leaf", "automatic"),
}


@dataclass(frozen=True)
class Trial:
    """A setting and how it did.

    Attributes
    ----------
    name : str
    parameters : dict
    values : array
        AUC, or C-index of ordered labels, of each fold.
    """

    name: str
    parameters: dict[str, Any]
    values: np.ndarray

    @property
    def mean(self) -> float:
        return float(np.mean(self.values))

    @property
    def error(self) -> float:
        """Standard error of the mean over the folds."""
        n = len(self.values)
        return float(np.std(self.values, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")


def named_settings(command: str | None, fixed: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """The settings of a model, by its name on the command line, without those of parameters that are fixed.

    Examples
    --------
    >>> list(named_settings("scorecard", fixed=["pairs"]))
    ['6 to 10 steps', '4 steps', '16 steps']
    >>> list(named_settings("tree", fixed=["pruning"]))
    ['as given', 'up to 6 strata', 'up to 25 strata']
    """
    known, held = _SETTINGS.get(command or "", {}), {name.split("__")[0] for name in fixed}
    if command == "tree" and held & _OF_A_KIND:
        known, held = _GIVEN_TREE, held | {"size"} if held & _OF_PLAIN_TREES else held
    return {name: given for name, given in known.items() if not set(given) & held}


def simplest_first(command: str, trials: Sequence[Trial]) -> list[Trial]:
    """The trials with the chosen one first: of a tree the simplest within one standard error of the best.

    The difference of two settings is mostly chance, and the greatest of several means is too high. So a tree is no
    larger than the folds can tell. Of other models it is the best.

    Parameters
    ----------
    command : str
        Name of the model on the command line.
    trials : sequence of Trial
        The best first.

    Examples
    --------
    >>> few, many = (Trial(f"up to {n} strata", {}, np.array(auc)) for n, auc in ((6, [0.7, 0.8]), (25, [0.72, 0.8])))
    >>> [trial.name for trial in simplest_first("tree", [many, few])]
    ['up to 6 strata', 'up to 25 strata']
    """
    order, best = _SIMPLEST.get(command, ()), trials[0]
    if not np.isfinite(best.error):
        return list(trials)
    near = [trial for trial in trials if trial.mean >= best.mean - best.error and trial.name in order]
    chosen = min(near, key=lambda trial: order.index(trial.name), default=best)
    return [chosen, *(trial for trial in trials if trial is not chosen)]


def tune(
    make: Callable[[dict[str, Any]], Any],
    settings: Mapping[str, dict[str, Any]],
    X: Any,
    y: np.ndarray,
    folds: Folds,
    beside: Mapping[str, Any] | None = None,
) -> list[Trial]:
    """Judge every setting on the same folds; the first of the greatest mean comes first.

    Parameters
    ----------
    make : callable
        Parameters -> an estimator that is not fitted yet.
    settings : mapping of name -> parameters
    X, y, folds, beside
        As in `judge_folds`.

    Examples
    --------
    >>> from rankforest import TreeRank
    >>> from rankforest.data import simulate
    >>> from rankforest.data.hold_out import ANY_ROWS
    >>> from rankforest.judging import k_folds
    >>> sample = simulate.rf20(300, random_state=0)
    >>> folds = k_folds((sample.y == 1).astype(int), 3, ANY_ROWS, seed=0)
    >>> settings = {"one split": {"max_depth": 1}, "three levels": {"max_depth": 3}}
    >>> [trial.name for trial in tune(lambda given: TreeRank(size=None, **given), settings, sample.X, sample.y, folds)]
    ['three levels', 'one split']
    """
    weights = None if beside is None else beside.get("sample_weight")
    trials = []
    for k, (name, given) in enumerate(settings.items()):
        values = []
        with part_of_progress(k / len(settings), (k + 1) / len(settings)):
            for found in judge_folds(_fitter(make, given), X, y, folds, beside):
                own = None if weights is None else weights[found.rows]
                values.append(_order(y[found.rows], found, own, make(given)))
        trials.append(Trial(name, dict(given), np.array(values)))
    return sorted(trials, key=lambda trial: -trial.mean)


def _fitter(make: Callable[[dict[str, Any]], Any], given: dict[str, Any]) -> Callable[..., Any]:
    return lambda X, y, **beside: make(given).fit(X, y, **beside)


def _order(y: np.ndarray, found: FoldScores, weights: np.ndarray | None, model: Any) -> float:
    """AUC, or the C-index of ordered labels."""
    if model.ordered:
        return concordance_index(y, found.scores, order=model.order, sample_weight=weights)
    return roc_auc(y, found.scores, sample_weight=weights, pos_label=found.pos_label)
