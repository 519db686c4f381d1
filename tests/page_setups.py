"""What the code of a page takes for granted: small data, and other names for what a test does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

# Machines that no test has: such a block is read, not run.
ELSEWHERE = ("SSHCluster", "KubeCluster")
# Where a page names a place of its own, a test takes one that it has.
PLACES = {
    'Client("scheduler:8786")': "Client(processes=False, dashboard_address=None)",
    'LocalCluster(n_workers=4, threads_per_worker=2, memory_limit="8GB")': (
        "LocalCluster(1, processes=False, dashboard_address=None)"
    ),
    'memory="8GB", folder="/scratch"': 'memory="8GB", folder="."',
}


def table(n: int = 240) -> dict[str, Any]:
    """Rows with numbers and words, two labels, weights, and a second sample."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "income": rng.normal(40, 10, 2 * n).round(1),
            "debt": rng.normal(10, 4, 2 * n).round(1),
            "unpaid": rng.poisson(1.0, 2 * n).astype(float),
            "grade": rng.choice(["A", "B", "C"], 2 * n),
        }
    )
    graded = X.grade.map({"A": 2.0, "B": 1.0, "C": 0.0})
    place = -0.05 * X.income + 0.1 * X.debt + 0.8 * X.unpaid + graded + rng.normal(size=2 * n)
    y = np.where(place > place.median(), "default", "paid")
    names = {"X": X[:n], "y": y[:n], "w": rng.uniform(0.5, 2, n), "X_new": X[n:], "X_test": X[n:], "y_test": y[n:]}
    return {**names, "X_other": X[n:], "y_other": y[n:], "row": X.iloc[0], "other": X.iloc[1]}


def numbers(n: int = 240) -> dict[str, Any]:
    """The same, numbers alone."""
    names = table(n)
    return {name: value.drop(columns="grade") if name.startswith("X") else value for name, value in names.items()}


def guide() -> dict[str, Any]:
    import rankforest
    from rankforest import Dyadic, RankScore, WeightedERM, plots

    names = {"RankScore": RankScore, "Dyadic": Dyadic, "WeightedERM": WeightedERM, "rankforest": rankforest}
    model = rankforest.TreeRank(pos_label="default").fit(table()["X"], table()["y"])
    score = model.score_samples(table()["X_test"])
    rankers = {"TreeRank": rankforest.TreeRank, "model": model, "score": score, "plot_tree": plots.plot_tree}
    return {**table(), **names, **rankers, "PruningDisplay": plots.PruningDisplay}


def groups() -> dict[str, Any]:
    import sklearn
    from sklearn import model_selection

    from rankforest import RankBoost, RankingForest

    rng = np.random.default_rng(1)
    kept = ("GridSearchCV", "GroupKFold", "PredefinedSplit", "TimeSeriesSplit", "cross_val_score")
    names = {name: getattr(model_selection, name) for name in kept}
    rows = {"customer": rng.integers(0, 60, 240), "day": np.arange(240) // 4, "region": rng.integers(0, 3, 240)}
    return {**numbers(), **rows, **names, "sklearn": sklearn, "RankBoost": RankBoost, "RankingForest": RankingForest}


def forest() -> dict[str, Any]:
    from sklearn.svm import SVC

    from rankforest import LeafRank

    return {**numbers(), "LeafRank": LeafRank, "SVC": SVC}


def boosting() -> dict[str, Any]:
    return {**numbers(160), "RankBoost": None}


def scorecard() -> dict[str, Any]:
    names = table()
    X = {
        name: names[name].rename(columns={"grade": "credit_history", "unpaid": "duration", "debt": "housing"})
        for name in ("X", "X_new", "X_test")
    }
    for frame in X.values():
        frame["credit_history"] = frame["credit_history"].replace("A", "critical")
    return {**names, **X, "x": X["X_test"].iloc[0], "other": X["X_test"].iloc[1]}


def export() -> dict[str, Any]:
    from rankforest import TreeRank

    return {"model": TreeRank().fit(table()["X"], table()["y"])}


def files() -> dict[str, Any]:
    """Parquet files in the folder, and a test file."""
    from pathlib import Path

    names = numbers(400)
    whole = names["X"].assign(target=names["y"], w=names["w"], id=np.arange(400))
    Path("folder").mkdir()
    for part in range(2):
        whole[part::2].to_parquet(f"folder/{part}.parquet")
    whole.to_parquet("test.parquet")
    return {}


def dask() -> dict[str, Any]:
    import dask.array as da
    import dask.dataframe as dd

    files()
    names = numbers(400)
    arrays = {
        "X": da.from_array(names["X"].to_numpy(), chunks=(200, 3)),
        "y": da.from_array(names["y"], chunks=200),
        "sample_weight": da.from_array(names["w"], chunks=200),
        "y_new": da.from_array(names["y_test"], chunks=200),
    }
    frame = names["X"].assign(target=names["y"], weight=names["w"])
    return {
        **arrays,
        "frame": dd.from_pandas(frame, npartitions=2),
        "X_new": dd.from_pandas(names["X_new"], npartitions=2),
    }


def top() -> dict[str, Any]:
    from rankforest import RankingForest, TreeRank
    from rankforest.data import simulate

    fresh = simulate.rf20(200, random_state=2)
    return {"X_test": fresh.X, "y_test": fresh.y, "RankingForest": RankingForest, "TreeRank": TreeRank}


def databases() -> dict[str, Any]:
    from pathlib import Path

    from rankforest.cli.demo import _write_data

    Path("demo").mkdir()
    _write_data("demo")
    return {}


SETUPS = {
    "boosting.md": boosting,
    "dask.md": dask,
    "databases.md": databases,
    "export.md": export,
    "forest.md": forest,
    "groups.md": groups,
    "guide.md": guide,
    "scorecard.md": scorecard,
    "top.md": top,
    "streams.md": files,
}
