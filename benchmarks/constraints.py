"""What constraints cost: models with and without the known directions of features.

RankBoost, RankingForest, RankScore and RankConsensus beside LightGBM, XGBoost and HistGradientBoosting, on the sets
where directions are known (`_directions.py` says why), at most 5000 rows, 2-fold cross-validation repeated, and on RF
10 sparse. Orders of categories are given to our models as such, to the peers as whole numbers. Goals, as means over the
sets: true directions cost no model of ours more than .005 of AUC; on samples of a few hundred rows they help.

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
from _directions import DIRECTED, artificial
from _results import Results
from _sets import drawn_rows, present
from _stand_ins import BESIDE
from _timing import parser, print_header, print_table
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from rankforest import RankBoost, RankConsensus, RankingForest, RankScore
from rankforest.metrics import local_auc, roc_auc

MOST_ROWS = 5000
ARTIFICIAL = "RF 10 sparse"
OURS = ("RankBoost", "RankingForest", "forest mean_rank", "RankScore", "RankConsensus")
PEERS = ("LightGBM", "XGBoost", "HistGradientBoosting")
Split = tuple[str, int, int, pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray, dict[str, Any]]


def splits(folder: Path | None, names: list[str], repeats: int, *, quick: bool) -> Iterator[Split]:
    for repeat in range(repeats):
        for fold in range(1 if quick else 2):
            train, test = (artificial(10 * repeat + fold + 100 * part, 400 * (1 + 9 * part)) for part in (0, 1))
            yield ARTIFICIAL, repeat, fold, *train[:2], *test
        for name in names if folder is not None else ():
            X, y = DIRECTED[name].table(folder, name)
            kept = drawn_rows(len(y), MOST_ROWS)
            X, y = X.iloc[kept].reset_index(drop=True), y[kept]
            for fold, (train, test) in enumerate(StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)):
                yield name, repeat, fold, X.iloc[train], y[train], X.iloc[test], y[test], DIRECTED[name].directions


def as_numbers(X: pd.DataFrame, directions: dict[str, Any]) -> pd.DataFrame:
    """Columns whose categories have an order as whole numbers, for libraries that know no such order."""
    orders = {column: entry for column, entry in directions.items() if isinstance(entry, list)}
    return X.assign(**{column: X[column].astype(str).map(entry.index).astype(int) for column, entry in orders.items()})


def peer(name: str, X: pd.DataFrame, directions: dict[str, Any], *, quick: bool) -> Any:
    signs = [1 if isinstance(directions.get(column), list) else directions.get(column, 0) for column in X]
    n_rounds = 20 if quick else 200
    if name == "LightGBM":
        from lightgbm import LGBMClassifier

        directed = {"monotone_constraints": signs} if any(signs) else {}
        return LGBMClassifier(n_estimators=n_rounds, n_jobs=1, verbose=-1, **directed)
    if name == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(
            n_estimators=n_rounds, learning_rate=0.1, monotone_constraints=tuple(signs) if any(signs) else None,
            enable_categorical=True, n_jobs=1,
        )  # fmt: skip
    return HistGradientBoostingClassifier(
        max_iter=n_rounds, categorical_features="from_dtype", monotonic_cst=signs, random_state=0
    )


def ours(name: str, directions: dict[str, Any], *, quick: bool) -> Any:
    given: dict[str, Any] = {"monotonic_cst": directions or None, "random_state": 0}
    size = {"n_estimators": 20} if quick else {}
    match name:
        case "RankBoost":
            return RankBoost(**size, **given)
        case "RankingForest":
            return RankingForest(**(size or {"n_estimators": 200}), **given)
        case "forest mean_rank":
            return RankingForest(aggregation="mean_rank", **(size or {"n_estimators": 200}), **given)
        case "RankScore":
            return RankScore(pairs=0 if quick else 5, **size, **given)
    members = (RankingForest(10), RankBoost(20)) if quick else ()
    return RankConsensus(*members, **given)


def measured(name: str, constrained: bool, split: Split, *, quick: bool) -> tuple[float, float, float]:
    """AUC, local AUC of the best tenth, and processor seconds of the fit."""
    _, _, _, X, y, X_test, y_test, directions = split
    used = directions if constrained else {}
    if name in PEERS:
        X, X_test = as_numbers(X, directions), as_numbers(X_test, directions)
    model = peer(name, X, used, quick=quick) if name in PEERS else ours(name, used, quick=quick)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
        scores = model.predict_proba(X_test)[:, 1] if name in PEERS else model.score_samples(X_test)
    return roc_auc(y_test, scores), local_auc(y_test, scores, 0.1), seconds


def run(all_splits: Iterator[Split], models: list[str], results: Results, *, quick: bool) -> None:
    for split in all_splits:
        name, repeat, fold = split[:3]
        for model in models:
            for constrained in (False, True):
                title = f"{model}, constrained" if constrained else model
                if (name, str(repeat), str(fold), title) in results.done:
                    continue
                try:
                    found = measured(model, constrained, split, quick=quick)
                except ImportError:
                    print(f"{model} is not installed: left out.\n", flush=True)
                    break
                results.add(name, repeat, fold, title, *(f"{figure:.6f}" for figure in found))


def report(results: Results) -> None:
    frame = results.frame()
    if frame.empty:
        return
    for figure in ("AUC", "local AUC"):
        found = frame.pivot_table(index=["set", "repeat", "fold"], columns="model", values=figure, sort=False).dropna()
        names = [name for name in (*OURS, *PEERS) if name in found and f"{name}, constrained" in found]
        changes = pd.DataFrame({name: found[f"{name}, constrained"] - found[name] for name in names})
        by_set = [table.groupby("set", sort=False) for table in (found[names], changes)]
        means, change, error = by_set[0].mean(), by_set[1].mean(), by_set[1].sem()
        lines = [(name, means.loc[name], change.loc[name], error.loc[name]) for name in means.index]
        lines.append((f"mean of {len(means)}", means.mean(), change.mean(), change.sem()))
        rows = [
            [label, *(f"{value[name]:.3f} {by[name]:+.3f} ({se[name]:.3f})" for name in names)]
            for label, value, by, se in lines
        ]
        print(
            f"Mean {figure} on held-out rows without constraints, and what they change, with its standard error: of a "
            "set over its folds, of the mean over the sets\n"
        )
        print_table(["set", *names], rows)
    seconds = frame.groupby("model")["seconds"].mean()
    rows = [[name, f"{seconds[name]:.2f}", f"{seconds[f'{name}, constrained']:.2f}"] for name in names]
    print("Processor seconds of a fit\n")
    print_table(["model", "without", "constrained"], rows)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder of the real sets")
    options.add_argument("--results", type=Path, help="file of finished fits")
    options.add_argument("--sets", nargs="+", choices=sorted(DIRECTED), help="some of the sets")
    options.add_argument("--models", nargs="+", choices=(*OURS, *PEERS), help="some of the models")
    options.add_argument("--repeats", type=int, default=1, help="repeats of 2-fold cross-validation")
    given = options.parse_args()
    if not given.no_header:
        print_header()
    folder = given.data or (None if given.quick else BESIDE if BESIDE.is_dir() else None)
    names = [] if folder is None else present(folder, given.sets or list(DIRECTED))
    results = Results(given.results, ["AUC", "local AUC"])
    found = splits(folder, names, given.repeats, quick=given.quick)
    run(found, given.models or [*OURS, *PEERS], results, quick=given.quick)
    report(results)


if __name__ == "__main__":
    main()
