"""Ordered labels: how well trees and forests of them predict and rank, and how long a tree takes.

Claims. `OrdinalRankingForest()`, one setting for everything, has the best average rank in mean absolute error and in
C-index among a random forest classifier, a random forest regressor, LightGBM's regressor and mord's LogisticAT.
`OrdinalRankingTree()` is ahead of scikit-learn's DecisionTreeClassifier and DecisionTreeRegressor. Growing the single
tree on 100 000 rows, 20 features and 10 labels takes at most a fifth of the time of DecisionTreeClassifier.

On real sets: repeated 2-fold cross-validation, the same folds for all. Targets of regression sets are cut into 5 and
into 10 classes of equal frequency. A regressor predicts the label next to its value and ranks by the value itself; a
classifier ranks by the mean label of its probabilities, and for the random forest the median label is listed too.
Ordered categories (car) are coded by their order for all trees. Other categories are declared as such to our trees;
scikit-learn and LightGBM get their codes. LogisticAT gets one-hot columns beside standardised numbers. Pruned trees of
scikit-learn choose among 15 values of ccp_alpha by 5-fold cross-validation, as ours do.

If the package skordinal is installed (`pip install skordinal`; it is in no extra), the part of that name compares its
support vector machine for ordered labels, REDSVM, with the forests. It gets the columns of LogisticAT and chooses
its C by 3-fold cross-validation. Kernel machines take long, so it runs on the sets of at most 5000 rows.

The folder of the sets is given by `--data`; `--results FILE` keeps finished fits in a CSV file, so that an interrupted
run can be continued. The defaults of the forest were chosen on wine_red, abalone and boston_housing, on other
splits than those here.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _results import Results
from _stand_ins import data_folder
from _timing import interleaved, parser, peer, print_header, print_table, ratio
from sklearn.compose import ColumnTransformer, make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

from rankforest import OrdinalRankingForest, OrdinalRankingTree
from rankforest.metrics import concordance_index

METRICS = ("mean absolute error", "C-index")
SPEED_TARGET = 5.0

# categories of the features from the lowest to the highest, where they have an order
_CAR = {
    "buying": ("low", "med", "high", "vhigh"),
    "maint": ("low", "med", "high", "vhigh"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}


@dataclass(frozen=True)
class OrdinalSet:
    """A file of the data folder, and into how many classes its target is cut."""

    file: str
    n_classes: int | None = None
    order: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.file if self.n_classes is None else f"{self.file} {self.n_classes}"


SETS = [
    OrdinalSet("era"),
    OrdinalSet("lev"),
    OrdinalSet("wine_red"),
    OrdinalSet("car", order=("unacc", "acc", "good", "vgood")),
    *(
        OrdinalSet(file, n_classes)
        for file in ("boston_housing", "abalone", "computer_act", "california")
        for n_classes in (5, 10)
    ),
]
SMALL = ("era", "lev", "wine_red", "car", "boston_housing 5", "boston_housing 10")
QUICK = ("era", "car")
OF_KERNELS = (*SMALL, "abalone 5", "abalone 10")


def table_of(folder: Path, ordinal: OrdinalSet) -> tuple[pd.DataFrame, np.ndarray]:
    frame = pd.read_csv(
        folder / f"{ordinal.file}.csv.gz", na_values=["?"], dtype=str if ordinal.file == "car" else None
    )
    target = frame.pop("target")
    for name in frame.columns:
        if name in _CAR:
            frame[name] = pd.Categorical(frame[name], _CAR[name], ordered=True)
        elif not pd.api.types.is_numeric_dtype(frame[name]):
            frame[name] = frame[name].astype("category")
    if ordinal.order:
        target = target.map({label: i for i, label in enumerate(ordinal.order)})
    y = target.to_numpy(dtype=np.float64)
    if ordinal.n_classes is not None:
        edges = np.quantile(y, np.arange(1, ordinal.n_classes) / ordinal.n_classes)
        y = np.unique(np.searchsorted(np.unique(edges), y, side="right"), return_inverse=True)[1].astype(np.float64)
    return frame, y


# ---- models: each predicts labels and a score


Predictions = tuple[np.ndarray, np.ndarray]


def codes_of(X: pd.DataFrame, *, ordered_only: bool = False) -> pd.DataFrame:
    names = [name for name in X.select_dtypes("category") if X[name].cat.ordered or not ordered_only]
    return X.assign(**{name: X[name].cat.codes for name in names})


def nearest(labels: np.ndarray, values: np.ndarray) -> np.ndarray:
    return labels[np.abs(values[:, None] - labels).argmin(axis=1)]


def ours(make: Callable[[], Any], X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame) -> Predictions:
    model, other = make().fit(codes_of(X, ordered_only=True), y), codes_of(other, ordered_only=True)
    return model.predict(other), model.score_samples(other)


def classifier(
    make: Callable[[], Any], X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame, middle: bool = False
) -> Predictions:
    model = make().fit(codes_of(X), y)
    shares = model.predict_proba(codes_of(other))
    at = np.argmax(np.cumsum(shares, axis=1) >= 0.5 - 1e-12, axis=1) if middle else shares.argmax(axis=1)
    return model.classes_[at], shares @ model.classes_


def regressor(make: Callable[[], Any], X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame) -> Predictions:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of columns that LightGBM does not like
        values = (
            make().fit(codes_of(X).to_numpy(dtype=np.float64), y).predict(codes_of(other).to_numpy(dtype=np.float64))
        )
    return nearest(np.unique(y), values), values


def linear_columns() -> ColumnTransformer:
    """Standardised numbers and one-hot categories, for models that are not trees."""
    numbers, categories = make_column_selector(dtype_include="number"), make_column_selector(dtype_exclude="number")
    return make_column_transformer(
        (StandardScaler(), numbers), (OneHotEncoder(handle_unknown="ignore", sparse_output=False), categories)
    )


def logistic(X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame) -> Predictions:
    from mord import LogisticAT

    codes = np.unique(y, return_inverse=True)
    model = make_pipeline(linear_columns(), LogisticAT()).fit(X, codes[1])
    values = model[:-1].transform(other) @ model[-1].coef_
    return codes[0][model.predict(other)], values


def support_vectors(X: pd.DataFrame, y: np.ndarray, other: pd.DataFrame) -> Predictions:
    from skordinal.classifiers import REDSVM

    labels, codes = np.unique(y, return_inverse=True)
    columns = linear_columns().fit(X)
    search = GridSearchCV(REDSVM(), {"C": [0.1, 1.0, 10.0]}, scoring="neg_mean_absolute_error", cv=3)
    model = search.fit(columns.transform(X), codes).best_estimator_
    rows = columns.transform(other)
    return labels[model.predict(rows)], model.predict_projection(rows)


def pruned(tree: Any, scoring: str) -> GridSearchCV:
    """A tree of scikit-learn whose size is chosen as ours is: 15 complexities, 5 folds."""
    alphas = np.append(0.0, np.geomspace(1e-5, 3e-2, 14))
    return GridSearchCV(tree, {"ccp_alpha": alphas}, scoring=scoring, cv=5)


def models(n_trees: int, threads: int) -> dict[str, Callable[..., Predictions]]:
    lightgbm = peer("lightgbm")
    forest = partial(RandomForestClassifier, n_trees, n_jobs=threads, random_state=0)
    regression = partial(RandomForestRegressor, n_trees, n_jobs=threads, random_state=0)
    boosting = partial(lightgbm.LGBMRegressor, n_jobs=threads, random_state=0, verbose=-1) if lightgbm else None
    found: dict[str, Callable[..., Predictions]] = {
        "OrdinalRankingForest": partial(ours, partial(OrdinalRankingForest, n_trees, n_jobs=threads, random_state=0)),
        "RF classifier": partial(classifier, forest),
        "RF regressor": partial(regressor, regression),
        **({"LightGBM regressor": partial(regressor, boosting)} if boosting else {}),
        **({"LogisticAT": logistic} if peer("mord") else {}),
        "RF classifier, median": partial(classifier, forest, middle=True),
    }
    return found


def with_skordinal(forests: dict[str, Callable[..., Predictions]]) -> dict[str, Callable[..., Predictions]]:
    """REDSVM among those that are ranked; the last of the forests is not."""
    *ranked, last = forests.items()
    return dict([*ranked, ("REDSVM", support_vectors), last])


def tree_models() -> dict[str, Callable[..., Predictions]]:
    error = "neg_mean_absolute_error"
    return {
        "OrdinalRankingTree": partial(ours, partial(OrdinalRankingTree, random_state=0)),
        "DecisionTreeClassifier": partial(classifier, partial(DecisionTreeClassifier, random_state=0)),
        "DecisionTreeRegressor": partial(regressor, partial(DecisionTreeRegressor, random_state=0)),
        "ours, not pruned": partial(ours, partial(OrdinalRankingTree, pruning=None, random_state=0)),
        "classifier, pruned": partial(classifier, partial(pruned, DecisionTreeClassifier(random_state=0), error)),
        "regressor, pruned": partial(regressor, partial(pruned, DecisionTreeRegressor(random_state=0), error)),
    }


# ---- runs


def run(
    folder: Path,
    names: list[str],
    repeats: int,
    chosen: dict[str, Callable[..., Predictions]],
    threads: int,
    out: Results,
) -> None:
    for repeat in range(repeats):
        for ordinal in SETS:
            if ordinal.name not in names or not (folder / f"{ordinal.file}.csv.gz").exists():
                continue
            X, y = table_of(folder, ordinal)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a label with one row
                folds = list(StratifiedKFold(2, shuffle=True, random_state=repeat).split(X, y))
            for fold, (train, test) in enumerate(folds):
                for model, predict in chosen.items():
                    if (ordinal.name, str(repeat), str(fold), model) in out.done:
                        continue
                    start = time.perf_counter()
                    with threadpool_limits(threads):
                        labels, scores = predict(X.iloc[train], y[train], X.iloc[test])
                    seconds = time.perf_counter() - start
                    error = float(np.abs(labels - y[test]).mean())
                    index = concordance_index(y[test], scores)
                    out.add(ordinal.name, repeat, fold, model, f"{error:.6f}", f"{index:.6f}", f"{seconds:.3f}")


def report(out: Results, chosen: list[str], title: str, ranked: int) -> None:
    """Tables of the folds that all models have been through; the first `ranked` models are ranked."""
    frame = out.frame()
    frame = frame[frame["model"].isin(chosen)]
    frame = frame[frame.groupby(["set", "repeat", "fold"])["model"].transform("count") == len(chosen)]
    if frame.empty:
        return
    names = [ordinal.name for ordinal in SETS if ordinal.name in set(frame["set"])]
    n_folds = frame[frame["model"] == chosen[0]].groupby("set").size()
    for metric, best_is_low in zip(METRICS, (True, False)):
        means = frame.pivot_table(index="set", columns="model", values=metric).loc[names, chosen]
        ranks = means[chosen[:ranked]].round(6).rank(axis=1, ascending=best_is_low).mean()
        print(f"{title}, {metric}: mean over the folds\n")
        rows = [[name, n_folds[name], *(f"{value:.4f}" for value in means.loc[name])] for name in names]
        rows.append(["mean", "", *(f"{value:.4f}" for value in means.mean())])
        rows.append(["average rank", "", *(f"{ranks[m]:.2f}" if m in ranks else "" for m in chosen)])
        print_table(["", "folds", *chosen], rows)
    seconds = frame.pivot_table(index="set", columns="model", values="seconds").loc[names, chosen]
    print(f"{title}: seconds to fit and predict, mean over the folds\n")
    print_table(["", *chosen], [[name, *(f"{value:.2f}" for value in seconds.loc[name])] for name in names])


def speed(n: int, repeats: int) -> None:
    """One tree, one thread, 20 features, 10 labels; binning is counted to ours."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    value = X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6] + rng.normal(size=n)
    y = np.searchsorted(np.quantile(value, np.arange(1, 10) / 10), value)
    rows = []
    for depth in (8, None):
        tasks: dict[str, Callable[[], Any]] = {
            f"ours, {criterion}": partial(OrdinalRankingTree(criterion, max_depth=depth, pruning=None).fit, X, y)
            for criterion in ("ordinal_gini", "ranking", "weighted_information_gain", "gini")
        }
        tasks["ours, pruned (5 folds)"] = partial(OrdinalRankingTree(max_depth=depth).fit, X, y)
        tasks["DecisionTreeClassifier"] = partial(DecisionTreeClassifier(max_depth=depth, random_state=0).fit, X, y)
        tasks["DecisionTreeRegressor"] = partial(DecisionTreeRegressor(max_depth=depth, random_state=0).fit, X, y)
        least = interleaved(tasks, repeats)
        peer = least["DecisionTreeClassifier"]
        for name, seconds in least.items():
            target = SPEED_TARGET if name == "ours, ordinal_gini" else None
            rows.append([name, "none" if depth is None else depth, f"{seconds:.3f}", ratio(peer / seconds, target)])
    print(f"One tree, {n} rows, 20 features, 10 labels, one thread\n")
    print_table(["", "max_depth", "seconds", "times as fast as DecisionTreeClassifier"], rows)


