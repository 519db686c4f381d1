"""Accuracy at the top of the list: `RankingForest(top=u)` compared with the global forest and the usual peers.

Local AUC and hit ratio at u = 1%, 5% and 10%. `RankingForest(top=u)` is fitted separately for every u, and each of its
results is for its own u. Goals: the best average rank at every u, and never significantly worse
than the global forest (paired bootstrap of the local AUC on the test rows, Holm-corrected over all sets, folds and u).

Artificial sets: n = 2000, test 5000, fresh seeds. Real sets (`--data`, or `../shared/data` beside the project): 2-fold
cross-validation on at most `--most-rows` rows. XGBoost's pairwise ranking takes all rows as one query. `--results FILE`
keeps finished fits, so that an interrupted run can be continued.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _results import Results
from _sets import SETS, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, print_header, print_table
from accuracy import FIRST_SEED
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from forest import EXPERIMENTS, FULL, OURS, QUICK, Experiment, Size, drawn, installed, peers, scores_of
from rankforest import RankingForest
from rankforest.metrics import bootstrap_test, hit_ratio, local_auc
from rankforest.metrics.comparison import holm

SHARES = (0.01, 0.05, 0.1)
TOP = "RankingForest(top)"
REAL = ("mammography", "german_credit", "taiwan_default", "adult", "bank_marketing", "churn")
LEFT_OUT = ("HistGB", "logistic")
FIGURES = tuple(f"{metric} {u:.0%}" for metric in ("local AUC", "hit ratio") for u in SHARES)
P_VALUES = tuple(f"p {u:.0%}" for u in SHARES)  # of the forest for the top against the global one; NaN for the others
LEADS = tuple(f"lead {u:.0%}" for u in SHARES)

SLOW = {
    "lambdarank_pair_method": "mean", "lambdarank_num_pair_per_sample": 4, "n_estimators": 300, "learning_rate": 0.05,
    "max_depth": 5, "subsample": 0.8,
}  # fmt: skip

Split = tuple[str, int, int, Any, np.ndarray, Any, np.ndarray]


class PairwiseXGBoost:
    """XGBoost's rank:pairwise, all training rows in one query."""

    def __init__(self, threads: int, **options: Any) -> None:
        from xgboost import XGBRanker

        self.model = XGBRanker(
            objective="rank:pairwise", enable_categorical=True, n_jobs=threads, random_state=0, **(options or SLOW)
        )

    def fit(self, X: Any, y: np.ndarray) -> PairwiseXGBoost:
        self.model.fit(as_text(X), (np.asarray(y) > 0).astype(int), qid=np.zeros(len(y), dtype=int))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        return self.model.predict(as_text(X))


def as_text(X: pd.DataFrame) -> pd.DataFrame:
    """XGBoost takes categories that are text or whole numbers."""
    return X.assign(**{name: X[name].cat.rename_categories(str) for name in X.select_dtypes("category")})


def models(n_trees: int, threads: int) -> dict[str, Callable[[], Any]]:
    """All but the forests for the top, each made anew; the global forest first."""
    found = {name: make for name, make in peers(n_trees, threads).items() if name not in LEFT_OUT}
    return found | installed({"XGBoost pairwise": lambda: PairwiseXGBoost(threads)})


def artificial_splits(n_seeds: int, experiments: list[Experiment], size: Size) -> Iterator[Split]:
    for seed in range(n_seeds):
        for experiment in experiments:
            train, test, _ = drawn(experiment, FIRST_SEED + seed, size)
            frames = [pd.DataFrame(part.X).add_prefix("x") for part in (train, test)]
            yield experiment.name, seed, 0, frames[0], train.y, frames[1], test.y


def real_splits(folder: Path, names: list[str], repeats: int, most_rows: int) -> Iterator[Split]:
    names = present(folder, names)
    for repeat in range(repeats):
        for name in names:
            X, y = SETS[name].table(folder)
            kept = np.sort(np.random.default_rng(repeat).permutation(len(y))[:most_rows])
            X, y = X.iloc[kept].reset_index(drop=True), y[kept]
            folds = StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
            for fold, (train, test) in enumerate(folds):
                yield name, repeat, fold, X.iloc[train], y[train], X.iloc[test], y[test]


def figures_of(y: np.ndarray, scores: list[np.ndarray]) -> list[float]:
    """Local AUC and hit ratio at every share, each by the scores for that share."""
    return [float(metric(y, s, u)) for metric in (local_auc, hit_ratio) for u, s in zip(SHARES, scores)]


