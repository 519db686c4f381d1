"""How large should the two trees be? The complexity study of the TreeRank paper (2011, section 6.3, Figure 12).

Claim: of the paper's four settings of (strata of the master tree, leaves of the inner trees), at most (3, 3), at most
(15, 15), unlimited, and both cut back by 10-fold cross-validation, the last has the best mean test AUC.

The law is that of section 6.2, two normal laws conditioned on the unit square; 500 rows to learn from, 10 000 to test
on. The paper has one sample of each, here both are drawn 50 times. The inner trees of the first three settings keep
LeafRank's default floor, leaves of at least .02 of the balanced mass of their cell: without any floor an unlimited
inner tree separates its cell perfectly and nothing is left to rank, which is the row below the four.

With `--figure PATH`, the ROC curves of the four settings on the first sample are drawn beside the optimal one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from _experiments import FIRST_SEED, differences, mean_and_error, over_seeds
from _timing import parser, print_header, print_table
from sklearn.base import clone

from rankforest import LeafRank, Pruning, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc
from rankforest.plots import RocDisplay

# rows to learn from and to test on
SIZES, QUICK_SIZES = (500, 10_000), (100, 500)


@dataclass(frozen=True)
class Setting:
    """Sizes of the two trees, and the paper's AUC on its training and test sample."""

    name: str
    model: TreeRank
    paper: tuple[float, float] | None


def at_most(strata: int | None, leaves: int | None, **floor: float) -> TreeRank:
    inner = LeafRank(max_depth=None, max_leaf_nodes=leaves, **floor)
    return TreeRank(inner, max_depth=None, max_leaf_nodes=strata, random_state=0)


CROSS_VALIDATED = TreeRank(
    LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=10)),
    max_depth=None,
    pruning="cv",
    random_state=0,
)
SETTINGS = [
    Setting("(i) 3, 3", at_most(3, 3), (0.71, 0.67)),
    Setting("(ii) 15, 15", at_most(15, 15), (0.88, 0.67)),
    Setting("(iii) unlimited", at_most(None, None), (0.91, 0.66)),
    Setting("(iv) cross-validated", CROSS_VALIDATED, (0.75, 0.71)),
]
BESIDES = [Setting("unlimited, no floor", at_most(None, None, min_mass_leaf=0.0), None)]


def draw(seed: int, sizes: tuple[int, int] = SIZES) -> tuple[simulate.Simulated, simulate.Simulated]:
    rng = np.random.default_rng(seed)
    return simulate.conditional_gaussians(sizes[0], rng), simulate.conditional_gaussians(sizes[1], rng)


def replicate(sizes: tuple[int, int], seed: int) -> list[tuple[float, float, int]]:
    """Training AUC, test AUC and strata of every setting."""
    samples = draw(seed, sizes)
    train = samples[0]
    found = []
    for setting in SETTINGS + BESIDES:
        model = clone(setting.model).fit(train.X, train.y)
        learned, test = (roc_auc(sample.y, model.score_samples(sample.X)) for sample in samples)
        found.append((learned, test, model.tree_.n_leaves))
    return found


def study(n_seeds: int, sizes: tuple[int, int]) -> None:
    print(f"Conditional Gaussians: n = {sizes[0]}, test {sizes[1]:,}, {n_seeds} seeds; mean AUC ± standard error\n")
    found = over_seeds(partial(replicate, sizes), range(FIRST_SEED, FIRST_SEED + n_seeds))
    by_setting = [tuple(zip(*results)) for results in zip(*found)]
    chosen = by_setting[SETTINGS.index(next(s for s in SETTINGS if s.model is CROSS_VALIDATED))][1]
    rows = []
    for setting, (learned, test, strata) in zip(SETTINGS + BESIDES, by_setting):
        is_chosen = setting.model is CROSS_VALIDATED
        gap = "" if is_chosen else differences(chosen, test)
        target = "best of (i) to (iv)" if is_chosen else ""
        paper = [f"{auc:.2f}" for auc in setting.paper] if setting.paper else ["", ""]
        best = sum(test[k] == max(setting[1][k] for setting in by_setting[: len(SETTINGS)]) for k in range(n_seeds))
        row = [mean_and_error(test), target, gap, best, mean_and_error(learned), f"{np.mean(strata):.0f}", *paper[::-1]]
        rows.append([setting.name, *row])
    header = ["strata, leaves", "test AUC", "target", "(iv) is better by", "times best", "training AUC", "strata"]
    print_table([*header, "paper: test", "training"], rows)
    print(f"AUC* = {draw(FIRST_SEED)[0].auc_star:.4f}; the paper's optimal rule has .74 on its test sample.\n")


def draw_figure(path: Path) -> None:
    import matplotlib.pyplot as plt

    train, test = draw(FIRST_SEED)
    figure, axes = plt.subplots(figsize=(5.6, 5.6), layout="constrained")
    for setting in SETTINGS:
        model = clone(setting.model).fit(train.X, train.y)
        optimal = test.roc_star if setting is SETTINGS[-1] else None
        width = 2.4 if setting.model is CROSS_VALIDATED else 1.4
        RocDisplay.from_estimator(model, test.X, test.y, name=setting.name, optimal=optimal).plot(axes, linewidth=width)
    axes.set_title(
        "Conditional Gaussians, 500 rows learned, 10 000 tested;\nsize of the trees: strata, inner leaves", fontsize=11
    )
    figure.savefig(path, dpi=130)
    print(f"The ROC curves of the first sample are in {path}.\n")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--figure", type=Path, metavar="PATH", help="draw the ROC curves of the first sample here")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    study(2 if args.quick else 50, QUICK_SIZES if args.quick else SIZES)
    if args.figure is not None:
        draw_figure(args.figure)


if __name__ == "__main__":
    main()
