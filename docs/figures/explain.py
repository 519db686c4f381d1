"""Reasons that add up in three figures: all rows, one row, and two rows.

A forest ranks the tumours of scikit-learn's breast cancer data. The argument is the folder for the figures;
`docs/explain.md` shows those of `python docs/figures/explain.py docs/images`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from rankforest import RankingForest
from rankforest.plots import BeeswarmDisplay, WaterfallDisplay


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "demo"
    folder.mkdir(exist_ok=True)
    data = load_breast_cancer(as_frame=True)
    diagnosis = np.where(data.target == 0, "malignant", "benign")
    X_train, X_test, y_train, _ = train_test_split(
        data.data, diagnosis, test_size=0.4, stratify=diagnosis, random_state=0
    )
    model = RankingForest(200, pos_label="malignant", random_state=0).fit(X_train, y_train)
    found = model.explain(X_test, background=X_train[:100])
    pair = model.why(X_test.iloc[3], X_test.iloc[17])
    pictures = {
        "explain-swarm": BeeswarmDisplay.from_explanation(found).plot(),
        "explain-row": WaterfallDisplay.from_explanation(found[17], name="row 18").plot(max_features=8),
        "explain-pair": WaterfallDisplay.from_comparison(pair, names=("row 4", "row 18")).plot(max_features=8),
    }
    for name, display in pictures.items():
        display.figure_.savefig(folder / f"{name}.png", dpi=110)
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
