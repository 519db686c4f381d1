"""How `fit` judges and tunes its model: the options, the folds, and the fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..data.folds import Folds
from ..data.read_hold_out import read_hold_out
from ..fitting.progress import part_of_progress
from ..judging import FoldScores, Trial, hold_out_share, judge_folds, k_folds, named_settings, simplest_first, tune
from ..judging.held_out import take_rows
from ..metrics import JudgedFold, auc_test, evaluate_folds, evaluate_ordinal_folds
from ..words import area, percent, rows
from ._errors import WrongUsage, note, usage

__all__ = ["Judging", "Learner", "judged_figures"]

_TOPS = (0.05, 0.1)
_REPLICATES = 500
_CHEAP = 40_000  # values of a table whose forest takes a second or two
_FEW_ROWS = 5000  # up to so many rows, settings are compared on five folds, and on three otherwise


@dataclass(frozen=True)
class Judging:
    """The options --test, --cv, --test-file and --tune."""

    test: float | None
    cv: int | None
    test_file: str | None
    tune: bool

    def check(self, in_batches: bool) -> None:
        """Raise an error for options that contradict each other."""
        given = {"--test": self.test, "--cv": self.cv, "--test-file": self.test_file}
        named = [name for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise WrongUsage(f"{' and '.join(named)} are different ways to judge a model; give one of them.")
        if self.test is not None and not 0.0 < self.test < 1.0:
            raise WrongUsage(f"--test is {self.test:g}; give the share of the rows to hold out, such as 0.3.")
        if self.cv is not None and self.cv < 2:
            raise WrongUsage(f"--cv is {self.cv}; give the number of folds, such as 5.")
        if in_batches and (self.test is not None or self.cv is not None or self.tune):
            option = "--tune" if self.tune else named[0]
            raise WrongUsage(
                f"{option} fits several models, and the rows are read in batches; give one file without --memory, or "
                "other rows with --test-file."
            )


@dataclass
class Learner:
    """Fits the model of the command: on all rows, on those of a fold, with tuned parameters if asked for.

    Attributes
    ----------
    make : callable
        Parameters -> an estimator that is not fitted yet.
    settings : dict
        Named settings to choose from; empty without --tune.
    seed : int
    kind : str
        Name of the model on the command line.
    trials : list of Trial
        Of the last fit, the chosen one first.
    """

    make: Callable[[dict[str, Any]], Any]
    settings: dict[str, dict[str, Any]]
    seed: int
    kind: str
    trials: list[Trial] = field(default_factory=list)

    @classmethod
    def of(
        cls, make: Callable[[dict[str, Any]], Any], kind: str, fixed: list[str], judging: Judging, seed: int
    ) -> Learner:
        """Raises an error if there is nothing to tune."""
        settings = named_settings(kind, fixed) if judging.tune else {}
        if judging.tune and len(settings) < 2:
            why = f"--set {', '.join(fixed)} leaves" if fixed and named_settings(kind) else f"--model {kind} has"
            raise WrongUsage(f"--tune: {why} no settings to choose from; leave one of them out.")
        return cls(make, settings, seed, kind)

    def fit(self, X: Any, y: np.ndarray, **beside: Any) -> Any:
        """A fitted model."""
        if not self.settings:
            return self.make({}).fit(X, y, **beside)
        folds = self._folds(y, beside)
        part = 1.0 - 1.0 / (1 + folds.n_folds * len(self.settings))
        with part_of_progress(0.0, part):
            self.trials = simplest_first(self.kind, tune(self.make, self.settings, X, y, folds, beside))
        with part_of_progress(part, 1.0):
            return self.make(self.trials[0].parameters).fit(X, y, **beside)

    def _folds(self, y: np.ndarray, beside: dict[str, Any]) -> Folds:
        ordered = self.make({}).ordered
        hold_out = read_hold_out(beside.get("groups"), beside.get("time"), n_rows=len(y))
        with usage():
            return k_folds(levels(y), n_folds(len(y)), hold_out, self.seed + 1, ordered=ordered)


def n_folds(n_rows: int) -> int:
    """Folds on which settings are compared."""
    return 5 if n_rows <= _FEW_ROWS else 3


def levels(y: np.ndarray) -> np.ndarray:
    """Labels as numbers from 0 on."""
    return np.unique(y, return_inverse=True)[1].astype(np.uint8)


def tell_costs(learner: Learner, n_rows: int, n_judged: int) -> None:
    """Say how many models are fitted, before it starts."""
    if not learner.settings:
        return
    folds = n_folds(n_rows)
    fits = len(learner.settings) * folds
    times = "as many more" if n_judged == 1 else f"{n_judged} times as many more"
    again = f", and {times} for the held-out rows, which the choice must not see" if n_judged else ""
    note(f"--tune compares {len(learner.settings)} settings on {folds} folds: {fits} fits{again}.")


def split(judging: Judging, training: Any, seed: int, ordered: bool) -> Folds | None:
    """The folds that judge the model; None if no option asks for them."""
    if judging.test is None and judging.cv is None:
        return None
    y = levels(training.labels)
    hold_out = read_hold_out(**{"groups": None, "time": None, **training.hold_out}, n_rows=len(y))
    with usage():
        if judging.cv is not None:
            return k_folds(y, judging.cv, hold_out, seed, ordered=ordered)
        assert judging.test is not None
        return hold_out_share(y, judging.test, hold_out, seed, ordered=ordered)


def judge(learner: Learner, training: Any, folds: Folds) -> list[FoldScores]:
    """The held-out rows of every fold, scored by a model of the other rows."""
    beside = {"sample_weight": training.weights, **training.hold_out}
    return list(judge_folds(learner.fit, training.features, training.labels, folds, beside))


def judged_figures(found: list[FoldScores], training: Any, model: Any, top: float | None) -> Any:
    """The figures of the held-out rows."""
    groups = training.hold_out.get("groups")
    folds = [
        JudgedFold(
            training.labels[each.rows],
            each.scores,
            each.predicted,
            None if training.weights is None else training.weights[each.rows],
            None if groups is None else _several(take_rows(groups, each.rows)),
        )
        for each in found
    ]
    return figures_of(folds, model, top)


def _several(groups: Any) -> Any:
    """The groups of held-out rows; None if there is one group only, so that nothing can be drawn."""
    return groups if len(set(groups.to_list())) > 1 else None


def figures_of(folds: list[JudgedFold], model: Any, top: float | None) -> Any:
    """AUC, Gini, KS and relative local AUC; or the figures of ordered labels."""
    if model.ordered:
        return evaluate_ordinal_folds(folds, order=model.classes_, n_replicates=_REPLICATES)
    tops = _TOPS if top is None else tuple(sorted({*_TOPS, top}))
    return evaluate_folds(folds, u=tops, pos_label=model.pos_label_, n_replicates=_REPLICATES)


def forest_adds(found: list[FoldScores], forest: Any, training: Any, folds: Folds) -> str:
    """How a forest of the same rows orders the held-out ones, compared with the judged model."""
    beside = {"sample_weight": training.weights, "groups": training.hold_out.get("groups")}
    (other,) = judge_folds(forest.fit, training.features, training.labels, folds, beside)
    weights = None if training.weights is None else training.weights[other.rows]
    tested = auc_test(
        training.labels[other.rows],
        other.scores,
        found[0].scores,
        sample_weight=weights,
        pos_label=other.pos_label,
    )
    gap = tested.difference
    return (
        f"A forest of the same rows has an AUC of {area(tested.auc[0])} there, "
        f"{gap.estimate:+.4f} [{gap.low:+.4f}, {gap.high:+.4f}]."
    )


def forest_is_cheap(training: Any, choice: Any, folds: Folds | None) -> bool:
    """Whether a forest can be fitted to a test split in about a second or two."""
    if choice.ordinal or choice.time is not None or folds is None or folds.n_folds > 1:
        return False
    return bool(training.n_rows * training.n_features <= _CHEAP)


def how_judged(judging: Judging, training: Any, choice: Any, n_out: int) -> str:
    """How the rows were held out, in words."""
    n_rows = training.n_rows
    if judging.cv is not None:
        kept = (
            f"forward in time by {choice.time!r}: each fold by a model of the rows before it"
            if choice.time
            else f"{_whole(choice)}each row by a model that has not seen it"
        )
        return f"{judging.cv}-fold cross-validation, {kept}; means of the folds"
    latest = f"the latest rows by {choice.time!r}, " if choice.time else _whole(choice)
    return f"{rows(n_out)} held out ({latest}{percent(n_out / n_rows, 0)}), by a model of the other {n_rows - n_out}"


def _whole(choice: Any) -> str:
    return f"whole groups of {choice.group!r}, " if choice.group else ""


def plain_trials(trials: list[Trial]) -> list[dict[str, Any]]:
    """For JSON, the chosen one first."""
    return [{**asdict(trial), "mean": trial.mean, "standard_error": trial.error} for trial in trials]