def main() -> None:
    options = parser(__doc__)
    parts = ["speed", "trees", "forests", "skordinal"]
    options.add_argument("--part", nargs="+", choices=parts, default=parts, help="only these parts")
    options.add_argument("--data", type=Path, help="folder with the real sets")
    names = [ordinal.name for ordinal in SETS]
    options.add_argument("--sets", nargs="+", choices=names, default=names, help="only these sets")
    options.add_argument("--repeats", type=int, help="times 2-fold cross-validation; 0 prints what --results holds")
    options.add_argument("--results", type=Path, help="CSV file of the folds that are done; goes on where it stopped")
    options.add_argument("--trees", type=int, help="trees of a forest")
    options.add_argument("--threads", type=int, default=2, help="threads of each model")
    args = options.parse_args()
    if args.quick and args.results:
        options.error("--quick has fewer trees, so its figures do not belong into a file of --results.")
    if not args.no_header:
        print_header()
    if "speed" in args.part:
        speed(1_000 if args.quick else 100_000, 1 if args.quick else 3)
    with data_folder(args.data, quick=args.quick) as folder:
        if folder is not None:
            real_sets(folder, args)


def real_sets(folder: Path, args: argparse.Namespace) -> None:
    """Compare trees with trees, forests with forests, and REDSVM if it is installed."""
    chosen = [name for name in args.sets if not args.quick or name in QUICK]
    repeats = args.repeats if args.repeats is not None else 1 if args.quick else 5
    n_trees = args.trees or (10 if args.quick else 500)
    results = Results(args.results, METRICS)
    forests = models(n_trees, args.threads)
    for part, found, ranked in (("trees", tree_models(), 3), ("forests", forests, 5)):
        if part in args.part:
            run(folder, chosen, repeats, found, args.threads, results)
            report(results, list(found), part.capitalize(), ranked)
    if "skordinal" in args.part:
        if importlib.util.find_spec("skordinal") is None:
            print("The package skordinal is not installed: its machine is left out.\n")
            return
        chosen, found = [name for name in chosen if name in OF_KERNELS], with_skordinal(forests)
        run(folder, chosen, repeats, found, args.threads, results)
        report(results, list(found), "Forests and REDSVM", 6)


if __name__ == "__main__":
    main()
