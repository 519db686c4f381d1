"""Tables 1 and 2 of the ordinal ranking tree paper (2008): mean rank error of trees and perceptrons.

The depth of all trees is chosen by cross-validation on the rank error; the Ranking Tree comes with the impurity of the
paper, and with the ordinal Gini that newer work prefers. The perceptrons are those of Harrington (2003): one pass over
the rows, and the last rule. They come twice, on the features as they are and with the kernel of polynomials of degree
2; OAP-BPM has the same features in explicit form.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from .. import __version__
from ..estimators.oapbpm import OAPBPM
from ..estimators.ordinal_tree import OrdinalRankingTree
from ..estimators.prank import PRank
from ..metrics.ordinal import mean_absolute_rank_error, rank_error_scorer
from ..tree.pruning_options import Pruning
from .ledger import Ledger, Outcome
from .options import Experiment, Report, RunOptions
from .ordinal_data import (
    TrainTest,
    cystic_fibrosis_trial,
    load_cystic_fibrosis,
    load_movie_ratings,
    movie_trial,
    square_trial,
)
from .replicate import Study, replicate

__all__ = ["METHODS", "ORDINAL", "OrdinalSet", "Results", "ordinal_sets", "ordinal_tables"]

N_FOLDS = 5


def _ranking_tree(depths: Sequence[int], seed: int) -> Any:
    return _of_best_depth("ranking", depths, seed)


def _ordinal_gini_tree(depths: Sequence[int], seed: int) -> Any:
    return _of_best_depth("ordinal_gini", depths, seed)


def _of_best_depth(criterion: str, depths: Sequence[int], seed: int) -> OrdinalRankingTree:
    return OrdinalRankingTree(
        criterion, max_depth=max(depths), pruning=Pruning("depth", n_folds=N_FOLDS), random_state=seed
    )


def _classification_tree(depths: Sequence[int], seed: int) -> Any:
    folds = KFold(N_FOLDS, shuffle=True, random_state=seed)
    tree = DecisionTreeClassifier(random_state=seed)
    return GridSearchCV(tree, {"max_depth": list(depths)}, scoring=rank_error_scorer, cv=folds)


def _prank(depths: Sequence[int], seed: int) -> Any:
    return PRank(n_epochs=1, average=False, random_state=seed)


def _oap_bpm(depths: Sequence[int], seed: int) -> Any:
    return OAPBPM(n_epochs=1, random_state=seed)


def _prank_2(depths: Sequence[int], seed: int) -> Any:
    return PRank("poly", degree=2, n_epochs=1, average=False, random_state=seed)


def _oap_bpm_2(depths: Sequence[int], seed: int) -> Any:
    features = PolynomialFeatures(2, include_bias=False)
    return make_pipeline(StandardScaler(), features, OAPBPM(n_epochs=1, random_state=seed))


# name -> a model, given depths to choose from and a seed
METHODS: dict[str, Callable[[Sequence[int], int], Any]] = {
    "Ranking Tree": _ranking_tree,
    "Ranking Tree, ordinal Gini": _ordinal_gini_tree,
    "Classification Tree": _classification_tree,
    "PRank": _prank,
    "OAP-BPM": _oap_bpm,
    "PRank, degree 2": _prank_2,
    "OAP-BPM, degree 2": _oap_bpm_2,
}


@dataclass(frozen=True)
class OrdinalSet:
    """A data set, and how often it is split."""

    key: str
    name: str
    draw: Callable[[np.random.Generator], TrainTest]
    depths: Sequence[int]
    n_trials: int


@dataclass(frozen=True)
class Results:
    """Errors of all trials.

    Attributes
    ----------
    errors : dict of dict of array
        By the name of the set, then by the method: the mean absolute rank error of each trial.
    """

    errors: dict[str, dict[str, np.ndarray]]

    def markdown(self) -> str:
        """Mean errors with 95 % intervals of Student's t, the lowest of each column in bold."""
        names = list(self.errors)
        methods = list(next(iter(self.errors.values())))
        trials = {name: len(next(iter(self.errors[name].values()))) for name in names}
        lines = [
            "| mean rank error | " + " | ".join(f"{name} ({trials[name]} trials)" for name in names) + " |",
            "|---" * (len(names) + 1) + "|",
        ]
        best = {name: min(found.mean() for found in self.errors[name].values()) for name in names}
        for method in methods:
            cells = []
            for name in names:
                found = self.errors[name][method]
                bold = "**" if found.mean() == best[name] else ""
                cells.append(f"{bold}{found.mean():.4f} ± {half_width(found):.4f}{bold}")
            lines.append(f"| {method} | " + " | ".join(cells) + " |")
        return "\n".join(lines)

    def csv(self) -> str:
        """The same figures, one line per set and method."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["set", "method", "trials", "mean rank error", "half width"])
        for name, errors in self.errors.items():
            writer.writerows([name, method, len(e), e.mean(), half_width(e)] for method, e in errors.items())
        return text.getvalue()


def half_width(values: np.ndarray, confidence: float = 0.95) -> float:
    """Half the width of the Student interval of a mean.

    Examples
    --------
    >>> round(half_width(np.array([1.0, 2.0, 3.0])), 4)
    2.4841
    """
    n = len(values)
    return float(stats.t.ppf((1 + confidence) / 2, n - 1) * values.std(ddof=1) / np.sqrt(n))


def ordinal_sets(folder: str | Path | None, *, quick: bool = False) -> list[OrdinalSet]:
    """The paper's sets; without a folder only the one that needs no files."""
    n_train = 5000 if quick else 50_000

    def square(rng: np.random.Generator) -> TrainTest:
        return square_trial(rng, n_train=n_train)

    found = [OrdinalSet("synthetic", "synthetic", square, range(2, 17, 2), 5 if quick else 20)]
    if folder is not None:
        pairs, movies = load_cystic_fibrosis(folder), load_movie_ratings(folder)
        n_trials = 50 if quick else 500

        def pair_trial(rng: np.random.Generator) -> TrainTest:
            return cystic_fibrosis_trial(pairs, rng)

        def rating_trial(rng: np.random.Generator) -> TrainTest:
            return movie_trial(movies, rng)

        found.append(OrdinalSet("cystic_fibrosis", "Cystic Fibrosis", pair_trial, range(1, 7), n_trials))
        found.append(OrdinalSet("movielens", "MovieLens", rating_trial, range(1, 6), n_trials))
    return found


