"""The picture of the landing page and of the README: `python docs/figures/landing.py docs/images`."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from sklearn.datasets import load_breast_cancer

from rankforest import TreeRank
from rankforest.plots import plot_tree


def main() -> None:
    data = load_breast_cancer(as_frame=True)
    diagnosis = data.target.map({0: "malignant", 1: "benign"})
    model = TreeRank(max_leaf_nodes=5, size="readable", pos_label="malignant", random_state=0)
    display = plot_tree(model.fit(data.data, diagnosis))
    path = Path(sys.argv[1]) / "landing-tree.png"
    display.figure_.savefig(path, dpi=110, bbox_inches="tight")
    print(path)


if __name__ == "__main__":
    main()