def run(splits: Iterator[Split], n_trees: int, threads: int, results: Results) -> None:
    makers = models(n_trees, threads)
    nothing = ["nan"] * len(P_VALUES + LEADS)
    for name, repeat, fold, X, y, X_test, y_test in splits:
        key = (name, str(repeat), str(fold))
        for model, make in makers.items():
            if (*key, model) in results.done:
                continue
            start = time.perf_counter()
            with threadpool_limits(threads), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scores = scores_of(make().fit(X, y), X_test)
            seconds = time.perf_counter() - start
            texts = [f"{value:.6f}" for value in figures_of(y_test, [scores] * len(SHARES))]
            results.add(*key, model, *texts, *nothing, f"{seconds:.3f}")
        if (*key, TOP) in results.done:
            continue
        start = time.perf_counter()
        local = [
            RankingForest(n_trees, top=u, n_jobs=threads, random_state=0).fit(X, y).score_samples(X_test)
            for u in SHARES
        ]
        seconds = time.perf_counter() - start
        whole = makers[OURS]().fit(X, y).score_samples(X_test)
        tests = [bootstrap_test(y_test, s, whole, "local_auc", u, n_replicates=500) for u, s in zip(SHARES, local)]
        texts = [f"{value:.6f}" for value in figures_of(y_test, local)]
        texts += [f"{test.p_value:.6f}" for test in tests] + [f"{test.difference.estimate:.6f}" for test in tests]
        results.add(*key, TOP, *texts, f"{seconds:.3f}")


def report(results: Results) -> None:
    frame = results.frame()
    fold = ["set", "repeat", "fold"]
    names = [TOP, *(name for name in dict.fromkeys(frame["model"]) if name != TOP)]
    frame = frame[frame.groupby(fold)["model"].transform("count") == len(names)]
    if frame.empty:
        return
    sets = list(dict.fromkeys(frame["set"]))
    n_folds = frame[frame["model"] == TOP].groupby("set").size()
    ranks = {}
    for figure in FIGURES:
        means = frame.pivot_table(index="set", columns="model", values=figure).loc[sets, names]
        print(f"{figure}: mean over the splits\n")
        rows = [[name, n_folds[name], *(f"{value:.4f}" for value in means.loc[name])] for name in sets]
        ranks[figure] = means.round(6).rank(axis=1, ascending=False).mean()
        rows.append(["average rank", "", *(f"{value:.2f}" for value in ranks[figure])])
        print_table(["", "splits", *names], rows)
    print("Average rank\n")
    print_table(["", *FIGURES], [[name, *(f"{ranks[figure][name]:.2f}" for figure in FIGURES)] for name in names])
    tops = frame[frame["model"] == TOP]
    p_values, leads = tops[list(P_VALUES)].to_numpy().ravel(), tops[list(LEADS)].to_numpy().ravel()
    corrected = np.array(holm(p_values.tolist()))
    worse = int(((corrected < 0.05) & (leads < 0)).sum())
    better = int(((corrected < 0.05) & (leads > 0)).sum())
    print(
        f"{TOP} against the global forest, {len(leads)} comparisons of the local AUC: {(leads > 0).sum()} ahead, "
        f"{(leads < 0).sum()} behind, significantly better {better}, significantly worse {worse} (goal: 0); smallest "
        f"uncorrected p where it is behind {p_values[leads < 0].min() if (leads < 0).any() else np.nan:.3f}; mean lead "
        + ", ".join(f"{tops[name].mean():+.4f} ({name[5:]})" for name in LEADS)
        + ".\n"
    )


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--part", choices=["artificial", "real"], help="only one of the two")
    options.add_argument("--data", type=Path, help="folder with the real sets")
    options.add_argument("--sets", nargs="+", choices=REAL, default=list(REAL), help="only these real sets")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 prints what --results holds")
    options.add_argument("--seeds", type=int, help="samples of each artificial set")
    options.add_argument("--most-rows", type=int, default=20_000, help="rows of a real set")
    options.add_argument("--results", type=Path, help="CSV file of the splits that are done")
    options.add_argument("--threads", type=int, default=2, help="threads of each model")
    args = options.parse_args()
    if args.quick and args.results:
        options.error("--quick has fewer trees, so its figures do not belong into a file of --results.")
    if not args.no_header:
        print_header()
    n_trees = 10 if args.quick else 500
    results = Results(args.results, (*FIGURES, *P_VALUES, *LEADS))
    if args.part != "real":
        n_seeds = args.seeds if args.seeds is not None else 1 if args.quick else 5
        experiments, size = (EXPERIMENTS[:1], QUICK) if args.quick else (EXPERIMENTS, FULL)
        run(artificial_splits(n_seeds, experiments, size), n_trees, args.threads, results)
    if args.part != "artificial":
        names = ["german_credit"] if args.quick else args.sets
        repeats = args.repeats if args.repeats is not None else 1 if args.quick else 5
        with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
            if folder is not None:
                run(real_splits(folder, names, repeats, args.most_rows), n_trees, args.threads, results)
    report(results)


if __name__ == "__main__":
    main()
