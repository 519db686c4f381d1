"""How many levels a tree of ordered labels needs: the synthetic set of the 2008 paper, its Figs. 2, 3 and 4.

Claim of the paper: the ranking tree needs fewer levels than the classification tree, because its first cuts go through
the middle, where those of the classification tree set apart small pure pieces at the border.

Per trial 50 000 training rows and 1000 test rows; the tree is grown once, and every depth is read off it.
`--figure FILE` draws the mean absolute error by depth, and the first cuts of both trees on 1000 rows.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from _timing import parser, print_header, print_table
from scipy.stats import t

from rankforest import OrdinalRankingTree
from rankforest.data import simulate
from rankforest.tree.ordinal_pruning import depth_path
from rankforest.tree.ordinal_tree import OrdinalTree

TREES = {"ranking": "ranking tree", "gini": "classification tree (Gini)", "ordinal_gini": "ordinal Gini"}
MOST_DEPTH = 12


def errors_by_depth(criterion: str, n_train: int, trial: int) -> list[float]:
    """Mean absolute error on 1000 fresh rows of the tree of depth 1, 2, ..."""
    train = simulate.ordinal_square(n_train, random_state=2 * trial)
    test = simulate.ordinal_square(1000, random_state=2 * trial + 1)
    model = OrdinalRankingTree(criterion, max_depth=MOST_DEPTH, pruning=None).fit(train.X, train.y)
    path = depth_path(model.tree_)
    errors = []
    for depth in range(1, MOST_DEPTH + 1):
        tree = path.prune(-depth)
        errors.append(float(np.abs(tree.levels[tree.leaf_median[tree.apply(test.X)]] - test.y).mean()))
    return errors


def first_cut(criterion: str, trial: int) -> tuple[int, float]:
    """Feature and place of the first cut of a tree on 1000 rows."""
    train = simulate.ordinal_square(1000, random_state=2 * trial)
    tree = OrdinalRankingTree(criterion, max_depth=1, pruning=None).fit(train.X, train.y).tree_
    return int(tree.feature[0]), float(tree.threshold[0])


def cuts_of(tree: OrdinalTree) -> list[tuple[int, tuple[float, float], tuple[float, float]]]:
    """(depth, ends) of every cut of a tree on the unit square."""
    lines = []
    open_nodes = [(0, 0, (0.0, 1.0), (0.0, 1.0))]
    while open_nodes:
        node, depth, *box = open_nodes.pop()
        if node < 0:
            continue
        axis, at = int(tree.feature[node]), float(tree.threshold[node])
        across = box[1 - axis]
        ends = ((at, at), across) if axis == 0 else (across, (at, at))
        lines.append((depth, *ends))
        low, high = list(box), list(box)
        low[axis], high[axis] = (box[axis][0], at), (at, box[axis][1])
        open_nodes += [(int(tree.left[node]), depth + 1, *low), (int(tree.right[node]), depth + 1, *high)]
    return lines


def draw(file: Path, found: dict[str, np.ndarray]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.5, 4.3), layout="constrained")
    curves, *squares = figure.subplots(1, 3, width_ratios=[1.15, 1, 1])
    styles = {"ranking": "o-", "gini": "s--", "ordinal_gini": "^:"}
    depths = np.arange(1, MOST_DEPTH + 1)
    for criterion, name in TREES.items():
        curves.plot(depths, found[criterion].mean(axis=0), styles[criterion], label=name, markersize=5)
    curves.set(xlabel="depth of the tree", ylabel="mean absolute error", title="Error by depth", xticks=depths)
    curves.legend(frameon=False)
    curves.grid(alpha=0.3)
    sample = simulate.ordinal_square(1000, random_state=0)
    for axes, criterion in zip(squares, ("gini", "ranking")):
        tree = OrdinalRankingTree(criterion, max_depth=3, pruning=None).fit(sample.X, sample.y).tree_
        points: Any = axes.scatter(*sample.X.T, c=sample.y, cmap="viridis", s=7, alpha=0.8, linewidths=0)
        for depth, x, y in cuts_of(tree):
            axes.plot(x, y, color="black", linewidth=(3.5, 1.8, 0.8)[depth])
        axes.set(title=f"First cuts: {TREES[criterion]}", xlim=(0, 1), ylim=(0, 1), xlabel="x1", ylabel="x2")
        axes.set_aspect("equal")
    figure.colorbar(points, ax=squares, label="label", ticks=range(1, 6), shrink=0.8)
    figure.savefig(file, dpi=110)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--figure", type=Path, help="file of the picture")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    n_trials, n_train = (3, 5000) if args.quick else (20, 50_000)
    found = {
        criterion: np.array([errors_by_depth(criterion, n_train, trial) for trial in range(n_trials)])
        for criterion in TREES
    }
    print(f"Mean absolute error by depth, {n_trials} trials of {n_train} rows, 95% intervals\n")
    rows = []
    for depth in range(MOST_DEPTH):
        cells = []
        for errors in found.values():
            reach = t.ppf(0.975, n_trials - 1) * errors[:, depth].std(ddof=1) / np.sqrt(n_trials)
            cells.append(f"{errors[:, depth].mean():.4f} +- {reach:.4f}")
        rows.append([depth + 1, *cells])
    print_table(["depth", *TREES.values()], rows)
    print("Place of the first cut on 1000 rows: distance from the middle of its side, mean over the trials\n")
    away = {c: [abs(first_cut(c, trial)[1] - 0.5) for trial in range(n_trials)] for c in TREES}
    print_table(["", "distance"], [[TREES[c], f"{np.mean(far):.3f}"] for c, far in away.items()])
    if args.figure:
        draw(args.figure, found)
        print(f"The picture is in {args.figure}.")


if __name__ == "__main__":
    main()
