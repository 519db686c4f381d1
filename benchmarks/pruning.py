"""The right size of a tree: what cross-validated pruning leaves of noise, what it does for the ranking, what it costs.

Claims: on pure noise (n = 1000, 8 features, 20 seeds) the median number of strata is at most 3 with `pruning="cv"`, and
the root is alone in at least 18 of 20 with "cv-1se". On the artificial sets of the Ranking Forests paper (n = 2000,
test 5000, 20 seeds) the test AUC with "cv" is at least .645 on RF10, .632 on RF20 and .838 on RF10 sparse. Pruning a
tree of about 1000 strata with 10 folds costs at most 12 times one fit, that is, one fit more than the folds and itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from _timing import interleaved, parser, print_header, print_table

from rankforest import TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc

N_TRAIN, N_TEST = 2000, 5000


@dataclass(frozen=True)
class Experiment:
    """An artificial set and the test AUC to reach with pruning."""

    name: str
    draw: Callable[..., simulate.Simulated]
    target: float


EXPERIMENTS = [
    Experiment("RF10", simulate.rf10, 0.645),
    Experiment("RF20", simulate.rf20, 0.632),
    Experiment("RF10 sparse", simulate.rf10_sparse, 0.838),
]


def noise(seed: int, n: int = 1000, q: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Labels that depend on nothing."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.permutation(np.arange(n) % 2)


def of_noise(n_seeds: int) -> None:
    print(f"Pure noise: n = 1000, 8 features, {n_seeds} seeds; strata\n")
    rows = []
    targets = {"none": "", "cv": "median <= 3", "cv-1se": "root alone >= 18 of 20", "structural": ""}
    for pruning, target in targets.items():
        sizes = []
        for seed in range(n_seeds):
            model = TreeRank(pruning=None if pruning == "none" else pruning, random_state=seed).fit(*noise(seed))
            sizes.append(model.tree_.n_leaves)
        rows.append([pruning, f"{np.median(sizes):g}", max(sizes), f"{sizes.count(1)} of {n_seeds}", target])
    print_table(["pruning", "median", "most", "root alone", "target"], rows)


def mean_and_error(values: list[float]) -> str:
    return f"{np.mean(values):.4f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.4f}"


def of_signal(n_seeds: int) -> None:
    print(
        f"Artificial sets: n = {N_TRAIN}, test {N_TEST}, {n_seeds} seeds; mean test AUC ± standard error, mean strata\n"
    )
    rows = []
    settings = (None, "cv", "cv-1se", "structural")
    for experiment in EXPERIMENTS:
        auc: dict[str | None, list[float]] = {pruning: [] for pruning in settings}
        leaves: dict[str | None, list[int]] = {pruning: [] for pruning in settings}
        for seed in range(n_seeds):
            rng = np.random.default_rng(seed)
            train, test = experiment.draw(N_TRAIN, rng), experiment.draw(N_TEST, rng)
            for pruning in settings:
                model = TreeRank(pruning=pruning, random_state=0).fit(train.X, train.y)
                auc[pruning].append(roc_auc(test.y, model.decision_function(test.X)))
                leaves[pruning].append(model.tree_.n_leaves)
        for pruning in settings:
            target = f">= {experiment.target:.3f}" if pruning == "cv" else ""
            size = f"{np.mean(leaves[pruning]):.0f}"
            rows.append([f"{experiment.name}, {pruning or 'none'}", mean_and_error(auc[pruning]), target, size])
    print_table(["set, pruning", "test AUC", "target", "strata"], rows)


def cost(n: int, repeats: int) -> None:
    sample = simulate.rf20(n, random_state=0)
    whole, pruned = (TreeRank(pruning=pruning, max_depth=11, random_state=0) for pruning in (None, "cv"))
    seconds = interleaved(
        {"fit": lambda: whole.fit(sample.X, sample.y), "pruned": lambda: pruned.fit(sample.X, sample.y)}, repeats
    )
    strata = pruned.grown_tree_.n_leaves
    print(f"Cost of 10 folds: RF20, n = {n:,}, {strata} strata before pruning, {pruned.tree_.n_leaves} after\n")
    fits = seconds["pruned"] / seconds["fit"]
    header = ["", "one fit (s)", "with pruning (s)", "in fits", "target"]
    print_table(header, [["10 folds", f"{seconds['fit']:.3f}", f"{seconds['pruned']:.3f}", f"{fits:.1f}", "<= 12"]])


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    n_seeds = 3 if args.quick else 20
    of_noise(n_seeds)
    of_signal(n_seeds)
    cost(20_000 if args.quick else 60_000, repeats=1 if args.quick else 5)


if __name__ == "__main__":
    main()
