"""Trees that a person can read: how well they rank, and how much there is to read.

Claims, on all binary sets of at most 10 000 rows each, 5 times 2-fold cross-validation: `TreeRank()` has the best mean
AUC among the trees of at most 12 leaves, and the fewest conditions per stratum; `TreeRank(size="best")` has the best
mean AUC among single trees, at least .01 above scikit-learn's.

The peers are a scikit-learn tree whose leaves, rows of a leaf and ccp_alpha are tuned by the AUC of five folds (once
with at most 12 leaves, once without a limit), FIGS with at most 12 leaves in all its trees, one LightGBM tree of 12
leaves, and RuleFit. `_readable_models.py` says how conditions are counted. Seconds are of the processor, for the fit
with its tuning.

The folder of the sets is given by `--data`, or is `../shared/data` beside the project; `--others` takes the files there
that are no known sets, such as those of `scripts/other_sets.py`. `--results FILE` keeps what is done in a CSV file, so
that an interrupted run goes on where it stopped, and `--repeats 0` prints what it holds.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _readable_models import MOST_LEAVES, Readable, models
from _results import Results
from _sets import SETS, RealSet, drawn_rows, found_in, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header, print_table
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from rankforest.metrics import roc_auc

MOST_ROWS = 10_000
QUICK_SETS = ("wdbc", "german_credit")
METRICS = ("AUC", "leaves", "conditions")
OURS, BEST = "TreeRank()", 'TreeRank(size="best")'
SMALL = (f"scikit-learn tree, {MOST_LEAVES} leaves", "LightGBM tree")  # single trees of at most 12 leaves
TUNED = "scikit-learn tree"


def table_of(folder: Path, real: RealSet, most_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    X, y = real.table(folder)
    if len(y) > most_rows:
        kept = drawn_rows(len(y), most_rows)
        X, y = X.iloc[kept].reset_index(drop=True), y[kept]
    for column in X.select_dtypes("category"):
        X[column] = X[column].cat.remove_unused_categories()
    return X, y


def run(
    folder: Path,
    sets: list[RealSet],
    repeats: int,
    most_rows: int,
    makers: dict[str, Callable[[], Readable]],
    results: Results,
) -> None:
    for repeat in range(repeats):
        for real in sets:
            X, y = table_of(folder, real, most_rows)
            for fold, (train, test) in enumerate(StratifiedKFold(2, shuffle=True, random_state=repeat).split(y, y)):
                for model, make in makers.items():
                    if (real.name, str(repeat), str(fold), model) not in results.done:
                        figures = measured(make(), X.iloc[train], y[train], X.iloc[test], y[test])
                        results.add(real.name, repeat, fold, model, *(f"{figure:.6g}" for figure in figures))


def measured(model: Readable, X: pd.DataFrame, y: np.ndarray, X_test: pd.DataFrame, y_test: np.ndarray) -> list[float]:
    """AUC, leaves, conditions per leaf, and processor seconds of the fit."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
        scores = model.scores(X_test)
    reading = model.reading()
    return [roc_auc(y_test, scores), reading.leaves, reading.conditions, seconds]


def report(results: Results) -> None:
    """Tables of what is done: folds that all models have been through."""
    frame = results.frame()
    known = list(dict.fromkeys(frame["model"]))
    frame = frame[frame.groupby(["set", "repeat", "fold"])["model"].transform("count") == len(known)]
    if frame.empty:
        return
    sets = list(dict.fromkeys(frame["set"]))
    means = frame.groupby(["set", "model"])[[*METRICS, "seconds"]].mean()
    auc = means["AUC"].unstack().loc[sets, known]
    print(f"Mean over {len(sets)} sets, and leaves of the median fit\n")
    rows: list[list[Any]] = []
    for model in known:
        own = means.xs(model, level="model")
        leaves = frame[frame["model"] == model]["leaves"]
        ahead = f"{int((auc[OURS] > auc[model]).sum())} of {len(sets)}" if OURS in known and model != OURS else ""
        figures = [f"{own['AUC'].mean():.4f}", f"{leaves.median():.0f}", f"{leaves.max():.0f}"]
        rows.append([model, *figures, f"{own['conditions'].mean():.1f}", f"{own['seconds'].mean():.2f}", ahead])
    print_table(["", "AUC", "leaves", "most", "conditions per leaf", "seconds", f"{OURS} is better on"], rows)
    goals(means, known)
    print("AUC of each set\n")
    print_table(["", *known], [[name, *(f"{value:.4f}" for value in auc.loc[name])] for name in sets])


def goals(means: pd.DataFrame, known: list[str]) -> None:
    mean = means.groupby("model").mean()
    rivals = [model for model in SMALL if model in known]
    if OURS not in known or BEST not in known or not rivals:
        return
    ahead = mean.loc[OURS, "AUC"] - mean.loc[rivals, "AUC"].max()
    fewer = mean["conditions"].drop([OURS, BEST]).min() - mean.loc[OURS, "conditions"]
    rows = [
        [f"AUC of {OURS} above the best other tree of at most {MOST_LEAVES} leaves", f"{ahead:+.4f}", "> 0"],
        [f"conditions of {OURS} fewer than of any other model", f"{fewer:+.2f}", "> 0"],
    ]
    if TUNED in known:
        above = mean.loc[BEST, "AUC"] - mean.loc[TUNED, "AUC"]
        rows.append([f"AUC of {BEST} above the {TUNED}", f"{above:+.4f}", ">= 0.01"])
    print_table(["", "figure", "goal"], rows)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the real sets")
    options.add_argument("--sets", nargs="+", help="only these sets")
    options.add_argument("--others", action="store_true", help="files of the folder that are no known sets")
    options.add_argument("--models", nargs="+", choices=list(models()), help="only these models")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 prints what --results holds")
    options.add_argument("--rows", type=int, default=MOST_ROWS, help="most rows of a set")
    options.add_argument("--results", type=Path, help="CSV file of the folds that are done; goes on where it stopped")
    options.add_argument("--again", nargs="+", default=[], help="models whose folds in the file are done again")
    args = options.parse_args()
    if args.quick and args.results:
        options.error("--quick has fewer rows, so its figures do not belong into a file of --results.")
    if not args.no_header:
        print_header()
    repeats = args.repeats if args.repeats is not None else 1 if args.quick else 5
    results = Results(args.results, METRICS)
    results.drop(args.again)
    with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
        if folder is not None:
            known = found_in(folder) if args.others else SETS
            names = args.sets or [name for name in known if not args.quick or name in QUICK_SETS]
            run(
                folder,
                [known[name] for name in present(folder, names)],
                repeats,
                args.rows,
                models(args.models),
                results,
            )
    report(results)


if __name__ == "__main__":
    main()
