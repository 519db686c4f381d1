"""Cross-validated pruning: size of the trees on noise, test AUC, and time.

Claims: on the artificial sets of the Ranking Forests paper (n = 2000, test 5000, 20 seeds) the test AUC of
`TreeRank(pruning="cv")` is at least .645 on RF10, .632 on RF20 and .838 on RF10 sparse; cut by an RBF support vector
machine, `TreeRank(SVC(), max_depth=4)`, it is at least .715 on RF10 and .735 on RF20. On pure noise (n = 1000, 8
features, 20 seeds) the median number of strata is at most 3 with "cv", and the root is alone in at least 18 of 20 with
"cv-1se". Pruning a tree of about 1000 strata with 10 folds costs at most 12 times one fit, that is, one fit more than
the folds and itself. This is measured in processor time: the folds take long and cannot be repeated until the
machine is idle, and wall-clock time, which is printed too, depends on the other processes.

Goals of speed, on RF20 with two threads: `TreeRank(pruning="cv")` takes at most .3 s with 2000 rows, and at most 20
times as long as the plain tree, `TreeRank(LeafRank())`, with 100 000 rows. It grows 11 trees, and in each of their
cells 11 inner trees.

A pruned tree without a given rule prunes its inner trees too. This rule, "pruned", is compared with
`LeafRank()`. The peers are a scikit-learn tree with cost-complexity pruning chosen by 10-fold cross-validated AUC, and
the decision function of the support vector machine itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from _experiments import FIRST_SEED, mean_and_error, over_seeds
from _timing import parser, print_header, print_table
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from rankforest import LeafRank, Pruning, TreeRank
from rankforest.data import simulate
from rankforest.metrics import roc_auc

Sizes = tuple[int, int]
SIZES, QUICK_SIZES = (2000, 5000), (200, 500)  # rows to learn from and to test on
N_NOISE, QUICK_NOISE = 1000, 100
MORE_NOISE = 100
SVC_DEPTH = 4
PRUNED = LeafRank(max_depth=None, min_mass_leaf=0.01, pruning=Pruning("cv", n_folds=10))
# splitter=None is that rule wherever the master tree is pruned
RULES: dict[str, LeafRank | None] = {"pruned": None, "LeafRank()": LeafRank()}
PEER = "scikit-learn, ccp by cv"


@dataclass(frozen=True)
class Experiment:
    """An artificial set and the test AUC to reach: with pruning, and with a support vector machine as rule."""

    name: str
    draw: Callable[..., simulate.Simulated]
    target: float
    target_svc: float | None


EXPERIMENTS = [
    Experiment("RF10", simulate.rf10, 0.645, 0.715),
    Experiment("RF20", simulate.rf20, 0.632, 0.735),
    Experiment("RF10 sparse", simulate.rf10_sparse, 0.838, None),
]


def prunings(splitter: LeafRank | None, X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """The four sizes of a tree. One fit with "cv" has three: as it was grown, the best, and the one-standard-error."""
    crossed = TreeRank(splitter, pruning="cv", random_state=0).fit(X, y)
    return {
        "cv": crossed.tree_,
        "cv-1se": crossed.pruning_.prune(one_standard_error=True),
        "structural": TreeRank(splitter, pruning="structural", random_state=0).fit(X, y).tree_,
        "none": crossed.grown_tree_,
    }


def scikit_learn_pruned(X: np.ndarray, y: np.ndarray) -> DecisionTreeClassifier:
    """A tree with the ccp_alpha that has the best cross-validated AUC, of about 8 that are spread over its path."""
    tree = DecisionTreeClassifier(random_state=0)
    alphas = tree.cost_complexity_pruning_path(X, y).ccp_alphas[::-1]  # from the root on
    steps = np.unique(np.geomspace(1, len(alphas) - 1, 9).astype(int))
    between = np.sqrt(np.maximum(alphas[steps], 0) * np.maximum(alphas[steps - 1], 0))
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    return GridSearchCV(tree, {"ccp_alpha": between}, scoring="roc_auc", cv=folds).fit(X, y).best_estimator_


def draw(experiment: Experiment, sizes: Sizes, seed: int) -> tuple[simulate.Simulated, simulate.Simulated]:
    rng = np.random.default_rng(seed)
    return experiment.draw(sizes[0], rng), experiment.draw(sizes[1], rng)


def pruned_trees(experiment: Experiment, sizes: Sizes, seed: int) -> dict[tuple[str, str], tuple[float, int]]:
    """Test AUC and leaves of every rule and pruning, and of the peer."""
    train, test = draw(experiment, sizes, seed)
    found = {}
    for rule, splitter in RULES.items():
        for pruning, tree in prunings(splitter, train.X, train.y).items():
            found[rule, pruning] = (roc_auc(test.y, tree.leaf_score[tree.apply(test.X)]), tree.n_leaves)
    peer = scikit_learn_pruned(train.X, train.y)
    found[PEER, ""] = (float(roc_auc_score(test.y, peer.predict_proba(test.X)[:, 1])), peer.get_n_leaves())
    return found


def of_signal(experiments: list[Experiment], sizes: Sizes, n_seeds: int) -> None:
    rows_and_seeds = f"n = {sizes[0]}, test {sizes[1]}, {n_seeds} seeds"
    print(f"Artificial sets: {rows_and_seeds}; mean test AUC ± standard error, mean leaves\n")
    rows = []
    for experiment in experiments:
        found = over_seeds(partial(pruned_trees, experiment, sizes), range(FIRST_SEED, FIRST_SEED + n_seeds))
        for key in found[0]:
            auc, leaves = zip(*(each[key] for each in found))
            target = f">= {experiment.target:.3f}" if key == ("pruned", "cv") else ""
            rows.append([experiment.name, *key, mean_and_error(auc), target, f"{np.mean(leaves):.0f}"])
    print_table(["set", "rule", "pruning", "test AUC", "target", "leaves"], rows)


def cut_by_svc(experiment: Experiment, sizes: Sizes, seed: int) -> tuple[float, float, int]:
    """Test AUC of the tree and of the machine itself, and the strata."""
    train, test = draw(experiment, sizes, seed)
    tree = TreeRank(SVC(), max_depth=SVC_DEPTH, random_state=0).fit(train.X, train.y)
    plain = SVC().fit(train.X, train.y)
    scores = (tree.score_samples(test.X), plain.decision_function(test.X))
    return *(roc_auc(test.y, score) for score in scores), tree.tree_.n_leaves


def of_svc(experiments: list[Experiment], sizes: Sizes, n_seeds: int) -> None:
    print(f"A support vector machine as rule: the same sets and seeds, max_depth={SVC_DEPTH}, no pruning\n")
    rows = []
    for experiment in experiments:
        found = over_seeds(partial(cut_by_svc, experiment, sizes), range(FIRST_SEED, FIRST_SEED + n_seeds))
        ours, theirs, strata = zip(*found)
        target = f">= {experiment.target_svc:.3f}" if experiment.target_svc else ""
        rows.append([experiment.name, mean_and_error(ours), target, mean_and_error(theirs), f"{np.mean(strata):.0f}"])
    print_table(["", "TreeRank(SVC())", "target", "SVC() alone", "strata"], rows)


def noise(seed: int, n: int, q: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Labels that depend on nothing."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)), rng.permutation(np.arange(n) % 2)


def strata_of_noise(rule: str, n: int, seed: int) -> dict[str, int]:
    return {pruning: tree.n_leaves for pruning, tree in prunings(RULES[rule], *noise(seed, n)).items()}


def strata_left(n: int, seed: int) -> int:
    return TreeRank(pruning="cv-1se", random_state=0).fit(*noise(seed, n)).tree_.n_leaves


def of_noise(n: int, n_seeds: int, n_more: int) -> None:
    print(f"Pure noise: n = {n}, 8 features, {n_seeds} seeds; strata\n")
    rows = []
    targets = {"cv": "median <= 3", "cv-1se": "root alone >= 18 of 20"}
    further = FIRST_SEED + n_seeds
    for rule in RULES:
        found = over_seeds(partial(strata_of_noise, rule, n), range(FIRST_SEED, further))
        for pruning in found[0]:
            sizes = [each[pruning] for each in found]
            target = targets.get(pruning, "") if rule == "pruned" else ""
            alone = f"{sizes.count(1)} of {n_seeds}"
            rows.append([rule, pruning, f"{np.median(sizes):g}", max(sizes), alone, target])
    print_table(["rule", "pruning", "median", "most", "root alone", "target"], rows)
    sizes = over_seeds(partial(strata_left, n), range(further, further + n_more))
    print(f'"cv-1se" on {n_more} further seeds: the root is alone in {sizes.count(1)}, {max(sizes)} strata at most.\n')


def clocks(task: Callable[[], Any]) -> np.ndarray:
    """Seconds of one task: of the processor, and on the wall."""
    start = np.array([time.process_time(), time.perf_counter()])
    task()
    return np.array([time.process_time(), time.perf_counter()]) - start


def fits(splitter: LeafRank | None, n: int, max_depth: int, repeats: int) -> list[str]:
    """Cost of 10 folds compared with one fit of the same rule, which is timed before and after."""
    sample = simulate.rf20(n, random_state=0)
    pruned = TreeRank(splitter, pruning="cv", max_depth=max_depth, random_state=0)
    whole = TreeRank(splitter or PRUNED, max_depth=max_depth, random_state=0)
    turns = [
        [clocks(partial(model.fit, sample.X, sample.y)) for model in (whole, pruned, whole)] for _ in range(repeats)
    ]
    before, folds, after = np.min(turns, axis=0)
    one = np.minimum(before, after)
    strata = [str(pruned.grown_tree_.n_leaves), str(pruned.tree_.n_leaves)]
    processor, wall = folds / one
    return [f"{n:,}", *strata, f"{one[0]:.3f}", f"{folds[0]:.3f}", f"{processor:.1f}", "<= 12", f"{wall:.1f}"]


def cost(quick: bool) -> None:
    print("Cost of 10 folds: RF20, one thread; least seconds of the processor\n")
    sizes = {"pruned": (300, 6, 1), "LeafRank()": (1_000, 6, 1)}
    if not quick:
        sizes = {"pruned": (40_000, 12, 1), "LeafRank()": (60_000, 11, 5)}
    rows = [[rule, *fits(RULES[rule], *size)] for rule, size in sizes.items()]
    header = [
        "rule",
        "n",
        "strata",
        "after pruning",
        "one fit (s)",
        "10 folds (s)",
        "in fits",
        "target",
        "by the wall clock",
    ]
    print_table(header, rows)


def speed(quick: bool) -> None:
    print("Pruned and plain fits: RF20, two threads; least seconds by the wall clock and of the processor\n")
    rows = []
    for n, goal in ((300, ""), (600, "")) if quick else ((2_000, "<= 0.3 s"), (100_000, "<= 20 times")):
        sample = simulate.rf20(n, random_state=0)
        models = [TreeRank(LeafRank(), n_jobs=2, random_state=0), TreeRank(pruning="cv", n_jobs=2, random_state=0)]
        turns = [[clocks(partial(model.fit, sample.X, sample.y)) for model in models] for _ in range(3)]
        plain, pruned = np.min(turns, axis=0)
        seconds = [f"{of:.3f}" for of in (plain[1], pruned[1], plain[0], pruned[0])]
        rows.append([f"{n:,}", *seconds, f"{pruned[1] / plain[1]:.0f}", f"{pruned[0] / plain[0]:.0f}", goal])
    print_table(
        ["n", "plain, wall", "cv, wall", "plain, processor", "cv, processor", "ratio, wall", "processor", "goal"], rows
    )


def main() -> None:
    args = parser(__doc__).parse_args()
    if not args.no_header:
        print_header()
    n_seeds = 2 if args.quick else 20
    experiments = EXPERIMENTS[:1] if args.quick else EXPERIMENTS
    sizes = QUICK_SIZES if args.quick else SIZES
    of_signal(experiments, sizes, n_seeds)
    of_svc(experiments, sizes, n_seeds)
    of_noise(QUICK_NOISE if args.quick else N_NOISE, n_seeds, n_more=2 if args.quick else MORE_NOISE)
    cost(args.quick)
    speed(args.quick)


if __name__ == "__main__":
    main()
