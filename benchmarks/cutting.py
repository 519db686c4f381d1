"""How a cell is cut: resolutions of cubes, routing of the training rows, noise, and constraints on one tree.

Claims: the test AUC of `Dyadic()` is within .03 of that of the best resolution, which is chosen by the test rows.
Rules that memorise rank better with held-out routing, and `tree_.auc` is then within .02 of the test AUC. On noise
`TreeRank(pruning="cv-1se")` leaves at most two strata on average. Correct directions of four features do not lower the
mean test AUC of a tree on RF10 sparse.

These are the tables of the user guide. Test sets have 5000 rows, or the other half of a real set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from _experiments import FIRST_SEED, differences, mean_and_error, over_seeds
from _sets import SETS, present
from _timing import parser, print_header, print_table
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from rankforest import Dyadic, LeafRank, TreeRank, WeightedERM
from rankforest.data import simulate
from rankforest.metrics import roc_auc

Rows = tuple[np.ndarray, np.ndarray]
Draw = Callable[[int], tuple[Rows, Rows]]  # from a seed to rows to learn from and to test on

N_TEST, QUICK_TEST = 5000, 300
PRUNED = LeafRank(max_depth=None, min_mass_leaf=0.01, pruning="cv")


def simulated(
    law: Callable[..., simulate.Simulated], n: int, n_test: int, seed: int, columns: int | None = None
) -> tuple[Rows, Rows]:
    rng = np.random.default_rng(seed)
    drawn = [law(size, rng) for size in (n, n_test)]
    (train, test) = ((rows.X[:, :columns], rows.y) for rows in drawn)
    return train, test


def halves(X: np.ndarray, y: np.ndarray, most: int, seed: int) -> tuple[Rows, Rows]:
    order = np.random.default_rng(seed).permutation(len(y))
    split = min(len(y) // 2, most)
    return (X[order[:split]], y[order[:split]]), (X[order[split:]], y[order[split:]])


def auc_of(model: TreeRank, train: Rows, test: Rows) -> float:
    return roc_auc(test[1], model.fit(*train).score_samples(test[0]))


def tables_for_cubes(data: Path | None, n: int, n_test: int) -> dict[str, tuple[Draw, int | None]]:
    """Name -> how its rows are drawn, and how many features are drawn per cell."""
    found: dict[str, tuple[Draw, int | None]] = {
        "uniform mixture": (partial(simulated, simulate.uniform_mixture, n, n_test), None),
        "conditional Gaussians": (partial(simulated, simulate.conditional_gaussians, n, n_test), None),
        "RF 10 sparse, its 4 informative features": (
            lambda seed: simulated(simulate.rf10_sparse, n, n_test, seed, columns=4),
            None,
        ),
        "RF 10, 2 features drawn per cell": (partial(simulated, simulate.rf10, n, n_test), 2),
        "breast cancer, 2 features drawn per cell": (partial(halves, *load_breast_cancer(return_X_y=True), 4000), 2),
    }
    if data is not None:
        for name in present(data, ("phoneme", "mammography", "churn")):
            X, y = SETS[name].table(data)
            numbers = X.select_dtypes("number").to_numpy(dtype=np.float64)
            found[name] = (partial(halves, numbers, y, 4000), 2 if name == "churn" else None)
    return found


def by_resolution(draw: Draw, drawn_features: int | None, resolutions: range, seed: int) -> dict[str, float]:
    train, test = draw(seed)
    rules = {"Dyadic()": Dyadic()}
    for box in ("table", "cell"):
        rules |= {f"{box} {j}": Dyadic(j, box=box) for j in resolutions}
    return {
        name: auc_of(TreeRank(rule, max_depth=10, max_features=drawn_features, random_state=seed), train, test)
        for name, rule in rules.items()
    }


def of_cubes(data: Path | None, n: int, n_test: int, n_seeds: int, resolutions: range) -> None:
    print(f"Resolution of cubes: trees of depth 10, mean test AUC of {n_seeds} samples; the best j on the test rows\n")
    rows = []
    for name, (draw, features) in tables_for_cubes(data, n, n_test).items():
        task = partial(by_resolution, draw, features, resolutions)
        found = over_seeds(task, range(FIRST_SEED, FIRST_SEED + n_seeds))
        mean = {key: float(np.mean([each[key] for each in found])) for key in found[0]}
        row = [name, f"{mean['Dyadic()']:.3f}"]
        for box in ("table", "cell"):
            best = max(resolutions, key=lambda j, box=box: mean[f"{box} {j}"])
            row.append(f"{mean[f'{box} {best}']:.3f} (j = {best})")
        rows.append(row)
    print_table(["set", "Dyadic()", "best Dyadic(j)", 'best Dyadic(j, box="cell")'], rows)


def by_routing(
    law: Callable[..., simulate.Simulated], n: int, n_test: int, max_depth: int, seed: int
) -> dict[str, tuple[float, ...]]:
    train, test = simulated(law, n, n_test, seed)
    deep, line = DecisionTreeClassifier(random_state=seed), LogisticRegression()
    models = {
        "unlimited decision tree, in-sample": TreeRank(WeightedERM(deep, routing="in-sample"), max_depth=max_depth),
        "unlimited decision tree, held-out": TreeRank(WeightedERM(deep), max_depth=max_depth),
        "logistic regression, in-sample": TreeRank(WeightedERM(line, routing="in-sample"), max_depth=max_depth),
        "logistic regression, held-out": TreeRank(WeightedERM(line), max_depth=max_depth),
        "LeafRank()": TreeRank(LeafRank()),
        "pruned LeafRank": TreeRank(PRUNED),
    }
    found = {}
    for name, model in models.items():
        test_auc = auc_of(model.set_params(random_state=seed), train, test)
        own = roc_auc(train[1], model.score_samples(train[0]))
        found[name] = (test_auc, model.tree_.auc, own, model.tree_.n_leaves)
    return found


def of_routing(n: int, n_test: int, max_depth: int, n_seeds: int) -> None:
    print(f"Routing of the training rows: n = {n}, means of {n_seeds} samples\n")
    rows = []
    for name, law in (("RF 20", simulate.rf20), ("RF 10 sparse", simulate.rf10_sparse)):
        found = over_seeds(partial(by_routing, law, n, n_test, max_depth), range(FIRST_SEED, FIRST_SEED + n_seeds))
        for rule in found[0]:
            test_auc, told, own, strata = np.mean([each[rule] for each in found], axis=0)
            rows.append([name, rule, f"{test_auc:.3f}", f"{told:.3f}", f"{own:.3f}", f"{strata:.0f}"])
    print_table(["set", "rule", "test AUC", "tree_.auc", "of the training rows", "strata"], rows)


def strata_of_noise(n: int, q: int, seed: int) -> dict[str, tuple[int, float]]:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, q)), rng.permutation(np.arange(n) % 2)
    models = {
        "plain LeafRank": TreeRank(LeafRank()),
        'LeafRank(pruning="cv")': TreeRank(LeafRank(pruning="cv")),
        'TreeRank(pruning="cv"), 5 folds': TreeRank(pruning="cv").set_params(pruning__n_folds=5),
        '"cv-1se", 5 folds': TreeRank(pruning="cv-1se").set_params(pruning__n_folds=5),
    }
    trees = {name: model.set_params(random_state=seed).fit(X, y).tree_ for name, model in models.items()}
    return {name: (tree.n_leaves, tree.auc) for name, tree in trees.items()}


def of_noise(shapes: list[tuple[int, int, int]]) -> None:
    print("Pure noise: strata left on average, and the AUC that the tree names\n")
    rows = []
    for n, q, n_seeds in shapes:
        found = over_seeds(partial(strata_of_noise, n, q), range(FIRST_SEED, FIRST_SEED + n_seeds))
        for rule in found[0]:
            leaves, told = np.mean([each[rule] for each in found], axis=0)
            rows.append([f"{n} rows, {q} features, {n_seeds} samples", rule, f"{leaves:.1f}", f"{told:.2f}"])
    print_table(["", "rule", "strata", "tree_.auc"], rows)


def with_directions(n: int, n_test: int, seed: int) -> tuple[float, float]:
    train, test = simulated(simulate.rf10_sparse, n, n_test, seed)
    rising = [1] * 4 + [0] * 6
    models = (TreeRank(LeafRank()), TreeRank(LeafRank(), monotonic_cst=rising))
    free, constrained = (auc_of(model.set_params(random_state=seed), train, test) for model in models)
    return free, constrained


def of_directions(sizes: tuple[int, ...], n_test: int, n_seeds: int) -> None:
    print(f"Four directions, all of them true: one tree on RF10 sparse, {n_seeds} samples; mean ± standard error\n")
    rows = []
    for n in sizes:
        found = over_seeds(partial(with_directions, n, n_test), range(FIRST_SEED, FIRST_SEED + n_seeds))
        free, constrained = zip(*found)
        rows.append([f"{n} rows", mean_and_error(free), mean_and_error(constrained), differences(constrained, free)])
    print_table(["", "test AUC", "with directions", "difference"], rows)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="folder with the real sets")
    args = options.parse_args()
    if not args.no_header:
        print_header()
    n, n_test = (150, QUICK_TEST) if args.quick else (1000, N_TEST)
    of_cubes(args.data, n, n_test, 2 if args.quick else 6, range(1, 3 if args.quick else 6))
    of_routing(n, n_test, 1 if args.quick else 6, 2 if args.quick else 10)
    of_noise([(60, 3, 2)] if args.quick else [(300, 5, 30), (1000, 8, 12)])
    of_directions((100,) if args.quick else (500, 2000), n_test, 2 if args.quick else 30)


if __name__ == "__main__":
    main()
