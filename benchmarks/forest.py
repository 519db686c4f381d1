"""Accuracy of `RankingForest(500)`, with one setting for all sets, compared with the usual peers.

Claims, on the artificial sets of the Ranking Forests paper (n = 2000, test 5000, 10 seeds): a test AUC of at least .725
on RF10, .750 on RF20 and .880 on RF10 sparse. The mean out-of-bag AUC is within .01 of the mean AUC on 20 000 fresh
rows (RF20), by rows (`oob_auc_`) and by pairs (`oob_pair_auc`).

Beside them, on the same forests, all aggregations: how much the choice of the default, "proba", matters; "kemeny",
which takes long, in a smaller run with fewer trees. The defaults were chosen on seeds 100 to 102, so the figures are
taken on others.

On real sets: 5 times 2-fold cross-validation, the same folds for all. Columns of categories are declared as such;
forests of scikit-learn get their codes, logistic regression one-hot columns, the others take them as they are. The
folder of the sets is given by `--data`, or is `../shared/data` beside the project; `--results FILE` keeps what is done
in a CSV file, so that an interrupted run goes on where it stopped. Every model has two threads (`--threads`); on a
busy machine one is faster, above all for CatBoost, whose threads wait for each other.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _results import Results
from _sets import SETS, present
from _stand_ins import BESIDE, data_folder
from _timing import parser, peer, print_header, print_table
from accuracy import FIRST_SEED, N_TEST, N_TRAIN, mean_and_error
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from rankforest import RankingForest
from rankforest.data import simulate
from rankforest.metrics import hit_ratio, local_auc

OOB_TARGET = 0.01


@dataclass(frozen=True)
class Size:
    """Rows to learn from, to test on and to compare the out-of-bag AUC with; trees, those of "kemeny", and seeds."""

    n_train: int = N_TRAIN
    n_test: int = N_TEST
    n_fresh: int = 20_000
    n_trees: int = 500
    n_kemeny: int = 100
    n_seeds: int = 10


FULL, QUICK = Size(), Size(n_train=200, n_test=300, n_fresh=500, n_trees=8, n_kemeny=8, n_seeds=2)
AGGREGATIONS = ("proba", "mean_rank", "median_rank", "negative_rank", "plugin")
OURS = "RankingForest"


@dataclass(frozen=True)
class Experiment:
    """An artificial set and the AUC to reach on it."""

    name: str
    draw: Callable[..., simulate.Simulated]
    target: float


EXPERIMENTS = [
    Experiment("RF10", simulate.rf10, 0.725),
    Experiment("RF20", simulate.rf20, 0.750),
    Experiment("RF10 sparse", simulate.rf10_sparse, 0.880),
]

# from small to large
SIZES = {
    "sonar": 208,
    "ionosphere": 351,
    "wdbc": 569,
    "australian_credit": 690,
    "german_credit": 1000,
    "spambase": 4601,
    "churn": 5000,
    "phoneme": 5404,
    "mammography": 11183,
    "taiwan_default": 30000,
    "bank_marketing": 45211,
    "adult": 48842,
}
QUICK_SETS = ("sonar", "german_credit")
METRICS = ("AUC", "local AUC 5%", "local AUC 10%", "hit ratio 5%", "hit ratio 10%")


# ---- the models

CATEGORIES = make_column_selector(dtype_include="category")
NUMBERS = make_column_selector(dtype_include="number")


# beginning of a model's name -> its package
PACKAGES = {"LightGBM": "lightgbm", "CatBoost": "catboost", "XGBoost": "xgboost"}


class CatBoost:
    """CatBoost takes categories as text, by name."""

    def __init__(self, threads: int, n_rounds: int | None = None) -> None:
        from catboost import CatBoostClassifier

        self.classifier, self.threads, self.n_rounds = CatBoostClassifier, threads, n_rounds

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> CatBoost:
        names = list(X.select_dtypes("category"))
        self.model = self.classifier(
            iterations=self.n_rounds, cat_features=names, thread_count=self.threads, random_seed=0, verbose=False,
            allow_writing_files=False,
        )  # fmt: skip
        self.model.fit(self._text(X, names), y)
        self.names = names
        return self

    def predict_proba(self, X: pd.DataFrame) -> np.ndarray:
        return self.model.predict_proba(self._text(X, self.names))

    @staticmethod
    def _text(X: pd.DataFrame, names: list[str]) -> pd.DataFrame:
        text = X[names].astype(object)
        return X.assign(**text.where(text.notna(), "missing").astype(str))


def lightgbm() -> Any:
    return peer("lightgbm")


def lightgbm_slow(threads: int) -> Any:
    return lightgbm().LGBMClassifier(
        n_estimators=300, learning_rate=0.03, num_leaves=15, colsample_bytree=0.5, subsample=0.8, subsample_freq=1,
        n_jobs=threads, random_state=0, verbose=-1,
    )  # fmt: skip


def ranking_forest(n_trees: int, threads: int, seed: int = 0) -> RankingForest:
    return RankingForest(n_trees, n_jobs=threads, random_state=seed)


def codes() -> Any:
    """Categories as integers, for trees that know only numbers."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-1)
    return make_column_transformer((encoder, CATEGORIES), remainder="passthrough")


