"""The figures, texts and pictures of docs/readable.md: python scripts/readable_page.py DATA [--images docs/images].

DATA is a folder with taiwan_default.csv.gz. The first 7000 rows of a permutation with seed 0 are fitted, the others
measured.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from rankforest import RankBoost, RankingForest, RankScore, TreeRank
from rankforest.metrics import auc_interval
from rankforest.plots import RocDisplay, ShapesDisplay, plot_tree

N_FITTED = 7000


def models() -> dict[str, Any]:
    return {
        "TreeRank()": TreeRank(),
        "TreeRank(oblique=True)": TreeRank(oblique=True),
        "RankScore(max_steps=4, tolerance=0.005)": RankScore(max_steps=4, tolerance=0.005, random_state=0),
        'TreeRank(size="best")': TreeRank(size="best"),
        "RankScore()": RankScore(random_state=0),
        "RankScore(pairs=3)": RankScore(pairs=3, random_state=0),
        "RankingForest()": RankingForest(random_state=0),
        "RankBoost()": RankBoost(random_state=0),
    }


def rows(folder: Path) -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]:
    table = pd.read_csv(folder / "taiwan_default.csv.gz").rename(columns={"PAY_0": "PAY_1"})
    order = np.random.default_rng(0).permutation(len(table))
    y, X = table["target"].to_numpy(), table.drop(columns="target")
    fitted, others = order[:N_FITTED], order[N_FITTED:]
    return X.iloc[fitted], y[fitted], X.iloc[others], y[others]


def worst_tenth(y: np.ndarray, score: np.ndarray) -> float:
    """Share of the defaults among the tenth with the highest scores; rows of one score share what is left."""
    best = len(y) / 10
    found = taken = 0.0
    for value in np.unique(score)[::-1]:
        here = score == value
        part = min(1.0, (best - taken) / here.sum())
        found += part * y[here].sum()
        taken += part * here.sum()
        if taken >= best:
            break
    return float(found / y.sum())


def size_of(model: Any) -> str:
    if isinstance(model, TreeRank):
        return f"{model.tree_.n_leaves} groups"
    if isinstance(model, RankScore):
        card = model.card_
        return f"{model.export_text().splitlines()[0]}; {len(model.table())} steps; {len(card.terms)} terms"
    return ""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("data", type=Path)
    options.add_argument("--images", type=Path)
    given = options.parse_args()
    X, y, X_test, y_test = rows(given.data)
    fitted: dict[str, Any] = {}
    for name, model in models().items():
        fitted[name] = model.fit(X, y)
        score = model.score_samples(X_test)
        auc = auc_interval(y_test, score)
        figures = f"{auc.estimate:.3f} ({auc.low:.3f} to {auc.high:.3f}), {worst_tenth(y_test, score):.1%}"
        print(f"{name}: {figures}; {size_of(model)}", flush=True)
    tree, card = fitted["TreeRank()"], fitted["RankScore(max_steps=4, tolerance=0.005)"]
    print(tree.strata().rules(), fitted["TreeRank(oblique=True)"].strata().rules(), card.export_text(), sep="\n\n")
    late = X_test[(X_test["PAY_1"] == 2) & (X_test["PAY_3"] == 0) & (X_test["LIMIT_BAL"] == 500_000)].iloc[0]
    print(tree.path_of(late), card.points_of(late), sep="\n\n")
    if given.images is not None:
        pictures(given.images, fitted, X_test, y_test)


def pictures(folder: Path, fitted: dict[str, Any], X: pd.DataFrame, y: np.ndarray) -> None:
    tree, card = fitted["TreeRank()"], fitted["RankScore(max_steps=4, tolerance=0.005)"]
    plot_tree(tree)
    plt.savefig(folder / "readable-tree.png", dpi=100, bbox_inches="tight")
    _, axes = plt.subplots(figsize=(6, 5))
    for name in ("RankingForest()", "RankScore()", "TreeRank()"):
        RocDisplay.from_predictions(y, fitted[name].score_samples(X), name=name).plot(ax=axes)
    plt.savefig(folder / "readable-roc.png", dpi=100, bbox_inches="tight")
    ShapesDisplay.from_estimator(card).plot(max_features=6)
    plt.savefig(folder / "readable-card.png", dpi=100, bbox_inches="tight")


if __name__ == "__main__":
    main()