def trial_errors(trial: TrainTest, depths: Sequence[int], methods: Sequence[str], seed: int) -> list[float]:
    """Mean absolute rank error of each method on one trial."""
    errors = []
    for method in methods:
        model = METHODS[method](depths, seed).fit(trial.X_train, trial.y_train)
        errors.append(mean_absolute_rank_error(trial.y_test, model.predict(trial.X_test)))
    return errors


def ordinal_tables(
    folder: str | Path | None = None,
    *,
    quick: bool = False,
    methods: Sequence[str] | None = None,
    n_trials: int | None = None,
    n_jobs: int = -1,
    seed: int = 0,
    keep: Path | None = None,
) -> Results:
    """Run the experiments.

    Parameters
    ----------
    folder : path or None
        Where the files are, see `rankforest.reproduce.ordinal_data`; None runs the synthetic experiment only.
    quick : bool
        A tenth of the trials, and 5000 synthetic points in place of 50 000.
    methods : list of str, optional
        Some of `METHODS`; by default all.
    n_trials : int, optional
        Trials of every set; by default as many as the paper has.
    n_jobs : int
        Trials that run at once; -1 is one per processor. The result is the same for any number.
    seed : int
        Of everything that is drawn.
    keep : path, optional
        Folder where finished trials are kept; those that it holds are not run again.

    Returns
    -------
    Results

    Examples
    --------
    >>> results = ordinal_tables(quick=True, methods=["PRank"], n_jobs=1)
    >>> results.errors["synthetic"]["PRank"].shape
    (5,)
    """
    chosen = list(METHODS) if methods is None else list(methods)
    unknown = [method for method in chosen if method not in METHODS]
    if unknown:
        raise ValueError(f"methods names {unknown[0]!r}; choose some of {', '.join(map(repr, METHODS))}.")
    if n_trials is not None and n_trials < 2:
        raise ValueError(f"{n_trials} trial has no interval; ask for two at least.")
    ledger = Ledger(keep, chosen, {"study": "ordinal", "seed": seed, "quick": quick, "version": __version__})
    errors: dict[str, dict[str, np.ndarray]] = {}
    for number, data in enumerate(ordinal_sets(folder, quick=quick)):

        def run(line: str, trial: int, data: OrdinalSet = data, number: int = number) -> Outcome:
            stream = np.random.default_rng([seed, number, trial])
            drawn = data.draw(stream)
            return Outcome(dict(zip(chosen, trial_errors(drawn, data.depths, chosen, int(stream.integers(2**31))))))

        n = data.n_trials if n_trials is None else n_trials
        replicate(Study([data.key], run), ledger, n, n_jobs=n_jobs)
        errors[data.name] = {method: ledger.column(data.key, method, n) for method in chosen}
    return Results(errors)


def ordinal_report(options: RunOptions) -> Report:
    """Both tables in one."""
    results = ordinal_tables(
        options.data,
        quick=options.quick,
        n_trials=options.replications,
        n_jobs=options.n_jobs,
        seed=options.seed,
        keep=options.ledger_folder("ordinal"),
    )
    return Report(results)


ORDINAL = Experiment("ordinal", "Ordinal ranking tree (2008), Tables 1 and 2: mean rank errors", ordinal_report)
