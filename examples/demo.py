"""The main job on two data sets: fit a ranking tree and a ranking forest, say how well they rank, show why."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from rankforest import LeafRank, RankingForest, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc
from rankforest.plots import RocDisplay

FOLDER = Path(__file__).resolve().parent.parent / "demo"


def breast_cancer(axes: plt.Axes) -> None:
    data = load_breast_cancer()
    table = pa.table({str(name): column for name, column in zip(data.feature_names, data.data.T)})
    labels = data.target_names[data.target]
    train, test = train_test_split(np.arange(len(labels)), test_size=0.4, stratify=labels, random_state=0)
    X_train, X_test, y_train, y_test = table.take(train), table.take(test), labels[train], labels[test]
    model = TreeRank(LeafRank(max_depth=2, min_mass_leaf=0.05), max_depth=3, pos_label="malignant").fit(
        X_train, y_train
    )
    score = model.decision_function(X_test)

    print("Breast cancer: which tumours to look at first (569 patients, 30 measurements)\n")
    print(f"{model}\ntest AUC {roc_auc(y_test, score, pos_label='malignant'):.3f}\n")
    print(f"The strata, best first, on the training sample:\n\n{model.strata()}\n")
    print(f"The tree:\n\n{model.export_text(max_depth=2, max_alternatives=3)}\n")
    important = sorted(zip(model.feature_importances_, model.feature_names_in_), reverse=True)[:5]
    print("Most important: " + ", ".join(f"{name} ({value:.0%})" for value, name in important) + "\n")
    forest = RankingForest(200, pos_label="malignant", random_state=0).fit(X_train, y_train)
    of_forest = forest.decision_function(X_test)
    print(f"{forest}\ntest AUC {roc_auc(y_test, of_forest, pos_label='malignant'):.3f}\n\n{forest.describe()}\n")
    for name, scored in (("RankingForest", of_forest), ("TreeRank", score)):
        RocDisplay.from_predictions(y_test, scored, pos_label="malignant", name=name).plot(axes)
    axes.set_title("Breast cancer, test sample")


def gaussian(axes: plt.Axes) -> None:
    train, test = simulate.rf20(2000, random_state=0), simulate.rf20(5000, random_state=1)
    model = TreeRank().fit(train.X, train.y)
    score = model.decision_function(test.X)

    print("RF 20: two Gaussian classes in dimension 20, where the best possible ranking is known\n")
    print(f"{model}\ntest AUC {roc_auc(test.y, score):.3f}, best possible {test.auc_star:.3f}; {model.tree_}\n")
    forest = RankingForest(200, random_state=0).fit(train.X, train.y)
    of_forest = forest.decision_function(test.X)
    print(f"{forest}\ntest AUC {roc_auc(test.y, of_forest):.3f}, out of bag {forest.oob_auc_:.3f}\n")
    RocDisplay.from_predictions(test.y, of_forest, name="RankingForest").plot(axes)
    RocDisplay.from_predictions(test.y, score, name="TreeRank", optimal=test.roc_star).plot(axes)
    axes.set_title("RF 20, test sample")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5.5), layout="constrained")
    breast_cancer(left)
    gaussian(right)
    picture = FOLDER / "roc.png"
    figure.savefig(picture, dpi=120)
    print(f"ROC curves: {picture}")
