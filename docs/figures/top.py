"""The top of the list in four figures: local area, local AUC by share, capture and lift, and a pitfall of partial AUC.

The data is RF 20 with most positives left out, so one row in ten is positive and the optimal ranking is known. The
argument is the folder for the figures; `docs/top.md` shows those of `python docs/figures/top.py docs/images`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

from rankforest import RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.metrics import control_point, local_auc, partial_auc
from rankforest.plots import GainsDisplay, LocalAucDisplay, LocalRocDisplay

MODELS = {
    "RankingForest": RankingForest(200, random_state=0),
    "logistic regression": LogisticRegression(),
    "TreeRank": TreeRank(max_depth=6),
}

# Four kinds of rows, equally frequent, and their probabilities of being positive.
KINDS = np.array(["A", "B", "C", "D"])
ETA = np.array([0.9, 0.6, 0.4, 0.1])


def rare_positives(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """RF 20 with every ninth positive kept: the class distributions and the optimal ROC curve stay the same."""
    sample = simulate.rf20(n, random_state=seed)
    kept = (sample.y == -1) | (np.cumsum(sample.y == 1) % 9 == 0)
    return sample.X[kept], sample.y[kept]


def scores() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels of a test sample, and the scores of each model."""
    X, y = rare_positives(6000, seed=0)
    X_test, y_test = rare_positives(40_000, seed=1)
    return y_test, {name: model.fit(X, y).score_samples(X_test) for name, model in MODELS.items()}


def local_area(y: np.ndarray, by_model: dict[str, np.ndarray]) -> plt.Figure:
    display = LocalRocDisplay.from_predictions(y, by_model["RankingForest"], 0.2, name="RankingForest").plot()
    display.ax_.set_title("The local area: PartAUC (dark) and β (1 − α) (light)", fontsize=11)
    return display.figure_


def by_share(y: np.ndarray, by_model: dict[str, np.ndarray]) -> plt.Figure:
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    optimal = simulate.rf20(1).roc_star
    for name, score in by_model.items():
        LocalAucDisplay.from_predictions(y, score, name=name, optimal=optimal).plot(axes[0])
        first = np.linspace(0.005, 0.3, 60)
        LocalAucDisplay.from_predictions(y, score, first, name=name, optimal=optimal).plot(axes[1], relative=True)
    return figure


def gains(y: np.ndarray, by_model: dict[str, np.ndarray]) -> plt.Figure:
    figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for name, score in by_model.items():
        display = GainsDisplay.from_predictions(y, score, name=name)
        display.plot(axes[0], kind="capture")
        display.plot(axes[1], kind="lift")
    return figure


def trap() -> plt.Figure:
    """An example in which partial AUC prefers the worse order."""
    u = 0.5
    y, weight = np.repeat([1, 0], 4), np.append(ETA, 1 - ETA)
    figure, axes = plt.subplots(1, 2, figsize=(10.4, 5.6), layout="constrained")
    print("order  alpha   beta    PartAUC  LocAUC")
    for ax, order in zip(axes, ("ABCD", "ACBD")):
        place = np.array([-order.index(kind) for kind in KINDS])
        score = np.append(place, place)
        LocalRocDisplay.from_predictions(y, score, u, sample_weight=weight).plot(ax)
        area, part = (metric(y, score, u, sample_weight=weight) for metric in (local_auc, partial_auc))
        alpha, beta = control_point(y, score, u, sample_weight=weight)
        print(f"{order}   {alpha:.4f}  {beta:.4f}  {part:.4f}   {area:.4f}")
        kind = "the best order" if order == "ABCD" else "B and C confused"
        ax.set_title(f"{', '.join(order)}: {kind}\nPartAUC = {part:.3f} (dark), LocAUC = {area:.3f}", fontsize=11)
    return figure


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "demo"
    folder.mkdir(exist_ok=True)
    y, by_model = scores()
    pictures = {
        "top-area": local_area(y, by_model),
        "top-by-share": by_share(y, by_model),
        "top-gains": gains(y, by_model),
        "top-trap": trap(),
    }
    for name, figure in pictures.items():
        figure.savefig(folder / f"{name}.png", dpi=110)
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
