"""Scorecards and other additive models: `RankScore` beside EBM, optbinning and logistic regression.

All binary sets of the data folder and the ordered ones cut in two, at most 10 000 rows, 2-fold cross-validation
repeated. Every fit has one thread and is measured in processor time. Goals, as means over the sets: RankScore without
pairs ranks better than EBM without interactions, and with pairs better than EBM with its default ones, at a tenth of
the time; whole points and at most 6 steps a feature cost at most .004 of AUC. Leads are means over the sets that both
models have done, with the standard error over these sets.

`--others` takes the files of the data folder that are no known sets, such as those of `scripts/other_sets.py`.
`--results FILE` keeps finished fits, so that an interrupted run can be continued.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _card_models import OURS, models
from _results import Results
from _sets import SETS, RealSet, drawn_rows, found_in, present
from _stand_ins import BESIDE, STAND_INS, data_folder
from _timing import parser, print_header, print_table
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from forest import scores_of
from rankforest.metrics import roc_auc

MOST_ROWS = 10_000
# whose AUC is compared with whose
LEADS = (
    ("RankScore", "EBM"), ("unrounded", "EBM"), ("RankScore pairs", "EBM pairs"), ("unrounded pairs", "EBM pairs"),
    ("RankScore", "optbinning"), ("RankScore", "WoE logistic"), ("RankScore 6 steps", "unrounded"),
    ("RankScore", "unrounded"), ("RankScore pairs", "unrounded pairs"),
)  # fmt: skip
Split = tuple[str, int, int, pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]


def splits(folder: Path, sets: list[RealSet], repeats: int, most_rows: int) -> Iterator[Split]:
    for repeat in range(repeats):
        for real in sets:
            X, y = real.table(folder)
            kept = drawn_rows(len(y), most_rows)
            X, y = X.iloc[kept].reset_index(drop=True), y[kept]
            folds = StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
            for fold, (train, test) in enumerate(folds):
                yield real.name, repeat, fold, X.iloc[train], y[train], X.iloc[test], y[test]


def measured(model: Any, X: pd.DataFrame, y: np.ndarray, X_test: pd.DataFrame, y_test: np.ndarray) -> tuple[Any, ...]:
    """AUC on the test rows, and processor seconds of the fit."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
        return roc_auc(y_test, scores_of(model, X_test)), seconds


def run(all_splits: Iterator[Split], chosen: list[str] | None, quick: bool, results: Results) -> None:
    makers = models(quick)
    for name, repeat, fold, *rows in all_splits:
        for model in makers if chosen is None else chosen:
            if (name, str(repeat), str(fold), model) in results.done:
                continue
            try:
                auc, seconds = measured(makers[model](), *rows)
            except Exception as failure:  # whatever a library raises
                print(f"{model} failed on {name}: {str(failure).splitlines()[0]}\n", flush=True)
                continue
            results.add(name, repeat, fold, model, f"{auc:.6f}", f"{seconds:.4f}")


def report(results: Results) -> None:
    frame = results.frame()
    if frame.empty:
        return
    known = [*OURS, *(name for name in dict.fromkeys(frame["model"]) if name not in OURS)]
    means = frame.pivot_table(index="set", columns="model", values="AUC", sort=False)
    names = [name for name in known if name in means]
    means = means[names]
    whole = means.dropna()
    seconds = frame[frame["set"].isin(whole.index)].groupby("model")["seconds"].mean()
    rows = [[name, *("" if np.isnan(auc) else f"{auc:.4f}" for auc in row)] for name, row in means.iterrows()]
    rows.append([f"mean of {len(whole)}", *(f"{auc:.4f}" for auc in whole.mean())])
    rows.append(["average rank", *(f"{rank:.2f}" for rank in whole.rank(axis=1, ascending=False).mean())])
    rows.append(["seconds", *(f"{seconds[name]:.3f}" for name in names)])
    print("Mean AUC on held-out rows; processor seconds of a fit\n")
    print_table(["set", *names], rows)
    leads(frame)


def leads(frame: pd.DataFrame) -> None:
    """Mean leads with their standard errors, sets won, and seconds, on the folds that both models have done."""
    rows = []
    for one, other in LEADS:
        both = frame[frame["model"].isin((one, other))].pivot_table(
            index=["set", "repeat", "fold"], columns="model", values=["AUC", "seconds"]
        )
        both = both.dropna() if both.columns.get_level_values("model").nunique() == 2 else both[:0]
        if both.empty:
            continue
        ahead = (both["AUC", one] - both["AUC", other]).groupby("set").mean()
        error = ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else float("nan")
        seconds = both["seconds"].groupby("set").mean().mean()
        won = f"{int((ahead > 0).sum())} of {len(ahead)}"
        rows.append([f"{one} - {other}", f"{ahead.mean():+.4f}", f"{error:.4f}", won, len(both),
                     f"{seconds[other] / seconds[one]:.1f}"])  # fmt: skip
    print("Leads in AUC\n")
    print_table(["", "mean", "standard error", "sets ahead", "fits", "time / first"], rows)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder of the real sets")
    options.add_argument("--results", type=Path, help="file of finished fits")
    options.add_argument("--sets", nargs="+", help="some of the sets")
    options.add_argument("--others", action="store_true", help="files of the folder that are no known sets")
    options.add_argument("--models", nargs="+", help="some of the models")
    options.add_argument("--repeats", type=int, default=5, help="repeats of 2-fold cross-validation")
    options.add_argument("--again", nargs="+", default=[], help="models whose fits are done again")
    given = options.parse_args()
    if not given.no_header:
        print_header()
    results = Results(given.results, ["AUC"])
    if given.again:
        results.drop(given.again)
    with data_folder(given.data, quick=given.quick, beside=BESIDE) as folder:
        if folder is not None:
            known = found_in(folder) if given.others else SETS
            names = given.sets or (list(STAND_INS)[:3] if given.quick and given.data is None else list(known))
            found = splits(
                folder, [known[name] for name in present(folder, names)], 1 if given.quick else given.repeats, MOST_ROWS
            )
            run(found, given.models, given.quick, results)
    report(results)


if __name__ == "__main__":
    main()