def columns() -> Any:
    """One-hot categories and standardised numbers, for linear models."""
    return make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), CATEGORIES),
        (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), NUMBERS),
    )


def peers(n_trees: int, threads: int) -> dict[str, Callable[[], Any]]:
    """All models for real sets, each made anew."""
    found: dict[str, Callable[[], Any]] = {
        OURS: lambda: ranking_forest(n_trees, threads),
        "RandomForest": lambda: make_pipeline(codes(), RandomForestClassifier(n_trees, n_jobs=threads, random_state=0)),
        "ExtraTrees": lambda: make_pipeline(codes(), ExtraTreesClassifier(n_trees, n_jobs=threads, random_state=0)),
        "HistGB": lambda: HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0),
        "LightGBM": lambda: lightgbm().LGBMClassifier(n_jobs=threads, random_state=0, verbose=-1),
        "LightGBM slow": lambda: lightgbm_slow(threads),
        "CatBoost": lambda: CatBoost(threads),
        "logistic": lambda: make_pipeline(columns(), LogisticRegression(max_iter=1000)),
    }
    return installed(found)


def installed(models: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Without those whose package is absent; a line names each such package."""
    return {
        name: make
        for name, make in models.items()
        if not any(name.startswith(start) and peer(package) is None for start, package in PACKAGES.items())
    }


def scores_of(fitted: Any, X: Any) -> np.ndarray:
    for name in ("score_samples", "decision_function"):
        if hasattr(fitted, name):
            return getattr(fitted, name)(X)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return fitted.predict_proba(X)[:, 1]


# ---- artificial sets


Drawn = tuple[simulate.Simulated, simulate.Simulated, np.random.Generator]


def drawn(experiment: Experiment, seed: int, size: Size = FULL) -> Drawn:
    rng = np.random.default_rng(seed)
    return experiment.draw(size.n_train, rng), experiment.draw(size.n_test, rng), rng


def artificial(experiments: list[Experiment], size: Size, threads: int) -> None:
    n_trees, n_seeds = size.n_trees, size.n_seeds
    rows = f"n = {size.n_train}, test {size.n_test}"
    print(f"Artificial sets: {rows}, {n_trees} trees, {n_seeds} seeds; mean test AUC ± error\n")
    others = installed(
        {
            "RandomForest": lambda: RandomForestClassifier(n_trees, n_jobs=threads, random_state=0),
            "ExtraTrees": lambda: ExtraTreesClassifier(n_trees, n_jobs=threads, random_state=0),
            "LightGBM slow": lambda: lightgbm_slow(threads),
        }
    )
    against_peers, against_each_other = [], []
    out_of_bag: list[tuple[float, float, float]] = []
    for experiment in experiments:
        found: dict[str, list[float]] = {name: [] for name in (*AGGREGATIONS, *others)}
        for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
            train, test, rng = drawn(experiment, seed, size)
            forest = ranking_forest(n_trees, threads, seed).fit(train.X, train.y)
            for how in AGGREGATIONS:
                found[how].append(roc_auc_score(test.y, forest.score_samples(test.X, aggregation=how)))
            for name, make in others.items():
                found[name].append(roc_auc_score(test.y, scores_of(make().fit(train.X, train.y), test.X)))
            if experiment.draw is simulate.rf20:
                fresh = experiment.draw(size.n_fresh, rng)
                true = roc_auc_score(fresh.y, forest.score_samples(fresh.X))
                out_of_bag.append((true, forest.oob_auc_, forest.oob_pair_auc().auc))
        means = {name: mean_and_error(values) for name, values in found.items()}
        wins = {name: sum(np.array(found["proba"]) > np.array(found[name])) for name in others}
        against_peers.append(
            [experiment.name, means["proba"], f">= {experiment.target:.3f}"]
            + [f"{means[name]} ({wins[name]})" for name in others]
            + [f"{test.auc_star:.3f}"]
        )
        against_each_other.append([experiment.name, *(means[how] for how in AGGREGATIONS)])
    print_table(["", OURS, "target", *(f"{name} (we win)" for name in others), "AUC*"], against_peers)
    print("The same forests, aggregated in other ways\n")
    print_table(["", *AGGREGATIONS], against_each_other)
    print_bias(np.array(out_of_bag), size.n_fresh)


def print_bias(aucs: np.ndarray, n_fresh: int) -> None:
    """Columns: AUC on fresh rows, out of bag by rows, out of bag by pairs."""
    print(f"Out-of-bag AUC on RF20 beside the AUC on {n_fresh:,} fresh rows\n")
    rows = []
    for name, values in (("oob_auc_", aucs[:, 1]), ("oob_pair_auc()", aucs[:, 2])):
        bias = values - aucs[:, 0]
        rows.append(
            [name, mean_and_error(list(values)), mean_and_error(list(aucs[:, 0])), f"{bias.mean():+.4f}"]
            + [f"within {OOB_TARGET}", f"{np.abs(bias).mean():.4f}"]
        )
    print_table(["", "mean", "fresh rows", "difference of means", "target", "mean absolute difference"], rows)


def kemeny(experiments: list[Experiment], size: Size, threads: int) -> None:
    n_trees, n_seeds = size.n_kemeny, 2
    scored = f"mean test AUC, seconds to score {size.n_test}"
    print(f'All aggregations, with "kemeny": {n_trees} trees, {n_seeds} seeds; {scored}\n')
    rows = []
    for experiment in experiments:
        found: dict[str, list[tuple[float, float]]] = {how: [] for how in (*AGGREGATIONS, "kemeny")}
        for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
            train, test, _ = drawn(experiment, seed, size)
            forest = ranking_forest(n_trees, threads, seed).fit(train.X, train.y)
            for how, values in found.items():
                start = time.perf_counter()
                scores = forest.score_samples(test.X, aggregation=how)
                values.append((roc_auc_score(test.y, scores), time.perf_counter() - start))
        means = [np.mean(values, axis=0) for values in found.values()]
        rows.append([experiment.name, *(f"{auc:.4f} ({seconds:.2f} s)" for auc, seconds in means)])
    print_table(["", *AGGREGATIONS, "kemeny"], rows)


# ---- real sets


def run_real(
    folder: Path,
    names: list[str],
    repeats: int,
    models: dict[str, Callable[[], Any]],
    threads: int,
    results: Results,
    most_rows: int | None = None,
) -> None:
    names = present(folder, names)
    for repeat in range(repeats):
        for name in names:
            X, y = SETS[name].table(folder)
            if most_rows is not None and len(y) > most_rows:
                drawn = np.random.default_rng(repeat).permutation(len(y))[:most_rows]
                X, y = X.iloc[drawn], y[drawn]
            folds = StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y)
            for fold, (train, test) in enumerate(folds):
                for model, make in models.items():
                    if (name, str(repeat), str(fold), model) in results.done:
                        continue
                    start = time.perf_counter()
                    with threadpool_limits(threads):
                        scores = scores_of(make().fit(X.iloc[train], y[train]), X.iloc[test])
                    seconds = time.perf_counter() - start
                    tops = [*local_auc(y[test], scores, [0.05, 0.1]), *hit_ratio(y[test], scores, [0.05, 0.1])]
                    figures = [roc_auc_score(y[test], scores), *tops]
                    results.add(name, repeat, fold, model, *(f"{f:.6f}" for f in figures), f"{seconds:.3f}")


def print_real(results: Results, ours: str = OURS) -> None:
    """Tables of what is done: folds that all models have been through."""
    frame = results.frame()
    models = sorted(dict.fromkeys(frame["model"]), key=lambda name: name != ours)
    others = models[1:]
    fold = ["set", "repeat", "fold"]
    frame = frame[frame.groupby(fold)["model"].transform("count") == len(models)]
    if frame.empty:
        return
    n_folds = frame[frame["model"] == ours].groupby("set").size()
    names = [name for name in SIZES if name in n_folds.index]
    summary: dict[str, dict[str, float]] = {model: {} for model in models}
    for metric in METRICS:
        means = frame.pivot_table(index="set", columns="model", values=metric).loc[names, models]
        print(f"Real sets, {metric}: mean over the folds\n")
        rows = [[name, n_folds[name], *(f"{value:.4f}" for value in means.loc[name])] for name in names]
        ranks = means.round(6).rank(axis=1, ascending=False).mean()
        rows.append(["mean", "", *(f"{value:.4f}" for value in means.mean())])
        rows.append(["average rank", "", *(f"{value:.2f}" for value in ranks)])
        print_table(["", "folds", *models], rows)
        for model in models:
            summary[model][metric] = ranks[model]
            summary[model][f"{metric} won"] = int((means[ours] > means[model]).sum())
    print(f"Average rank among the {len(models)} over {len(names)} sets (sets on which we are better)\n")
    rows = [[ours, *(f"{summary[ours][metric]:.2f}" for metric in METRICS)]]
    rows += [
        [model, *(f"{summary[model][metric]:.2f} ({summary[model][f'{metric} won']})" for metric in METRICS)]
        for model in others
    ]
    print_table(["", *METRICS], rows)
    print("Seconds to fit and score, mean over the folds\n")
    seconds = frame.pivot_table(index="set", columns="model", values="seconds").loc[names, models]
    print_table(["", *models], [[name, *(f"{value:.1f}" for value in seconds.loc[name])] for name in names])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--part", choices=["artificial", "real"], help="only one of the two")
    options.add_argument("--data", type=Path, help="folder with the real sets")
    options.add_argument("--sets", nargs="+", choices=list(SIZES), default=list(SIZES), help="only these real sets")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 prints what --results holds")
    options.add_argument("--results", type=Path, help="CSV file of the folds that are done; goes on where it stopped")
    options.add_argument("--threads", type=int, default=2, help="threads of each model")
    args = options.parse_args()
    if args.quick and args.results:
        options.error("--quick has fewer trees, so its figures do not belong into a file of --results.")
    if not args.no_header:
        print_header()
    size, experiments = (QUICK, EXPERIMENTS[1:2]) if args.quick else (FULL, EXPERIMENTS)
    if args.part != "real":
        artificial(experiments, size, args.threads)
        kemeny(experiments, size, args.threads)
    if args.part == "artificial":
        return
    names = [name for name in args.sets if not args.quick or name in QUICK_SETS]
    repeats = args.repeats if args.repeats is not None else 1 if args.quick else 5
    results = Results(args.results, METRICS)
    with data_folder(args.data, quick=args.quick, beside=BESIDE) as folder:
        if folder is not None:
            run_real(folder, names, repeats, peers(size.n_trees, args.threads), args.threads, results)
            print_real(results)


if __name__ == "__main__":
    main()
